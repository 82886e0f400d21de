#pragma once
/// Pivot bushing: an elastic hinge that is free about its axis. With a_A, a_B the z axes of the
/// markers and w_rel = w_B - w_A, all in the world,
///
///   torque on B = k a_B x a_A - c (I - a_A a_A') w_rel,   the opposite torque on A.
///
/// The spring part has the potential k (1 - a_A.a_B).

#include "kardan/elements/catalog.h"
#include "kardan/elements/forces/relative.h"

namespace kardan {

/// Axes in the frames of their bodies.
struct PivotBushingLaw {
  static constexpr int events = 0;
  double stiffness = 0, damping = 0;
  Vec3d a, b;

  bool wrench(double t, const RelativeMotion<3>&, int mode, Depth, RelativeWrench<3>&) const;
  Potential potential(double t, const RelativeMotion<3>&, int mode) const;
  /// The torque.
  double magnitude(double t, const RelativeMotion<3>&, int mode) const;
};

struct PivotBushing {
  static constexpr std::string_view type = "pivot_bushing";
  static constexpr std::string_view summary = "Elastic hinge, free about its axis.";
  static constexpr std::string_view equation =
      "T on B = k a_B x a_A - c (I - a_A a_A') (w_B - w_A), a = z axis of the marker";
  static constexpr std::string_view example = R"(bodies:
  rod: {mass: 1, inertia: [0.1, 0.1, 0.1]}
joints:
  ball: {type: spherical, between: [ground, rod]}
forces:
  rubber: {type: pivot_bushing, between: [ground, rod], stiffness: 100, damping: 1}
)";
  static constexpr Category category = Category::force;
  static constexpr int frames = 2;
  static constexpr Reflection reflection = Reflection::along;

  double stiffness = 0;  // [N m/rad]
  double damping = 0;    // [N m s/rad]

  template <class F>
  static void fields(F& f) {
    f("stiffness", &PivotBushing::stiffness,
      {.unit = "N m/rad", .doc = "against tilting of the axes", .check = Check::non_negative});
    f("damping", &PivotBushing::damping,
      {.unit = "N m s/rad",
       .doc = "against relative rotation across A's axis",
       .check = Check::non_negative});
  }
  void build(Builder<3>&) const;
};

}  // namespace kardan
