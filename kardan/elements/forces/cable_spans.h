#pragma once
/// The straight parts of a rope through points: NAME.span1, NAME.span2, ... and NAME.length.

#include <optional>

#include "kardan/elements/builder.h"
#include "kardan/elements/field.h"
#include "kardan/elements/written.h"

namespace kardan {

struct CableSum {
  Expression length, rate;
};

template <int D>
std::optional<CableSum> show_spans(Builder<D>& b) {
  std::string length, rate;
  for (int k = 0; k + 1 < b.frame_count(); ++k) {
    const Length<D> l = b.length(k, k + 1);
    if (!(b.start_value(l, k, k + 1) > 0)) {
      b.fail("joint.zero_length", "two points of it coincide", "leave one of them out");
      return std::nullopt;
    }
    const std::string span = "span" + std::to_string(k + 1);
    b.sensor(span, "m", l, SensorQuantity::value, k, k + 1);
    b.sensor(span + "_rate", "m/s", l, SensorQuantity::rate, k, k + 1);
    length += (k > 0 ? " + " : "") + b.name() + "." + span;
    rate += (k > 0 ? " + " : "") + b.name() + "." + span + "_rate";
  }
  const CableSum sum{quantity_called(length), quantity_called(rate)};
  b.formula_quantity("length", "m", b.formula("length", sum.length));
  return sum;
}

}  // namespace kardan
