#pragma once
/// Gear pair: 1 row. The constant is taken from the given start.

#include "kardan/elements/catalog.h"

namespace kardan {

struct Gear {
  static constexpr std::string_view type = "gear";
  static constexpr std::string_view summary =
      "Couples the rotations of two wheels: frames are (base 1, wheel 1, base 2, wheel 2), axes "
      "along z.";
  static constexpr std::string_view equation =
      "radius_1 phi_1 + radius_2 phi_2 = const (external; internal gears: minus)";
  static constexpr std::string_view example = R"(dimension: 2
bodies:
  small: {mass: 1, inertia: 0.01}
  large: {mass: 4, inertia: 0.16, position: [0.3, 0]}
joints:
  axle_1: {type: revolute, bodies: [ground, small], at: [0, 0]}
  axle_2: {type: revolute, bodies: [ground, large], at: [0.3, 0]}
  mesh: {type: gear, between: [ground, small, ground, large], radius_1: 0.1, radius_2: 0.2}
)";
  static constexpr Category category = Category::joint;
  static constexpr int frames = 4;
  static constexpr Reflection reflection = Reflection::about;
  static constexpr Glyph glyph = Glyph::pin;
  double radius_1 = 0, radius_2 = 0;  // [m]
  std::string mesh = "external";

  template <class F>
  static void fields(F& f) {
    f("radius_1", &Gear::radius_1,
      {.unit = "m",
       .doc = "pitch radius of wheel 1",
       .check = Check::positive,
       .need = Need::required});
    f("radius_2", &Gear::radius_2,
      {.unit = "m",
       .doc = "pitch radius of wheel 2",
       .check = Check::positive,
       .need = Need::required});
    f("mesh", &Gear::mesh,
      {.doc = "which side the teeth meet", .choices = {"external", "internal"}});
  }

  template <int D>
  void build(Builder<D>& b) const {
    const Angle<D> phi_1 = b.angle(0, 1), phi_2 = b.angle(2, 3);
    const double factor_2 = mesh == "internal" ? -radius_2 : radius_2;
    const double start =
        radius_1 * b.start_value(phi_1, 0, 1) + factor_2 * b.start_value(phi_2, 2, 3);
    const int row = b.row("rolling of the wheels", RowUnit::length, -start);
    b.measure(row, phi_1, 0, 1, radius_1, b.count_turns(phi_1, 0, 1));
    b.measure(row, phi_2, 2, 3, factor_2, b.count_turns(phi_2, 2, 3));
  }
};

}  // namespace kardan
