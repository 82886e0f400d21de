#include "kardan/run/regime.h"

#include <fmt/format.h>

#include <algorithm>

#include "kardan/base/text.h"
#include "kardan/formulation/catalog.h"
#include "kardan/run/automatic.h"

namespace kardan {
namespace {

/// Places of the variables a name stands for.
struct Places {
  std::vector<int> position, velocity, first;
  bool empty() const { return position.empty() && velocity.empty() && first.empty(); }
};

Places find_places(const System& system, const std::string& name) {
  Places out;
  for (std::size_t b = 1; b < system.bodies().size() && system.has_bodies(); ++b) {
    if (system.blueprint().bodies[b].name != name) continue;
    for (int k = 0; k < system.bodies()[b].v_count; ++k) {
      out.position.push_back(system.bodies()[b].v + k);
      out.velocity.push_back(system.bodies()[b].v + k);
    }
    return out;
  }
  const auto quantity = system.find_quantity(name);
  if (!quantity) return out;
  const BodyLayout& body = system.bodies()[quantity->body];
  const int k = quantity->index;
  switch (quantity->kind) {
    case Quantity::Kind::position:
      // Components of a quaternion stand for the turn as a whole.
      for (int c = k < 3 ? k : 3; c <= (k < 3 ? k : 5); ++c) out.position.push_back(body.v + c);
      break;
    case Quantity::Kind::velocity:
      out.velocity.push_back(body.v + k);
      break;
    case Quantity::Kind::state:
      out.first.push_back(k);
      break;
    default:
      break;
  }
  return out;
}

/// The motion on free coordinates, for methods that have no Jacobian in them; null: not needed.
std::unique_ptr<ChartProblem> make_free_form(const Choice& choice, const System& system) {
  const Method& method = *choice.method;
  const bool has_jacobian =
      method.problem == ProblemKind::ode && method.needs_jacobian && !method.integrate;
  if ((method.is_explicit && !method.damps_swinging) || has_jacobian) return nullptr;
  const Formulation& free = free_form();
  if (!treats(free, system)) return nullptr;
  return free.make(system, complete_options(free.options, {}));
}

/// Of all options given, those declared, and the defaults of the others.
OptionValues used_options(std::span<const OptionInfo> declared, const OptionValues& given) {
  OptionValues all = complete_options(declared, given), out;
  for (const OptionInfo& o : declared) out[o.name] = all[o.name];
  return out;
}

}  // namespace

std::optional<ErrorScale> find_scale(const System& system, const ChartProblem& problem,
                                     const SimulateOptions& options, Diagnostics& diagnostics) {
  if (options.relative <= 0 && options.absolute <= 0 && options.tolerance_of.empty())
    return std::nullopt;
  const double tolerance = options.driver.tolerance;
  ErrorScale s = problem.default_scale(options.absolute > 0 ? options.absolute : tolerance);
  s.relative = options.relative > 0 ? options.relative : tolerance;
  s.relative_position.assign(s.position.size(), s.relative);
  s.relative_velocity.assign(s.velocity.size(), s.relative);
  s.relative_first.assign(s.first.size(), s.relative);
  for (const VariableTolerance& t : options.tolerance_of) {
    const Places at = find_places(system, t.name);
    if (at.empty()) {
      std::vector<std::string> names = system.quantity_names();
      for (const BodyData& b : system.blueprint().bodies) names.push_back(b.name);
      const std::string near = did_you_mean(t.name, names);
      diagnostics.error("tolerance.name",
                        fmt::format("tolerance of '{}': there is no such variable", t.name), {},
                        near.empty() ? "name a body, a coordinate, a velocity or a dynamic variable"
                                     : "did you mean '" + near + "'?");
    }
    for (int j : at.position) s.position[j] = s.relative_position[j] = t.value;
    for (int j : at.velocity) s.velocity[j] = s.relative_velocity[j] = t.value;
    for (int j : at.first) s.first[j] = s.relative_first[j] = t.value;
  }
  return s;
}

/// Refuses a method that would lose its order.
void refuse_missing_derivatives(const Method& method, RunReport& report) {
  if (!method.needs_exact_jacobian || report.exact_derivatives) return;
  report.driver.reason = Reason::refused;
  report.driver.message =
      fmt::format("'{}' needs exact derivatives; {}", method.name,
                  report.without_derivatives.empty()
                      ? "here differences stand in for them"
                      : fmt::format("'{}' gives none", report.without_derivatives.front()));
  report.driver.advice = "use 'ros2w', which keeps its order without them";
}

/// What was asked, and what is used for it.
void describe(const System& system, const Choice& choice, const SimulateOptions& options,
              RunReport& report) {
  report.asked = options;
  report.method = choice.method->name;
  report.formulation = choice.formulation->name;
  report.method_options = used_options(choice.method->options, options.options);
  report.formulation_options = used_options(choice.formulation->options, options.options);
  report.tolerance = options.driver.tolerance;
  report.dense_order = std::min(choice.method->order, choice.method->dense_order);
  report.without_derivatives.clear();
  for (const ElementData& e : system.blueprint().elements)
    if (!e.differentiable) report.without_derivatives.push_back(e.name);
  report.exact_derivatives = system.exact_derivatives() && report.without_derivatives.empty();
}

/// Adds what a part of the run reports about its problem.
void add_problem(const ChartProblem& problem, RunReport& report) {
  report.partitions += problem.partitions();
  const ProblemCounts counts = problem.counts();
  report.counts.mass_evaluations += counts.mass_evaluations;
  report.counts.selectors += counts.selectors;
  report.counts.predecompositions += counts.predecompositions;
  report.counts.rank_decisions += counts.rank_decisions;
  for (const std::string& remark : problem.remarks())
    if (std::ranges::find(report.remarks, remark) == report.remarks.end())
      report.remarks.push_back(remark);
  const auto history = problem.partition_history();
  report.partition_history.insert(report.partition_history.end(), history.begin(), history.end());
}

/// Adds a run to those before it.
void append(DriverReport&& next, DriverReport& report) {
  for (long Counters::*count :
       {&Counters::steps, &Counters::rejected, &Counters::failed, &Counters::evaluations,
        &Counters::jacobians, &Counters::factorizations, &Counters::events, &Counters::iterations,
        &Counters::solves})
    next.counters.*count += report.counters.*count;
  next.events.insert(next.events.begin(), report.events.begin(), report.events.end());
  if (report.counters.steps > 0) {
    next.smallest_step = next.counters.steps > report.counters.steps
                             ? std::min(next.smallest_step, report.smallest_step)
                             : report.smallest_step;
    next.largest_step = std::max(next.largest_step, report.largest_step);
    const double before = report.growth_passed_over, now = next.growth_passed_over;
    if (before > 0) next.growth_passed_over = now > 0 ? std::min(before, now) : before;
  }
  report = std::move(next);
}

/// With the method that "auto" chooses, or has chosen at the start of a run that goes on.
SimulateOptions settle_method(const System& system, const State& start,
                              const SimulateOptions& asked, const RunMemory* from,
                              AutomaticChoice& automatic, Diagnostics& diagnostics) {
  SimulateOptions out = asked;
  if (asked.method != automatic_method) return out;
  for (const auto& [name, value] : asked.options)
    diagnostics.error("option.unknown", fmt::format("there is no option '{}'", name), {},
                      "'auto' chooses the method: name it to give it options");
  if (diagnostics.has_errors()) return out;
  try {
    const StopScope scope(asked.driver.interrupt);
    automatic = from ? from->report.automatic : choose_automatically(system, start, asked);
  } catch (const Stopped&) {
    automatic.method = name_for(Task::whatever_comes);
    automatic.why = "the run was ended before one was chosen";
  }
  out.method = automatic.method;
  return out;
}

Regime::Regime(const System& system, const Choice& choice, const SimulateOptions& options,
               const OptionValues& formulation_options, EventActions& actions, const State& state,
               Diagnostics& diagnostics)
    : driver(options.driver),
      problem_(choice.formulation->make(system, formulation_options)),
      free_form_(make_free_form(choice, system)),
      inputs_(system) {
  driver.free_form = free_form_.get();
  driver.method_options = options.options;
  actions.prepare(state, driver);
  if (!driver.scale) driver.scale = find_scale(system, *problem_, options, diagnostics);
  driver.inputs = &inputs_;
  scale = driver.scale ? *driver.scale : problem_->default_scale(options.driver.tolerance);
}

}  // namespace kardan
