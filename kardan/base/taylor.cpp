#include "kardan/base/taylor.h"

namespace kardan {
namespace {

/// c[k] of a product, or of a part of the sum.
Interval cauchy(const Taylor& a, const Taylor& b, int k, int from, int to) {
  Interval sum = 0.0;
  for (int j = from; j <= to; ++j) sum = sum + a.c[j] * b.c[k - j];
  return sum;
}

/// From f' = g x': c[k] = sum of j x_j g_(k-j) / k; the value stands in `out`.
void integrate(const Taylor& x, const Taylor& g, Taylor& out) {
  out.order = x.order;
  for (int k = 1; k <= x.order; ++k) {
    Interval sum = 0.0;
    for (int j = 1; j <= k; ++j) sum = sum + Interval(j) * x.c[j] * g.c[k - j];
    out.c[k] = sum / Interval(k);
  }
}

/// s and c with s' = c x', c' = sign s x'; the values stand in them.
void couple(const Taylor& x, double sign, Taylor& s, Taylor& c) {
  s.order = c.order = x.order;
  for (int k = 1; k <= x.order; ++k) {
    Interval to_s = 0.0, to_c = 0.0;
    for (int j = 1; j <= k; ++j) {
      const Interval rate = Interval(j) * x.c[j];
      to_s = to_s + rate * c.c[k - j];
      to_c = to_c + rate * s.c[k - j];
    }
    s.c[k] = to_s / Interval(k);
    c.c[k] = Interval(sign) * to_c / Interval(k);
  }
}

void sine_and_cosine(const Taylor& x, Taylor& s, Taylor& c) {
  s.c[0] = sin(x.c[0]);
  c.c[0] = cos(x.c[0]);
  couple(x, -1, s, c);
}

void hyperbolic(const Taylor& x, Taylor& s, Taylor& c) {
  s.c[0] = monotone(x.c[0], [](double v) { return std::sinh(v); });
  const double least =
      x.c[0].contains(0.0) ? 0.0 : std::min(std::abs(x.c[0].lo), std::abs(x.c[0].hi));
  c.c[0] = monotone({least, x.c[0].size()}, [](double v) { return std::cosh(v); });
  couple(x, 1, s, c);
}

}  // namespace

Taylor Taylor::constant(const Interval& value, int order) {
  Taylor out;
  out.order = order;
  out.c.fill(0.0);
  out.c[0] = value;
  return out;
}

Taylor Taylor::time(double a, double b, int order) {
  Taylor out = constant({a, b}, order);
  if (order > 0) out.c[1] = 1.0;
  return out;
}

void Taylor::forget_from(int k) {
  for (; k <= order; ++k) c[k] = Interval::entire();
}

bool Taylor::smooth() const {
  for (int k = 0; k <= order; ++k)
    if (!c[k].finite()) return false;
  return true;
}

Taylor Taylor::derivative() const {
  Taylor out;
  out.order = order - 1;
  for (int k = 0; k < order; ++k) out.c[k] = Interval(k + 1) * c[k + 1];
  return out;
}

Taylor operator+(const Taylor& a, const Taylor& b) {
  Taylor out;
  out.order = std::min(a.order, b.order);
  for (int k = 0; k <= out.order; ++k) out.c[k] = a.c[k] + b.c[k];
  return out;
}

Taylor operator-(const Taylor& a, const Taylor& b) {
  Taylor out;
  out.order = std::min(a.order, b.order);
  for (int k = 0; k <= out.order; ++k) out.c[k] = a.c[k] - b.c[k];
  return out;
}

Taylor operator*(const Taylor& a, const Taylor& b) {
  Taylor out;
  out.order = std::min(a.order, b.order);
  for (int k = 0; k <= out.order; ++k) out.c[k] = cauchy(a, b, k, 0, k);
  return out;
}

/// a = q b, solved for one coefficient of q after the other.
Taylor operator/(const Taylor& a, const Taylor& b) {
  Taylor q;
  q.order = std::min(a.order, b.order);
  for (int k = 0; k <= q.order; ++k) q.c[k] = (a.c[k] - cauchy(b, q, k, 1, k)) / b.c[0];
  return q;
}

Taylor operator-(Taylor a) {
  for (int k = 0; k <= a.order; ++k) a.c[k] = -a.c[k];
  return a;
}

Taylor operator+(Taylor a, double b) {
  a.c[0] = a.c[0] + Interval(b);
  return a;
}

Taylor operator*(Taylor a, double b) {
  for (int k = 0; k <= a.order; ++k) a.c[k] = a.c[k] * Interval(b);
  return a;
}

Taylor either(const Taylor& a, const Taylor& b, int continuous) {
  Taylor out;
  out.order = std::min(a.order, b.order);
  for (int k = 0; k <= out.order; ++k) out.c[k] = hull(a.c[k], b.c[k]);
  out.forget_from(continuous + 2);
  return out;
}

Taylor square(const Taylor& x) {
  Taylor out = x * x;
  out.c[0] = square(x.c[0]);
  return out;
}

Taylor sin(const Taylor& x) {
  Taylor s, c;
  sine_and_cosine(x, s, c);
  return s;
}

Taylor cos(const Taylor& x) {
  Taylor s, c;
  sine_and_cosine(x, s, c);
  return c;
}

Taylor tan(const Taylor& x) {
  Taylor s, c;
  sine_and_cosine(x, s, c);
  Taylor out = s / c;
  if (out.c[0].finite()) out.c[0] = monotone(x.c[0], [](double v) { return std::tan(v); });
  return out;
}

Taylor asin(const Taylor& x) {
  const Taylor one = Taylor::constant(1.0, x.order);
  Taylor out;
  out.c[0] = monotone(clipped(x.c[0], -1, 1), [](double v) { return std::asin(v); });
  integrate(x, one / sqrt(one - square(x)), out);
  return out;
}

Taylor acos(const Taylor& x) {
  Taylor out = -asin(x);
  out.c[0] = monotone(clipped(x.c[0], -1, 1), [](double v) { return std::acos(v); });
  return out;
}

Taylor atan(const Taylor& x) {
  const Taylor one = Taylor::constant(1.0, x.order);
  Taylor out;
  out.c[0] = monotone(x.c[0], [](double v) { return std::atan(v); });
  integrate(x, one / (square(x) + 1.0), out);
  return out;
}

Taylor sinh(const Taylor& x) {
  Taylor s, c;
  hyperbolic(x, s, c);
  return s;
}

Taylor cosh(const Taylor& x) {
  Taylor s, c;
  hyperbolic(x, s, c);
  return c;
}

/// tanh' = 1 - tanh^2 = 4 e/(1 + e)^2, e = exp(-2 |x|): of the side on which x lies; where it has
/// both, from the coefficients of tanh one after the other.
Taylor tanh(const Taylor& x) {
  Taylor out, slope;
  out.order = slope.order = x.order;
  out.c[0] = monotone(x.c[0], [](double v) { return std::tanh(v); });
  if (!x.c[0].contains(0.0)) {
    const Taylor e = exp(x.c[0].lo > 0 ? x * -2.0 : x * 2.0);
    slope = e * 4.0 / square(e + 1.0);
    integrate(x, slope, out);
    return out;
  }
  for (int k = 1; k <= x.order; ++k) {
    slope.c[k - 1] = Interval(k == 1 ? 1.0 : 0.0) -
                     (k == 1 ? square(out.c[0]) : cauchy(out, out, k - 1, 0, k - 1));
    Interval sum = 0.0;
    for (int j = 1; j <= k; ++j) sum = sum + Interval(j) * x.c[j] * slope.c[k - j];
    out.c[k] = sum / Interval(k);
  }
  return out;
}

Taylor exp(const Taylor& x) {
  Taylor out;
  out.order = x.order;
  out.c[0] = monotone(x.c[0], [](double v) { return std::exp(v); });
  out.c[0].lo = std::max(out.c[0].lo, 0.0);
  for (int k = 1; k <= x.order; ++k) {
    Interval sum = 0.0;
    for (int j = 1; j <= k; ++j) sum = sum + Interval(j) * x.c[j] * out.c[k - j];
    out.c[k] = sum / Interval(k);
  }
  return out;
}

Taylor log(const Taylor& x) {
  Taylor out;
  out.order = x.order;
  out.c[0] =
      x.c[0].lo > 0 ? monotone(x.c[0], [](double v) { return std::log(v); }) : Interval::entire();
  for (int k = 1; k <= x.order; ++k) {
    Interval sum = 0.0;
    for (int j = 1; j < k; ++j) sum = sum + Interval(j) * out.c[j] * x.c[k - j];
    out.c[k] = x.c[0].lo > 0 ? (x.c[k] - sum / Interval(k)) / x.c[0] : Interval::entire();
  }
  return out;
}

Taylor sqrt(const Taylor& x) {
  return pow(x, 0.5);
}

Taylor abs(const Taylor& x) {
  if (x.c[0].lo >= 0) return x;
  if (x.c[0].hi <= 0) return -x;
  Taylor out = either(x, -x, 0);
  out.c[0] = {0.0, x.c[0].size()};
  return out;
}

Taylor min(const Taylor& a, const Taylor& b) {
  if (a.c[0].hi <= b.c[0].lo) return a;
  if (b.c[0].hi <= a.c[0].lo) return b;
  Taylor out = either(a, b, 0);
  out.c[0] = {std::min(a.c[0].lo, b.c[0].lo), std::min(a.c[0].hi, b.c[0].hi)};
  return out;
}

Taylor max(const Taylor& a, const Taylor& b) {
  return -min(-a, -b);
}

Taylor hypot(const Taylor& a, const Taylor& b) {
  const Taylor r = square(a) + square(b);
  Taylor out = sqrt(r);
  if (r.c[0].lo <= 0 && out.order >= 1) {
    // |h'| <= |(a', b')|
    const double rate = detail::widened(0, std::hypot(a.c[1].size(), b.c[1].size()), 4).hi;
    out.c[1] = {-rate, rate};
  }
  return out;
}

/// From theta' = (x y' - y x')/(x^2 + y^2).
Taylor atan2(const Taylor& y, const Taylor& x) {
  Taylor out = Taylor::constant(angle(y.c[0], x.c[0]), std::min(x.order, y.order));
  const bool cut = x.c[0].lo <= 0 && y.c[0].contains(0.0);
  if (cut || out.order == 0) {
    out.forget_from(1);
    return out;
  }
  const Taylor rate = (x * y.derivative() - y * x.derivative()) / (square(x) + square(y));
  for (int k = 1; k <= out.order; ++k) out.c[k] = rate.c[k - 1] / Interval(k);
  return out;
}

namespace {

/// x^n for a whole n >= 0, by squaring; its value at once, which is tighter.
Taylor whole_power(const Taylor& x, int n) {
  Taylor out = Taylor::constant(1.0, x.order), factor = x;
  for (int rest = n; rest > 0; rest /= 2) {
    if (rest % 2 != 0) out = out * factor;
    if (rest > 1) factor = square(factor);
  }
  out.c[0] = power(x.c[0], n);
  return out;
}

}  // namespace

/// For broken powers c[k] = sum of (p j - k + j) x_j c_(k-j) / (k x_0).
Taylor pow(const Taylor& x, double p) {
  constexpr double most = 100;
  if (p == std::floor(p) && std::abs(p) <= most) {
    const Taylor whole = whole_power(x, static_cast<int>(std::abs(p)));
    return p < 0 ? Taylor::constant(1.0, x.order) / whole : whole;
  }
  Taylor out;
  out.order = x.order;
  const Interval& base = x.c[0];
  const Interval sound{std::max(base.lo, 0.0), std::max(base.hi, 0.0)};
  out.c[0] = monotone(sound, [p](double v) { return std::pow(v, p); });
  if (base.lo <= 0) {
    out.forget_from(base.hi < 0 ? 0 : 1);
    return out;
  }
  out.c[0].lo = std::max(out.c[0].lo, 0.0);
  for (int k = 1; k <= x.order; ++k) {
    Interval sum = 0.0;
    for (int j = 1; j <= k; ++j)
      sum = sum + (Interval(p) * Interval(j) - Interval(k - j)) * x.c[j] * out.c[k - j];
    out.c[k] = sum / (Interval(k) * base);
  }
  return out;
}

Taylor pow(const Taylor& x, const Taylor& y) {
  bool fixed = y.c[0].lo == y.c[0].hi;
  for (int k = 1; k <= y.order; ++k) fixed = fixed && y.c[k] == Interval(0.0);
  return fixed ? pow(x, y.c[0].lo) : exp(y * log(x));
}

}  // namespace kardan
