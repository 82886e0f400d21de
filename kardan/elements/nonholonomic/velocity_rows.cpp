#include "kardan/elements/nonholonomic/velocity_rows.h"

namespace kardan {

template <int D>
void add_residual(double factor, const Measure<D>& u, Depth depth, Measure<D>& psi) {
  constexpr int n = Measure<D>::n;
  psi.rate += factor * u.rate;
  psi.accel += factor * u.accel;
  for (int i = 0; i < n; ++i) psi.G[i] += factor * u.G[i];
  if (depth != Depth::second) return;
  for (int i = 0; i < n; ++i) {
    psi.rate_p[i] += factor * u.rate_p[i];
    psi.accel_p[i] += factor * u.accel_p[i];
    psi.accel_v[i] += factor * u.accel_v[i];
    for (int j = 0; j < n; ++j) psi.curvature[i][j] += factor * u.curvature[i][j];
  }
}

template <int D>
void add_residual(const FunctionOfOne& f, const Measure<D>& y, const Measure<D>& u, Depth depth,
                  Measure<D>& psi) {
  constexpr int n = Measure<D>::n;
  const double f_rate = f.f1 * y.rate;
  psi.rate += f.f * u.rate;
  psi.accel += f.f * u.accel + f_rate * u.rate;
  for (int i = 0; i < n; ++i) psi.G[i] += f.f * u.G[i];
  if (depth != Depth::second) return;
  for (int i = 0; i < n; ++i) {
    psi.rate_p[i] += f.f * u.rate_p[i] + f.f1 * u.rate * y.G[i];
    psi.accel_p[i] += f.f * u.accel_p[i] + f_rate * u.rate_p[i] +
                      (f.f1 * u.accel + f.f2 * y.rate * u.rate) * y.G[i] +
                      f.f1 * u.rate * y.rate_p[i];
    psi.accel_v[i] += f.f * u.accel_v[i] + f_rate * u.G[i] + f.f1 * u.rate * y.G[i];
    for (int j = 0; j < n; ++j)
      psi.curvature[i][j] += f.f * u.curvature[i][j] + f.f1 * u.G[i] * y.G[j];
  }
}

void spin_along(const Vec3d& m, const BodyMotion<3>& B, Depth depth, Measure<3>& u) {
  constexpr int q = Measure<3>::qB;
  u.clear(depth);
  // m.w_B = w.(R'm); along the motion w.(R'm)' = w.((R'm) x w) = 0.
  const Vec3d local = transposed_times(B.R, m);
  u.rate = dot(B.w, local);
  u.accel = dot(B.alpha, local);
  add(u.G, q, 1, local);
  if (depth != Depth::second) return;
  add(u.rate_p, q, 1, cross(B.w, local));
  add(u.accel_p, q, 1, cross(B.alpha, local));
  const Mat3d turning = tilde(local);
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) u.curvature[q + i][q + j] = turning[i][j];
}

template void add_residual<2>(double, const Measure<2>&, Depth, Measure<2>&);
template void add_residual<3>(double, const Measure<3>&, Depth, Measure<3>&);
template void add_residual<2>(const FunctionOfOne&, const Measure<2>&, const Measure<2>&, Depth,
                              Measure<2>&);
template void add_residual<3>(const FunctionOfOne&, const Measure<3>&, const Measure<3>&, Depth,
                              Measure<3>&);

}  // namespace kardan
