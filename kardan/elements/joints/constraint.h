#pragma once
/// A constraint that a user writes as a formula: 1 row.

#include "kardan/elements/catalog.h"

namespace kardan {

struct WrittenConstraint {
  static constexpr std::string_view type = "constraint";
  static constexpr std::string_view summary =
      "A formula that is zero: of positions (holonomic), or linear in velocities (nonholonomic).";
  static constexpr std::string_view equation =
      "0 = expression(coordinates, joint coordinates, their rates, sensors, t)";
  static constexpr std::string_view example = R"(dimension: 2
bodies:
  bead: {kind: point, mass: 1, position: [1, 1]}
drivers:
  wire: {type: constraint, expression: bead.y - bead.x^2}
)";
  static constexpr Category category = Category::driver;  // it may depend on time
  static constexpr int frames = 0;
  static constexpr Reflection reflection = Reflection::along;
  static constexpr Glyph glyph = Glyph::none;
  Expression expression;
  std::string unit = "m", from = "zero";

  template <class F>
  static void fields(F& f) {
    f("expression", &WrittenConstraint::expression,
      {.doc = "what is zero, over named quantities",
       .need = Need::required,
       .variables = {any_quantity}});
    f("unit", &WrittenConstraint::unit,
      {.doc = "of the expression, by which it is scaled", .choices = {"m", "rad"}});
    f("from", &WrittenConstraint::from,
      {.doc = "zero, or its value at the given start", .choices = {"zero", "start"}});
  }

  template <int D>
  void build(Builder<D>& b) const {
    using Counted = typename Builder<D>::Counted;
    b.formula_row(b.formula("expression", expression), "",
                  unit == "rad" ? RowUnit::angle : RowUnit::length,
                  from == "start" ? Counted::from_start : Counted::from_zero);
  }
};

}  // namespace kardan
