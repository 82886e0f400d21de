#pragma once
/// A sphere about marker B rolls without slip on the x-y plane of marker A, which is on the ground;
/// n, t_1, t_2 are A's z, x and y axes and V the velocity of the centre:
///
///   g     = n.(p_B - p_A) - radius = 0
///   psi_i = t_i.(V + w x (-radius n)) = t_i.V - radius w.(n x t_i) = 0,   i = 1, 2

#include "kardan/elements/catalog.h"
#include "kardan/elements/nonholonomic/velocity_rows.h"

namespace kardan {

/// One row: t and n are world vectors.
struct RollingSphereResidual {
  Vec3d t, n, sB;
  double radius = 0;
  void evaluate(const Pair<3>& bodies, Depth depth, Measure<3>& psi) const;
};

struct RollingSphere {
  static constexpr std::string_view type = "rolling_sphere";
  static constexpr std::string_view summary =
      "A sphere (marker B) rolls without slip on a plane on the ground (marker A, normal z).";
  static constexpr std::string_view equation =
      "g = n.(p_B - p_A) - R = 0, psi_i = t_i.V - R w.(n x t_i) = 0";
  static constexpr std::string_view example = R"(bodies:
  ball: {mass: 1, inertia: [0.004, 0.004, 0.004], position: [0, 0, 0.1]}
joints:
  floor: {type: rolling_sphere, between: [ground, ball], radius: 0.1}
)";
  static constexpr Category category = Category::nonholonomic;
  static constexpr int frames = 2;
  static constexpr bool touches_plane = true;

  double radius = 0;  // [m]

  template <class F>
  static void fields(F& f) {
    f("radius", &RollingSphere::radius,
      {.unit = "m", .doc = "of the sphere", .check = Check::positive, .need = Need::required});
  }
  void build(Builder<3>&) const;
};

/// False and a message if the plane's frame (the first one) is not on the ground.
bool plane_is_on_ground(Builder<3>&);

}  // namespace kardan
