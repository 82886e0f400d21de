#pragma once
/// Formulas over named quantities of a model that elements write: forces along a direction, rates
/// of variables, constraint rows. They are bound when the model is compiled and all quantities are
/// known.

#include <string>
#include <utility>
#include <vector>

#include "kardan/base/diagnostics.h"
#include "kardan/base/expression.h"
#include "kardan/elements/sensor.h"
#include "kardan/elements/values.h"

namespace kardan {

struct ElementFormula {
  std::string owner;  ///< "push.fx"
  Expression value;
  SourceLocation where;
  /// Names of the element's own, and the quantities of the model that they are.
  std::vector<std::pair<std::string, std::string>> locals = {};
};

/// Q = F G' on two bodies, where G and dG/dp are those of a measure.
template <int D>
struct FormulaForce {
  ElementFormula formula;
  AnyMeasure<D> along;
  BodyColumns A = {}, B = {};
  int element = 0;
  /// ELEMENT.force is the sum of those of an element, or the root of the sum of their squares.
  enum class Shown { sum, squares } shown = Shown::sum;
};

/// r' = F.
struct FormulaState {
  ElementFormula formula;
  int index = 0;  // in r
};

/// 0 = F: holonomic where F is of positions, nonholonomic where it is of velocities.
struct FormulaRow {
  ElementFormula formula;
  int row = 0;
  bool from_start = false;
};

template <int D>
struct Formulas {
  std::vector<FormulaForce<D>> forces;
  std::vector<FormulaState> states;
  std::vector<FormulaRow> rows;
};

}  // namespace kardan
