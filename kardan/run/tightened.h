#pragma once
/// What decides about the errors of a run, made tighter or looser as a whole.

#include "kardan/run/simulate_options.h"

namespace kardan {

/// Tolerances below this are beyond double numbers, which are rounded to 1e-16: a hundred steps
/// would add up to it.
inline constexpr double tightest = 1e-14;

/// The options with all tolerances, or the fixed step, times `factor`.
[[nodiscard]] SimulateOptions tightened(SimulateOptions options, double factor);
/// The tolerance; the tighter of the relative and the absolute one.
[[nodiscard]] double tolerance_of(const SimulateOptions& options);

}  // namespace kardan
