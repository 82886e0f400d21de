#include "kardan/integrate/block_path.h"

#include <array>
#include <cmath>
#include <numbers>

namespace kardan {
namespace {

/// A function of t near a point: value, first derivative, half the second one.
using Jet = std::array<double, 3>;

Jet operator*(const Jet& a, const Jet& b) {
  return {a[0] * b[0], a[0] * b[1] + a[1] * b[0], a[0] * b[2] + a[1] * b[1] + a[2] * b[0]};
}

Jet inverse(const Jet& a) {
  const double v = 1 / a[0], d = -a[1] * v * v;
  return {v, d, -(a[1] * d + a[2] * v) * v};
}

}  // namespace

/// Newton's method on the polynomial of Legendre.
GaussRule::GaussRule(int points) : node(points), weight(points) {
  for (int i = 0; i < points; ++i) {
    double x = std::cos(std::numbers::pi * (i + 0.75) / (points + 0.5)), slope = 1;
    for (int iteration = 0; iteration < 20; ++iteration) {
      double p = 1, before = 0;
      for (int k = 1; k <= points; ++k) {
        const double next = ((2 * k - 1) * x * p - (k - 1) * before) / k;
        before = p;
        p = next;
      }
      slope = points * (x * p - before) / (x * x - 1);
      const double step = p / slope;
      x -= step;
      if (std::abs(step) < 1e-16) break;
    }
    node[points - 1 - i] = 0.5 * (1 + x);
    weight[points - 1 - i] = 1 / ((1 - x * x) * slope * slope);
  }
}

/// With l the polynomial of Lagrange of a point t_j and m = derivatives + 1, the basis is
/// l^m (t - t_j)^k / k! times the first terms of the Taylor series of l^-m.
void BlockPath::weigh(int points, double t, int derivatives, Share* out) const {
  for (int j = 0; j < points; ++j) {
    const double tj = times_[j];
    Jet here{1, 0, 0}, there{1, 0, 0};  // l at t, and at t_j
    for (int i = 0; i < points; ++i) {
      if (i == j) continue;
      const double width = 1 / (tj - times_[i]);
      here = here * Jet{(t - times_[i]) * width, width, 0};
      there = there * Jet{1, width, 0};
    }
    Jet power = here, back = there;
    for (int k = 0; k < derivatives; ++k) {
      power = power * here;
      back = back * there;
    }
    back = inverse(back);
    const double d = t - tj;
    double* const to[3] = {out[j].x, out[j].v, out[j].a};
    double factorial = 1, power_of_length = 1;
    Jet factor{1, 0, 0};  // (t - t_j)^k / k!
    for (int k = 0; k <= 2; ++k) {
      if (k > 0) {
        factorial /= k;
        power_of_length *= length_;
        factor = factor * Jet{d, 1, 0};
      }
      Jet basis{};
      if (k <= derivatives) {
        Jet series{back[0], 0, 0};
        if (derivatives - k >= 1) series[0] += back[1] * d, series[1] += back[1];
        if (derivatives - k >= 2)
          series[0] += back[2] * d * d, series[1] += 2 * back[2] * d, series[2] += back[2];
        basis = power * factor * series;
      }
      const double scale = factorial * power_of_length;
      to[0][k] = basis[0] * scale;
      to[1][k] = basis[1] * scale / length_;
      to[2][k] = 2 * basis[2] * scale / (length_ * length_);
    }
  }
}

void BlockPath::pass(std::span<const PathPoint> points, std::span<const double> nodes, By by) {
  const int derivatives = by == By::all_rates ? 2 : 1;
  points_ = static_cast<int>(points.size());
  length_ = points.back().t - points.front().t;
  times_.resize(points.size());
  for (int j = 0; j < points_; ++j) times_[j] = (points[j].t - points.front().t) / length_;
  second_.resize(nodes.size() * points.size());
  for (std::size_t i = 0; i < nodes.size(); ++i)
    weigh(points_, nodes[i], derivatives, second_.data() + i * points.size());
  if (points.front().y.z.empty()) return;
  first_.resize(second_.size());
  for (std::size_t i = 0; i < nodes.size(); ++i)
    weigh(points_, nodes[i], derivatives - 1, first_.data() + i * points.size());
}

std::array<double, 3> BlockPath::share_of_rates(int i, int point) const {
  const std::size_t at = static_cast<std::size_t>(i) * times_.size() + point;
  return {second_[at].a[0], second_[at].a[1], at < first_.size() ? first_[at].v[0] : 0};
}

void BlockPath::at(std::span<const PathPoint> points, int i, Local& y, LocalRate& rate) const {
  const std::size_t n = points.front().y.x.size();
  y.x.assign(n, 0.0);
  y.u.assign(n, 0.0);
  rate.a.assign(n, 0.0);
  double* __restrict x = y.x.data();
  double* __restrict u = y.u.data();
  double* __restrict a = rate.a.data();
  for (int j = 0; j < points_; ++j) {
    const Share& s = second_[static_cast<std::size_t>(i) * points.size() + j];
    const double *px = points[j].y.x.data(), *pu = points[j].y.u.data(),
                 *pa = points[j].rate.a.data();
    for (std::size_t k = 0; k < n; ++k) {
      x[k] += s.x[0] * px[k] + s.x[1] * pu[k] + s.x[2] * pa[k];
      u[k] += s.v[0] * px[k] + s.v[1] * pu[k] + s.v[2] * pa[k];
      a[k] += s.a[0] * px[k] + s.a[1] * pu[k] + s.a[2] * pa[k];
    }
  }
  const std::size_t first = points.front().y.z.size();
  y.z.assign(first, 0.0);
  rate.b.assign(first, 0.0);
  for (int j = 0; j < points_ && first > 0; ++j) {
    const Share& s = first_[static_cast<std::size_t>(i) * points.size() + j];
    for (std::size_t k = 0; k < first; ++k) {
      y.z[k] += s.x[0] * points[j].y.z[k] + s.x[1] * points[j].rate.b[k];
      rate.b[k] += s.v[0] * points[j].y.z[k] + s.v[1] * points[j].rate.b[k];
    }
  }
}

}  // namespace kardan
