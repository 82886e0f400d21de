#include "kardan/run/recorder.h"

#include <algorithm>
#include <limits>
#include <set>

#include "kardan/formulation/analysis.h"
#include "kardan/run/loads.h"
#include "kardan/run/outputs.h"

namespace kardan {
namespace {

constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

bool is_force(const ElementData& e) {
  return e.type->category == Category::force || e.type->category == Category::contact;
}

}  // namespace

const ResultBlock* ResultLayout::find(std::string_view block) const {
  for (const ResultBlock& b : blocks)
    if (b.name == block) return &b;
  return nullptr;
}

Recorder::Recorder(const System& system)
    : system_(system), columns_(system), ws_(system.make_workspace()) {
  add({"time", "of the row", {}, {}, {"s"}});
  add_bodies();
  place_columns();
  row_.assign(layout_.width, unknown);
  values_.resize(columns_.names().size());
  vectors_.resize(system.blueprint().elements.size());
  // Point masses do not turn.
  const ResultBlock* poses = layout_.find("poses");
  for (int b = 0; poses && b < poses->item_count(); ++b)
    for (int k = 0; k < poses->component_count(); ++k)
      row_[poses->first + b * poses->component_count() + k] = k == 3 ? 1 : 0;
  for (const char* name : {"velocities", "accelerations"})
    if (const ResultBlock* block = layout_.find(name))
      std::fill_n(row_.begin() + block->first, block->size(), 0.0);
}

void Recorder::add(ResultBlock block) {
  block.first = layout_.width;
  layout_.width += block.size();
  layout_.blocks.push_back(std::move(block));
}

void Recorder::add_bodies() {
  if (!system_.has_bodies()) return;
  std::vector<std::string> bodies;
  for (std::size_t b = 1; b < system_.bodies().size(); ++b)
    bodies.push_back(system_.blueprint().bodies[b].name);
  if (bodies.empty()) return;
  if (system_.dimension() == 2) {
    add({"poses", "centre of mass and angle", bodies, {"x", "y", "angle"}, {"m", "m", "rad"}});
    add({"velocities",
         "of the centre of mass, and spin",
         bodies,
         {"vx", "vy", "omega"},
         {"m/s", "m/s", "rad/s"}});
    add({"accelerations",
         "of the centre of mass, and of the spin",
         bodies,
         {"ax", "ay", "alpha"},
         {"m/s^2", "m/s^2", "rad/s^2"}});
    return;
  }
  add({"poses",
       "centre of mass and unit quaternion, in the world",
       bodies,
       {"x", "y", "z", "qw", "qx", "qy", "qz"},
       {"m", "m", "m", "1", "1", "1", "1"}});
  add({"velocities",
       "of the centre of mass in the world, spin in the body frame",
       bodies,
       {"vx", "vy", "vz", "wx", "wy", "wz"},
       {"m/s", "m/s", "m/s", "rad/s", "rad/s", "rad/s"}});
  add({"accelerations",
       "of the centre of mass in the world, of the spin in the body frame",
       bodies,
       {"ax", "ay", "az", "alphax", "alphay", "alphaz"},
       {"m/s^2", "m/s^2", "m/s^2", "rad/s^2", "rad/s^2", "rad/s^2"}});
}

/// Every column of ResultColumns gets its place, in the order of that class.
void Recorder::place_columns() {
  column(0, "s");
  place_quantities();
  place_accelerations();
  place_multipliers();
  place_reactions();
  place_loads();
  place_forces();
  const int energies = layout_.width;
  add({"energies", "of all bodies and forces", {"kinetic", "potential"}, {}, {"J", "J"}});
  column(energies, "J");
  column(energies + 1, "J");

  Diagnostics discarded;  // when the model was read
  for (ResultColumn& c : layout_.columns) c.chosen = false;
  for (const std::size_t i : chosen_outputs(system_.blueprint(), columns_.names(), discarded))
    layout_.columns[i].chosen = true;
}

void Recorder::column(int at, std::string unit) {
  layout_.columns.push_back({columns_.names()[layout_.columns.size()], std::move(unit), at, true});
}

int Recorder::in_body(const char* block, int body, int k) const {
  const ResultBlock& b = *layout_.find(block);
  return b.first + (body - 1) * b.component_count() + k;
}

void Recorder::place_quantities() {
  ResultBlock block{"quantities", "sensors and variables", {}, {}, {}};
  const int first = layout_.width;
  for (const std::string& name : system_.quantity_names()) {
    if (name == "t") continue;
    const Quantity q = *system_.find_quantity(name);
    const std::string unit = system_.quantity_unit(q);
    if (system_.has_bodies() && q.kind == Quantity::Kind::position) {
      column(in_body("poses", q.body, q.index), unit);
    } else if (system_.has_bodies() && q.kind == Quantity::Kind::velocity) {
      column(in_body("velocities", q.body, q.index), unit);
    } else {
      column(first + static_cast<int>(block.items.size()), unit);
      block.items.push_back(name);
      block.units.push_back(unit);
    }
  }
  if (!block.items.empty()) add(std::move(block));
}

void Recorder::place_accelerations() {
  const System& s = system_;
  if (s.has_bodies()) {
    for (std::size_t b = 1; b < s.bodies().size(); ++b)
      for (int k = 0; k < s.bodies()[b].v_count; ++k)
        column(in_body("accelerations", static_cast<int>(b), k),
               s.is_rotation(s.bodies()[b].v + k) ? "rad/s^2" : "m/s^2");
    return;
  }
  ResultBlock block{"accelerations", "of the velocities", {}, {}, {}};
  for (int i = 0; i < s.sizes().v; ++i) {
    block.items.push_back(s.acceleration_name(i));
    block.units.emplace_back();
    column(layout_.width + i, "");
  }
  if (!block.items.empty()) add(std::move(block));
}

void Recorder::place_multipliers() {
  ResultBlock block{"multipliers", "of the constraint rows", {}, {}, {}};
  for (int i = 0; i < system_.sizes().constraints(); ++i) {
    const bool angle = system_.rows()[i].unit == RowUnit::angle;
    const std::string unit = !system_.has_bodies() ? "" : angle ? "N m" : "N";
    column(layout_.width + i, unit);
    block.items.push_back(layout_.columns.back().name);
    block.units.push_back(unit);
  }
  if (!block.items.empty()) add(std::move(block));
}

void Recorder::place_reactions() {
  const auto& elements = system_.blueprint().elements;
  std::set<int> with_rows;
  for (int i = 0; system_.has_bodies() && i < system_.sizes().constraints(); ++i)
    with_rows.insert(system_.rows()[i].element);
  ResultBlock block{"reactions",
                    "force and torque on the second body (the first, where that is the ground), "
                    "in the world",
                    {},
                    {"fx", "fy", "fz", "tx", "ty", "tz"},
                    {"N", "N", "N", "N m", "N m", "N m"}};
  for (const int e : with_rows)
    if (!elements[e].frames.empty()) {
      joints_.push_back(e);
      block.items.push_back(elements[e].name);
    }
  for (const ReactionQuantity& sensor : system_.reaction_sensors()) {
    const auto joint = std::find(block.items.begin(), block.items.end(), sensor.joint);
    const auto index = static_cast<int>(joint - block.items.begin());
    for (int k = 0; k < 6; ++k) column(layout_.width + 6 * index + k, k < 3 ? "N" : "N m");
  }
  if (!joints_.empty()) add(std::move(block));
}

void Recorder::place_loads() {
  ResultBlock block{"loads", "of joints and drivers", {}, {}, {}};
  for (const JointLoads::Column& load : columns_.loads().columns()) {
    column(layout_.width + static_cast<int>(block.items.size()), load.unit);
    block.items.push_back(load.name);
    block.units.push_back(load.unit);
  }
  if (!block.items.empty()) add(std::move(block));
}

void Recorder::place_forces() {
  ResultBlock shown{"forces", "what each force element shows", {}, {}, {}};
  ResultBlock vectors{"force_vectors",
                      "force on the second body, in the world",
                      {},
                      {"fx", "fy", "fz"},
                      {"N", "N", "N"}};
  const auto& elements = system_.blueprint().elements;
  for (std::size_t e = 0; e < elements.size(); ++e) {
    if (!is_force(elements[e])) continue;
    column(layout_.width + static_cast<int>(forces_.size()), "");
    forces_.push_back(static_cast<int>(e));
    shown.items.push_back(elements[e].name);
    shown.units.emplace_back();
    vectors.items.push_back(elements[e].name);
  }
  if (forces_.empty()) return;
  add(std::move(shown));
  add(std::move(vectors));
}

std::span<const double> Recorder::row(const Instant& at) {
  columns_.values(at, values_, *ws_);
  for (std::size_t i = 0; i < values_.size(); ++i) row_[layout_.columns[i].at] = values_[i];
  fill_joints(at);
  const ResultBlock* block = layout_.find("force_vectors");
  if (const BodyEquations* bodies = system_.bodies_at(*at.state, *ws_); block && bodies) {
    bodies->force_vectors(*at.state, vectors_, *ws_);
    double* out = row_.data() + block->first;
    for (const int e : forces_)
      for (int k = 0; k < 3; ++k) *out++ = vectors_[e][k];
  }
  return row_;
}

void Recorder::fill_joints(const Instant& at) {
  const ResultBlock* block = layout_.find("reactions");
  if (!block) return;
  double* out = row_.data() + block->first;
  std::fill_n(out, block->size(), unknown);
  if (at.lambda->empty()) return;
  // Both lists go by element.
  const std::vector<Reaction> all = kardan::reactions(system_, *at.state, *at.lambda, {}, *ws_);
  std::size_t next = 0;
  for (const int e : joints_) {
    while (next < all.size() && all[next].element != system_.blueprint().elements[e].name) ++next;
    if (next == all.size()) return;
    for (int k = 0; k < 3; ++k) {
      out[k] = all[next].force[k];
      out[3 + k] = all[next].torque[k];
    }
    out += 6;
  }
}

}  // namespace kardan
