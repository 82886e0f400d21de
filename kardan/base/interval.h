#pragma once
/// Closed intervals with outward rounding: the result of an operation on intervals holds every
/// result of the operation on numbers in them. Where nothing is known it is the whole line.
///
/// Sums and products are rounded to nearest and then widened by one unit in the last place,
/// functions of the C library by four, which is more than they err by.

#include <algorithm>
#include <cmath>
#include <limits>

namespace kardan {

struct Interval {
  double lo, hi;

  /// Like double: `Interval x;` is uninitialized.
  Interval() = default;
  constexpr Interval(double x) : lo(x), hi(x) {}  // NOLINT: a number
  constexpr Interval(double lo_, double hi_) : lo(lo_), hi(hi_) {}

  static constexpr Interval entire() {
    return {-std::numeric_limits<double>::infinity(), std::numeric_limits<double>::infinity()};
  }

  [[nodiscard]] constexpr bool contains(double x) const { return lo <= x && x <= hi; }
  [[nodiscard]] bool finite() const { return std::isfinite(lo) && std::isfinite(hi); }
  /// The largest absolute value.
  [[nodiscard]] double size() const { return std::max(std::abs(lo), std::abs(hi)); }
  [[nodiscard]] constexpr double width() const { return hi - lo; }
};

constexpr bool operator==(const Interval& a, const Interval& b) {
  return a.lo == b.lo && a.hi == b.hi;
}

namespace detail {

inline constexpr double unit = 2.3e-16, tiny = 1e-320;

/// The bounds, each moved outward by `units` of its last place; not a number: the whole line.
inline Interval widened(double lo, double hi, double units = 1) {
  const double inf = std::numeric_limits<double>::infinity();
  lo -= units * (unit * std::abs(lo) + tiny);
  hi += units * (unit * std::abs(hi) + tiny);
  return {lo == lo ? lo : -inf, hi == hi ? hi : inf};
}

/// An unknown number is finite: zero times it is zero.
constexpr double product(double a, double b) {
  return a == 0.0 || b == 0.0 ? 0.0 : a * b;
}

}  // namespace detail

constexpr Interval hull(const Interval& a, const Interval& b) {
  return {std::min(a.lo, b.lo), std::max(a.hi, b.hi)};
}
/// What both hold; where they are disjoint, a number next to them.
constexpr Interval clipped(const Interval& a, double lo, double hi) {
  return {std::clamp(a.lo, lo, hi), std::clamp(a.hi, lo, hi)};
}

constexpr Interval operator-(const Interval& a) {
  return {-a.hi, -a.lo};
}
inline Interval operator+(const Interval& a, const Interval& b) {
  return detail::widened(a.lo + b.lo, a.hi + b.hi);
}
inline Interval operator-(const Interval& a, const Interval& b) {
  return detail::widened(a.lo - b.hi, a.hi - b.lo);
}
inline Interval operator*(const Interval& a, const Interval& b) {
  if ((a.lo == 0 && a.hi == 0) || (b.lo == 0 && b.hi == 0)) return 0.0;
  const double p = detail::product(a.lo, b.lo), q = detail::product(a.lo, b.hi),
               r = detail::product(a.hi, b.lo), s = detail::product(a.hi, b.hi);
  return detail::widened(std::min({p, q, r, s}), std::max({p, q, r, s}));
}
inline Interval operator/(const Interval& a, const Interval& b) {
  if (b.contains(0.0)) return Interval::entire();
  const double p = a.lo / b.lo, q = a.lo / b.hi, r = a.hi / b.lo, s = a.hi / b.hi;
  if (p != p || q != q || r != r || s != s) return Interval::entire();
  return detail::widened(std::min({p, q, r, s}), std::max({p, q, r, s}));
}

inline Interval square(const Interval& a) {
  const double most = a.size(),
               least = a.contains(0.0) ? 0.0 : std::min(std::abs(a.lo), std::abs(a.hi));
  const Interval r = detail::widened(least * least, most * most);
  return {std::max(r.lo, 0.0), r.hi};
}

/// The values of a function that grows, or falls, all the way.
template <class F>
Interval monotone(const Interval& x, const F& f) {
  const double a = f(x.lo), b = f(x.hi);
  if (a != a || b != b) return Interval::entire();
  return detail::widened(std::min(a, b), std::max(a, b), 4);
}

Interval sin(const Interval& x);
Interval cos(const Interval& x);
/// x^n for a whole n >= 0.
Interval power(const Interval& x, int n);
/// The angle of (x, y), where the plane's cut along negative x is not crossed.
Interval angle(const Interval& y, const Interval& x);

}  // namespace kardan
