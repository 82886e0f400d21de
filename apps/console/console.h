#pragma once
/// What commands print when something is wrong, and how they end.

#include "kardan/base/diagnostics.h"

namespace kardan::console {

/// Exit codes: 0 finished, 1 the computation failed, 2 bad input or usage. A run that a signal ends
/// returns 128 + its number.
inline constexpr int finished = 0, failed = 1, bad_input = 2;

/// Prints diagnostics to stderr; true if there are errors.
bool print_faults(const Diagnostics& diagnostics);

}  // namespace kardan::console
