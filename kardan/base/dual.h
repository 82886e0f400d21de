#pragma once
/// Forward-mode dual numbers: x = value + sum_i d[i] e_i with e_i e_j = 0, so that
/// f(x) = f(value) + sum_i f'(value) d[i] e_i carries exact first derivatives.
/// Nest them, Dual<Dual<double, N>, M>, for second and higher derivatives.
///
/// The value part equals, bit for bit, what the same formula gives in double.
/// Where a derivative does not exist:
///   abs(0)          d = 0 (the middle of the subdifferential)
///   hypot(0, 0)     d = 0 (its element of least norm)
///   sqrt(0), asin(+-1), pow(0, 0 < p < 1): d = +-inf along a direction that moves, 0 along one
///                   that does not, so that an infinite slope spoils no other component
///   atan2(0, 0)     d = NaN
///   min, max        the derivative of the first argument in a tie; NaN wins over numbers
/// Comparisons look at the value alone.

#include <array>
#include <cmath>
#include <compare>
#include <type_traits>

namespace kardan {

// Formulas written once for double and Dual call these without qualification.
using std::abs;
using std::acos;
using std::asin;
using std::atan;
using std::atan2;
using std::cos;
using std::cosh;
using std::exp;
using std::hypot;
using std::log;
using std::log10;
using std::pow;
using std::sin;
using std::sinh;
using std::sqrt;
using std::tan;
using std::tanh;

template <class T, int N>
struct Dual;

/// How many Dual levels T has: 0 for double.
template <class T>
inline constexpr int dual_depth = 0;
template <class T, int N>
inline constexpr int dual_depth<Dual<T, N>> = 1 + dual_depth<T>;

/// The plain number below all levels.
constexpr double value_of(double x) {
  return x;
}
template <class T, int N>
constexpr double value_of(const Dual<T, N>& x) {
  return value_of(x.value);
}

/// x with its plain number replaced and all derivatives kept.
constexpr double with_value(double, double value) {
  return value;
}
template <class T, int N>
constexpr Dual<T, N> with_value(Dual<T, N> x, double value) {
  x.value = with_value(x.value, value);
  return x;
}

/// True when every part, on all levels, is zero.
constexpr bool is_zero(double x) {
  return x == 0.0;
}
template <class T, int N>
constexpr bool is_zero(const Dual<T, N>& x) {
  for (int i = 0; i < N; ++i) {
    if (!is_zero(x.d[i])) return false;
  }
  return is_zero(x.value);
}

/// True when no part depends on anything: all derivatives, on all levels, are zero.
constexpr bool is_independent(double) {
  return true;
}
template <class T, int N>
constexpr bool is_independent(const Dual<T, N>& x) {
  for (int i = 0; i < N; ++i) {
    if (!is_zero(x.d[i])) return false;
  }
  return is_independent(x.value);
}

/// True when every part, on all levels, is finite.
inline bool is_finite(double x) {
  return std::isfinite(x);
}
template <class T, int N>
bool is_finite(const Dual<T, N>& x) {
  for (int i = 0; i < N; ++i) {
    if (!is_finite(x.d[i])) return false;
  }
  return is_finite(x.value);
}

template <class T, int N>
struct Dual {
  T value;
  std::array<T, N> d;

  /// Like double: `Dual x;` is uninitialized, `Dual x{};` is zero.
  Dual() = default;

  template <class Number>
  requires std::is_arithmetic_v<Number>
  constexpr Dual(Number number) : value(static_cast<double>(number)), d{} {}  // NOLINT: a constant

  constexpr Dual(const T& inner)  // NOLINT: a constant on this level
      requires(!std::is_arithmetic_v<T>)
      : value(inner), d{} {}

  constexpr Dual(const T& value_, const std::array<T, N>& d_) : value(value_), d(d_) {}

  /// The independent variable number `index`: d[index] = 1.
  static constexpr Dual variable(const T& value, int index = 0) {
    Dual x(value);
    x.d[index] = T(1.0);
    return x;
  }

  constexpr Dual operator+() const { return *this; }

  constexpr Dual operator-() const {
    Dual r;
    r.value = -value;
    for (int i = 0; i < N; ++i) r.d[i] = -d[i];
    return r;
  }

  constexpr Dual& operator+=(const Dual& b) {
    value += b.value;
    for (int i = 0; i < N; ++i) d[i] += b.d[i];
    return *this;
  }

  constexpr Dual& operator-=(const Dual& b) {
    value -= b.value;
    for (int i = 0; i < N; ++i) d[i] -= b.d[i];
    return *this;
  }

  constexpr Dual& operator*=(const Dual& b) { return *this = *this * b; }
  constexpr Dual& operator/=(const Dual& b) { return *this = *this / b; }

  constexpr Dual& operator+=(double b) {
    value += b;
    return *this;
  }

  constexpr Dual& operator-=(double b) {
    value -= b;
    return *this;
  }

  constexpr Dual& operator*=(double b) {
    value *= b;
    for (int i = 0; i < N; ++i) d[i] *= b;
    return *this;
  }

  constexpr Dual& operator/=(double b) {
    value /= b;
    for (int i = 0; i < N; ++i) d[i] /= b;
    return *this;
  }

  friend constexpr Dual operator+(const Dual& a, const Dual& b) {
    Dual r;
    r.value = a.value + b.value;
    for (int i = 0; i < N; ++i) r.d[i] = a.d[i] + b.d[i];
    return r;
  }

  friend constexpr Dual operator-(const Dual& a, const Dual& b) {
    Dual r;
    r.value = a.value - b.value;
    for (int i = 0; i < N; ++i) r.d[i] = a.d[i] - b.d[i];
    return r;
  }

  friend constexpr Dual operator*(const Dual& a, const Dual& b) {
    Dual r;
    r.value = a.value * b.value;
    for (int i = 0; i < N; ++i) r.d[i] = a.value * b.d[i] + a.d[i] * b.value;
    return r;
  }

  friend constexpr Dual operator/(const Dual& a, const Dual& b) {
    Dual r;
    r.value = a.value / b.value;
    const T inverse = 1.0 / b.value;
    for (int i = 0; i < N; ++i) r.d[i] = (a.d[i] - r.value * b.d[i]) * inverse;
    return r;
  }

  friend constexpr Dual operator+(Dual a, double b) { return a += b; }
  friend constexpr Dual operator+(double a, Dual b) { return b += a; }
  friend constexpr Dual operator-(Dual a, double b) { return a -= b; }
  friend constexpr Dual operator*(Dual a, double b) { return a *= b; }
  friend constexpr Dual operator*(double a, Dual b) { return b *= a; }
  friend constexpr Dual operator/(Dual a, double b) { return a /= b; }

  friend constexpr Dual operator-(double a, const Dual& b) {
    Dual r;
    r.value = a - b.value;
    for (int i = 0; i < N; ++i) r.d[i] = -b.d[i];
    return r;
  }

  friend constexpr Dual operator/(double a, const Dual& b) {
    Dual r;
    r.value = a / b.value;
    const T slope = -(r.value / b.value);
    for (int i = 0; i < N; ++i) r.d[i] = slope * b.d[i];
    return r;
  }

  friend constexpr bool operator==(const Dual& a, const Dual& b) {
    return value_of(a) == value_of(b);
  }
  friend constexpr bool operator==(const Dual& a, double b) { return value_of(a) == b; }
  friend constexpr std::partial_ordering operator<=>(const Dual& a, const Dual& b) {
    return value_of(a) <=> value_of(b);
  }
  friend constexpr std::partial_ordering operator<=>(const Dual& a, double b) {
    return value_of(a) <=> b;
  }
};

namespace detail {

/// f(x) from f and f' at x.value. An infinite slope times a zero seed is zero, not NaN.
template <class T, int N>
Dual<T, N> chain(const Dual<T, N>& x, const T& f, const T& slope) {
  Dual<T, N> r;
  r.value = f;
  if (is_finite(slope)) {
    for (int i = 0; i < N; ++i) r.d[i] = slope * x.d[i];
  } else {
    for (int i = 0; i < N; ++i) r.d[i] = is_zero(x.d[i]) ? T(0.0) : slope * x.d[i];
  }
  return r;
}

/// f(a, b) from f and its two partial derivatives, with the same rule.
template <class T, int N>
Dual<T, N> chain(const Dual<T, N>& a, const Dual<T, N>& b, const T& f, const T& f_a, const T& f_b) {
  const Dual<T, N> along_a = chain(a, f, f_a);
  const Dual<T, N> along_b = chain(b, f, f_b);
  Dual<T, N> r;
  r.value = f;
  for (int i = 0; i < N; ++i) r.d[i] = along_a.d[i] + along_b.d[i];
  return r;
}

}  // namespace detail

template <class T, int N>
Dual<T, N> sin(const Dual<T, N>& x) {
  return detail::chain(x, T(sin(x.value)), T(cos(x.value)));
}

template <class T, int N>
Dual<T, N> cos(const Dual<T, N>& x) {
  return detail::chain(x, T(cos(x.value)), T(-sin(x.value)));
}

template <class T, int N>
Dual<T, N> tan(const Dual<T, N>& x) {
  const T f = tan(x.value);
  return detail::chain(x, f, T(1.0 + f * f));
}

template <class T, int N>
Dual<T, N> asin(const Dual<T, N>& x) {
  return detail::chain(x, T(asin(x.value)), T(1.0 / sqrt((1.0 - x.value) * (1.0 + x.value))));
}

template <class T, int N>
Dual<T, N> acos(const Dual<T, N>& x) {
  return detail::chain(x, T(acos(x.value)), T(-1.0 / sqrt((1.0 - x.value) * (1.0 + x.value))));
}

template <class T, int N>
Dual<T, N> atan(const Dual<T, N>& x) {
  return detail::chain(x, T(atan(x.value)), T(1.0 / (1.0 + x.value * x.value)));
}

template <class T, int N>
Dual<T, N> sinh(const Dual<T, N>& x) {
  return detail::chain(x, T(sinh(x.value)), T(cosh(x.value)));
}

template <class T, int N>
Dual<T, N> cosh(const Dual<T, N>& x) {
  return detail::chain(x, T(cosh(x.value)), T(sinh(x.value)));
}

template <class T, int N>
Dual<T, N> tanh(const Dual<T, N>& x) {
  // sech^2 = 4 e / (1 + e)^2 with e = exp(-2 |x|): 1 - tanh^2 cancels and cosh^2 overflows.
  // |x| by its sign and not by abs, whose derivatives at 0 are not those of either branch.
  const T e = exp(value_of(x) < 0.0 ? 2.0 * x.value : -2.0 * x.value);
  return detail::chain(x, T(tanh(x.value)), T(4.0 * e / ((1.0 + e) * (1.0 + e))));
}

template <class T, int N>
Dual<T, N> exp(const Dual<T, N>& x) {
  const T f = exp(x.value);
  return detail::chain(x, f, f);
}

template <class T, int N>
Dual<T, N> log(const Dual<T, N>& x) {
  return detail::chain(x, T(log(x.value)), T(1.0 / x.value));
}

template <class T, int N>
Dual<T, N> log10(const Dual<T, N>& x) {
  constexpr double ln_10 = 2.302585092994045684;
  return detail::chain(x, T(log10(x.value)), T(1.0 / (x.value * ln_10)));
}

template <class T, int N>
Dual<T, N> sqrt(const Dual<T, N>& x) {
  const T f = sqrt(x.value);
  return detail::chain(x, f, T(0.5 / f));
}

template <class T, int N>
Dual<T, N> abs(const Dual<T, N>& x) {
  const double v = value_of(x);
  if (v == 0.0) return Dual<T, N>(0.0);
  return v < 0.0 ? -x : x;
}

/// x^p, d = p x^(p-1) dx. Exact at x = 0 for p = 0, 1, 2, ...: the recursion stops at p = 0, where
/// 0 * x^(-1) would be NaN.
template <class T, int N>
Dual<T, N> pow(const Dual<T, N>& x, double p) {
  if (p == 0.0) return Dual<T, N>(1.0);
  return detail::chain(x, T(pow(x.value, p)), T(p * pow(x.value, p - 1.0)));
}

/// x^y. A y that depends on nothing is the case above, so that the base may be negative.
template <class T, int N>
Dual<T, N> pow(const Dual<T, N>& x, const Dual<T, N>& y) {
  if (is_independent(y)) return pow(x, value_of(y));
  const T f = pow(x.value, y.value);
  // x^y log(x) tends to 0 with x for y > 0.
  const bool vanishes = value_of(x) == 0.0 && value_of(y) > 0.0;
  const T f_y = vanishes ? T(0.0) : T(f * log(x.value));
  return detail::chain(x, y, f, T(y.value * pow(x.value, y.value - 1.0)), f_y);
}

template <class T, int N>
Dual<T, N> pow(double x, const Dual<T, N>& y) {
  return pow(Dual<T, N>(x), y);
}

template <class T, int N>
Dual<T, N> atan2(const Dual<T, N>& y, const Dual<T, N>& x) {
  const T r2 = x.value * x.value + y.value * y.value;
  return detail::chain(y, x, T(atan2(y.value, x.value)), T(x.value / r2), T(-y.value / r2));
}

template <class T, int N>
Dual<T, N> hypot(const Dual<T, N>& a, const Dual<T, N>& b) {
  const T f = hypot(a.value, b.value);
  if (value_of(f) == 0.0) return Dual<T, N>(f);
  return detail::chain(a, b, f, T(a.value / f), T(b.value / f));
}

/// NaN wins, so that an invalid number is never hidden; a tie gives the first argument.
constexpr double min(double a, double b) {
  return a <= b || a != a ? a : b;
}
constexpr double max(double a, double b) {
  return a >= b || a != a ? a : b;
}

template <class T, int N>
constexpr Dual<T, N> min(const Dual<T, N>& a, const Dual<T, N>& b) {
  const double va = value_of(a);
  return va <= value_of(b) || va != va ? a : b;
}

template <class T, int N>
constexpr Dual<T, N> max(const Dual<T, N>& a, const Dual<T, N>& b) {
  const double va = value_of(a);
  return va >= value_of(b) || va != va ? a : b;
}

// The two-argument functions with one plain number.
template <class T, int N>
Dual<T, N> atan2(const Dual<T, N>& y, double x) {
  return atan2(y, Dual<T, N>(x));
}
template <class T, int N>
Dual<T, N> atan2(double y, const Dual<T, N>& x) {
  return atan2(Dual<T, N>(y), x);
}
template <class T, int N>
Dual<T, N> hypot(const Dual<T, N>& a, double b) {
  return hypot(a, Dual<T, N>(b));
}
template <class T, int N>
Dual<T, N> hypot(double a, const Dual<T, N>& b) {
  return hypot(Dual<T, N>(a), b);
}
template <class T, int N>
constexpr Dual<T, N> min(const Dual<T, N>& a, double b) {
  return min(a, Dual<T, N>(b));
}
template <class T, int N>
constexpr Dual<T, N> min(double a, const Dual<T, N>& b) {
  return min(Dual<T, N>(a), b);
}
template <class T, int N>
constexpr Dual<T, N> max(const Dual<T, N>& a, double b) {
  return max(a, Dual<T, N>(b));
}
template <class T, int N>
constexpr Dual<T, N> max(double a, const Dual<T, N>& b) {
  return max(Dual<T, N>(a), b);
}

}  // namespace kardan
