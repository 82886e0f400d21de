#pragma once
/// Parameters of a model: named expressions that may use each other in any order.

#include "kardan/model/blueprint.h"
#include "kardan/model/parameter_uses.h"

namespace kardan {

/// Evaluates all parameters; unknown names, cycles and bad overrides are reported.
Environment resolve_parameters(const FieldMap& parameters, const ParameterValues& overrides,
                               Diagnostics& diagnostics);
/// Evaluates those among `touched`; the others have the values they have in `known`.
Environment resolve_parameters_again(const FieldMap& parameters, const ParameterValues& overrides,
                                     const Environment& known, const ParameterUses::Names& touched,
                                     Diagnostics& diagnostics);

}  // namespace kardan
