#pragma once
/// Point on line: 2 rows in space, 1 in the plane.

#include "kardan/elements/catalog.h"
#include "kardan/elements/joints/own_coordinates.h"

namespace kardan {

struct PointOnLine {
  static constexpr std::string_view type = "point_on_line";
  static constexpr std::string_view summary =
      "The origin of B stays on the z axis of A (plane: on its x axis).";
  static constexpr std::string_view equation = "x_A.d = y_A.d = 0 (plane: y_A.d = 0)";
  static constexpr std::string_view example = R"(bodies:
  rod: {mass: 1, inertia: [0.1, 0.1, 0.1]}
joints:
  bead: {type: point_on_line, bodies: [ground, rod], at: [0, 0, 0], axis: [1, 0, 0]}
)";
  static constexpr Category category = Category::joint;
  static constexpr int frames = 2;
  static constexpr Reflection reflection = Reflection::along;
  static constexpr FreeCoordinate free_coordinate = FreeCoordinate::slide;

  template <class F>
  static void fields(F&) {}

  void build(Builder<3>& b) const {
    b.in_plane(0, 0, 1, "translation along local x");
    b.in_plane(0, 1, 1, "translation along local y");
    show_free_position(b);
  }
  void build(Builder<2>& b) const {
    b.in_plane(0, 1, 1, "translation along local y");
    show_free_position(b);
  }
};

}  // namespace kardan
