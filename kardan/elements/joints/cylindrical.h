#pragma once
/// Cylindrical joint: 4 rows. d = p_WB - p_WA.

#include "kardan/elements/catalog.h"
#include "kardan/elements/joints/own_coordinates.h"

namespace kardan {

struct Cylindrical {
  static constexpr std::string_view type = "cylindrical";
  static constexpr std::string_view summary = "Slides along and turns about the z axis of A.";
  static constexpr std::string_view equation = "x_A.d = y_A.d = 0; x_A.z_B = y_A.z_B = 0";
  static constexpr std::string_view example = R"(bodies:
  rod: {mass: 1, inertia: [0.1, 0.1, 0.1]}
joints:
  sleeve: {type: cylindrical, bodies: [ground, rod], at: [0, 0, 0], axis: [1, 0, 0]}
)";
  static constexpr Category category = Category::joint;
  static constexpr int frames = 2;
  static constexpr Reflection reflection = Reflection::about;
  static constexpr Glyph glyph = Glyph::pin;

  template <class F>
  static void fields(F&) {}

  void build(Builder<3>& b) const {
    b.in_plane(0, 0, 1, "translation along local x");
    b.in_plane(0, 1, 1, "translation along local y");
    b.perpendicular(0, 0, 1, 2, "rotation about local y");
    b.perpendicular(0, 1, 1, 2, "rotation about local x");
    b.aligned(0, 1, 2);
    show_position(b);
    show_angle(b);
  }
};

}  // namespace kardan
