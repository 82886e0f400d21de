#include "kardan/run/loads.h"

#include <algorithm>
#include <limits>

#include "kardan/formulation/analysis.h"

namespace kardan {

JointLoads::JointLoads(const System& system) : system_(system) {
  if (!system.has_bodies()) return;
  const auto& elements = system.blueprint().elements;
  struct Rows {
    int count = 0, last = 0;
    bool lengths = false, angles = false;
  };
  std::vector<Rows> of(elements.size());
  for (int i = 0; i < system.sizes().constraints(); ++i) {
    const RowInfo& row = system.rows()[i];
    Rows& own = of[row.element];
    ++own.count;
    own.last = i;
    (row.unit == RowUnit::length ? own.lengths : own.angles) = true;
  }
  for (std::size_t e = 0; e < elements.size(); ++e) {
    const std::size_t frames = elements[e].frames.size();
    if (frames == 0) continue;
    if (of[e].count == 1)
      add_row(of[e].last);
    else if (of[e].count > 1 && frames <= 2)
      add_rows(static_cast<int>(e), of[e].lengths, of[e].angles);
  }
}

void JointLoads::add_row(int row) {
  const bool turns = system_.rows()[row].unit == RowUnit::angle;
  const std::string& name = system_.element_of_row(row);
  Load load;
  load.element = system_.rows()[row].element;
  load.row = row;
  loads_.push_back(load);
  columns_.push_back({name + (turns ? ".torque" : ".force"), turns ? "N m" : "N"});
  const auto rate = system_.find_quantity(name + (turns ? ".rate" : ".speed"));
  if (!rate) return;
  load.power = true;
  load.rate = *rate;
  loads_.push_back(load);
  columns_.push_back({name + ".power", "W"});
}

void JointLoads::add_rows(int element, bool lengths, bool angles) {
  const std::string& name = system_.blueprint().elements[element].name;
  Load load;
  load.element = element;
  magnitudes_ = true;
  if (lengths) {
    loads_.push_back(load);
    columns_.push_back({name + ".force", "N"});
  }
  if (!angles) return;
  load.torque = true;
  loads_.push_back(load);
  columns_.push_back({name + ".torque", "N m"});
}

void JointLoads::values(const Instant& at, std::span<double> out, Workspace& ws) const {
  std::ranges::fill(out, std::numeric_limits<double>::quiet_NaN());
  if (loads_.empty() || at.lambda->empty()) return;
  std::vector<Reaction> all;
  if (magnitudes_) all = reactions(system_, *at.state, *at.lambda, {}, ws);
  std::size_t next = 0;  // both lists go by element
  for (std::size_t i = 0; i < loads_.size(); ++i) {
    const Load& load = loads_[i];
    if (load.row >= 0) {
      out[i] = -(*at.lambda)[load.row];
      if (load.power) out[i] *= system_.quantity(load.rate, *at.state, 0, {}, {}, ws);
      continue;
    }
    const std::string& name = system_.blueprint().elements[load.element].name;
    for (std::size_t k = 0; k < all.size(); ++k) {
      const Reaction& r = all[(next + k) % all.size()];
      if (r.element != name) continue;
      out[i] = norm(load.torque ? r.torque : r.force);
      next = (next + k) % all.size();
      break;
    }
  }
}

}  // namespace kardan
