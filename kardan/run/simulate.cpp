#include "kardan/run/simulate.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <limits>
#include <optional>
#include <utility>

#include "kardan/base/text.h"
#include "kardan/formulation/catalog.h"
#include "kardan/formulation/residuals.h"
#include "kardan/formulation/system_inputs.h"
#include "kardan/integrate/driver.h"
#include "kardan/run/automatic.h"
#include "kardan/run/choice.h"
#include "kardan/run/error_watch.h"
#include "kardan/run/event_actions.h"
#include "kardan/run/held_tables.h"
#include "kardan/run/missed_accuracy.h"
#include "kardan/run/monitor.h"
#include "kardan/run/prescribed.h"
#include "kardan/run/ranges.h"
#include "kardan/run/remarks.h"
#include "kardan/run/second_choice.h"

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

/// Tolerances of every variable, where they are not simply those of the problem.
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

}  // namespace

/// Of all options given, those declared, and the defaults of the others.
static OptionValues used_options(std::span<const OptionInfo> declared, const OptionValues& given) {
  OptionValues all = complete_options(declared, given), out;
  for (const OptionInfo& o : declared) out[o.name] = all[o.name];
  return out;
}

/// Refuses a method that would lose its order.
static void refuse_missing_derivatives(const Method& method, RunReport& report) {
  if (!method.needs_exact_jacobian || report.exact_derivatives) return;
  report.driver.reason = Reason::refused;
  report.driver.message =
      fmt::format("'{}' needs exact derivatives; {}", method.name,
                  report.without_derivatives.empty()
                      ? "here differences stand in for them"
                      : fmt::format("'{}' gives none", report.without_derivatives.front()));
  report.driver.advice = "use 'ros2w', which keeps its order without them";
}

RunReport simulate(Prepared& prepared, const SimulateOptions& options, const GridSink& grid,
                   const Observer& observer, Diagnostics& diagnostics) {
  return simulate(prepared, options, Watchers{grid, observer, {}, {}}, diagnostics);
}

/// What was asked, and what is used for it.
static void describe(const System& system, const Choice& choice, const SimulateOptions& options,
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

/// The time of the first restart point after `t`.
static double next_restart(const RunMemory& memory, double t, double every) {
  if (every <= 0) return std::numeric_limits<double>::infinity();
  return memory.start + (std::floor((t - memory.start) / every) + 1) * every;
}

/// Adds what a part of the run tells about its problem.
static void add_problem(const ChartProblem& problem, RunReport& report) {
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
static void append(DriverReport&& next, DriverReport& report) {
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
  }
  report = std::move(next);
}

/// Changes of what rests that follow each other at once: more than any row of stops needs.
static constexpr int most_changes = 1000;

/// The motion on free coordinates, for methods that have no Jacobian in them; null: not needed.
static std::unique_ptr<ChartProblem> make_free_form(const Choice& choice, const System& system) {
  const Method& method = *choice.method;
  const bool has_jacobian =
      method.problem == ProblemKind::ode && method.needs_jacobian && !method.integrate;
  if ((method.is_explicit && !method.damps_swinging) || has_jacobian) return nullptr;
  const Formulation& free = free_form();
  if (!treats(free, system)) return nullptr;
  return free.make(system, complete_options(free.options, {}));
}

/// Integrates with the equations that hold at the state, then with those an event has left, until
/// the run ends.
static void run_regimes(const Choice& choice, const SimulateOptions& options,
                        const Watchers& watchers, EventActions& actions, Monitor& monitor,
                        ErrorWatch* error, State& state, RunMemory& memory,
                        Diagnostics& diagnostics) {
  RunReport& report = memory.report;
  int changes = 0;
  for (bool goes_on = memory.paused;; goes_on = false) {
    const System* system = actions.system(state);
    state = fitted(*system, std::move(state));
    const auto problem = choice.formulation->make(*system, report.formulation_options);
    const auto free_form = make_free_form(choice, *system);
    DriverOptions driver = options.driver;
    driver.free_form = free_form.get();
    driver.method_options = options.options;
    actions.prepare(state, driver);
    if (!driver.scale) driver.scale = find_scale(*system, *problem, options, diagnostics);
    monitor.use(*system);
    if (error) error->use(*system);
    SystemInputs inputs(*system);
    driver.inputs = &inputs;
    const ErrorScale scale =
        driver.scale ? *driver.scale : problem->default_scale(options.driver.tolerance);
    monitor.solve_rows(*choice.formulation, scale);
    monitor.judge_by(scale, state);
    const double t = state.t;
    driver.pause_at = next_restart(memory, t, options.checkpoint_every);
    if (goes_on) driver.from = std::exchange(report.driver, {});
    append(
        integrate(
            *problem, *choice.method, state, options.t_end, driver,
            [&](const StepView& step) {
              const std::string stop_request = watchers.observer ? watchers.observer(step) : "";
              const std::string end = monitor.observe(step);
              if (error) error->observe(step);
              if (end.empty() && options.accuracy > 0) {
                const EstimatedError& e = report.error_estimate;
                if (std::max(e.position.reached, e.velocity.reached) > hopeless * options.accuracy)
                  return fmt::format("t = {:.9g}: the estimated error is too large", step.t);
              }
              return end.empty() ? stop_request : end;
            }),
        report.driver);
    if (error) error->rest();
    add_problem(*problem, report);
    actions.note_rest(state, report.driver.events);
    if (!report.driver.handed_over) return;
    changes = state.t - t <= 1e-10 * std::max(1.0, std::abs(t)) ? changes + 1 : 0;
    if (changes > most_changes) {
      report.driver.reason = Reason::too_many_steps;
      report.driver.message = fmt::format("t = {:.9g}: what rests changes without end: {}", state.t,
                                          report.driver.message);
      report.driver.advice =
          "look at the stops that touch there: two of them contradict each other";
      return;
    }
  }
}

/// From the start or a restart point to the next one, or to the end of the run. Nothing but
/// `memory` and the state outlives it.
static void run_part(Prepared& prepared, const Choice& choice, const SimulateOptions& options,
                     const Watchers& watchers, ErrorWatch* error, RunMemory& memory,
                     Diagnostics& diagnostics) {
  RunReport& report = memory.report;
  State& state = prepared.start.state;
  EventActions actions(*prepared.system, memory);
  Monitor monitor(prepared, *choice.method, options, watchers, memory);
  const std::clock_t begin = std::clock();
  std::string first;
  if (!memory.started) {
    report.driver.t = state.t;
    const Vector velocities = state.v;
    if (actions.begin(state, report.driver.events) != Eval::ok) {
      report.driver.reason = Reason::evaluation_failed;
      report.driver.message = "the stops that touch at the start cannot be given their impulses";
      return;
    }
    const System* system = actions.system(state);
    monitor.use(*system);
    const bool as_prepared = system == prepared.system.get() && state.v == velocities;
    first = monitor.begin(state, as_prepared ? prepared.start.a : Vector());
    report.energy.initial -= report.energy.work;  // of impulses at the start
    memory.started = true;
    memory.state = state;
    if (watchers.checkpoint) watchers.checkpoint(memory);
  }
  if (!first.empty()) {
    report.driver.reason = Reason::stopped;
    report.driver.message = first;
  } else {
    run_regimes(choice, options, watchers, actions, monitor, error, state, memory, diagnostics);
  }
  if (monitor.failed()) report.driver.reason = Reason::evaluation_failed;
  report.cpu_seconds += static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
  if (report.driver.reason != Reason::paused) monitor.end(prepared.start);
}

/// Where steps became ever smaller and no row of the constraints is to blame, the largest reaction
/// shows what jams.
static void name_largest_reaction(const System& system, const ConsistentStart& end,
                                  DriverReport& report) {
  if (report.reason != Reason::step_too_small || end.lambda.empty() ||
      report.diagnosis == Diagnosis::options_wrong ||
      report.message.find("trouble with") != std::string::npos)
    return;
  const auto larger = [](double a, double b) { return std::abs(a) < std::abs(b); };
  const auto most = std::ranges::max_element(end.lambda, larger);
  report.message += fmt::format("; the largest reaction is {:.2g}, in '{}'", *most,
                                system.row_name(static_cast<int>(most - end.lambda.begin())));
}

/// With the method that "auto" chooses, or has chosen at the start of a run that goes on.
static SimulateOptions settled(const Prepared& prepared, const SimulateOptions& asked,
                               const RunMemory* from, AutomaticChoice& automatic,
                               Diagnostics& diagnostics) {
  SimulateOptions out = asked;
  if (asked.method != automatic_method) return out;
  for (const auto& [name, value] : asked.options)
    diagnostics.error("option.unknown", fmt::format("there is no option '{}'", name), {},
                      "'auto' chooses the method: name it to give it options");
  if (diagnostics.has_errors()) return out;
  try {
    const StopScope scope(asked.driver.interrupt);
    automatic = from ? from->report.automatic
                     : choose_automatically(*prepared.system, prepared.start.state, asked);
  } catch (const Stopped&) {
    automatic.method = name_for(Task::whatever_comes);
    automatic.why = "the run was ended before one was chosen";
  }
  out.method = automatic.method;
  return out;
}

/// The accuracy asked for is held, or the run has failed.
static void hold(RunReport& report) {
  const double accuracy = report.asked.accuracy;
  std::string why = missed_accuracy(report.error_estimate, accuracy);
  report.held = HeldAccuracy{accuracy, why.empty(), why, {}};
  if (!why.empty()) report.against.push_back(std::move(why));
}

RunReport simulate(Prepared& prepared, const SimulateOptions& options, const Watchers& watchers,
                   Diagnostics& diagnostics, const RunMemory* from) {
  RunMemory memory;
  memory.report.asked = options;
  check_ranges(options, prepared.start.state.t, {}, diagnostics);
  if (diagnostics.has_errors()) return memory.report;
  const std::clock_t begin = std::clock();
  AutomaticChoice automatic;
  SimulateOptions chosen = settled(prepared, options, from, automatic, diagnostics);
  const double chosen_in = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
  if (diagnostics.has_errors()) return memory.report;
  Choice choice = choose_method(chosen.method, diagnostics);
  if (!choice.formulation) return memory.report;
  if (choice.formulation->refuse) choice.formulation->refuse(*prepared.system, diagnostics);
  check_options(choice, chosen.options, diagnostics);
  if (!from) refuse_kinks(*prepared.system, prepared.start.state.t, options.t_end, diagnostics);
  if (diagnostics.has_errors()) return memory.report;
  if (from) {
    memory = *from;
    prepared.start.state = from->state;
  } else {
    memory.start = prepared.start.state.t;
  }
  RunReport& report = memory.report;
  describe(*prepared.system, choice, chosen, report);
  report.asked = options;
  report.start = prepared.start.report.changes;
  report.automatic = std::move(automatic);
  report.cpu_seconds += chosen_in;
  refuse_missing_derivatives(*choice.method, report);
  if (report.driver.reason == Reason::refused) return report;
  if (!chosen.tolerance_of.empty()) {
    const auto problem = choice.formulation->make(*prepared.system, report.formulation_options);
    (void)find_scale(*prepared.system, *problem, chosen, diagnostics);
    if (diagnostics.has_errors()) return report;
  }
  SecondChoice second(*prepared.system, options, report);
  HeldTables tables(*prepared.system);
  tables.observe(prepared.start.state);
  Watchers all = second.watching(watchers);
  if (tables.any())
    all.observer = [&tables, also = all.observer](const StepView& step) {
      tables.observe(*step.state);
      return also ? also(step) : std::string();
    };
  std::optional<ErrorWatch> error;
  if (options.error_estimate > 0 || options.accuracy > 0) {
    if (from)
      report.error_estimate.missing = "the run goes on from a checkpoint, whose error is not known";
    else
      error.emplace(*choice.method, report.error_estimate);
  }
  for (;;) {
    second.begin(*choice.method);
    run_part(prepared, choice, chosen, all, error ? &*error : nullptr, memory, diagnostics);
    if (diagnostics.has_errors()) break;
    memory.paused = report.driver.reason == Reason::paused;
    if (!memory.paused) {
      if (!second.goes_on(prepared.start.state, chosen.driver.first_step)) break;
      chosen.method = report.automatic.method;
      choice = choose_method(chosen.method, diagnostics);
      describe(*prepared.system, choice, chosen, report);
      report.asked = options;
      continue;
    }
    chosen.driver.first_step = options.driver.first_step;
    memory.state = prepared.start.state;
    if (watchers.checkpoint) watchers.checkpoint(memory);
  }
  if (error) error->end();
  if (options.accuracy > 0) hold(report);
  name_largest_reaction(*prepared.system, prepared.start, report.driver);
  add_remarks(*prepared.system, *choice.method, report);
  tables.add_remarks(report);
  return report;
}

}  // namespace kardan
