#pragma once
/// Elements so stiff that an explicit method needs very many steps while they act.

#include "kardan/integrate/method.h"
#include "kardan/system/system.h"

namespace kardan {

/// Warns, with the code run.stiff, of the stiffest element if steps of `method` up to `t_end` would
/// be more than a million: with a stiffness k and a damping c on a mass m its rates are
/// sqrt(k/m) and c/m.
void warn_of_stiff_elements(const System& system, const Method& method, double t_end,
                            Diagnostics& diagnostics);

}  // namespace kardan
