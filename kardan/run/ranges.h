#pragma once
/// What the numbers of a run may be, said once: command line, files, Python and C++ are checked
/// here.
///
///   1e-14 <= tolerance, relative <= 0.1,   t_end finite,   all other lengths of time finite, >= 0,
///   the grid has at most 1e9 points, and a step is longer than the round-off of the time.

#include <functional>

#include "kardan/run/simulate_options.h"

namespace kardan {

/// Below, round-off is larger than what is asked for; above, nothing is.
inline constexpr double tightest_tolerance = 1e-14, loosest_tolerance = 0.1;
inline constexpr double most_grid_points = 1e9;

/// Where an option, by its name in `simulate:`, was given.
using OptionPlace = std::function<SourceLocation(std::string_view name)>;

/// Reports every number of the options that is out of range. `start` [s] is that of the run.
void check_ranges(const SimulateOptions& options, double start, const OptionPlace& place,
                  Diagnostics& diagnostics);

}  // namespace kardan
