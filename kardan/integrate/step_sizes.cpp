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
/// It lengthens a step by at most the first factor, and not for less than the second.
constexpr double most_ahead = 2.5, worth_a_trial = 1.15;
constexpr int most_trials = 12;

}  // namespace

StepSizes::StepSizes(const Method& method, const DriverOptions& options)
    : options_(options),
      per_unit_(options.error_per == ErrorMeasure::of_method
                    ? method.error_per_unit_step
                    : options.error_per == ErrorMeasure::per_unit_step),
      power_(method.error_order + (per_unit_ ? 0 : 1)),
      safety_(options.safety > 0 ? options.safety : method.safety) {}

double StepSizes::elementary(double error) const {
  return safety_ * std::pow(std::max(error, smallest_error), -1 / power_);
}

/// Every controller settles where the elementary one does: at the error safety^k.
double StepSizes::next(double h, double error, const StepMemory& memory, double growth) const {
  const double now = std::max(error, smallest_error), last = memory.last_error;
  double factor = elementary(error);
  if (last > 0 && options_.control == StepControl::pi)
    factor = std::pow(safety_, pi_now - pi_last) * std::pow(now, -pi_now / power_) *
             std::pow(std::max(last, smallest_error), pi_last / power_);
  if (last > 0 && options_.control == StepControl::predictive)
    factor *= std::min(
        1.0, h / memory.last_h * std::pow(std::max(last, smallest_error) / now, 1 / power_));
  if (factor >= 1 && factor < options_.keep_below) factor = 1;
  return h * std::clamp(factor, options_.shrink, growth);
}

double StepSizes::after_rejection(double h, double error, double last_h, double last_error) const {
  double factor = elementary(error);
  if (last_h > h) {
    const double seen = std::log(last_error / error) / std::log(last_h / h);
    factor = safety_ * std::pow(error, -1 / std::clamp(seen, 1.0, power_));
  }
  return h * std::clamp(factor, options_.shrink, less);
}

StepSizes::Foreseen StepSizes::shrink(Foreseen tried, const LinearError& linear_error) const {
  Foreseen last;
  for (int i = 0; i < most_trials && tried.error > 1; ++i) {
    const double h = after_rejection(tried.h, tried.error, last.h, last.error);
    last = tried;
    tried = {h, linear_error(h)};
  }
  return tried;
}

StepSizes::Foreseen StepSizes::foresee(double h, double ratio,
                                       const LinearError& linear_error) const {
  Foreseen best{h, linear_error(h)};
  if (best.error < 0) return {h, 0};
  if (best.error > 1) return shrink(best, linear_error);
  const double furthest = ratio > 0 ? most_ahead * h : h;
  for (int i = 0; i < most_trials; ++i) {
    const double longer = std::min(best.h * elementary(ratio * best.error), furthest);
    if (longer < worth_a_trial * best.h) break;
    const Foreseen trial{longer, linear_error(longer)};
    if (elementary(ratio * trial.error) < less) break;
    best = trial;
  }
  return best;
}

double StepSizes::ratio(const Foreseen& foreseen, double h, double error) {
  if (h != foreseen.h || !(foreseen.error > 0)) return 0;
  const double ratio = error / foreseen.error;
  if (ratio > largest_surprise || ratio * largest_surprise < 1) return 0;
  return std::max(ratio, 1.0);
}

}  // namespace kardan
