#pragma once
/// Fixed joint: 6 rows in space, 3 in the plane.

#include "kardan/elements/catalog.h"
#include "kardan/elements/joints/weld_angle.h"

namespace kardan {

struct Fixed {
  static constexpr std::string_view type = "fixed";
  static constexpr std::string_view summary = "Welds two frames together.";
  static constexpr std::string_view equation =
      "p_WB = p_WA; x_A.y_B = y_A.z_B = z_A.x_B = 0 (plane: theta_B = theta_A)";
  static constexpr std::string_view example = R"(bodies:
  rod: {mass: 1, inertia: [0.1, 0.1, 0.1]}
joints:
  weld: {type: fixed, between: [ground, rod]}
)";
  static constexpr Category category = Category::joint;
  static constexpr int frames = 2;
  static constexpr Reflection reflection = Reflection::along;

  template <class F>
  static void fields(F&) {}

  void build(Builder<3>& b) const {
    b.point(0, 1);
    b.perpendicular(0, 0, 1, 1, "rotation about local z");
    b.perpendicular(0, 1, 1, 2, "rotation about local x");
    b.perpendicular(0, 2, 1, 0, "rotation about local y");
    b.aligned(0, 1, 0);
    b.aligned(0, 1, 2);
  }
  void build(Builder<2>& b) const {
    b.point(0, 1);
    b.measure(b.row("rotation", RowUnit::angle), weld_angle(b, 0, 1), 0, 1);
  }
};

}  // namespace kardan
