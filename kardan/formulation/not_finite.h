#pragma once
/// Names what is no number at a state, so that nothing else is blamed for it.

#include "kardan/formulation/assembly_report.h"
#include "kardan/system/system.h"

namespace kardan {

/// True where a force, a constraint or the mass at `state` is not finite; the report then says
/// which, and where it stands in its file.
bool blame_not_finite(const System& system, const State& state, Workspace& ws,
                      AssemblyReport& report);

}  // namespace kardan
