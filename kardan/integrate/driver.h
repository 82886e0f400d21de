#pragma once
/// The one driver: step control, events, dense output, counters, and an honest end.
///
/// A step is accepted when the estimated error of every position and velocity is below its
/// tolerance; there is no way to accept another. After an accepted step the event functions are
/// looked at inside the step; a sign change is located on the dense output, the step is repeated so
/// that it ends at the event, and integration goes on with the new modes.

#include <exception>
#include <string>

#include "kardan/integrate/driver_options.h"

namespace kardan {

/// The message of a run that ended because a function of the model threw `e`.
std::string thrown_message(double t, const std::exception& e);

/// Integrates `state` (consistent) to t_end, in place.
DriverReport integrate(ChartProblem& problem, const Method& method, State& state, double t_end,
                       const DriverOptions& options, const Observer& observer);

}  // namespace kardan
