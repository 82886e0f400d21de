#pragma once
/// The reference of `kardan compare --reference FILE`: a result of the same model, complete.

#include <string>

#include "kardan/base/diagnostics.h"
#include "kardan/run/compare.h"

namespace kardan::cli {

/// A result file (.csv, .h5): all columns but the time, with their units.
struct ReadResult {
  Trajectory values;
  std::vector<std::string> units;
};
std::optional<ReadResult> read_result(const std::string& path, Diagnostics& diagnostics);

/// Positions and velocities of the system on equidistant times, which become the times of the
/// comparison. Nothing after reporting what is wrong: no rows, a position or velocity of the model
/// that is missing, a value that is no number.
std::optional<Trajectory> reference_from(const std::string& path, const System& system,
                                         CompareOptions& options, Diagnostics& diagnostics);

}  // namespace kardan::cli
