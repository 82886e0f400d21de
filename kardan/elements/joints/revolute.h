#pragma once
/// Revolute joint: 5 rows in space, 2 in the plane (a pin).

#include "kardan/elements/catalog.h"

namespace kardan {

struct Revolute {
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
  static constexpr Glyph glyph = Glyph::pin;

  template <class F>
  static void fields(F&) {}

  void build(Builder<3>& b) const {
    b.point(0, 1);
    b.perpendicular(0, 0, 1, 2, "rotation about local y");
    b.perpendicular(0, 1, 1, 2, "rotation about local x");
    b.aligned(0, 1, 2);
  }
  void build(Builder<2>& b) const { b.point(0, 1); }
};

}  // namespace kardan
