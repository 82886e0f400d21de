/// Full turns of whole rotations. A rotation R of frame B seen from frame A has two quaternions,
/// and rotation vectors of lengths phi + 2 pi k about its axis. The quaternions of the bodies in
/// the State are continuous, so they tell which of the two it is, whatever the step: k is even or
/// odd. Of these k it is the one whose rotation vector is nearest to that before.

#include <cmath>
#include <numbers>

#include "kardan/system/multibody.h"

namespace kardan {

/// R as the elements see it, and the sign that makes the quaternions of the State this one.
template <int D>
struct MultibodyEquations<D>::Turn {
  Quaternion q;  // w >= 0
  int sign = 1;
  double phi = 0;  // [rad] in [0, pi]
  Vec3d axis;      // zero where phi is
};

template <int D>
typename MultibodyEquations<D>::Turn MultibodyEquations<D>::whole_turn(
    const TurnCounter<D>& c, const State& state, MotionScratch& scratch) const {
  Turn out;
  if constexpr (D == 3) {
    auto& motion = scratch.motion;
    Quaternion pose[2];
    const int bodies[2] = {c.A.body, c.B.body};
    for (int k = 0; k < 2; ++k) {
      const int b = bodies[k];
      if (b == 0) continue;
      orient(state, b, motion[b]);
      const double* p = state.p.data() + bodies_[b].p;
      pose[k] = bodies_[b].v_count > 3 ? Quaternion{p[3], p[4], p[5], p[6]}
                                       : quaternion_from_matrix(motion[b].R);
    }
    out.q = quaternion_from_matrix(
        relative_rotation(motion[c.A.body].R, c.RA, motion[c.B.body].R, c.RB));
    const Quaternion A = pose[0] * quaternion_from_matrix(c.RA);
    const Quaternion B = pose[1] * quaternion_from_matrix(c.RB);
    const Quaternion followed = Quaternion{A.w, -A.x, -A.y, -A.z} * B;
    const Quaternion& q = out.q;
    out.sign =
        q.w * followed.w + q.x * followed.x + q.y * followed.y + q.z * followed.z < 0 ? -1 : 1;
    const Vec3d u{q.x, q.y, q.z};
    const double s = norm(u);
    out.phi = 2 * std::atan2(s, q.w);
    if (s > 0) out.axis = (1 / s) * u;
  }
  return out;
}

template <int D>
int MultibodyEquations<D>::whole_turns(std::size_t counter, const State& from, const State& to,
                                       MotionScratch& scratch) const {
  constexpr double turn = 2 * std::numbers::pi;
  const TurnCounter<D>& c = program_.counters[counter];
  const int before = from.turns[counter];
  const Turn old = whole_turn(c, from, scratch), now = whole_turn(c, to, scratch);
  const int odd = (before % 2 != 0) != (old.sign != now.sign) ? 1 : 0;
  const double length = old.phi + turn * before;
  // About an axis that is lost at the one end it goes on about that of the other.
  const bool known = norm(old.axis) > 0 && norm(now.axis) > 0;
  const double along = known ? length * dot(old.axis, now.axis) : length;
  return odd + 2 * static_cast<int>(std::lround((along - now.phi - turn * odd) / (2 * turn)));
}

template class MultibodyEquations<2>;
template class MultibodyEquations<3>;

}  // namespace kardan
