#pragma once
/// Constant-velocity joint: 4 rows.

#include "kardan/elements/catalog.h"

namespace kardan {

struct ConstantVelocity {
  static constexpr std::string_view type = "constant_velocity";
  static constexpr std::string_view summary =
      "Homokinetic joint: common origin, no twist between the shafts along z.";
  static constexpr std::string_view equation = "p_WB = p_WA; x_A.y_B - y_A.x_B = 0";
  static constexpr std::string_view example = R"(bodies:
  shaft: {mass: 1, inertia: [0.1, 0.1, 0.1]}
  wheel: {mass: 1, inertia: [0.1, 0.1, 0.1]}
joints:
  drive: {type: constant_velocity, between: [shaft, wheel]}
)";
  static constexpr Category category = Category::joint;
  static constexpr int frames = 2;

  template <class F>
  static void fields(F&) {}

  void build(Builder<3>& b) const {
    b.point(0, 1);
    // The relative rotation's axis has no component along z: swing without twist.
    const int row = b.row("twist about the shafts", RowUnit::angle);
    b.measure(row, Dot1<3>{b.axis(0, 0), b.axis(1, 1)}, 0, 1, 1);
    b.measure(row, Dot1<3>{b.axis(0, 1), b.axis(1, 0)}, 0, 1, -1);
  }
};

}  // namespace kardan
