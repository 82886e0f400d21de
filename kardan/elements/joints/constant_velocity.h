#pragma once
/// Constant-velocity joint: 4 rows.

#include "kardan/elements/catalog.h"
#include "kardan/elements/joints/own_coordinates.h"
#include "kardan/elements/twist.h"

namespace kardan {

struct ConstantVelocity {
  static constexpr std::string_view type = "constant_velocity";
  static constexpr std::string_view summary =
      "Homokinetic joint: common origin, no twist between the shafts along z.";
  static constexpr std::string_view equation =
      "p_WB = p_WA; 2 q_z = 0, (q_w, q_x, q_y, q_z) the quaternion of B seen from A";
  static constexpr std::string_view example = R"(bodies:
  shaft: {mass: 1, inertia: [0.1, 0.1, 0.1]}
  wheel: {mass: 1, inertia: [0.1, 0.1, 0.1]}
joints:
  drive: {type: constant_velocity, between: [shaft, wheel]}
)";
  static constexpr Category category = Category::joint;
  static constexpr int frames = 2;
  static constexpr Reflection reflection = Reflection::along;

  template <class F>
  static void fields(F&) {}

  void build(Builder<3>& b) const {
    b.point(0, 1);
    // The relative rotation's axis has no component along z: swing without twist, also where the
    // shafts are folded. x_A.y_B - y_A.x_B = -4 q_w q_z would vanish at any half turn, too.
    if (!b.require_rotation(0) || !b.require_rotation(1)) return;
    const int row = b.row("twist about the shafts", RowUnit::angle);
    b.constraint_bank<TwistRows>().items.push_back({b.frame(0).R, b.frame(1).R,
                                                    b.count_turns(0, 1, b.frame(0).R, b.frame(1).R),
                                                    b.slots(row, 0, 1)});
    show(b, ArcSine{{b.axis(0, 1), b.axis(1, 2)}, -1}, RowUnit::angle, "angle_x", "rate_x");
    show(b, ArcSine{{b.axis(0, 0), b.axis(1, 2)}}, RowUnit::angle, "angle_y", "rate_y");
  }
};

}  // namespace kardan
