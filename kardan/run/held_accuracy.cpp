#include "kardan/run/held_accuracy.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "kardan/run/choice.h"
#include "kardan/run/missed_accuracy.h"
#include "kardan/run/ranges.h"
#include "kardan/run/tightened.h"

namespace kardan {
namespace {

/// Of the accuracy: the tolerance of the first run, and what the next ones aim at.
constexpr double first_share = 0.1, aimed_share = 0.3;
/// Changes of the tolerance from run to run.
constexpr double longest_stride = 1e-4, shortest_stride = 0.3;
/// Errors fall at least with this power of the tolerance, or none will be small enough.
constexpr double lowest_power = 0.25;
constexpr int most_runs = 12;

}  // namespace

FoundTolerance hold_accuracy(const PrepareRun& make, const SimulateOptions& asked,
                             Diagnostics& diagnostics) {
  FoundTolerance out{asked, {asked.accuracy, false, {}, {}}};
  HeldAccuracy& found = out.found;
  const bool fixed = asked.driver.fixed_step > 0;
  double factor = 1;
  if (!fixed)
    factor =
        std::clamp(first_share * asked.accuracy, tightest, loosest_tolerance) / tolerance_of(asked);
  double before = 0, before_factor = 0;
  while (static_cast<int>(found.runs.size()) < most_runs) {
    out.options = tightened(asked, factor);
    SimulateOptions trial = out.options;
    trial.every = trial.checkpoint_every = 0;
    Prepared prepared = make();
    const RunReport report = simulate(prepared, trial, GridSink(), Observer(), diagnostics);
    if (diagnostics.has_errors()) return out;
    const EstimatedError& e = report.error_estimate;
    const double size = fixed ? trial.driver.fixed_step : tolerance_of(trial),
                 worst = largest_error(e);
    found.runs.push_back({size, report.driver.counters.steps, worst, report.driver.t});
    const Reason reason = report.driver.reason;
    found.message = missed_accuracy(e, asked.accuracy);
    found.held = found.message.empty();
    if (found.held) return out;
    if (reason != Reason::finished && reason != Reason::stopped) {
      found.message = report.driver.message;
      return out;
    }
    if (!e.made || (!e.missing.empty() && worst <= asked.accuracy)) return out;
    const Method* method = choose_method(report.method, diagnostics).method;
    double power = fixed ? method->order
                         : std::min(1.0, static_cast<double>(method->order) /
                                             (method->error_order + !method->error_per_unit_step));
    if (before > worst && worst < 0.1 && before < 0.1)
      power = std::clamp(std::log(before / worst) / std::log(before_factor / factor), lowest_power,
                         power);
    before = worst;
    before_factor = factor;
    const double wanted = std::clamp(aimed_share * asked.accuracy / worst, longest_stride,
                                     shortest_stride),
                 least = fixed ? 0 : tightest / tolerance_of(asked);
    const double next = std::max(factor * std::pow(wanted, 1 / power), least);
    if (!(next < factor)) {
      found.message += "; no tolerance is tighter";
      return out;
    }
    factor = next;
  }
  found.message += fmt::format("; {} runs were made", most_runs);
  return out;
}

}  // namespace kardan
