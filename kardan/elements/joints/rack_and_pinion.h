#pragma once
/// Rack and pinion: 1 row. The constant is taken from the given start.

#include "kardan/elements/catalog.h"

namespace kardan {

struct RackAndPinion {
  static constexpr std::string_view type = "rack_and_pinion";
  static constexpr std::string_view summary =
      "Couples a rotation to a displacement: frames are (base, pinion about z, base, rack along z; "
      "plane: along x).";
  static constexpr std::string_view equation = "radius phi - s = const";
  static constexpr std::string_view example = R"(dimension: 2
bodies:
  pinion: {mass: 1, inertia: 0.01}
  rack: {mass: 1, inertia: 0.01, position: [0, -0.05]}
joints:
  axle: {type: revolute, between: [ground, pinion]}
  rail: {type: prismatic, bodies: [ground, rack], at: [0, -0.05], axis: [1, 0]}
  mesh: {type: rack_and_pinion, between: [ground, pinion, ground, rack], radius: 0.05}
)";
  static constexpr Category category = Category::joint;
  static constexpr int frames = 4;
  static constexpr Glyph glyph = Glyph::block;
  double radius = 0;  // [m]

  template <class F>
  static void fields(F& f) {
    f("radius", &RackAndPinion::radius,
      {.unit = "m",
       .doc = "pitch radius of the pinion",
       .check = Check::non_zero,
       .need = Need::required});
  }

  template <int D>
  void build(Builder<D>& b) const {
    const Angle<D> phi = b.angle(0, 1);
    const Dot2<D> s = b.displacement(2, D == 3 ? 2 : 0, 3);
    const double start = radius * b.start_value(phi, 0, 1) - b.start_value(s, 2, 3);
    const int row = b.row("rolling of the pinion", RowUnit::length, -start);
    b.measure(row, phi, 0, 1, radius, b.count_turns(phi, 0, 1));
    b.measure(row, s, 2, 3, -1);
  }
};

}  // namespace kardan
