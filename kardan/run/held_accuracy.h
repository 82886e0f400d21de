#pragma once
/// Accuracy as a contract: the global error that a run estimates of itself (error_watch.h) is held
/// below what was asked for. Runs are made tighter until it is; one whose estimate is ten times too
/// large is given up there. Or it is said why none is.

#include "kardan/run/error_estimate.h"
#include "kardan/run/trajectory.h"

namespace kardan {

struct FoundTolerance {
  SimulateOptions options;  ///< with tolerances that hold the accuracy, or the last ones tried
  HeldAccuracy found;
};

/// The first run takes a tenth of the accuracy as its tolerance, whatever `asked` says; a fixed
/// step as it is. A method or option that does not exist is reported.
[[nodiscard]] FoundTolerance hold_accuracy(const PrepareRun& make, const SimulateOptions& asked,
                                           Diagnostics& diagnostics);

}  // namespace kardan
