#include "kardan/elements/nonholonomic/rolling_sphere.h"

namespace kardan {

void RollingSphereResidual::evaluate(const Pair<3>& bodies, Depth depth, Measure<3>& psi) const {
  Measure<3> u;
  psi.clear(depth);
  psi.rate = psi.accel = 0;
  // The rate of t.(p_B - origin) is t.V; the origin does not matter for it.
  Dot2<3>{t, {}, sB}.evaluate(bodies, depth, u);
  add_residual(1.0, u, depth, psi);
  spin_along(cross(n, t), bodies.B, depth, u);
  add_residual(-radius, u, depth, psi);
}

bool plane_is_on_ground(Builder<3>& b) {
  if (b.frame(0).body.body == 0) return true;
  b.fail("rolling.ground",
         "the plane (frame A) is on a moving body; rolling needs it on the ground",
         "attach frame A to the ground, or use contact 'sphere_plane' with friction");
  return false;
}

void RollingSphere::build(Builder<3>& b) const {
  if (!plane_is_on_ground(b)) return;
  b.measure(b.row("height of the centre above the plane", RowUnit::length, -radius),
            b.displacement(0, 2, 1), 0, 1);
  static constexpr const char* labels[2] = {"slip along the plane's x", "slip along the plane's y"};
  for (int i = 0; i < 2; ++i)
    b.constraint_bank<VelocityRows<3, RollingSphereResidual>>().items.push_back(
        {{b.axis(0, i), b.axis(0, 2), b.frame(1).s, radius},
         b.slots(b.nonholonomic_row(labels[i]), 0, 1)});
}

}  // namespace kardan
