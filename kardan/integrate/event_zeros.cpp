/// Zeros of one event function on the dense output.

#include <algorithm>
#include <cmath>

#include "kardan/integrate/events.h"

namespace kardan {

/// The zero that counts before or after `inside`, where the function has the other sign than at a
/// and b.
double EventSearch::root_near(const DenseStep& step, int e, double a, double inside, double b) {
  at(step, a, z_before_);
  at(step, inside, z_end_);
  const double za = z_before_[e], other = z_end_[e];
  if (counts(e, other > 0 ? 1 : -1)) return locate(step, e, a, inside, za, other);
  at(step, b, z_before_);
  return locate(step, e, inside, b, other, z_before_[e]);
}

/// A point between a and b where the function has the other sign, or -1 (golden section).
double EventSearch::bottom(const DenseStep& step, int e, double a, double b, bool positive) {
  constexpr double golden = 0.38196601125010515;
  auto value = [&](double s) {
    at(step, s, z_end_);
    return positive ? z_end_[e] : -z_end_[e];
  };
  double x = a + golden * (b - a), y = b - golden * (b - a);
  double fx = value(x), fy = value(y);
  for (int i = 0; i < 40; ++i) {
    if (fx < 0) return x;
    if (fy < 0) return y;
    if (fx < fy) {
      b = y;
      y = x;
      fy = fx;
      x = a + golden * (b - a);
      fx = value(x);
    } else {
      a = x;
      x = y;
      fx = fy;
      y = b - golden * (b - a);
      fy = value(y);
    }
  }
  return -1;
}

/// Root of an event between a and b by Chandrupatla's method (Advances in Engineering Software 28,
/// 1997, 145-149): inverse quadratic interpolation where it is safe, else bisection. The end of the
/// last bracket.
double EventSearch::locate(const DenseStep& step, int e, double a, double b, double fa, double fb) {
  double x1 = b, f1 = fb, x2 = a, f2 = fa, x3 = a, f3 = fa, share = 0.5;
  for (int i = 0; i < 100; ++i) {
    const double x = x1 + share * (x2 - x1);
    at(step, x, z_end_);
    const double f = z_end_[e];
    if ((f > 0) == (f1 > 0)) {
      x3 = x1;
      f3 = f1;
    } else {
      x3 = x2;
      f3 = f2;
      x2 = x1;
      f2 = f1;
    }
    x1 = x;
    f1 = f;
    if (f1 == 0) return x1;
    const double least = 0.5e-15 * b / std::abs(x2 - x1);
    if (least > 0.5) break;
    const double xi = (x1 - x2) / (x3 - x2), phi = (f1 - f2) / (f3 - f2);
    share = 0.5;
    if (phi * phi < xi && (1 - phi) * (1 - phi) < 1 - xi)
      share =
          f1 / (f2 - f1) * f3 / (f2 - f3) + (x3 - x1) / (x2 - x1) * f1 / (f3 - f1) * f2 / (f3 - f2);
    share = std::clamp(share, least, 1 - least);
  }
  return std::max(x1, x2);
}

}  // namespace kardan
