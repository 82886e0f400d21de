/// Full turns of whole rotations. A rotation R of frame B seen from frame A has two quaternions,
/// and rotation vectors of lengths phi + 2 pi k about its axis. The quaternions of the bodies in
/// the State are continuous, so they decide which of the two it is, whatever the step: k is even or
/// odd. Of these k it is the one whose rotation vector is nearest to that before.
///
/// And the turns of the start. The orientation that a model gives does not say how often a body
/// has turned, the angle of a driver or lock does: the body counts as wound up by the full turns
/// that bring it nearest. Were the assembly to turn it instead, what hangs on it would be dragged
/// along, and might close on another branch.

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
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

/// A row of one angle alone: that of a driver or a lock.
template <int D>
struct MultibodyEquations<D>::HeldAngle {
  int row = 0, counter = 0;
  double coefficient = 1;
};

template <int D>
auto MultibodyEquations<D>::held_angles(const NameData& names) const -> std::vector<HeldAngle> {
  std::vector<HeldAngle> out;
  std::vector<int> angles(names.rows.size());
  for (const auto& bank : program_.constraints)
    if (const auto* rows = dynamic_cast<const MeasureRows<D, Angle<D>>*>(bank.get()))
      for (const auto& item : rows->items) {
        ++angles[item.slots.row];
        if (item.counter >= 0) out.push_back({item.slots.row, item.counter, item.coefficient});
      }
  std::erase_if(out, [&](const HeldAngle& held) {
    return angles[held.row] > 1 || names.rows[held.row].unit != RowUnit::angle;
  });
  return out;
}

/// A body that is turned fully changes the angles of all that stands beside it: drivers further out
/// follow in the next sweep.
template <int D>
void MultibodyEquations<D>::wind_up(NameData& names) const {
  if (D == 2 || program_.counters.empty()) return;
  constexpr double most = 1e4;  // turns that are followed one by one
  const std::vector<HeldAngle> held = held_angles(names);
  if (held.empty()) return;
  State& state = names.start;
  const auto ws = make_workspace();
  bool wound = true;
  for (std::size_t sweep = 0; wound && sweep < held.size(); ++sweep) {
    wound = false;
    for (const HeldAngle& angle : held) {
      if (evaluate(state, {.position = true}, *ws) != Eval::ok) return;
      const double turns =
          std::round(-ws->g[angle.row] / (2 * std::numbers::pi * angle.coefficient));
      if (turns == 0 || !(std::abs(turns) <= most)) continue;
      turn_fully(program_.counters[angle.counter], static_cast<int>(turns), state, *ws);
      wound = true;
    }
  }
}

/// Turns the lighter body of an angle fully, with all counters that see it.
template <int D>
void MultibodyEquations<D>::turn_fully(const TurnCounter<D>& counter, int times, State& state,
                                       Workspace& ws) const {
  if constexpr (D == 3) {
    auto& motion = static_cast<MotionScratch&>(*ws.scratch).motion;
    const int bodies[2] = {counter.A.body, counter.B.body};
    Vec3d axis[2] = {cross(counter.angle.xA, counter.angle.yA), {}};
    for (int b : bodies)
      if (b > 0) orient(state, b, motion[b]);
    axis[1] = transposed_times(motion[bodies[1]].R, motion[bodies[0]].R * axis[0]);
    const auto effort = [&](int k) {
      if (bodies[k] == 0 || bodies_[bodies[k]].v_count <= 3)
        return std::numeric_limits<double>::infinity();
      return dot(axis[k], masses_[bodies[k]].inertia * axis[k]);
    };
    const int k = effort(0) < effort(1) ? 0 : 1, b = bodies[k];
    if (!std::isfinite(effort(k))) return;
    const Vec3d quarter = ((k == 1) == (times > 0) ? 0.5 : -0.5) * std::numbers::pi * axis[k];
    const Quaternion part_of_turn = quaternion_exp(quarter);
    Vector way(sizes_.v);
    for (int i = 0; i < 3; ++i) way[bodies_[b].v + 3 + i] = quarter[i];
    const Vector given = state.p;
    State next = state;
    for (int part = 0; part < 4 * std::abs(times); ++part) {
      double* p = state.p.data() + bodies_[b].p + 3;
      const Quaternion q = normalized(Quaternion{p[0], p[1], p[2], p[3]} * part_of_turn);
      p = next.p.data() + bodies_[b].p + 3;
      p[0] = q.w, p[1] = q.x, p[2] = q.y, p[3] = q.z;
      follow_turns(state, way, next, ws);
      std::swap(state, next);
    }
    // The same place to the last bit, on the quaternion that has come around.
    state.p = given;
    if (times % 2 != 0)
      for (int i = 3; i < 7; ++i) state.p[bodies_[b].p + i] *= -1;
  }
}

/// [rad] How far the tangent `way` turns body b.
template <int D>
double MultibodyEquations<D>::turned(std::span<const double> way, int b) const {
  if (D == 2 || b == 0 || bodies_[b].v_count <= 3) return 0;
  const double* theta = way.data() + bodies_[b].v + 3;
  return std::hypot(theta[0], theta[1], theta[2]);
}

/// How far b of a counter is from the half plane at which turns are counted. Turns are mostly
/// followed from the same state again and again: its distances are kept.
template <int D>
double MultibodyEquations<D>::turn_distance(std::size_t counter, const State& state,
                                            MotionScratch& scratch) const {
  const TurnCounter<D>& c = program_.counters[counter];
  std::array<double, 8> poses{};
  double* pose = poses.data();
  for (int b : {c.A.body, c.B.body}) {
    if (b > 0 && bodies_[b].v_count > 3) std::copy_n(state.p.data() + bodies_[b].p + 3, 4, pose);
    pose += 4;
  }
  TurnDistance& known = scratch.turn_distances[counter];
  if (known.value >= 0 && known.poses == poses) return known.value;
  if constexpr (D == 3) {
    for (int b : {c.A.body, c.B.body})
      if (b > 0) orient(state, b, scratch.motion[b]);
    const Vec3d b = scratch.motion[c.B.body].R * c.angle.b;
    const double along = dot(scratch.motion[c.A.body].R * c.angle.xA, b);
    const double across = dot(scratch.motion[c.A.body].R * c.angle.yA, b);
    known = {poses, along > 0 ? std::hypot(along, across) : std::abs(across)};
  }
  return known.value;
}

/// The angle of a counter without its turns, where the share s of the tangent `way` leads.
template <int D>
double MultibodyEquations<D>::principal_angle(const TurnCounter<D>& counter, const State& from,
                                              std::span<const double> way, double s,
                                              MotionScratch& scratch) const {
  auto& motion = scratch.motion;
  for (int b : {counter.A.body, counter.B.body}) {
    if (b == 0) continue;
    orient(from, b, motion[b]);
    if constexpr (D == 3)
      if (s > 0 && bodies_[b].v_count > 3) {
        const double* theta = way.data() + bodies_[b].v + 3;
        motion[b].R = motion[b].R * rotation_exp(s * Vec3d{theta[0], theta[1], theta[2]});
      }
  }
  Measure<D> y;
  counter.angle.evaluate({motion[counter.A.body], motion[counter.B.body]}, Depth::value, y);
  return y.value;
}

/// Along the way in parts that are shorter than half a turn.
template <int D>
void MultibodyEquations<D>::follow_turns(const State& from, std::span<const double> way, State& to,
                                         Workspace& ws) const {
  if (program_.counters.empty()) return;
  constexpr double longest_part = 2;  // [rad]
  constexpr double farthest = 1e4;    // [rad] nothing that a step may reach
  auto& scratch = static_cast<MotionScratch&>(*ws.scratch);
  for (std::size_t i = 0; i < program_.counters.size(); ++i) {
    const TurnCounter<D>& c = program_.counters[i];
    if (c.whole) {
      to.turns[i] = whole_turns(i, from, to, scratch);
      continue;
    }
    const double turn = turned(way, c.A.body) + turned(way, c.B.body);
    to.turns[i] = from.turns[i];
    // Where b cannot have come to the half plane.
    if (D == 3 && turn < 0.99 * turn_distance(i, from, scratch)) continue;
    if (!(turn < farthest)) continue;
    const int parts = 1 + static_cast<int>(turn / longest_part);
    double last = principal_angle(c, from, way, 0, scratch);
    for (int k = 1; k <= parts; ++k) {
      const double next = principal_angle(c, from, way, static_cast<double>(k) / parts, scratch);
      to.turns[i] += static_cast<int>(std::lround((last - next) / (2 * std::numbers::pi)));
      last = next;
    }
  }
}

template class MultibodyEquations<2>;
template class MultibodyEquations<3>;

}  // namespace kardan
