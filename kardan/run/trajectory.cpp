#include "kardan/run/trajectory.h"

#include <algorithm>
#include <cmath>

namespace kardan {
namespace {

/// Positions and velocities by name.
std::vector<std::string> compared_names(const System& system) {
  std::vector<std::string> out;
  for (const std::string& name : system.quantity_names()) {
    const Quantity::Kind kind = system.find_quantity(name)->kind;
    if (kind == Quantity::Kind::position || kind == Quantity::Kind::velocity) out.push_back(name);
  }
  return out;
}

/// The larger one; not-a-number stays.
void raise(double& worst, double error) {
  if (!(error <= worst) && !std::isnan(worst)) worst = error;
}

}  // namespace

std::optional<Trajectory> trajectory(Prepared& prepared, const SimulateOptions& options,
                                     RunReport& report, Diagnostics& diagnostics) {
  const System& system = *prepared.system;
  Trajectory out;
  out.names = compared_names(system);
  std::vector<Quantity> quantities;
  for (const std::string& name : out.names) quantities.push_back(*system.find_quantity(name));
  const auto ws = system.make_workspace();
  const GridSink grid = [&](const Moment& at) {
    out.times.push_back(at.state->t);
    Vector& row = out.rows.emplace_back();
    for (const Quantity& q : quantities)
      row.push_back(system.quantity(q, *at.state, 0, {}, {}, *ws));
    return std::string();
  };
  report = simulate(prepared, options, grid, {}, diagnostics);
  const Reason reason = report.driver.reason;
  if (diagnostics.has_errors() || (reason != Reason::finished && reason != Reason::stopped))
    return std::nullopt;
  return out;
}

std::vector<ComponentError> component_errors(const System& system, const Trajectory& run,
                                             const Trajectory& reference) {
  std::vector<ComponentError> out;
  const std::size_t count = std::min(run.rows.size(), reference.rows.size());
  for (std::size_t c = 0; c < reference.names.size(); ++c) {
    const auto found = std::find(run.names.begin(), run.names.end(), reference.names[c]);
    if (found == run.names.end()) continue;
    const auto k = static_cast<std::size_t>(found - run.names.begin());
    const Quantity q = *system.find_quantity(reference.names[c]);
    const bool turns =
        system.dimension() == 3 && q.kind == Quantity::Kind::position && q.index >= 3;
    ComponentError e;
    e.name = reference.names[c];
    e.velocity = q.kind == Quantity::Kind::velocity;
    for (std::size_t i = 0; i < count; ++i) {
      const double y = run.rows[i][k], ref = reference.rows[i][c];
      const double error =
          turns ? std::min(std::abs(y - ref), std::abs(y + ref)) : std::abs(y - ref);
      e.absolute.push_back(error);
      e.reached.push_back(error / (1 + std::abs(ref)));
    }
    out.push_back(std::move(e));
  }
  return out;
}

ReachedError reached_error(const std::vector<ComponentError>& components) {
  ReachedError out;
  for (const ComponentError& c : components)
    for (const double error : c.reached) raise(c.velocity ? out.velocity : out.position, error);
  return out;
}

ReachedError reached_error(const std::vector<ComponentError>& components, std::size_t time) {
  ReachedError out;
  for (const ComponentError& c : components)
    raise(c.velocity ? out.velocity : out.position, c.reached[time]);
  return out;
}

}  // namespace kardan
