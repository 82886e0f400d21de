#pragma once
/// Knife edge (skate, blade): the marker's origin does not move across the blade, along the
/// marker's y axis e, which turns with the body, against a surface that may be a belt:
///
///   psi = (R e).(V_P - belt(t) x_W) = 0,   V_P the velocity of the origin in the world.

#include "kardan/elements/catalog.h"
#include "kardan/elements/nonholonomic/moving_surface.h"
#include "kardan/elements/nonholonomic/velocity_rows.h"

namespace kardan {

template <int D>
struct KnifeEdgeResidual {
  VecOf<D> e{}, s{};
  void evaluate(const Pair<D>& bodies, Depth depth, Measure<D>& psi) const;
};

struct KnifeEdge {
  static constexpr std::string_view type = "knife_edge";
  static constexpr std::string_view summary = "The marker does not move along its own y axis.";
  static constexpr std::string_view equation =
      "psi = y_B.(velocity of B's origin - belt(t) x_W) = 0";
  static constexpr std::string_view example = R"(dimension: 2
bodies:
  sleigh: {mass: 1, inertia: 0.1, velocity: [1, 0], markers: {blade: {at: [-0.2, 0]}}}
joints:
  edge: {type: knife_edge, on: sleigh.blade}
)";
  static constexpr Category category = Category::nonholonomic;
  static constexpr int frames = 1;
  static constexpr Reflection reflection = Reflection::along;
  static constexpr std::string_view one_handed = "belt";

  TimeFunction belt;  // [m/s]

  template <class F>
  static void fields(F& f) {
    f("belt", &KnifeEdge::belt,
      {.unit = "m/s", .doc = "speed of the surface along the world x axis", .variables = {"t"}});
  }
  template <int D>
  void build(Builder<D>& b) const {
    RowSlots slots = b.slots(b.nonholonomic_row("velocity across the blade"), 0, 0);
    slots.A = {};
    if (!belt.is_constant() || belt(0.0) != 0) {
      VecOf<D> x{};
      x[0] = 1;
      b.row_input(belt, slots.row, 1);
      b.template constraint_bank<MovingSurfaceRows<D>>().items.push_back(
          {b.axis(0, 1), x, belt, slots});
    }
    b.template constraint_bank<VelocityRows<D, KnifeEdgeResidual<D>>>().items.push_back(
        {{b.axis(0, 1), b.frame(0).s}, slots});
  }
};

}  // namespace kardan
