#pragma once
/// Directions of loads on body B: G such that Q = F G', and its change with the pose. They are
/// gradients of nothing, so value and rates are not told.

#include "kardan/elements/measure.h"

namespace kardan {

/// A force at the point s of B along u, both fixed to B: G = (R u, s x u).
template <int D>
struct BodyForceDirection {
  VecOf<D> s, u;

  void evaluate(const Pair<D>& bodies, Depth depth, Measure<D>& y) const {
    using M = Measure<D>;
    y.clear(depth);
    const VecOf<D> U = bodies.B.R * u;
    add(y.G, M::xB, 1, U);
    add(y.G, M::qB, 1, cross(s, u));
    if (depth != Depth::second) return;
    if constexpr (D == 3) {
      const Mat3d P = times_tilde(bodies.B.R, u);
      for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) y.curvature[M::xB + i][M::qB + j] = -P[i][j];
    } else {
      y.curvature[M::xB][M::qB] = -U.y;
      y.curvature[M::xB + 1][M::qB] = U.x;
    }
  }
};

/// A torque about u, fixed to B.
template <int D>
struct BodyTorqueDirection {
  SpinOf<D> u;

  void evaluate(const Pair<D>&, Depth depth, Measure<D>& y) const {
    y.clear(depth);
    add(y.G, Measure<D>::qB, 1, u);
  }
};

/// A torque about e, fixed in the world: G = R'e.
struct WorldTorqueDirection {
  Vec3d e;

  void evaluate(const Pair<3>& bodies, Depth depth, Measure<3>& y) const {
    constexpr int q = Measure<3>::qB;
    y.clear(depth);
    const Vec3d local = transposed_times(bodies.B.R, e);
    add(y.G, q, 1, local);
    if (depth != Depth::second) return;
    // d(R'e) = (R'e)~ dtheta
    const Mat3d turning = tilde(local);
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) y.curvature[q + i][q + j] = turning[i][j];
  }
};

}  // namespace kardan
