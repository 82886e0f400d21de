#pragma once
/// The `equations:` section of a model as user equations: its formulas evaluated for every scalar,
/// so that all derivatives are exact.

#include <memory>

#include "kardan/base/diagnostics.h"
#include "kardan/model/equation_data.h"
#include "kardan/system/user_equations.h"

namespace kardan {

/// Null after reporting formulas that must be linear in the velocities and are not.
std::unique_ptr<UserEquations> expression_equations(std::string name, EquationData data,
                                                    Diagnostics& diagnostics);

}  // namespace kardan
