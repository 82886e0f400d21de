#include "kardan/run/simulate.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <limits>
#include <optional>
#include <utility>

#include "kardan/formulation/residuals.h"
#include "kardan/integrate/driver.h"
#include "kardan/run/choice.h"
#include "kardan/run/error_watch.h"
#include "kardan/run/event_actions.h"
#include "kardan/run/held_tables.h"
#include "kardan/run/missed_accuracy.h"
#include "kardan/run/monitor.h"
#include "kardan/run/prescribed.h"
#include "kardan/run/ranges.h"
#include "kardan/run/regime.h"
#include "kardan/run/remarks.h"
#include "kardan/run/second_choice.h"

namespace kardan {

RunReport simulate(Prepared& prepared, const SimulateOptions& options, const GridSink& grid,
                   const Observer& observer, Diagnostics& diagnostics) {
  return simulate(prepared, options, Watchers{grid, observer, {}, {}}, diagnostics);
}

/// The time of the first restart point after `t`.
static double next_restart(const RunMemory& memory, double t, double every) {
  if (every <= 0) return std::numeric_limits<double>::infinity();
  return memory.start + (std::floor((t - memory.start) / every) + 1) * every;
}

/// Where friction allows none, or several (Painleve's paradox), or its load is not known.
static constexpr const char* no_unique_motion =
    "rigid bodies with Coulomb friction have no unique motion here: make the contact compliant, "
    "lower the coefficient, or remove redundant joints";

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
    Regime regime(*system, choice, options, report.formulation_options, actions, state,
                  diagnostics);
    DriverOptions& driver = regime.driver;
    monitor.use(*system);
    if (error) error->use(*system);
    monitor.solve_rows(*choice.formulation, regime.scale);
    monitor.judge_by(regime.scale, state);
    const double t = state.t;
    driver.pause_at = next_restart(memory, t, options.checkpoint_every);
    if (goes_on) driver.from = std::exchange(report.driver, {});
    append(
        integrate(
            regime.problem(), *choice.method, state, options.t_end, driver,
            [&](const StepView& step) {
              const std::string stop_request = watchers.observer ? watchers.observer(step) : "";
              const std::string end = monitor.observe(step);
              if (error) error->observe(step, actions.happened());
              actions.forget();
              if (end.empty() && options.accuracy > 0) {
                const EstimatedError& e = report.error_estimate;
                if (std::max(e.position.reached, e.velocity.reached) > hopeless * options.accuracy)
                  return fmt::format("t = {:.9g}: the estimated error is too large", step.t);
              }
              return end.empty() ? stop_request : end;
            }),
        report.driver);
    if (error) error->rest();
    add_problem(regime.problem(), report);
    actions.note_rest(state, report.driver.events);
    if (report.driver.reason == Reason::evaluation_failed && !actions.why().empty()) {
      report.driver.message = actions.why();
      report.driver.advice = no_unique_motion;
    }
    if (!report.driver.handed_over) return;
    changes = state.t - t <= 1e-10 * std::max(1.0, std::abs(t)) ? changes + 1 : 0;
    if (changes > most_changes_at_once) {
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
  if (error) {
    actions.remember();
    error->begin_part(*choice.method);
  }
  Monitor monitor(prepared, *choice.method, options, watchers, memory);
  const std::clock_t begin = std::clock();
  std::string first;
  if (!memory.started) {
    report.driver.t = state.t;
    const Vector velocities = state.v;
    if (actions.begin(state, report.driver.events) != Eval::ok) {
      report.driver.reason = Reason::evaluation_failed;
      report.driver.message = "the stops that touch at the start cannot be given their impulses";
      if (!actions.why().empty()) {
        report.driver.message = actions.why();
        report.driver.advice = no_unique_motion;
      }
      return;
    }
    const System* system = actions.system(state);
    monitor.use(*system);
    const bool as_prepared =
        system == prepared.system.get() && state.v == velocities && system->frictions().empty();
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
  if (error) error->end_part();
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
  SimulateOptions chosen =
      settle_method(*prepared.system, prepared.start.state, options, from, automatic, diagnostics);
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
    if (from && !memory.error.begun && memory.state.t > memory.start)
      report.error_estimate.missing = "the run goes on from a checkpoint, whose error is not known";
    else
      error.emplace(*prepared.system, memory);
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
