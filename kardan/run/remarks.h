#pragma once
/// What a run does not promise, in words for its certificate.

#include "kardan/integrate/method.h"
#include "kardan/run/report.h"

namespace kardan {

/// Adds to a run that has ended: what its method and formulation do not keep.
void add_remarks(const System& system, const Method& method, RunReport& report);

}  // namespace kardan
