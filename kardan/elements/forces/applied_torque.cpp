#include "kardan/elements/forces/applied_torque.h"

#include "kardan/elements/forces/directions.h"
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
  const Signal* const components[] = {&tx, &ty, &tz};
  static constexpr const char* keys[] = {"tx", "ty", "tz"};
  constexpr int ground = Builder<3>::ground;
  if (!tx.of_motion() && !ty.of_motion() && !tz.of_motion()) {
    for (const Signal* f : components) b.force_input(f->of_time(), ground, 0, InputKind::torque);
    b.force(AppliedTorqueKernel<3>{b.frame(0).R, in, {tx.of_time(), ty.of_time(), tz.of_time()}},
            ground, 0);
    return;
  }
  for (int k = 0; k < 3; ++k) {
    const Signal& f = *components[k];
    if (f.is_zero()) continue;
    const auto formula = b.formula(keys[k], f.expression(), f.where());
    constexpr auto squares = FormulaForce<3>::Shown::squares;
    Vec3d unit;
    unit[k] = 1;
    if (in == LoadAxes::world)
      b.formula_force(formula, WorldTorqueDirection{unit}, ground, 0, InputKind::torque, squares);
    else
      b.formula_force(formula, BodyTorqueDirection<3>{b.frame(0).R * unit}, ground, 0,
                      InputKind::torque, squares);
  }
}

void AppliedTorque::build(Builder<2>& b) const {
  if (!b.require_rotation(0)) return;
  if (!is_absent(b, "tx", tx) || !is_absent(b, "ty", ty)) return;
  if (tz.of_motion()) {
    b.formula_force(b.formula("tz", tz.expression(), tz.where()), BodyTorqueDirection<2>{1.0},
                    Builder<2>::ground, 0, InputKind::torque);
    return;
  }
  b.force_input(tz.of_time(), Builder<2>::ground, 0, InputKind::torque);
  b.force(AppliedTorqueKernel<2>{tz.of_time()}, Builder<2>::ground, 0);
}

}  // namespace kardan
