#pragma once
/// Planar joint: 3 rows.

#include "kardan/elements/catalog.h"
#include "kardan/elements/joints/own_coordinates.h"

namespace kardan {

struct Planar {
  static constexpr std::string_view type = "planar";
  static constexpr std::string_view summary =
      "Frame B stays in the x-y plane of A, normals parallel.";
  static constexpr std::string_view equation = "z_A.d = 0; x_A.z_B = y_A.z_B = 0";
  static constexpr std::string_view example = R"(bodies:
  rod: {mass: 1, inertia: [0.1, 0.1, 0.1]}
joints:
  table: {type: planar, between: [ground, rod]}
)";
  static constexpr Category category = Category::joint;
  static constexpr int frames = 2;
  static constexpr Reflection reflection = Reflection::along;

  template <class F>
  static void fields(F&) {}

  void build(Builder<3>& b) const {
    b.in_plane(0, 2, 1, "translation along local z");
    b.perpendicular(0, 0, 1, 2, "rotation about local y");
    b.perpendicular(0, 1, 1, 2, "rotation about local x");
    b.aligned(0, 1, 2);
    show_displacement(b, 0, "x", "vx");
    show_displacement(b, 1, "y", "vy");
    show_angle(b);
  }
};

}  // namespace kardan
