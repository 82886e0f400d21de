#include "kardan/base/interval.h"

#include <numbers>

namespace kardan {
namespace {

constexpr double pi = std::numbers::pi, turn = 2 * pi;
/// Beyond this the phase of an angle is not known well enough.
constexpr double largest_angle = 1e12;

/// Whether at + k turns lies in x for some whole k, or may do so by rounding.
bool passes(const Interval& x, double at) {
  const double slack = 1e-15 * (1 + x.size());
  return at + std::ceil((x.lo - slack - at) / turn) * turn <= x.hi + slack;
}

Interval wave(const Interval& x, double a, double b, double crest) {
  if (!(x.size() < largest_angle) || !(x.width() < turn)) return {-1.0, 1.0};
  Interval out = detail::widened(std::min(a, b), std::max(a, b), 4);
  if (passes(x, crest)) out.hi = 1;
  if (passes(x, crest + pi)) out.lo = -1;
  return clipped(out, -1, 1);
}

}  // namespace

Interval sin(const Interval& x) {
  return wave(x, std::sin(x.lo), std::sin(x.hi), pi / 2);
}

Interval cos(const Interval& x) {
  return wave(x, std::cos(x.lo), std::cos(x.hi), 0);
}

Interval power(const Interval& x, int n) {
  if (n == 0) return 1.0;
  const auto raised = [n](double a) { return std::pow(a, n); };
  if (n % 2 != 0) return monotone(x, raised);
  const double least = x.contains(0.0) ? 0.0 : std::min(std::abs(x.lo), std::abs(x.hi));
  const Interval r = monotone({least, x.size()}, raised);
  return {std::max(r.lo, 0.0), r.hi};
}

/// The extremes of the angle over a box without the origin and the cut are at its corners.
Interval angle(const Interval& y, const Interval& x) {
  if (x.lo <= 0 && y.contains(0.0)) return {-pi, pi};
  Interval out = std::atan2(y.lo, x.lo);
  for (double at_y : {y.lo, y.hi})
    for (double at_x : {x.lo, x.hi}) out = hull(out, std::atan2(at_y, at_x));
  if (out.lo != out.lo || out.hi != out.hi) return {-pi, pi};
  return detail::widened(out.lo, out.hi, 4);
}

}  // namespace kardan
