#pragma once
/// Applied force F on a body, at the origin of its marker, in world or marker axes; the reaction
/// is on the ground. It counts as work of a force, never as potential energy.

#include "kardan/elements/catalog.h"
#include "kardan/elements/forces/point_force.h"

namespace kardan {

enum class LoadAxes { world, body };

/// Components along the world axes, or along the axes R fixed to the body.
template <int D>
struct AppliedForceKernel {
  static constexpr int events = 0;
  VecOf<D> s{};
  RotationOf<D> R{};
  LoadAxes axes = LoadAxes::world;
  TimeFunction components[D];

  void evaluate(double t, const Pair<D>&, int mode, Depth, Force<D>&) const;
  Potential potential(double, const Pair<D>&, int) const { return {}; }
  double magnitude(double t, const Pair<D>&, int mode) const;
};

struct AppliedForce {
  static constexpr std::string_view type = "force";
  static constexpr std::string_view summary =
      "Applied force, a function of time or a formula of the motion, on one body.";
  static constexpr std::string_view equation =
      "F(t, any quantities) on B at the marker's origin, in world or marker axes";
  static constexpr std::string_view example = R"yaml(bodies:
  rod: {mass: 1, inertia: [0.1, 0.1, 0.1]}
forces:
  push: {type: force, on: rod, fx: "step(t, 0, 0, 1, 50)"}
)yaml";
  static constexpr Category category = Category::force;
  static constexpr int frames = 1;
  static constexpr Reflection reflection = Reflection::vector;

  Signal fx, fy, fz;  // [N]
  std::string axes = "world";

  template <class F>
  static void fields(F& f) {
    f("fx", &AppliedForce::fx, {.unit = "N", .doc = "x component"});
    f("fy", &AppliedForce::fy, {.unit = "N", .doc = "y component"});
    f("fz", &AppliedForce::fz, {.unit = "N", .doc = "z component (space only)"});
    f("frame", &AppliedForce::axes,
      {.doc = "axes of the components: the world's, or the marker's, which turn with the body",
       .choices = {"world", "body"}});
  }
  void build(Builder<2>&) const;
  void build(Builder<3>&) const;
};

}  // namespace kardan
