#include "kardan/run/estimate_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "kardan/run/trajectory.h"

namespace kardan {
namespace {

constexpr double lowest_ratio = 1.0 / 3;
/// What is smaller is rounding, of the reference too.
constexpr double unmeasured = 1e-12;
/// [of the time] The same time.
constexpr double same_moment = 1e-9;

}  // namespace

std::optional<EstimateCheck> check_estimate(const EstimatedError& estimate,
                                            const Accuracy& accuracy) {
  if (!estimate.made || !estimate.missing.empty() || std::isfinite(estimate.void_from) ||
      accuracy.times.empty() || accuracy.bands.empty())
    return std::nullopt;
  const double t = accuracy.times.back();
  if (std::abs(t - estimate.until) > same_moment * std::max(1.0, std::abs(t))) return std::nullopt;
  const ReachedError at_end = reached_error(accuracy.bands, accuracy.times.size() - 1);
  EstimateCheck out{std::max(estimate.end_position, estimate.end_velocity),
                    std::max(at_end.position, at_end.velocity), t, false};
  out.low = out.measured > unmeasured && out.estimated < lowest_ratio * out.measured;
  return out;
}

std::string in_words(const EstimateCheck& check) {
  std::string out = fmt::format("at t = {:.9g} s the estimated error is {:.1e}, and {:.1e} was measured",
                                check.t, check.estimated, check.measured);
  if (check.low) out += ": the estimate is less than a third of it, and not to be relied on";
  return out;
}

}  // namespace kardan
