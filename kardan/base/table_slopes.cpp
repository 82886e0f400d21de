#include "kardan/base/table_slopes.h"

#include <cmath>
#include <cstddef>

namespace kardan::table_slopes {
namespace {

/// Width and secant of every interval.
struct Intervals {
  std::vector<double> h, secant;
  Intervals(const std::vector<double>& x, const std::vector<double>& y) {
    for (std::size_t i = 0; i + 1 < x.size(); ++i) {
      h.push_back(x[i + 1] - x[i]);
      secant.push_back((y[i + 1] - y[i]) / h.back());
    }
  }
  std::size_t size() const { return h.size(); }
};

double harmonic(double h_left, double left, double h, double right) {
  if (!(left * right > 0)) return 0;
  const double w_left = 2 * h + h_left, w_right = h + 2 * h_left;
  return (w_left + w_right) / (w_left / left + w_right / right);
}

/// At an end: h, secant are those of the interval there, the others of the next one.
double pchip_end(double h, double secant, double h_next, double secant_next) {
  const double slope = ((2 * h + h_next) * secant - h * secant_next) / (h + h_next);
  if (!(slope * secant > 0)) return 0;
  if (!(secant * secant_next > 0) && std::abs(slope) > 3 * std::abs(secant)) return 3 * secant;
  return slope;
}

}  // namespace

std::vector<double> pchip(const std::vector<double>& x, const std::vector<double>& y,
                          bool periodic) {
  const Intervals at(x, y);
  const std::size_t n = at.size();
  std::vector<double> slope(n + 1, at.secant[0]);
  for (std::size_t i = 1; i < n; ++i)
    slope[i] = harmonic(at.h[i - 1], at.secant[i - 1], at.h[i], at.secant[i]);
  if (periodic) {
    slope[0] = slope[n] = harmonic(at.h[n - 1], at.secant[n - 1], at.h[0], at.secant[0]);
  } else if (n > 1) {
    slope[0] = pchip_end(at.h[0], at.secant[0], at.h[1], at.secant[1]);
    slope[n] = pchip_end(at.h[n - 1], at.secant[n - 1], at.h[n - 2], at.secant[n - 2]);
  }
  return slope;
}

std::vector<double> akima(const std::vector<double>& x, const std::vector<double>& y,
                          bool periodic) {
  const Intervals at(x, y);
  const auto n = static_cast<std::ptrdiff_t>(at.size());
  // m[k + 2] is the secant of interval k, with two more beyond each end.
  std::vector<double> m(static_cast<std::size_t>(n) + 4);
  const auto secant = [&](std::ptrdiff_t k) -> double& {
    return m[static_cast<std::size_t>(k + 2)];
  };
  for (std::ptrdiff_t k = 0; k < n; ++k) secant(k) = at.secant[static_cast<std::size_t>(k)];
  const auto wrapped = [n](std::ptrdiff_t k) { return ((k % n) + n) % n; };
  const auto beyond = [&](std::ptrdiff_t k, std::ptrdiff_t inner) {
    if (periodic)
      secant(k) = at.secant[static_cast<std::size_t>(wrapped(k))];
    else
      secant(k) = n == 1 ? secant(0) : 2 * secant(k + inner) - secant(k + 2 * inner);
  };
  beyond(-1, 1);
  beyond(-2, 1);
  beyond(n, -1);
  beyond(n + 1, -1);
  std::vector<double> slope;
  for (std::ptrdiff_t i = 0; i <= n; ++i) {
    const double left = std::abs(secant(i + 1) - secant(i)),
                 right = std::abs(secant(i - 1) - secant(i - 2));
    slope.push_back(left + right > 0 ? (left * secant(i - 1) + right * secant(i)) / (left + right)
                                     : 0.5 * (secant(i - 1) + secant(i)));
  }
  return slope;
}

/// h_i = x_{i+1} - x_i (Stoer & Bulirsch, section 2.4):
///   h_{i-1} y''_{i-1} + 2 (h_{i-1} + h_i) y''_i + h_i y''_{i+1}
///       = 6 ((y_{i+1} - y_i)/h_i - (y_i - y_{i-1})/h_{i-1}),     y''_0 = y''_n = 0,
/// diagonally dominant, so elimination needs no pivots.
std::vector<double> natural_curvature(const std::vector<double>& x, const std::vector<double>& y) {
  const std::size_t n = x.size();
  std::vector<double> curvature(n, 0.0), upper(n, 0.0);
  for (std::size_t i = 1; i + 1 < n; ++i) {
    const double h_left = x[i] - x[i - 1], h = x[i + 1] - x[i];
    const double right_side = 6.0 * ((y[i + 1] - y[i]) / h - (y[i] - y[i - 1]) / h_left);
    const double pivot = 2.0 * (h_left + h) - h_left * upper[i - 1];
    upper[i] = h / pivot;
    curvature[i] = (right_side - h_left * curvature[i - 1]) / pivot;
  }
  for (std::size_t i = n - 1; i-- > 1;) curvature[i] -= upper[i] * curvature[i + 1];
  return curvature;
}

/// The same equations for all points but the last, which is the first again. With its curvature s
/// given, the others follow as u + s v from two systems without the corners; the equation of the
/// first point then gives s.
std::vector<double> periodic_curvature(const std::vector<double>& x, const std::vector<double>& y) {
  const Intervals at(x, y);
  const std::size_t n = at.size();
  std::vector<double> u(n + 1, 0.0), v(n + 1, 0.0), upper(n + 1, 0.0);
  v[0] = v[n] = 1;
  for (std::size_t i = 1; i < n; ++i) {
    const double pivot = 2.0 * (at.h[i - 1] + at.h[i]) - at.h[i - 1] * upper[i - 1];
    upper[i] = at.h[i] / pivot;
    u[i] = (6.0 * (at.secant[i] - at.secant[i - 1]) - at.h[i - 1] * u[i - 1]) / pivot;
    v[i] = -at.h[i - 1] * v[i - 1] / pivot;
  }
  for (std::size_t i = n; i-- > 1;) {
    u[i] -= upper[i] * u[i + 1];
    v[i] -= upper[i] * v[i + 1];
  }
  if (n == 1) return u;  // one interval with equal ends: a constant
  const double own = 2.0 * (at.h[n - 1] + at.h[0]);
  const double right_side = 6.0 * (at.secant[0] - at.secant[n - 1]);
  const double s = (right_side - at.h[n - 1] * u[n - 1] - at.h[0] * u[1]) /
                   (own + at.h[n - 1] * v[n - 1] + at.h[0] * v[1]);
  std::vector<double> curvature(n + 1);
  for (std::size_t i = 0; i <= n; ++i) curvature[i] = u[i] + s * v[i];
  return curvature;
}

}  // namespace kardan::table_slopes
