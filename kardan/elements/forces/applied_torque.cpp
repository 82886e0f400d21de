#include "kardan/elements/forces/applied_torque.h"

#include "kardan/elements/forces/planar.h"

namespace kardan {

void AppliedTorqueKernel<3>::evaluate(double t, const Pair<3>& bodies, int, Depth depth,
                                      Force<3>& out) const {
  constexpr int q = Measure<3>::qB;
  out.clear(depth);
  const TimeJet x = components[0].at(t), y = components[1].at(t), z = components[2].at(t);
  const Vec3d T{x.value, y.value, z.value}, T_t{x.d1, y.d1, z.d1};
  if (axes == LoadAxes::body) {
    add(out.Q, q, 1, R * T);
    if (depth == Depth::second) add(out.Q_t, q, 1, R * T_t);
    return;
  }
  const Vec3d local = transposed_times(bodies.B.R, T);
  add(out.Q, q, 1, local);
  if (depth != Depth::second) return;
  // d(R'T) = (R'T)~ dtheta
  const Mat3d turning = tilde(local);
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) out.Q_p[q + i][q + j] = turning[i][j];
  add(out.Q_t, q, 1, transposed_times(bodies.B.R, T_t));
}

double AppliedTorqueKernel<3>::magnitude(double t, const Pair<3>&, int) const {
  return norm(Vec3d{components[0](t), components[1](t), components[2](t)});
}

void AppliedTorque::build(Builder<3>& b) const {
  if (!b.require_rotation(0)) return;
  const LoadAxes in = axes == "body" ? LoadAxes::body : LoadAxes::world;
  for (const TimeFunction* f : {&tx, &ty, &tz})
    b.force_input(*f, Builder<3>::ground, 0, InputKind::torque);
  b.force(AppliedTorqueKernel<3>{b.frame(0).R, in, {tx, ty, tz}}, Builder<3>::ground, 0);
}

void AppliedTorque::build(Builder<2>& b) const {
  if (!b.require_rotation(0)) return;
  if (!is_absent(b, "tx", tx) || !is_absent(b, "ty", ty)) return;
  b.force_input(tz, Builder<2>::ground, 0, InputKind::torque);
  b.force(AppliedTorqueKernel<2>{tz}, Builder<2>::ground, 0);
}

}  // namespace kardan
