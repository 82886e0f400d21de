#pragma once
/// Belts and chains over wheels on fixed axles: a row for each wheel but the first. They do not
/// slip or stretch. The constants are taken from the given start.

#include <cmath>

#include "kardan/elements/catalog.h"

namespace kardan {

/// radius_1 phi_1 = radius_k phi_k of the wheels, frames 2k on their carriers, 2k + 1 on them.
template <int D>
void run_together(Builder<D>& b, const std::vector<double>& radii, const std::string& what) {
  const int wheels = b.frame_count() / 2;
  if (static_cast<int>(radii.size()) != wheels)
    return b.fail(
        "belt.sizes",
        "got " + std::to_string(radii.size()) + " sizes for " + std::to_string(wheels) + " joints",
        "write one for each joint, in their order");
  for (const double radius : radii)
    if (!(std::abs(radius) > 0))
      return b.fail("belt.sizes", "a wheel of size 0 turns nothing", "write sizes that are not 0");
  const Angle<D> phi_1 = b.angle(0, 1);
  const double start_1 = radii[0] * b.start_value(phi_1, 0, 1);
  const int counter_1 = b.count_turns(phi_1, 0, 1);
  for (int k = 1; k < wheels; ++k) {
    const Angle<D> phi = b.angle(2 * k, 2 * k + 1);
    const double start = start_1 - radii[k] * b.start_value(phi, 2 * k, 2 * k + 1);
    const int row =
        b.row(what + " over wheels 1 and " + std::to_string(k + 1), RowUnit::length, -start);
    b.measure(row, phi_1, 0, 1, radii[0], counter_1);
    b.measure(row, phi, 2 * k, 2 * k + 1, -radii[k], b.count_turns(phi, 2 * k, 2 * k + 1));
  }
}

struct Belt {
  static constexpr std::string_view type = "belt";
  static constexpr std::string_view summary =
      "Belt over pulleys on revolute joints, without slip; a crossed belt has a negative radius.";
  static constexpr std::string_view equation =
      "radius_1 phi_1 - radius_k phi_k = const, k = 2, ...";
  static constexpr std::string_view example = R"(dimension: 2
bodies:
  small: {mass: 1, inertia: 0.01}
  large: {mass: 4, inertia: 0.16, position: [0.5, 0]}
joints:
  axle_1: {type: revolute, bodies: [ground, small], at: [0, 0]}
  axle_2: {type: revolute, bodies: [ground, large], at: [0.5, 0]}
  drive: {type: belt, joints: [axle_1, axle_2], radii: [0.05, 0.2]}
)";
  static constexpr Category category = Category::joint;
  static constexpr int frames = any_frames;
  static constexpr Reflection reflection = Reflection::joints;
  static constexpr Glyph glyph = Glyph::line;
  std::vector<double> radii;  // [m]

  template <class F>
  static void fields(F& f) {
    f("radii", &Belt::radii,
      {.unit = "m",
       .doc = "of the pulleys, in the order of the joints; negative where the belt runs the other "
              "way around",
       .need = Need::required});
  }

  template <int D>
  void build(Builder<D>& b) const {
    run_together(b, radii, "belt");
  }
};

struct Chain {
  static constexpr std::string_view type = "chain";
  static constexpr std::string_view summary = "Chain over sprockets on revolute joints.";
  static constexpr std::string_view equation =
      "pitch/(2 pi) (teeth_1 phi_1 - teeth_k phi_k) = const, k = 2, ...";
  static constexpr std::string_view example = R"(dimension: 2
bodies:
  front: {mass: 1, inertia: 0.01}
  rear: {mass: 4, inertia: 0.16, position: [0.5, 0]}
joints:
  pedals: {type: revolute, bodies: [ground, front], at: [0, 0]}
  hub: {type: revolute, bodies: [ground, rear], at: [0.5, 0]}
  drive: {type: chain, joints: [pedals, hub], teeth: [48, 16], pitch: 0.0127}
)";
  static constexpr Category category = Category::joint;
  static constexpr int frames = any_frames;
  static constexpr Reflection reflection = Reflection::joints;
  static constexpr Glyph glyph = Glyph::line;
  std::vector<double> teeth;
  double pitch = 0;  // [m]

  template <class F>
  static void fields(F& f) {
    f("teeth", &Chain::teeth,
      {.doc =
           "of the sprockets, in the order of the joints; negative where they turn the other way",
       .need = Need::required});
    f("pitch", &Chain::pitch,
      {.unit = "m", .doc = "length of a link", .check = Check::positive, .need = Need::required});
  }

  template <int D>
  void build(Builder<D>& b) const {
    std::vector<double> radii;
    for (const double n : teeth) radii.push_back(n * pitch / (2 * std::numbers::pi));
    run_together(b, radii, "chain");
  }
};

}  // namespace kardan
