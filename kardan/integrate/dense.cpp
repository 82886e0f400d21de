#include "kardan/integrate/dense.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace kardan {
namespace {

/// x = c0 q0 + c1 (q1 - q0) + c2 q0' + c3 q1' + c4 q0'' + c5 q1'', 0 and 1 the ends of a step.
void combine(const std::array<double, 6>& c, const ChartPoint& from, const ChartPoint& to,
             Vector& out) {
  const double *q0 = from.q.data(), *q1 = to.q.data(), *v0 = from.dq.data(), *v1 = to.dq.data(),
               *a0 = from.ddq.data(), *a1 = to.ddq.data();
  double* __restrict x = out.data();
  for (std::size_t i = 0; i < out.size(); ++i)
    x[i] = c[0] * q0[i] + c[1] * (q1[i] - q0[i]) + c[2] * v0[i] + c[3] * v1[i] + c[4] * a0[i] +
           c[5] * a1[i];
}

}  // namespace

void DenseStep::at(double theta, ChartPoint& out) const {
  const double s = theta, step = h(), s2 = s * s, s3 = s2 * s;
  const double r = 1 - s;
  // Quintic Hermite basis on [0, 1] and its derivative.
  const double b1 = s3 * (10 - 15 * s + 6 * s2);
  const double c0 = s - s3 * (6 - 8 * s + 3 * s2), c1 = -s3 * (4 - 7 * s + 3 * s2);
  const double d0 = 0.5 * s2 * r * r * r, d1 = 0.5 * s3 * r * r;
  const double db1 = 30 * s2 * r * r / step;
  const double dc0 = 1 - s2 * (18 - 32 * s + 15 * s2), dc1 = -s2 * (12 - 28 * s + 15 * s2);
  const double dd0 = 0.5 * s * r * r * (2 - 5 * s), dd1 = 0.5 * s2 * r * (3 - 5 * s);
  out.t = from.t + s * step;
  const std::size_t n = from.q.size();
  out.q.resize(n);
  out.dq.resize(n);
  combine({1, b1, step * c0, step * c1, step * step * d0, step * step * d1}, from, to, out.q);
  combine({0, db1, dc0, dc1, step * dd0, step * dd1}, from, to, out.dq);
  out.z.resize(from.z.size());
  const double h1 = s2 * (3 - 2 * s);
  for (std::size_t i = 0; i < out.z.size(); ++i)
    out.z[i] =
        from.z[i] + h1 * (to.z[i] - from.z[i]) + step * s * r * (r * from.dz[i] - s * to.dz[i]);
  if (flow) problem->place(flow->at(s * step), out);
}

/// The velocity of the quintic is of degree 4; it stays within its Bernstein coefficients, which
/// follow from the velocities and accelerations of the ends and from the way.
void DenseStep::speed_bound(double a, double b, const ChartPoint& at_a, const ChartPoint& at_b,
                            Vector& speed) const {
  const double step = h();
  const std::size_t n = from.q.size();
  speed.resize(n);
  if (flow) {
    for (std::size_t i = 0; i < n; ++i)
      speed[i] = 2 * std::max(std::abs(at_a.dq[i]), std::abs(at_b.dq[i]));
    problem->spread_speed(flow->speed_bound(a * step, b * step), speed);
    return;
  }
  for (std::size_t i = 0; i < n; ++i) {
    const double v0 = from.dq[i], v1 = to.dq[i];
    const double c1 = v0 + step * from.ddq[i] / 4, c3 = v1 - step * to.ddq[i] / 4;
    const double c2 = 5 * (to.q[i] - from.q[i]) / step - v0 - c1 - c3 - v1;
    speed[i] = std::max({std::abs(v0), std::abs(c1), std::abs(c2), std::abs(c3), std::abs(v1)});
  }
}

}  // namespace kardan
