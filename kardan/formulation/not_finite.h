#pragma once
/// Names what is no number at a state, so that nothing else is blamed for it.

#include <string>

#include "kardan/system/system.h"

namespace kardan {

struct AssemblyReport;

/// Why the equations could not be evaluated at `state`: the force, or the constraint, that is not
/// finite there.
std::string not_finite_culprit(const System& system, const State& state, Workspace& ws);

/// True where a force, a constraint or the mass at `state` is not finite; the report then says
/// which, and where it stands in its file.
bool blame_not_finite(const System& system, const State& state, Workspace& ws,
                      AssemblyReport& report);

}  // namespace kardan
