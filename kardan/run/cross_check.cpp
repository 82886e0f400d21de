#include "kardan/run/cross_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "kardan/formulation/catalog.h"
#include "kardan/run/choice.h"

namespace kardan {
namespace {

/// The other method is asked for this share of the accuracy, then for this share of that; it takes
/// at least this many steps.
constexpr double share_of_accuracy = 1e-2, second_share = 1e-2;
constexpr double least_steps = 1000;
/// A difference is that of two errors, and no contradiction, where it falls by this with the
/// tolerance.
constexpr double falls_with_tolerance = 3;
/// A reference a hundred times tighter takes ten times the steps with an estimate of order 1, and a
/// check of it still more; from this order on less than five times.
constexpr int affordable_order = 2;
/// The start is disturbed by this share of the units of every coordinate.
constexpr double disturbance = 1e-13;
/// Auxiliary components differ by this share of their size, at more times than events explain.
constexpr double unlike_share = 0.1;
constexpr int unlike_times = 3;

double worst(const ReachedError& e) {
  return std::isnan(e.position) || std::isnan(e.velocity) ? HUGE_VAL
                                                          : std::max(e.position, e.velocity);
}

}  // namespace

SimulateOptions crossing_options(const SimulateOptions& asked, const std::string& method,
                                 double tolerance, int most_steps) {
  SimulateOptions o;
  o.method = method;
  o.t_end = asked.t_end;
  o.every = asked.every;
  o.driver.tolerance = std::max(tolerance, tightest_crossing);
  o.driver.largest_step = asked.t_end / least_steps;
  o.driver.max_steps = most_steps;
  return o;
}

namespace {

std::optional<Trajectory> run(const PrepareRun& make, const SimulateOptions& options, long& steps) {
  Prepared prepared = make();
  RunReport report;
  Diagnostics unused;
  if (!prepared.system || prepared.start.report.status != Eval::ok) return std::nullopt;
  std::optional<Trajectory> path =
      trajectory(prepared, options, report, unused, Evidence::left_out);
  const Counters& c = report.driver.counters;
  steps += c.steps + c.rejected + c.failed;
  return path;
}

}  // namespace

std::string difference(const System& system, const Trajectory& a, const Trajectory& b,
                       double accuracy, double& apart) {
  const auto errors = component_errors(system, a, b);
  apart = worst(reached_error(errors));
  const std::size_t rows = a.rows.size(), others = b.rows.size();
  if (std::max(rows, others) > std::min(rows, others) + 1) {
    apart = HUGE_VAL;
    const auto& [shorter, longer] = rows < others ? std::pair(a, b) : std::pair(b, a);
    return fmt::format("one ends at t = {:.6g} s, the other at t = {:.6g} s",
                       shorter.times.empty() ? 0.0 : shorter.times.back(), longer.times.back());
  }
  if (apart > accuracy) return fmt::format("they are {:.1e} apart", apart);
  const std::string unlike = unlike_component(errors);
  return unlike.empty() ? std::string() : fmt::format("'{}' is not the same", unlike);
}

std::vector<std::string> crossing_methods(const std::string& name) {
  Diagnostics unused;
  const Choice choice = choose_method(name, unused);
  if (!choice.method) return {};
  const std::string stiff = name_for(Task::stiff), any = name_for(Task::whatever_comes);
  if (choice.method->is_explicit) return {any, stiff};
  if (choice.method->problem == ProblemKind::dae)
    return {fmt::format("{}@{}", method_for(Task::not_stiff).name, free_form().name), stiff};
  return {name_for(Task::not_stiff), any};
}

std::vector<std::string> reference_methods(const std::string& name) {
  Diagnostics unused;
  const Method* own = choose_method(name, unused).method;
  std::vector<std::string> out;
  if (!own || own->error_order >= affordable_order) return out;
  for (std::string& other : crossing_methods(name))
    if (choose_method(other, unused).method->error_order >= affordable_order)
      out.push_back(std::move(other));
  return out;
}

Crossing cross(const PrepareRun& make, const SimulateOptions& asked, const std::string& method,
               const Trajectory& motion, double accuracy, int most_steps) {
  Crossing out;
  const Prepared model = make();
  for (const std::string& other : crossing_methods(method)) {
    const double tolerance = share_of_accuracy * accuracy;
    auto path = run(make, crossing_options(asked, other, tolerance, most_steps), out.steps);
    if (!path) continue;
    out.method = other;
    out.differs = difference(*model.system, *path, motion, accuracy, out.apart);
    if (out.differs.empty()) return out;
    // The other one may be the worse of the two.
    const double before = out.apart;
    path = run(make, crossing_options(asked, other, second_share * tolerance, 10 * most_steps),
               out.steps);
    if (path) out.differs = difference(*model.system, *path, motion, accuracy, out.apart);
    if (path && std::isfinite(before) && out.apart * falls_with_tolerance <= before)
      out.differs.clear();
    return out;
  }
  return out;
}

std::optional<double> magnification(const PrepareRun& make, const SimulateOptions& options,
                                    const Trajectory& motion, long& steps) {
  Prepared prepared = make();
  if (!prepared.system || prepared.start.report.status != Eval::ok) return std::nullopt;
  const System& system = *prepared.system;
  const Formulation& free = free_form();
  if (!treats(free, system)) return std::nullopt;
  const auto problem = free.make(system, complete_options(free.options, {}));
  State& state = prepared.start.state;
  if (problem->rebase(state) != Eval::ok) return std::nullopt;
  Local y = problem->base(), weights;
  problem->error_weights(state, problem->default_scale(disturbance), weights);
  double sign = 1;
  for (const auto& [to, by] :
       {std::pair(&y.x, &weights.x), std::pair(&y.u, &weights.u), std::pair(&y.z, &weights.z)})
    for (std::size_t i = 0; i < to->size(); ++i, sign = -sign)
      if ((*by)[i] > 0) (*to)[i] += sign / (*by)[i];
  ChartPoint point;
  State beside = state;
  if (problem->finish(state.t, y, beside, point) != Eval::ok) return std::nullopt;
  state = beside;
  prepared.start.a.clear();
  RunReport report;
  Diagnostics unused;
  const auto path = trajectory(prepared, options, report, unused, Evidence::left_out);
  const Counters& c = report.driver.counters;
  steps += c.steps + c.rejected + c.failed;
  if (!path) return std::nullopt;
  return worst(reached_error(component_errors(system, *path, motion))) / disturbance;
}

std::string unlike_component(const std::vector<ComponentError>& components) {
  for (const ComponentError& c : components) {
    if (!c.auxiliary) continue;
    const auto far = [](double share) { return !(share <= unlike_share); };
    if (std::ranges::count_if(c.reached, far) > unlike_times) return c.name;
  }
  return {};
}

}  // namespace kardan
