#pragma once
/// Prismatic (translational) joint: 5 rows in space, 2 in the plane. d = p_WB - p_WA.

#include "kardan/elements/catalog.h"
#include "kardan/elements/joints/joint_fields.h"
#include "kardan/elements/joints/weld_angle.h"

namespace kardan {

struct Prismatic : JointFields {
  static constexpr std::string_view type = "prismatic";
  static constexpr std::string_view summary =
      "Slider along the z axis of A (plane: along its x axis), without rotation.";
  static constexpr std::string_view equation =
      "x_A.d = y_A.d = 0; x_A.y_B = y_A.z_B = z_A.x_B = 0 (plane: y_A.d = 0, theta_B = theta_A"
      ")";
  static constexpr std::string_view example = R"(bodies:
  rod: {mass: 1, inertia: [0.1, 0.1, 0.1]}
joints:
  rail: {type: prismatic, bodies: [ground, rod], at: [0, 0, 0], axis: [1, 0, 0]}
)";
  static constexpr Category category = Category::joint;
  static constexpr int frames = 2;
  static constexpr Reflection reflection = Reflection::along;
  static constexpr FreeCoordinate free_coordinate = FreeCoordinate::slide;
  static constexpr Glyph glyph = Glyph::block;

  void build(Builder<3>& b) const {
    b.in_plane(0, 0, 1, "translation along local x");
    b.in_plane(0, 1, 1, "translation along local y");
    b.perpendicular(0, 0, 1, 1, "rotation about local z");
    b.perpendicular(0, 1, 1, 2, "rotation about local x");
    b.perpendicular(0, 2, 1, 0, "rotation about local y");
    b.aligned(0, 1, 0);
    b.aligned(0, 1, 2);
    act(b);
  }
  void build(Builder<2>& b) const {
    b.in_plane(0, 1, 1, "translation along local y");
    b.measure(b.row("rotation", RowUnit::angle), weld_angle(b, 0, 1), 0, 1);
    act(b);
  }

 private:
  template <int D>
  void act(Builder<D>& b) const {
    show_free_position(b);
    JointFields::act(b, b.displacement(0, D == 3 ? 2 : 0, 1), RowUnit::length, "position", "speed",
                     -1);
  }
};

}  // namespace kardan
