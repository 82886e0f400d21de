#pragma once
/// Shared by the elements whose force is an expression of a coordinate and its rate.

#include <algorithm>

#include "kardan/elements/builder.h"
#include "kardan/elements/field.h"

namespace kardan {

/// An expression law over (coordinate, rate, t); the reader has checked the names.
inline Law expression_law(const Expression& e, std::string_view coordinate) {
  ExpressionLaw law{e, {}};
  for (const std::string& name : e.names())
    law.arguments.push_back(name == coordinate ? 0 : (name == "rate" ? 1 : 2));
  return law;
}

/// A law over (coordinate, rate, t) alone: its derivatives are cheap, and steps are bounded by what
/// it does along their way (enclosures), so that its kinks need not be events.
inline bool is_plain(const Expression& e, std::string_view coordinate) {
  return std::ranges::all_of(e.names(), [&](const std::string& name) {
    return name == coordinate || name == "rate" || name == "t";
  });
}

/// Adds a law over a coordinate, its rate, t and any other quantities.
template <int D, class M>
void add_law(Builder<D>& b, const Signal& law, const std::string& coordinate, const M& measure,
             int counter, InputKind kind) {
  if (law.is_zero()) return;
  const Expression e = law.expression();
  if (is_plain(e, coordinate))
    return b.line_force(measure, 0, 1, expression_law(e, coordinate), counter);
  const std::string unit = kind == InputKind::torque ? "rad" : "m";
  b.sensor(coordinate, unit, measure, SensorQuantity::value, 0, 1, counter);
  b.sensor("rate", unit + "/s", measure, SensorQuantity::rate, 0, 1, counter);
  b.formula_force(
      b.formula("law", e, law.where(),
                {{coordinate, b.name() + "." + coordinate}, {"rate", b.name() + ".rate"}}),
      measure, 0, 1, kind);
}

/// Adds a load along a measure: a function of t, or a formula.
template <int D, class M>
void add_actuation(Builder<D>& b, const std::string& key, const Signal& load, const M& measure,
                   InputKind kind) {
  if (load.of_motion())
    b.formula_force(b.formula(key, load.expression(), load.where()), measure, 0, 1, kind);
}

}  // namespace kardan
