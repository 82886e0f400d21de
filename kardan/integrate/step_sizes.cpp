#include "kardan/integrate/step_sizes.h"

#include <algorithm>
#include <cmath>

namespace kardan {
namespace {

/// Errors below this ask for the largest growth anyway; above, their ratio is a trend.
constexpr double smallest_error = 1e-10;
/// Exponents of the PI controller, times k (Gustafsson; Hairer & Wanner II, IV.2).
constexpr double pi_now = 0.7, pi_last = 0.4;
/// The largest factor after a rejection.
constexpr double less = 0.9;
/// Foresight is relied upon while errors are not further from it than this factor.
constexpr double largest_surprise = 2;
/// It does not lengthen a step for less than this.
constexpr double worth_a_trial = 1.15;
constexpr int most_shorter_trials = 12;
/// After a surprise foresight is not used for this many steps.
constexpr int steps_without = 4;
/// Of the tolerance, for every e-fold of the time since an event: what is over in less than 10 ms,
/// an impact, adds a tenth of the tolerance.
constexpr double share_of_fold = 0.01;

}  // namespace

StepSizes::StepSizes(const Method& method, const DriverOptions& options)
    : options_(options),
      per_unit_(options.error_per == ErrorMeasure::of_method
                    ? method.error_per_unit_step
                    : options.error_per == ErrorMeasure::per_unit_step),
      error_order_(method.error_order),
      power_(method.error_order + (per_unit_ ? 0 : 1)),
      safety_(options.safety),
      foreseen_safety_(0.5 * (1 + safety_)) {}

double StepSizes::allowance(double h, double since) const {
  return per_unit_ ? h * std::max(1.0, share_of_fold / since) : 1;
}

double StepSizes::allowed(double error) const {
  return std::pow(std::max(error, smallest_error), -1 / power_);
}

double StepSizes::first(ChartProblem& problem, const State& state, const ErrorScale& scale,
                        double t_end, Local& e) const {
  const LocalRate& r = problem.base_rate();
  // What a unit time would change, measured as an error.
  e.x = problem.base().u;
  e.u = r.a;
  e.z = r.b;
  const double change = problem.error_norm(e, state, scale);
  const double span = t_end - state.t;
  if (!(change > 0)) return 1e-3 * span;
  // change * tolerance is the change of the state per second in units of its own size.
  const double h =
      std::pow(options_.tolerance, 1.0 / (error_order_ + 1)) * 0.1 / (change * options_.tolerance);
  return std::min(h, 0.01 * span);
}

/// Every controller settles where the elementary one does: at the error safety^k.
double StepSizes::next(double h, double error, const StepMemory& memory, double growth) const {
  const double now = std::max(error, smallest_error), last = memory.last_error;
  const double safety = memory.foreseen > 0 ? foreseen_safety_ : safety_;
  double factor = safety * allowed(error);
  if (last > 0 && options_.control == StepControl::pi)
    factor = std::pow(safety, pi_now - pi_last) * std::pow(now, -pi_now / power_) *
             std::pow(std::max(last, smallest_error), pi_last / power_);
  if (last > 0 && options_.control == StepControl::predictive)
    factor *= std::min(
        1.0, h / memory.last_h * std::pow(std::max(last, smallest_error) / now, 1 / power_));
  if (factor >= 1 && factor < options_.keep_below) factor = 1;
  return h * std::clamp(factor, options_.shrink, growth);
}

double StepSizes::after_rejection(double h, double error, double last_h, double last_error) const {
  double factor = safety_ * allowed(error);
  if (last_h > h) {
    const double seen = std::log(last_error / error) / std::log(last_h / h);
    factor = safety_ * std::pow(error, -1 / std::clamp(seen, 1.0, power_));
  }
  return h * std::clamp(factor, options_.shrink, less);
}

StepSizes::Foreseen StepSizes::shrink(Foreseen tried, const LinearError& linear_error) const {
  Foreseen last;
  for (int i = 0; i < most_shorter_trials && tried.error > 1; ++i) {
    const double h = after_rejection(tried.h, tried.error, last.h, last.error);
    last = tried;
    tried = {h, linear_error(h)};
  }
  return tried;
}

StepSizes::Foreseen StepSizes::begin(double h, const LinearError& linear_error) const {
  const Foreseen proposed{h, linear_error(h)};
  return proposed.error < 0 ? Foreseen{h, 0} : shrink(proposed, linear_error);
}

StepSizes::Foreseen StepSizes::foresee(double h, const StepMemory& memory,
                                       const LinearError& linear_error) const {
  Foreseen best{h, linear_error(h)};
  if (best.error < 0) return {h, 0};
  const double ratio = memory.foreseen;
  if (ratio == 0) return best;
  if (best.error > 1) return shrink(best, linear_error);
  for (int i = 0; i < most_shorter_trials; ++i) {
    const double longer =
        std::min(best.h * foreseen_safety_ * allowed(ratio * best.error), options_.growth * h);
    if (longer < worth_a_trial * best.h) break;
    const Foreseen trial{longer, linear_error(longer)};
    if (trial.error < 0 || allowed(ratio * trial.error) < 1) break;
    best = trial;
  }
  return best;
}

double StepSizes::compare(const StepMemory& memory, const Foreseen& foreseen, double h,
                          double error) {
  if (memory.foreseen < 0) return memory.foreseen + 1;
  if (h != foreseen.h || !(foreseen.error > 0)) return 0;
  const double ratio = error / foreseen.error;
  if (ratio > largest_surprise || ratio * largest_surprise < 1) return -steps_without;
  return std::max(ratio, 1.0);
}

}  // namespace kardan
