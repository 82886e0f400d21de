#pragma once
/// Expressions of a model over its named quantities: expression sensors, functions of events,
/// invariants, and the formulas that elements write.

#include "kardan/base/switches.h"
#include "kardan/system/names.h"

namespace kardan {

struct BoundExpression {
  Expression value;
  std::vector<Quantity> arguments;
  int first = 0;  // place of its arguments in a scratch that has room for those of all
};

/// A formula of an element. None of its arguments is an expression.
struct BoundFormula {
  Switches value;
  std::vector<Quantity> arguments;
  int mode = 0, event = 0;  // the first ones of its switches
};

/// 0 = value: none of the arguments is an expression.
struct BoundRow {
  BoundExpression value;
  std::vector<int> bodies;  // that it moves with, ascending
  bool of_velocities = false;
};

/// In the orders of Formulas.
struct BoundFormulas {
  std::vector<BoundFormula> forces, states;
  std::vector<BoundRow> rows;
};

struct BoundExpressions {
  std::vector<BoundExpression> sensors, events, frictions, invariants;
  BoundFormulas formulas;
  int arguments = 0;  // of all of them but the formulas
};

/// The formulas of a program, whatever its dimension.
struct WrittenFormulas {
  std::vector<const ExpressionQuantity*> sensors;
  std::vector<const ElementFormula*> forces, states;
  std::vector<const FormulaRow*> rows;

  template <int D>
  explicit WrittenFormulas(const Program<D>& program) {
    for (const ExpressionQuantity& e : program.expressions) sensors.push_back(&e);
    for (const FormulaForce<D>& f : program.formulas.forces) forces.push_back(&f.formula);
    for (const FormulaState& f : program.formulas.states) states.push_back(&f.formula);
    for (const FormulaRow& f : program.formulas.rows) rows.push_back(&f);
  }
};

/// Binds what is written, and the events and invariants of the blueprint, to the quantities they
/// name, and names the sensors and the events of switches. Expression sensors may use each other
/// where none depends on itself.
BoundExpressions bind_expressions(NameData& names, const WrittenFormulas& written,
                                  Diagnostics& diagnostics);

}  // namespace kardan
