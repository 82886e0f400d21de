#pragma once
/// Expressions of a model over its named quantities: expression sensors, functions of events,
/// invariants.

#include "kardan/system/names.h"

namespace kardan {

struct BoundExpression {
  Expression value;
  std::vector<Quantity> arguments;
  int first = 0;  // place of its arguments in a scratch that has room for those of all
};

struct BoundExpressions {
  std::vector<BoundExpression> sensors, events, frictions, invariants;
  int arguments = 0;  // of all of them
};

/// Binds `sensors`, and the events and invariants of the blueprint, to the quantities they name,
/// and names the sensors and events. An expression sensor may use what stands before it, so that
/// none can depend on itself.
BoundExpressions bind_expressions(NameData& names, const std::vector<ExpressionQuantity>& sensors,
                                  Diagnostics& diagnostics);

}  // namespace kardan
