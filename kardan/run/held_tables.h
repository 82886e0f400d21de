#pragma once
/// Tables whose last value was held beyond their ends in a run.

#include "kardan/run/prepare.h"
#include "kardan/run/report.h"

namespace kardan {

/// Adds a remark for every function of time, and every road, that a run up to report.driver.t has
/// used beyond an end where it is held. Of a road the places of its body at the start and now
/// count.
void remark_held_tables(const System& system, const State& now, RunReport& report);

}  // namespace kardan
