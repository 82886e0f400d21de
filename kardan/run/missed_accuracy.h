#pragma once
/// Whether an estimate shows the accuracy that was asked for.

#include <string>

#include "kardan/run/error_estimate.h"

namespace kardan {

/// The largest reached error.
[[nodiscard]] double largest_error(const EstimatedError& estimate);

/// Why the estimate does not show the accuracy asked for; empty: it does.
[[nodiscard]] std::string missed_accuracy(const EstimatedError& estimate, double accuracy);

/// An estimate that is this many times too large ends a run.
inline constexpr double hopeless = 10;

}  // namespace kardan
