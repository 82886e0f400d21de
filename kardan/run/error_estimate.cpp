#include "kardan/run/error_estimate.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace kardan {

double error_growth(std::span<const double> times, std::span<const double> errors) {
  constexpr double round_off = 1e-14, saturated = 0.1, least_growth = 1e3;
  double n = 0, t1 = 0, y1 = 0, t2 = 0, ty = 0, low = saturated, high = 0;
  for (std::size_t i = 0; i < times.size(); ++i) {
    const double error = errors[i];
    if (error > saturated) break;
    if (!(error > round_off)) continue;
    const double y = std::log(error);
    n += 1, t1 += times[i], y1 += y, t2 += times[i] * times[i], ty += times[i] * y;
    low = std::min(low, error), high = std::max(high, error);
  }
  const double spread = n * t2 - t1 * t1;
  if (n < 3 || high < least_growth * low || !(spread > 0)) return 0;
  return (n * ty - t1 * y1) / spread;
}

std::string in_words(const EstimatedError& e) {
  if (!e.made) return "no error estimate: " + e.missing;
  std::string out =
      fmt::format("positions {:.1e} ({}, t = {:.4g} s), velocities {:.1e} ({}, t = {:.4g} s)",
                  e.position.reached, e.position.name, e.position.t, e.velocity.reached,
                  e.velocity.name, e.velocity.t);
  if (std::isfinite(e.void_from))
    out += fmt::format(
        "; void from t = {:.4g} s on, where the estimate comes to a hundredth of the motion",
        e.void_from);
  if (e.growth > 0) out += fmt::format("; errors grow like exp({:.2g} t)", e.growth);
  if (!e.missing.empty())
    out += fmt::format("; no error estimate after t = {:.4g} s: {}", e.until, e.missing);
  return out;
}

}  // namespace kardan
