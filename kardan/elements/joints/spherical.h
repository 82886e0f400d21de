#pragma once
/// Spherical joint: 3 rows.

#include "kardan/elements/catalog.h"
#include "kardan/elements/joints/own_coordinates.h"

namespace kardan {

struct Spherical {
  static constexpr std::string_view type = "spherical";
  static constexpr std::string_view summary = "Ball joint: common origin.";
  static constexpr std::string_view equation = "p_WB = p_WA";
  static constexpr std::string_view example = R"(bodies:
  rod: {mass: 1, inertia: [0.1, 0.1, 0.1], markers: {end: {at: [-0.5, 0, 0]}}, position: [0.5, 0, 0]}
joints:
  ball: {type: spherical, between: [ground, rod.end]}
)";
  static constexpr Category category = Category::joint;
  static constexpr int frames = 2;
  static constexpr Reflection reflection = Reflection::along;

  template <class F>
  static void fields(F&) {}

  void build(Builder<3>& b) const {
    b.point(0, 1);
    show_yaw_pitch_roll(b);
  }
};

}  // namespace kardan
