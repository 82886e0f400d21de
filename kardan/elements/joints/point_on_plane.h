#pragma once
/// Point on plane: 1 row.

#include "kardan/elements/catalog.h"
#include "kardan/elements/joints/own_coordinates.h"

namespace kardan {

struct PointOnPlane {
  static constexpr std::string_view type = "point_on_plane";
  static constexpr std::string_view summary = "The origin of B stays in the x-y plane of A.";
  static constexpr std::string_view equation = "z_A.d = 0";
  static constexpr std::string_view example = R"(bodies:
  rod: {mass: 1, inertia: [0.1, 0.1, 0.1], markers: {foot: {at: [0, 0, -0.5]}}, position: [0, 0, 0.5]}
joints:
  floor: {type: point_on_plane, between: [ground, rod.foot]}
)";
  static constexpr Category category = Category::joint;
  static constexpr int frames = 2;
  static constexpr Reflection reflection = Reflection::along;

  template <class F>
  static void fields(F&) {}

  void build(Builder<3>& b) const {
    b.in_plane(0, 2, 1, "translation along local z");
    show_displacement(b, 0, "x", "vx");
    show_displacement(b, 1, "y", "vy");
  }
};

}  // namespace kardan
