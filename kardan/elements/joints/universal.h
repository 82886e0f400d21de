#pragma once
/// Universal joint: 4 rows.

#include "kardan/elements/catalog.h"
#include "kardan/elements/joints/own_coordinates.h"

namespace kardan {

struct Universal {
  static constexpr std::string_view type = "universal";
  static constexpr std::string_view summary =
      "Cardan joint: common origin, the pin along x of A stays perpendicular to the pin along y of "
      "B.";
  static constexpr std::string_view equation = "p_WB = p_WA; x_A.y_B = 0";
  static constexpr std::string_view example = R"(bodies:
  rod: {mass: 1, inertia: [0.1, 0.1, 0.1]}
joints:
  cross: {type: universal, bodies: [ground, rod], at: [0, 0, 0], axis: [0, 0, 1]}
)";
  static constexpr Category category = Category::joint;
  static constexpr int frames = 2;
  static constexpr Reflection reflection = Reflection::along;
  static constexpr Glyph glyph = Glyph::pin;

  template <class F>
  static void fields(F&) {}

  void build(Builder<3>& b) const {
    b.point(0, 1);
    b.perpendicular(0, 0, 1, 1, "rotation about local z");
    show_two_angles(b);
  }
};

}  // namespace kardan
