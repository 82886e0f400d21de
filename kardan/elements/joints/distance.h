#pragma once
/// Distance joint (rod): 1 row.

#include "kardan/elements/catalog.h"

namespace kardan {

struct Rod {
  static constexpr std::string_view type = "distance";
  static constexpr std::string_view summary = "Massless rod: the origins keep their distance.";
  static constexpr std::string_view equation = "(d.d - l^2)/(2 l) = 0";
  static constexpr std::string_view example = R"(bodies:
  bob: {kind: point, mass: 1, position: [1, 0, 0]}
joints:
  rod: {type: distance, between: [ground, bob]}
)";
  static constexpr Category category = Category::joint;
  static constexpr int frames = 2;
  static constexpr Reflection reflection = Reflection::along;
  static constexpr Glyph glyph = Glyph::rod;
  double length = 0;  // [m]

  template <class F>
  static void fields(F& f) {
    f("length", &Rod::length,
      {.unit = "m",
       .doc = "distance kept; 0 takes it from the given start",
       .check = Check::non_negative});
  }

  template <int D>
  void build(Builder<D>& b) const {
    const double l = length > 0 ? length : b.start_value(b.length(0, 1), 0, 1);
    if (!(l > 0)) {
      b.fail("joint.zero_length", "the two points coincide, so the rod has no length",
             "give 'length', or use a spherical joint (plane: revolute)");
      return;
    }
    b.measure(b.row("distance", RowUnit::length), Distance<D>{b.frame(0).s, b.frame(1).s, l}, 0, 1);
  }
};

}  // namespace kardan
