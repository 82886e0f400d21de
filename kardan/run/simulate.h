#pragma once
/// One run from a prepared start to its report and certificate.

#include "kardan/run/prepare.h"
#include "kardan/run/report.h"
#include "kardan/run/watchers.h"

namespace kardan {

/// Runs `prepared` (its start is moved to the end of the run), from the start or `from` a restart
/// point of a run with the same options. A method or option that does not exist is reported.
RunReport simulate(Prepared& prepared, const SimulateOptions& options, const Watchers& watchers,
                   Diagnostics& diagnostics, const RunMemory* from = nullptr);
RunReport simulate(Prepared& prepared, const SimulateOptions& options, const GridSink& grid,
                   const Observer& observer, Diagnostics& diagnostics);

}  // namespace kardan
