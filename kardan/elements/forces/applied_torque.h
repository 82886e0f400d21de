#pragma once
/// Applied torque T on a body, in world or marker axes; the reaction is on the ground. It counts
/// as work of a force, never as potential energy.

#include "kardan/elements/catalog.h"
#include "kardan/elements/forces/applied_force.h"

namespace kardan {

template <int D>
struct AppliedTorqueKernel;

/// Components along the world axes, or along the axes R fixed to the body.
template <>
struct AppliedTorqueKernel<3> {
  static constexpr int events = 0;
  Mat3d R;
  LoadAxes axes = LoadAxes::world;
  TimeFunction components[3];

  void evaluate(double t, const Pair<3>&, int mode, Depth, Force<3>&) const;
  Potential potential(double, const Pair<3>&, int) const { return {}; }
  double magnitude(double t, const Pair<3>&, int mode) const;
};

template <>
struct AppliedTorqueKernel<2> {
  static constexpr int events = 0;
  TimeFunction torque;

  void evaluate(double t, const Pair<2>&, int, Depth depth, Force<2>& out) const {
    out.clear(depth);
    const TimeJet T = torque.at(t);
    out.Q[Measure<2>::qB] = T.value;
    if (depth == Depth::second) out.Q_t[Measure<2>::qB] = T.d1;
  }
  Potential potential(double, const Pair<2>&, int) const { return {}; }
  double magnitude(double t, const Pair<2>&, int) const { return torque(t); }
};

struct AppliedTorque {
  static constexpr std::string_view type = "torque";
  static constexpr std::string_view summary =
      "Applied torque, a function of time or a formula of the motion, on one body.";
  static constexpr std::string_view equation = "T(t, any quantities) on B, in world or marker axes";
  static constexpr std::string_view example = R"(bodies:
  rod: {mass: 1, inertia: [0.1, 0.1, 0.1]}
forces:
  turn: {type: torque, on: rod, tz: 2*sin(t)}
)";
  static constexpr Category category = Category::force;
  static constexpr int frames = 1;
  static constexpr Reflection reflection = Reflection::axial;

  Signal tx, ty, tz;  // [N m]
  std::string axes = "world";

  template <class F>
  static void fields(F& f) {
    f("tx", &AppliedTorque::tx, {.unit = "N m", .doc = "about x (space only)"});
    f("ty", &AppliedTorque::ty, {.unit = "N m", .doc = "about y (space only)"});
    f("tz", &AppliedTorque::tz, {.unit = "N m", .doc = "about z"});
    f("frame", &AppliedTorque::axes,
      {.doc = "axes of the components: the world's, or the marker's, which turn with the body",
       .choices = {"world", "body"}});
  }
  void build(Builder<2>&) const;
  void build(Builder<3>&) const;
};

}  // namespace kardan
