#pragma once
/// Scalars that follow a motion p(tau): a value with its first and second derivative by tau, and
/// derivatives by a few variables beside them (seeds).
///
///   MotionJet        y, y', y''; y by five seeds
///   CurvedMotionJet  y, y', y''; y, y' and y'' by four seeds, and y by two of them at a time
///
/// Everything a constraint is asked for in one pass, where nested duals need several and carry
/// equal numbers side by side. Functions come from their slopes (time_jet.h), so that one call of
/// sin serves for all orders; the rest is Leibniz' rule and the chain rule, written for whole rows
/// of numbers. Points without a derivative behave as in dual.h.

#include <array>
#include <cmath>
#include <compare>
#include <type_traits>

#include "kardan/base/time_jet.h"

namespace kardan {

/// x[0] the value, x[1] and x[2] the second and the first derivative along the motion, then those
/// by seeds.
struct MotionJet {
  static constexpr int parts = 8, seeds = 5;
  alignas(16) std::array<double, parts> x;

  /// Like double: `MotionJet x;` is uninitialized, `MotionJet x{};` is zero.
  MotionJet() = default;
  template <class Number>
  requires std::is_arithmetic_v<Number>
  constexpr MotionJet(Number number) : x{static_cast<double>(number)} {}  // NOLINT: a constant

  double value() const { return x[0]; }
  double first() const { return x[2]; }
  double second() const { return x[1]; }
  double by(int seed) const { return x[3 + seed]; }
  /// An independent variable along its motion; -1: of no seed.
  void set(double value, double first, double second, int seed) {
    x = {value, second, first};
    if (seed >= 0) x[3 + seed] = 1;
  }
  /// The same at another point of the motion.
  void move(double value, double first, double second) {
    x[0] = value, x[1] = second, x[2] = first;
  }
};

/// x[0 .. 2] as above; then blocks of four: the derivatives by seeds, their first and their second
/// derivative along the motion; then those by two seeds, a block for every one of the first.
struct CurvedMotionJet {
  static constexpr int parts = 32, seeds = 4;
  alignas(16) std::array<double, parts> x;

  CurvedMotionJet() = default;
  template <class Number>
  requires std::is_arithmetic_v<Number>
  constexpr CurvedMotionJet(Number number)  // NOLINT: a constant
      : x{static_cast<double>(number)} {}

  double value() const { return x[0]; }
  double first() const { return x[2]; }
  double second() const { return x[1]; }
  double by(int seed) const { return x[4 + seed]; }
  double first_by(int seed) const { return x[8 + seed]; }
  double second_by(int seed) const { return x[12 + seed]; }
  double by(int i, int j) const { return x[16 + 4 * i + j]; }
  void set(double value, double first, double second, int seed) {
    x = {value, second, first};
    if (seed >= 0) x[4 + seed] = 1;
  }
  void move(double value, double first, double second) {
    x[0] = value, x[1] = second, x[2] = first;
  }
};

template <class S>
concept Following = std::is_same_v<S, MotionJet> || std::is_same_v<S, CurvedMotionJet>;

template <Following S>
constexpr double value_of(const S& a) {
  return a.x[0];
}
template <Following S>
constexpr S with_value(S a, double value) {
  a.x[0] = value;
  return a;
}
template <Following S>
constexpr bool is_independent(const S& a) {
  for (int i = 1; i < S::parts; ++i)
    if (a.x[i] != 0.0) return false;
  return true;
}

namespace detail {

struct PlainTimes {
  double operator()(double a, double b) const { return a * b; }
};
/// An infinite slope times what does not move is zero, not NaN.
struct CarefulTimes {
  double operator()(double a, double b) const { return a == 0.0 || b == 0.0 ? 0.0 : a * b; }
};

/// What the chain rule adds to f1 times the parts.
template <class Times>
[[gnu::always_inline]] inline void add_bends(const MotionJet& a, const TimeJet& f, MotionJet& r,
                                             Times times) {
  r.x[1] += times(f.d2, a.x[2] * a.x[2]);
}
template <class Times>
[[gnu::always_inline]] inline void add_bends(const CurvedMotionJet& a, const TimeJet& f,
                                             CurvedMotionJet& r, Times times) {
  const double along = a.x[2], f_11 = times(f.d2, along), twice = 2.0 * f_11;
  const double f_2 = times(f.d2, a.x[1]) + times(f.d3, along * along);
  r.x[1] += times(f_11, along);
  for (int i = 0; i < 4; ++i) r.x[8 + i] += times(f_11, a.x[4 + i]);
  for (int i = 0; i < 4; ++i) r.x[12 + i] += times(twice, a.x[8 + i]) + times(f_2, a.x[4 + i]);
  for (int i = 0; i < 4; ++i) {
    const double row = times(f.d2, a.x[4 + i]);
    for (int j = 0; j < 4; ++j) r.x[16 + 4 * i + j] += times(row, a.x[4 + j]);
  }
}

template <class S, class Times>
[[gnu::always_inline]] inline S follow_with(const S& a, const TimeJet& f, Times times) {
  S r;
  for (int i = 0; i < S::parts; ++i) r.x[i] = times(f.d1, a.x[i]);
  r.x[0] = f.value;
  add_bends(a, f, r, times);
  return r;
}

/// f(a) from f at the value of a.
template <class S>
S follow(const S& a, const TimeJet& f) {
  if (std::isfinite(f.d1) && std::isfinite(f.d2) && std::isfinite(f.d3))
    return follow_with(a, f, PlainTimes{});
  return follow_with(a, f, CarefulTimes{});
}

}  // namespace detail

template <Following S>
constexpr S operator+(const S& a) {
  return a;
}
template <Following S>
S operator-(const S& a) {
  S r;
  for (int i = 0; i < S::parts; ++i) r.x[i] = -a.x[i];
  return r;
}
template <Following S>
S operator+(const S& a, const S& b) {
  S r;
  for (int i = 0; i < S::parts; ++i) r.x[i] = a.x[i] + b.x[i];
  return r;
}
template <Following S>
S operator-(const S& a, const S& b) {
  S r;
  for (int i = 0; i < S::parts; ++i) r.x[i] = a.x[i] - b.x[i];
  return r;
}
template <Following S>
S operator*(const S& a, double b) {
  S r;
  for (int i = 0; i < S::parts; ++i) r.x[i] = a.x[i] * b;
  return r;
}
template <Following S>
S operator/(const S& a, double b) {
  S r;
  for (int i = 0; i < S::parts; ++i) r.x[i] = a.x[i] / b;
  return r;
}
template <Following S>
S operator+(S a, double b) {
  a.x[0] += b;
  return a;
}
template <Following S>
S operator-(S a, double b) {
  a.x[0] -= b;
  return a;
}
template <Following S>
S operator+(double a, S b) {
  b.x[0] += a;
  return b;
}
template <Following S>
S operator-(double a, const S& b) {
  S r = -b;
  r.x[0] = a - b.x[0];
  return r;
}
template <Following S>
S operator*(double a, const S& b) {
  return b * a;
}

inline MotionJet operator*(const MotionJet& a, const MotionJet& b) {
  MotionJet r;
  for (int i = 0; i < MotionJet::parts; ++i) r.x[i] = a.x[0] * b.x[i] + a.x[i] * b.x[0];
  r.x[0] = a.x[0] * b.x[0];
  r.x[1] += 2.0 * a.x[2] * b.x[2];
  return r;
}

inline CurvedMotionJet operator*(const CurvedMotionJet& a, const CurvedMotionJet& b) {
  CurvedMotionJet r;
  for (int i = 0; i < CurvedMotionJet::parts; ++i) r.x[i] = a.x[0] * b.x[i] + a.x[i] * b.x[0];
  r.x[0] = a.x[0] * b.x[0];
  r.x[1] += 2.0 * a.x[2] * b.x[2];
  for (int i = 0; i < 4; ++i) {
    r.x[8 + i] += a.x[2] * b.x[4 + i] + b.x[2] * a.x[4 + i];
    r.x[12 + i] += 2.0 * (a.x[2] * b.x[8 + i] + b.x[2] * a.x[8 + i]) + a.x[1] * b.x[4 + i] +
                   b.x[1] * a.x[4 + i];
  }
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 4; ++j)
      r.x[16 + 4 * i + j] += a.x[4 + i] * b.x[4 + j] + b.x[4 + i] * a.x[4 + j];
  return r;
}

template <Following S>
S operator/(double a, const S& b) {
  return detail::follow(b, a / TimeJet::variable(b.x[0]));
}
template <Following S>
S operator/(const S& a, const S& b) {
  return with_value(a * (1.0 / b), a.x[0] / b.x[0]);
}

template <Following S, class Other>
S& operator+=(S& a, const Other& b) {
  return a = a + b;
}
template <Following S, class Other>
S& operator-=(S& a, const Other& b) {
  return a = a - b;
}
template <Following S, class Other>
S& operator*=(S& a, const Other& b) {
  return a = a * b;
}
template <Following S, class Other>
S& operator/=(S& a, const Other& b) {
  return a = a / b;
}

template <Following S>
constexpr bool operator==(const S& a, const S& b) {
  return a.x[0] == b.x[0];
}
template <Following S>
constexpr bool operator==(const S& a, double b) {
  return a.x[0] == b;
}
template <Following S>
constexpr std::partial_ordering operator<=>(const S& a, const S& b) {
  return a.x[0] <=> b.x[0];
}
template <Following S>
constexpr std::partial_ordering operator<=>(const S& a, double b) {
  return a.x[0] <=> b;
}

// A sine and a cosine of the same number become one call only where both are inlined.
template <Following S>
[[gnu::always_inline]] inline S sin(const S& a) {
  const double s = std::sin(a.x[0]), c = std::cos(a.x[0]);
  return detail::follow_with(a, {s, c, -s, -c}, detail::PlainTimes{});
}
template <Following S>
[[gnu::always_inline]] inline S cos(const S& a) {
  const double s = std::sin(a.x[0]), c = std::cos(a.x[0]);
  return detail::follow_with(a, {c, -s, -c, s}, detail::PlainTimes{});
}

template <Following S>
S tan(const S& a) {
  return detail::follow(a, tan(TimeJet::variable(a.x[0])));
}
template <Following S>
S asin(const S& a) {
  return detail::follow(a, asin(TimeJet::variable(a.x[0])));
}
template <Following S>
S acos(const S& a) {
  return detail::follow(a, acos(TimeJet::variable(a.x[0])));
}
template <Following S>
S atan(const S& a) {
  return detail::follow(a, atan(TimeJet::variable(a.x[0])));
}
template <Following S>
S sinh(const S& a) {
  return detail::follow(a, sinh(TimeJet::variable(a.x[0])));
}
template <Following S>
S cosh(const S& a) {
  return detail::follow(a, cosh(TimeJet::variable(a.x[0])));
}
template <Following S>
S tanh(const S& a) {
  return detail::follow(a, tanh(TimeJet::variable(a.x[0])));
}
template <Following S>
S exp(const S& a) {
  return detail::follow(a, exp(TimeJet::variable(a.x[0])));
}
template <Following S>
S log(const S& a) {
  return detail::follow(a, log(TimeJet::variable(a.x[0])));
}
template <Following S>
S log10(const S& a) {
  return detail::follow(a, log10(TimeJet::variable(a.x[0])));
}
template <Following S>
S sqrt(const S& a) {
  return detail::follow(a, sqrt(TimeJet::variable(a.x[0])));
}
template <Following S>
S abs(const S& a) {
  if (a.x[0] == 0.0) return S(0.0);
  return a.x[0] < 0.0 ? -a : a;
}

template <Following S>
S pow(const S& a, double p) {
  return detail::follow(a, pow(TimeJet::variable(a.x[0]), p));
}
/// As for a TimeJet: at zero all derivatives exist for exponents above three.
template <Following S>
S pow(const S& a, const S& p) {
  if (is_independent(p)) return pow(a, p.x[0]);
  const double f = std::pow(a.x[0], p.x[0]);
  if (a.x[0] == 0.0 && p.x[0] > 3.0) return S(f);
  const S exponent = p * log(a);
  return detail::follow(exponent, {f, f, f, f});
}
template <Following S>
S pow(double a, const S& p) {
  return pow(S(a), p);
}

template <Following S>
S atan2(const S& y, const S& x) {
  const double f = std::atan2(y.x[0], x.x[0]);
  if (is_independent(y) && is_independent(x)) return S(f);
  const bool flat = std::abs(y.x[0]) < std::abs(x.x[0]);
  return with_value(flat ? atan(y / x) : -atan(x / y), f);
}
/// h = f sqrt((a/f)^2 + (b/f)^2), which does not overflow.
template <Following S>
S hypot(const S& a, const S& b) {
  const double f = std::hypot(a.x[0], b.x[0]);
  if (f == 0.0) return S(f);
  const S u = a / f, v = b / f;
  return with_value(f * sqrt(u * u + v * v), f);
}

template <Following S>
constexpr S min(const S& a, const S& b) {
  return a.x[0] <= b.x[0] || a.x[0] != a.x[0] ? a : b;
}
template <Following S>
constexpr S max(const S& a, const S& b) {
  return a.x[0] >= b.x[0] || a.x[0] != a.x[0] ? a : b;
}

/// f(t) from the jet of f at value_of(t), for tables and functions of time.
template <Following S>
S extend(const TimeJet& f, const S& t) {
  return detail::follow(t, f);
}

// The two-argument functions with one plain number.
template <Following S>
S atan2(const S& y, double x) {
  return atan2(y, S(x));
}
template <Following S>
S atan2(double y, const S& x) {
  return atan2(S(y), x);
}
template <Following S>
S hypot(const S& a, double b) {
  return hypot(a, S(b));
}
template <Following S>
S hypot(double a, const S& b) {
  return hypot(S(a), b);
}
template <Following S>
constexpr S min(const S& a, double b) {
  return min(a, S(b));
}
template <Following S>
constexpr S min(double a, const S& b) {
  return min(S(a), b);
}
template <Following S>
constexpr S max(const S& a, double b) {
  return max(a, S(b));
}
template <Following S>
constexpr S max(double a, const S& b) {
  return max(S(a), b);
}

}  // namespace kardan
