#pragma once
/// Inputs of elements: the functions of time, and of the way travelled, that act from outside, and
/// what they act on. Steps are chosen so that none of them is passed over.

#include <variant>

#include "kardan/base/time_function.h"
#include "kardan/elements/law.h"
#include "kardan/elements/sensor.h"
#include "kardan/elements/values.h"

namespace kardan {

/// A law over a measure, its rate and time.
template <int D>
struct LawInput {
  ExpressionLaw law;
  AnyMeasure<D> measure;
  int counter = -1;
  Varies varies = Varies::time;
};

/// The height of a road under a point s of a body, as a force: stiffness h + damping h'.
template <int D>
struct RoadInput {
  Table height;
  VecOf<D> s{};
  double stiffness = 0, damping = 0;
};

/// A formula (formula.h) over time; over a stretch of time all else counts as resting.
struct FormulaInput {
  enum class Of { force, state, row } of = Of::force;
  int index = 0;  // among the formulas of this kind
};

/// On what it acts: a force or torque between bodies, the rate of a dynamic variable, or the
/// acceleration of a constraint row.
enum class InputKind { force, torque, variable, row };

template <int D>
struct Input {
  int element = 0;
  InputKind kind = InputKind::force;
  BodyColumns A, B;             // of a force or torque
  double arm_A = 0, arm_B = 0;  // [m] of a force about the centres of mass
  int index = -1;               // of the variable or row
  int derivative = 0;           // of the function, which is what acts
  double factor = 1;
  std::variant<TimeFunction, LawInput<D>, RoadInput<D>, FormulaInput> source;

  bool of_way() const {
    const auto* law = std::get_if<LawInput<D>>(&source);
    return std::holds_alternative<RoadInput<D>>(source) || (law && law->varies == Varies::way);
  }
};

}  // namespace kardan
