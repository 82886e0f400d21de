#pragma once
/// Enclosures of a function f of time and of its Taylor coefficients over a stretch [a, b]:
///
///   f(t) in c[0],   f^(k)(t) / k! in c[k]   for every t in [a, b].
///
/// It is a scalar type: products follow Cauchy's rule, functions the recurrences of Taylor
/// arithmetic (Moore, Kearfott, Cloud, Introduction to Interval Analysis, chapter 9; Griewank and
/// Walther, Evaluating Derivatives, chapter 13) on intervals. A derivative that does not exist
/// somewhere in [a, b] is the whole line: where f has a kink all but c[0] and c[1] are, where it
/// may jump all but c[0].
///
/// A polynomial p of degree below k is found with |f - p| <= 2 ((b - a)/4)^k |c[k]| (Chebyshev).

#include <array>

#include "kardan/base/interval.h"

namespace kardan {

struct Taylor {
  static constexpr int max_order = 10;

  std::array<Interval, max_order + 1> c;
  int order;

  /// Like double: `Taylor x;` is uninitialized.
  Taylor() = default;

  static Taylor constant(const Interval& value, int order);
  /// t itself over [a, b].
  static Taylor time(double a, double b, int order);
  /// Continuous, or not, with `known` coefficients below; the others are the whole line.
  void forget_from(int k);
  /// False where a derivative is not bounded, or does not exist.
  [[nodiscard]] bool smooth() const;
  /// The derivative, of an order lower by one.
  [[nodiscard]] Taylor derivative() const;
};

Taylor operator+(const Taylor& a, const Taylor& b);
Taylor operator-(const Taylor& a, const Taylor& b);
Taylor operator*(const Taylor& a, const Taylor& b);
Taylor operator/(const Taylor& a, const Taylor& b);
Taylor operator-(Taylor a);
Taylor operator+(Taylor a, double b);
Taylor operator*(Taylor a, double b);

/// Either of the two: continuous together with `continuous` derivatives (-1: it may jump).
Taylor either(const Taylor& a, const Taylor& b, int continuous);

Taylor square(const Taylor& x);
Taylor sin(const Taylor& x);
Taylor cos(const Taylor& x);
Taylor tan(const Taylor& x);
Taylor asin(const Taylor& x);
Taylor acos(const Taylor& x);
Taylor atan(const Taylor& x);
Taylor sinh(const Taylor& x);
Taylor cosh(const Taylor& x);
Taylor tanh(const Taylor& x);
Taylor exp(const Taylor& x);
Taylor log(const Taylor& x);
Taylor sqrt(const Taylor& x);
Taylor abs(const Taylor& x);
Taylor min(const Taylor& a, const Taylor& b);
Taylor max(const Taylor& a, const Taylor& b);
Taylor hypot(const Taylor& a, const Taylor& b);
Taylor atan2(const Taylor& y, const Taylor& x);
Taylor pow(const Taylor& x, double p);
Taylor pow(const Taylor& x, const Taylor& y);
/// A function that is constant between jumps and does not fall: floor, ceil, round, sign.
template <class F>
Taylor stairs(const Taylor& x, const F& f) {
  const double a = f(x.c[0].lo), b = f(x.c[0].hi);
  Taylor out = Taylor::constant(Interval{a, b}, x.order);
  if (!(a == b)) out.forget_from(1);
  return out;
}

}  // namespace kardan
