#include "kardan/elements/forces/pivot_bushing.h"

namespace kardan {

bool PivotBushingLaw::wrench(double, const RelativeMotion<3>& z, int, Depth depth,
                             RelativeWrench<3>& W) const {
  using R = RelativeWrench<3>;
  const Vec3d axis = z.C * b;
  const Vec3d m = stiffness * cross(axis, a) - damping * (z.omega - dot(a, z.omega) * a);
  for (int i = 0; i < 3; ++i) W.W[3 + i] = m[i];
  if (depth != Depth::second) return true;
  // d(axis) = dphi x axis, so d(axis x a) = a~ axis~ dphi
  const Mat3d by_phi = stiffness * tilde_tilde(a, axis);
  const Mat3d by_omega = damping * (outer(a, a) - Mat3d::identity());
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) {
      W.W_z[3 + i][R::phi + j] = by_phi[i][j];
      W.W_z[3 + i][R::omega + j] = by_omega[i][j];
    }
  return true;
}

Potential PivotBushingLaw::potential(double, const RelativeMotion<3>& z, int) const {
  const Vec3d axis = z.C * b;
  return {stiffness * (1 - dot(a, axis)), -stiffness * dot(a, cross(z.omega, axis))};
}

double PivotBushingLaw::magnitude(double t, const RelativeMotion<3>& z, int mode) const {
  RelativeWrench<3> W;
  W.clear(Depth::first);
  wrench(t, z, mode, Depth::first, W);
  return norm(Vec3d{W.W[3], W.W[4], W.W[5]});
}

void PivotBushing::build(Builder<3>& b) const {
  if (!b.require_rotation(0) || !b.require_rotation(1)) return;
  b.force(RelativeForce<3, PivotBushingLaw>{{stiffness, damping, b.axis(0, 2), b.axis(1, 2)},
                                            b.frame(1).s},
          0, 1);
}

}  // namespace kardan
