#pragma once
/// A formula over other quantities of the motion.

#include "kardan/elements/catalog.h"

namespace kardan {

struct ExpressionSensor {
  static constexpr std::string_view type = "expression";
  static constexpr std::string_view summary =
      "The value of a formula over coordinates, velocities and earlier sensors.";
  static constexpr std::string_view equation = "value(arm.x, arm.vx, tip.y, t, ...)";
  static constexpr std::string_view example = R"yaml(bodies:
  rod: {mass: 1, inertia: [0.1, 0.1, 0.1]}
sensors:
  speed: {type: expression, value: "sqrt(rod.vx^2 + rod.vy^2 + rod.vz^2)"}
)yaml";
  static constexpr Category category = Category::sensor;
  static constexpr int frames = 0;
  static constexpr Reflection reflection = Reflection::along;
  Expression value;
  std::string unit;

  template <class F>
  static void fields(F& f) {
    f("value", &ExpressionSensor::value,
      {.doc = "formula over named quantities",
       .need = Need::required,
       .variables = {any_quantity}});
    f("unit", &ExpressionSensor::unit, {.doc = "of the value, for results: it changes no number"});
  }

  template <int D>
  void build(Builder<D>& b) const {
    if (unit.empty()) return b.expression_sensor(value);
    ElementFormula formula = b.formula("value", value);
    formula.owner = b.name();
    b.formula_quantity("", unit, std::move(formula));
  }
};

}  // namespace kardan
