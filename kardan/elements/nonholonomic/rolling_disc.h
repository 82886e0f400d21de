#pragma once
/// A thin disc rolls without slip on the x-y plane of marker A, which is on the ground. Its centre
/// is the origin and its axis a the z axis of marker B; n, t_1, t_2 are A's z, x and y axes. With
/// c = n.a and q(c) = 1/sqrt(1 - c^2) the lowest point of the rim is -radius q (n - c a) from the
/// centre, and
///
///   g     = n.(p_B - p_A) - radius sqrt(1 - c^2) = 0
///   psi_i = t_i.V - radius q(c) (w.(n x t_i) - c t_i.a') = 0,   i = 1, 2
///
/// A disc lying flat (c^2 = 1) has no contact point: the rows are not finite there.

#include "kardan/elements/catalog.h"
#include "kardan/elements/nonholonomic/rolling_sphere.h"

namespace kardan {

/// y = n.(p_B - p_A) - radius sqrt(1 - (n.a)^2)
struct DiscHeight {
  Vec3d n, sA, sB, a;
  double radius = 0;
  void evaluate(const Pair<3>& bodies, Depth depth, Measure<3>& y) const;
};

/// One row: t and n are world vectors, a is fixed to the disc.
struct RollingDiscResidual {
  Vec3d t, n, sB, a;
  double radius = 0;
  void evaluate(const Pair<3>& bodies, Depth depth, Measure<3>& psi) const;
};

struct RollingDisc {
  static constexpr std::string_view type = "rolling_disc";
  static constexpr std::string_view summary =
      "A thin disc (marker B, axis z) rolls without slip on a plane on the ground (marker A).";
  static constexpr std::string_view equation =
      "g = n.(p_B - p_A) - R sqrt(1 - c^2) = 0, psi_i = t_i.V - R (w.(n x t_i) - c t_i.a')/sqrt(1 "
      "- "
      "c^2) = 0, c = n.a";
  static constexpr std::string_view example = R"(bodies:
  disc: {mass: 1, inertia: [0.01, 0.01, 0.02], position: [0, 0, 0.2], z: [0, 1, 0]}
joints:
  floor: {type: rolling_disc, between: [ground, disc], radius: 0.2}
)";
  static constexpr Category category = Category::nonholonomic;
  static constexpr int frames = 2;
  static constexpr bool touches_plane = true;

  double radius = 0;  // [m]

  template <class F>
  static void fields(F& f) {
    f("radius", &RollingDisc::radius,
      {.unit = "m", .doc = "of the disc", .check = Check::positive, .need = Need::required});
  }
  void build(Builder<3>&) const;
};

}  // namespace kardan
