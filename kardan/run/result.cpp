#include "kardan/run/result.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "kardan/formulation/analysis.h"
#include "kardan/run/loads.h"

namespace kardan {
namespace {

constexpr const char* reaction_parts[] = {"fx", "fy", "fz", "tx", "ty", "tz"};

}  // namespace

std::vector<std::string> multiplier_names(const System& system) {
  std::vector<std::string> out;
  int last = -1, index = 0;
  for (int i = 0; i < system.sizes().constraints(); ++i) {
    const RowInfo& row = system.rows()[i];
    index = row.element == last ? index + 1 : 0;
    last = row.element;
    const char* letter = row.kind == RowKind::holonomic ? "lambda" : "mu";
    const std::string& element = system.element_of_row(i);
    out.push_back(system.has_bodies() ? fmt::format("{}.{}[{}]", element, letter, index)
                                      : fmt::format("{}.{}", element, letter));
  }
  return out;
}

ResultColumns::ResultColumns(const System& system)
    : system_(system), names_{"time"}, loads_(std::make_unique<const JointLoads>(system)) {
  for (const std::string& name : system.quantity_names()) {
    if (name == "t") continue;
    names_.push_back(name);
    quantities_.push_back(*system.find_quantity(name));
  }
  for (int i = 0; i < system.sizes().v; ++i) names_.push_back(system.acceleration_name(i));
  for (std::string& name : multiplier_names(system)) names_.push_back(std::move(name));
  for (const ReactionQuantity& sensor : system.reaction_sensors())
    for (const char* part : reaction_parts) names_.push_back(sensor.name + "." + part);
  for (const JointLoads::Column& load : loads_->columns()) names_.push_back(load.name);
  const auto& elements = system.blueprint().elements;
  for (std::size_t e = 0; e < elements.size(); ++e) {
    const Category c = elements[e].type->category;
    if (c != Category::force && c != Category::contact) continue;
    names_.push_back(elements[e].name + ".force");
    forces_.push_back(static_cast<int>(e));
  }
  names_.push_back("energy.kinetic");
  names_.push_back("energy.potential");
}

ResultColumns::~ResultColumns() = default;

double* ResultColumns::reactions(const Instant& at, double* out, Workspace& ws) const {
  const auto& sensors = system_.reaction_sensors();
  double* const end = out + 6 * sensors.size();
  std::fill(out, end, std::numeric_limits<double>::quiet_NaN());
  if (sensors.empty() || at.lambda->empty()) return end;
  const std::vector<Reaction> all = kardan::reactions(system_, *at.state, *at.lambda, {}, ws);
  for (const ReactionQuantity& sensor : sensors) {
    for (const Reaction& r : all)
      for (int k = 0; k < 3 && r.element == sensor.joint; ++k) {
        out[k] = r.force[k];
        out[3 + k] = r.torque[k];
      }
    out += 6;
  }
  return end;
}

void ResultColumns::values(const Instant& at, std::span<double> out, Workspace& ws) const {
  const State& state = *at.state;
  double* next = out.data();
  *next++ = state.t;
  for (const Quantity& q : quantities_) *next++ = system_.quantity(q, state, 0, {}, {}, ws);
  auto put = [&](const Vector& values, int count) {
    next = values.empty() ? std::fill_n(next, count, std::numeric_limits<double>::quiet_NaN())
                          : std::copy(values.begin(), values.end(), next);
  };
  put(*at.a, system_.sizes().v);
  put(*at.lambda, system_.sizes().constraints());
  next = reactions(at, next, ws);
  loads_->values(at, std::span(next, loads_->columns().size()), ws);
  next += loads_->columns().size();
  if (const BodyEquations* bodies = system_.bodies_at(state, ws)) {
    Vector forces(system_.blueprint().elements.size());
    bodies->element_forces(state, forces, ws);
    for (int e : forces_) *next++ = forces[e];
  }
  const Energy energy = system_.energy(state, ws);
  *next++ = energy.kinetic;
  *next++ = energy.potential;
}

}  // namespace kardan
