#include "kardan/run/trajectory.h"

#include <algorithm>
#include <cmath>

namespace kardan {
namespace {

/// Variables by name.
std::vector<std::string> compared_names(const System& system) {
  std::vector<std::string> out;
  for (const std::string& name : system.quantity_names()) {
    using Kind = Quantity::Kind;
    const Kind kind = system.find_quantity(name)->kind;
    if (kind == Kind::position || kind == Kind::velocity || kind == Kind::state ||
        kind == Kind::auxiliary || kind == Kind::contact)
      out.push_back(name);
  }
  return out;
}

bool is_auxiliary(const std::optional<Quantity>& q) {
  return !q || q->kind == Quantity::Kind::auxiliary || q->kind == Quantity::Kind::contact;
}

/// Auxiliary components count by their largest value, those of no size by this share of the largest
/// of all, or of one.
void scale_auxiliary(const Trajectory& reference, std::vector<ComponentError>& components) {
  constexpr double no_size = 1e-6;
  double all = 1;
  std::vector<double> sizes;
  for (const ComponentError& c : components) {
    double size = 0;
    const auto k = std::ranges::find(reference.names, c.name) - reference.names.begin();
    if (c.auxiliary)
      for (const Vector& row : reference.rows) size = std::max(size, std::abs(row[k]));
    sizes.push_back(size);
    all = std::max(all, size);
  }
  for (std::size_t i = 0; i < components.size(); ++i)
    if (ComponentError& c = components[i]; c.auxiliary)
      for (std::size_t t = 0; t < c.absolute.size(); ++t)
        c.reached[t] = c.absolute[t] / (sizes[i] + no_size * all);
}

/// The larger one; not-a-number stays.
void raise(double& worst, double error) {
  if (!(error <= worst) && !std::isnan(worst)) worst = error;
}

}  // namespace

std::optional<Trajectory> trajectory(Prepared& prepared, const SimulateOptions& options,
                                     RunReport& report, Diagnostics& diagnostics,
                                     Evidence evidence) {
  const System& system = *prepared.system;
  Trajectory out;
  out.names = compared_names(system);
  std::vector<Quantity> quantities;
  for (const std::string& name : out.names) quantities.push_back(*system.find_quantity(name));
  for (std::string& name : multiplier_names(system)) out.names.push_back(std::move(name));
  const auto ws = system.make_workspace();
  const GridSink grid = [&](const Instant& at) {
    out.times.push_back(at.state->t);
    Vector& row = out.rows.emplace_back();
    for (const Quantity& q : quantities)
      row.push_back(system.quantity(q, *at.state, 0, {}, {}, *ws));
    row.insert(row.end(), at.lambda->begin(), at.lambda->end());
    row.resize(out.names.size(), std::nan(""));
    return std::string();
  };
  SimulateOptions measured = options;  // by the trajectory, not by the run itself
  measured.error_estimate = measured.accuracy = 0;
  report = simulate(prepared, measured, {.grid = grid, .evidence = evidence}, diagnostics);
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
    const std::optional<Quantity> q = system.find_quantity(reference.names[c]);
    const bool turns =
        system.dimension() == 3 && q && q->kind == Quantity::Kind::position && q->index >= 3;
    ComponentError e;
    e.name = reference.names[c];
    e.velocity = q && q->kind == Quantity::Kind::velocity;
    e.auxiliary = is_auxiliary(q);
    for (std::size_t i = 0; i < count; ++i) {
      const double y = run.rows[i][k], ref = reference.rows[i][c];
      const double error =
          turns ? std::min(std::abs(y - ref), std::abs(y + ref)) : std::abs(y - ref);
      e.absolute.push_back(error);
      e.reached.push_back(error / (1 + std::abs(ref)));
    }
    out.push_back(std::move(e));
  }
  scale_auxiliary(reference, out);
  return out;
}

ReachedError reached_error(const std::vector<ComponentError>& components) {
  ReachedError out;
  for (const ComponentError& c : components)
    for (const double error : c.reached)
      if (!c.auxiliary) raise(c.velocity ? out.velocity : out.position, error);
  return out;
}

ReachedError reached_error(const std::vector<ComponentError>& components, std::size_t time) {
  ReachedError out;
  for (const ComponentError& c : components)
    if (!c.auxiliary) raise(c.velocity ? out.velocity : out.position, c.reached[time]);
  return out;
}

}  // namespace kardan
