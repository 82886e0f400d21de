#pragma once
/// Parameters of a model: named expressions that may use each other in any order.

#include "kardan/model/blueprint.h"

namespace kardan {

/// Evaluates all parameters; unknown names, cycles and bad overrides are reported.
Environment resolve_parameters(const FieldMap& parameters, const ParameterValues& overrides,
                               Diagnostics& diagnostics);

}  // namespace kardan
