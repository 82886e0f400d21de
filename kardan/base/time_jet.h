#pragma once
/// A function of one variable at one point, with its first three derivatives. It is a scalar type:
/// arithmetic follows Leibniz' rule, (f g)''' = f'''g + 3f''g' + 3f'g'' + f g''', and functions
/// Faa di Bruno's,
///   h = f(g):  h' = f1 g',  h'' = f1 g'' + f2 g'^2,  h''' = f1 g''' + 3 f2 g' g'' + f3 g'^3.
/// Four numbers and one call per function, where thrice nested duals need eight and eight.
/// Points without a derivative behave as in dual.h.

#include <cmath>
#include <compare>

#include "kardan/base/dual.h"

namespace kardan {

struct TimeJet {
  double value;
  double d1;  ///< d/dt
  double d2;  ///< d^2/dt^2
  double d3;  ///< d^3/dt^3

  /// Like double: `TimeJet x;` is uninitialized, `TimeJet x{};` is zero.
  TimeJet() = default;
  constexpr TimeJet(double value_, double d1_ = 0.0, double d2_ = 0.0,  // NOLINT: a constant
                    double d3_ = 0.0)
      : value(value_), d1(d1_), d2(d2_), d3(d3_) {}

  /// The independent variable itself.
  static constexpr TimeJet variable(double t) { return {t, 1.0, 0.0, 0.0}; }

  constexpr TimeJet operator+() const { return *this; }
  constexpr TimeJet operator-() const { return {-value, -d1, -d2, -d3}; }

  friend constexpr TimeJet operator+(const TimeJet& a, const TimeJet& b) {
    return {a.value + b.value, a.d1 + b.d1, a.d2 + b.d2, a.d3 + b.d3};
  }
  friend constexpr TimeJet operator-(const TimeJet& a, const TimeJet& b) {
    return {a.value - b.value, a.d1 - b.d1, a.d2 - b.d2, a.d3 - b.d3};
  }
  friend constexpr TimeJet operator*(const TimeJet& a, const TimeJet& b) {
    return {a.value * b.value, a.value * b.d1 + a.d1 * b.value,
            a.value * b.d2 + 2.0 * a.d1 * b.d1 + a.d2 * b.value,
            a.value * b.d3 + 3.0 * (a.d1 * b.d2 + a.d2 * b.d1) + a.d3 * b.value};
  }
  /// Leibniz' rule for a = q b, solved for one derivative of q after the other.
  friend constexpr TimeJet operator/(const TimeJet& a, const TimeJet& b) {
    const double q = a.value / b.value;
    const double q1 = (a.d1 - q * b.d1) / b.value;
    const double q2 = (a.d2 - 2.0 * q1 * b.d1 - q * b.d2) / b.value;
    const double q3 = (a.d3 - 3.0 * (q2 * b.d1 + q1 * b.d2) - q * b.d3) / b.value;
    return {q, q1, q2, q3};
  }
  friend constexpr TimeJet operator+(const TimeJet& a, double b) {
    return {a.value + b, a.d1, a.d2, a.d3};
  }
  friend constexpr TimeJet operator-(const TimeJet& a, double b) { return a + (-b); }
  friend constexpr TimeJet operator*(const TimeJet& a, double b) {
    return {a.value * b, a.d1 * b, a.d2 * b, a.d3 * b};
  }
  friend constexpr TimeJet operator/(const TimeJet& a, double b) {
    return {a.value / b, a.d1 / b, a.d2 / b, a.d3 / b};
  }
  friend constexpr TimeJet operator+(double a, const TimeJet& b) { return b + a; }
  friend constexpr TimeJet operator-(double a, const TimeJet& b) {
    return {a - b.value, -b.d1, -b.d2, -b.d3};
  }
  friend constexpr TimeJet operator*(double a, const TimeJet& b) { return b * a; }
  friend constexpr TimeJet operator/(double a, const TimeJet& b) { return TimeJet(a) / b; }
};

constexpr double value_of(const TimeJet& x) {
  return x.value;
}
constexpr TimeJet with_value(TimeJet x, double value) {
  x.value = value;
  return x;
}
constexpr bool is_independent(const TimeJet& x) {
  return x.d1 == 0.0 && x.d2 == 0.0 && x.d3 == 0.0;
}

/// f(g) from f and its derivatives at g.value. What does not move has no derivatives, also where
/// those of f are infinite.
inline TimeJet compose(const TimeJet& g, double f, double f1, double f2, double f3) {
  if (is_independent(g)) return f;
  return {f, f1 * g.d1, f1 * g.d2 + f2 * g.d1 * g.d1,
          f1 * g.d3 + 3.0 * f2 * g.d1 * g.d2 + f3 * g.d1 * g.d1 * g.d1};
}

inline TimeJet sin(const TimeJet& x) {
  const double s = std::sin(x.value), c = std::cos(x.value);
  return compose(x, s, c, -s, -c);
}

inline TimeJet cos(const TimeJet& x) {
  const double s = std::sin(x.value), c = std::cos(x.value);
  return compose(x, c, -s, -c, s);
}

inline TimeJet tan(const TimeJet& x) {
  const double f = std::tan(x.value), f1 = 1.0 + f * f;
  return compose(x, f, f1, 2.0 * f * f1, f1 * (2.0 + 6.0 * f * f));
}

inline TimeJet asin(const TimeJet& x) {
  // w = 1/(1 - x^2):  f' = w^(1/2), f'' = x w^(3/2), f''' = (1 + 2x^2) w^(5/2)
  const double v = x.value, w = 1.0 / ((1.0 - v) * (1.0 + v)), f1 = std::sqrt(w);
  return compose(x, std::asin(v), f1, v * w * f1, (1.0 + 2.0 * v * v) * w * w * f1);
}

inline TimeJet acos(const TimeJet& x) {
  return with_value(-asin(x), std::acos(x.value));
}

inline TimeJet atan(const TimeJet& x) {
  // w = 1/(1 + x^2):  f' = w, f'' = -2x w^2, f''' = (6x^2 - 2) w^3
  const double v = x.value, w = 1.0 / (1.0 + v * v);
  return compose(x, std::atan(v), w, -2.0 * v * w * w, (6.0 * v * v - 2.0) * w * w * w);
}

inline TimeJet sinh(const TimeJet& x) {
  const double s = std::sinh(x.value), c = std::cosh(x.value);
  return compose(x, s, c, s, c);
}

inline TimeJet cosh(const TimeJet& x) {
  const double s = std::sinh(x.value), c = std::cosh(x.value);
  return compose(x, c, s, c, s);
}

inline TimeJet tanh(const TimeJet& x) {
  // f' = sech^2 = 4 e / (1 + e)^2 with e = exp(-2 |x|), which neither cancels nor overflows.
  const double f = std::tanh(x.value), e = std::exp(-2.0 * std::abs(x.value));
  const double f1 = 4.0 * e / ((1.0 + e) * (1.0 + e));
  return compose(x, f, f1, -2.0 * f * f1, f1 * (6.0 * f * f - 2.0));
}

inline TimeJet exp(const TimeJet& x) {
  const double f = std::exp(x.value);
  return compose(x, f, f, f, f);
}

inline TimeJet log(const TimeJet& x) {
  const double w = 1.0 / x.value;
  return compose(x, std::log(x.value), w, -w * w, 2.0 * w * w * w);
}

inline TimeJet log10(const TimeJet& x) {
  constexpr double ln_10 = 2.302585092994045684;
  return with_value(log(x) * (1.0 / ln_10), std::log10(x.value));
}

inline TimeJet sqrt(const TimeJet& x) {
  const double f = std::sqrt(x.value), f1 = 0.5 / f, w = 1.0 / x.value;
  return compose(x, f, f1, -0.5 * f1 * w, 0.75 * f1 * w * w);
}

inline TimeJet abs(const TimeJet& x) {
  if (x.value == 0.0) return 0.0;
  return x.value < 0.0 ? -x : x;
}

inline TimeJet pow(const TimeJet& x, double p) {
  // A vanishing factor p (p-1) ... ends the series also at x = 0, where x^(p-k) is infinite.
  const double c1 = p, c2 = c1 * (p - 1.0), c3 = c2 * (p - 2.0);
  return compose(x, std::pow(x.value, p), c1 == 0.0 ? 0.0 : c1 * std::pow(x.value, p - 1.0),
                 c2 == 0.0 ? 0.0 : c2 * std::pow(x.value, p - 2.0),
                 c3 == 0.0 ? 0.0 : c3 * std::pow(x.value, p - 3.0));
}

/// x^y = exp(y log x) for a varying y; three derivatives exist at x = 0 only for y > 3.
inline TimeJet pow(const TimeJet& x, const TimeJet& y) {
  if (is_independent(y)) return pow(x, y.value);
  const double f = std::pow(x.value, y.value);
  if (x.value == 0.0 && y.value > 3.0) return f;
  return compose(y * log(x), f, f, f, f);
}

/// theta' = n/r with n = x y' - y x', r = x^2 + y^2, differentiated as n = theta' r.
inline TimeJet atan2(const TimeJet& y, const TimeJet& x) {
  if (is_independent(y) && is_independent(x)) return std::atan2(y.value, x.value);
  const double n = x.value * y.d1 - y.value * x.d1;
  const double n1 = x.value * y.d2 - y.value * x.d2;
  const double n2 = x.value * y.d3 - y.value * x.d3 + x.d1 * y.d2 - y.d1 * x.d2;
  const TimeJet r = x * x + y * y;
  const double d1 = n / r.value;
  const double d2 = (n1 - d1 * r.d1) / r.value;
  const double d3 = (n2 - 2.0 * d2 * r.d1 - d1 * r.d2) / r.value;
  return {std::atan2(y.value, x.value), d1, d2, d3};
}

/// h h = a a + b b, solved for one derivative of h after the other.
inline TimeJet hypot(const TimeJet& a, const TimeJet& b) {
  const double h = std::hypot(a.value, b.value);
  if (h == 0.0) return h;
  const TimeJet r = a * a + b * b;
  const double h1 = 0.5 * r.d1 / h;
  const double h2 = (0.5 * r.d2 - h1 * h1) / h;
  const double h3 = (0.5 * r.d3 - 3.0 * h1 * h2) / h;
  return {h, h1, h2, h3};
}

constexpr TimeJet min(const TimeJet& a, const TimeJet& b) {
  return a.value <= b.value || a.value != a.value ? a : b;
}
constexpr TimeJet max(const TimeJet& a, const TimeJet& b) {
  return a.value >= b.value || a.value != a.value ? a : b;
}

namespace detail {

/// The derivative number `order` of the function, as a function of t: d f^(k) = f^(k+1) dt.
template <int order>
constexpr double jet_at(const TimeJet& f, double) {
  static_assert(order <= 3, "a TimeJet knows three derivatives");
  if constexpr (order == 0) return f.value;
  if constexpr (order == 1) return f.d1;
  if constexpr (order == 2) return f.d2;
  return f.d3;
}

template <int order, class T, int N>
constexpr Dual<T, N> jet_at(const TimeJet& f, const Dual<T, N>& t) {
  const T slope = jet_at<order + 1>(f, t.value);
  Dual<T, N> r;
  r.value = jet_at<order>(f, t.value);
  for (int i = 0; i < N; ++i) r.d[i] = slope * t.d[i];
  return r;
}

}  // namespace detail

/// f(t) for up to three levels of duals, from the jet of f at value_of(t): however many components
/// t has, the function itself is evaluated once.
template <class T>
constexpr T extend(const TimeJet& f, const T& t) {
  return detail::jet_at<0>(f, t);
}

/// f(g(t)) for a moving argument.
inline TimeJet extend(const TimeJet& f, const TimeJet& g) {
  return compose(g, f.value, f.d1, f.d2, f.d3);
}

}  // namespace kardan
