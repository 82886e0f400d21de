#pragma once
/// The one driver: step control, events, dense output, counters, and an honest end.
///
/// A step is accepted when the estimated error of every position and velocity is below its
/// tolerance; there is no way to accept another. After an accepted step the event functions are
/// looked at inside the step; a sign change is located on the dense output, the step is repeated so
/// that it ends at the event, and integration goes on with the new modes.

#include <memory>

#include "kardan/integrate/integration.h"

namespace kardan {

/// Integrates `state` (consistent) to t_end, in place.
DriverReport integrate(ChartProblem& problem, const Method& method, State& state, double t_end,
                       const DriverOptions& options, const Observer& observer);

/// The same step by step. All but `method` must outlive it.
std::unique_ptr<Integration> make_integration(ChartProblem& problem, const Method& method,
                                              State& state, double t_end,
                                              const DriverOptions& options,
                                              const Observer& observer);

}  // namespace kardan
