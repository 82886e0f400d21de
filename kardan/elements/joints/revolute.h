#pragma once
/// Revolute joint: 5 rows in space, 2 in the plane (a pin).

#include "kardan/elements/catalog.h"
#include "kardan/elements/joints/joint_fields.h"

namespace kardan {

struct Revolute : JointFields {
  static constexpr std::string_view type = "revolute";
  static constexpr std::string_view summary =
      "Hinge: common origin, turning about the z axes of the frames.";
  static constexpr std::string_view equation =
      "p_WB = p_WA; x_A.z_B = y_A.z_B = 0 (plane: p_WB = p_WA)";
  static constexpr std::string_view example = R"(bodies:
  rod: {mass: 1, inertia: [0.1, 0.1, 0.1], position: [0.5, 0, 0]}
joints:
  hinge: {type: revolute, bodies: [ground, rod], at: [0, 0, 0], axis: [0, 1, 0]}
)";
  static constexpr Category category = Category::joint;
  static constexpr int frames = 2;
  static constexpr Reflection reflection = Reflection::about;
  static constexpr FreeCoordinate free_coordinate = FreeCoordinate::angle;
  static constexpr Glyph glyph = Glyph::pin;

  void build(Builder<3>& b) const {
    b.point(0, 1);
    b.perpendicular(0, 0, 1, 2, "rotation about local y");
    b.perpendicular(0, 1, 1, 2, "rotation about local x");
    b.aligned(0, 1, 2);
    act(b);
  }
  void build(Builder<2>& b) const {
    b.point(0, 1);
    act(b);
  }

 private:
  template <int D>
  void act(Builder<D>& b) const {
    if (!turns(b)) {  // point masses
      if (any()) (void)(b.require_rotation(0) && b.require_rotation(1));
      return;
    }
    const Angle<D> phi = b.angle(0, 1);
    const int counter = b.count_turns(phi, 0, 1);
    show(b, phi, RowUnit::angle, "angle", "rate", 0, 1, counter);
    is_free(b, "angle", "rate");
    JointFields::act(b, phi, RowUnit::angle, "angle", "rate", counter);
  }
};

}  // namespace kardan
