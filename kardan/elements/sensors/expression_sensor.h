#pragma once
/// A formula over other quantities of the motion.

#include "kardan/elements/catalog.h"

namespace kardan {

struct ExpressionSensor {
  static constexpr std::string_view type = "expression";
  static constexpr std::string_view summary =
      "The value of a formula over coordinates, velocities and earlier sensors.";
  static constexpr std::string_view equation = "value(arm.x, arm.vx, tip.y, t, ...)";
  static constexpr Category category = Category::sensor;
  static constexpr int frames = 0;
  Expression value;

  template <class F>
  static void fields(F& f) {
    f("value", &ExpressionSensor::value,
      {.doc = "formula over named quantities",
       .need = Need::required,
       .variables = {any_quantity}});
  }

  template <int D>
  void build(Builder<D>& b) const {
    b.expression_sensor(value);
  }
};

}  // namespace kardan
