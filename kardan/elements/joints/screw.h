#pragma once
/// Screw joint: 5 rows. The constant is taken from the given start.

#include "kardan/elements/catalog.h"
#include "kardan/elements/joints/own_coordinates.h"

namespace kardan {

struct Screw {
  static constexpr std::string_view type = "screw";
  static constexpr std::string_view summary =
      "Screw along the z axis of A: a full turn advances by the pitch.";
  static constexpr std::string_view equation =
      "x_A.d = y_A.d = 0; x_A.z_B = y_A.z_B = 0; z_A.d - pitch phi/(2 pi) = const";
  static constexpr std::string_view example = R"(bodies:
  nut: {mass: 1, inertia: [0.1, 0.1, 0.1]}
joints:
  thread: {type: screw, between: [ground, nut], pitch: 0.005}
)";
  static constexpr Category category = Category::joint;
  static constexpr int frames = 2;
  static constexpr FreeCoordinate free_coordinate = FreeCoordinate::angle;
  static constexpr Glyph glyph = Glyph::pin;
  double pitch = 0;  // [m] per turn

  template <class F>
  static void fields(F& f) {
    f("pitch", &Screw::pitch,
      {.unit = "m",
       .doc = "advance per full turn",
       .check = Check::non_zero,
       .need = Need::required});
  }

  void build(Builder<3>& b) const {
    b.in_plane(0, 0, 1, "translation along local x");
    b.in_plane(0, 1, 1, "translation along local y");
    b.perpendicular(0, 0, 1, 2, "rotation about local y");
    b.perpendicular(0, 1, 1, 2, "rotation about local x");
    b.aligned(0, 1, 2);
    const Angle<3> phi = b.angle(0, 1);
    const Dot2<3> s = b.displacement(0, 2, 1);
    const double slope = pitch / (2 * std::numbers::pi);
    const double start = b.start_value(s, 0, 1) - slope * b.start_value(phi, 0, 1);
    const int row = b.row("screw motion along local z", RowUnit::length, -start);
    b.measure(row, s, 0, 1);
    const int counter = b.count_turns(phi, 0, 1);
    b.measure(row, phi, 0, 1, -slope, counter);
    show(b, phi, RowUnit::angle, "angle", "rate", 0, 1, counter);
    show_position(b);
    is_free(b, "angle", "rate");
  }
};

}  // namespace kardan
