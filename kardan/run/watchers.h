#pragma once
/// Who watches a run, and what they are given.

#include <functional>
#include <string>

#include "kardan/formulation/residuals.h"
#include "kardan/integrate/driver_options.h"
#include "kardan/run/result.h"
#include "kardan/run/run_memory.h"

namespace kardan {

/// Told at every point of the output grid: the consistent state there, from dense output, with the
/// accelerations and multipliers that belong to it. A non-empty answer ends the run with that
/// reason.
using GridSink = std::function<std::string(const Instant&)>;

/// How a moment inside a step is found: by the positions and velocities of dense output, or as rows
/// of the grid are, by a step of its own where dense output is not the motion.
enum class RowBy { dense_output, solution };
using RowAt = std::function<const Instant*(double t, RowBy)>;
/// Looks into an accepted step, after its end was told. `row`: the moment at a time in it, valid until
/// the next one; null where there is none.
using StepLook = std::function<void(const StepView&, const RowAt& row)>;

/// The start (h = 0), then every accepted step, with what the certificate sums up.
struct StepRecord {
  double t = 0, h = 0;  ///< [s] its end and its length
  double error = 0;     ///< estimated, in tolerances
  long rejected = 0;    ///< attempts that were thrown away, of the run so far
  Residuals residuals;  ///< at its end, scaled
  double kinetic = 0, potential = 0, work = 0;  ///< [J] at its end; work since the start
  double unbalanced = 0;                        ///< [J] energy - initial energy - work
};

/// Whether a run sums up its residuals, its work and its energy and judges by them; what is only
/// compared with other runs need not.
enum class Evidence { gathered, left_out };

/// Who is informed of what happens in a run; any of them may be empty.
struct Watchers {
  GridSink grid = {};
  Observer observer = {};                                 ///< every accepted step
  std::function<void(const StepRecord&)> record = {};     ///< the same, summed up
  std::function<void(const RunMemory&)> checkpoint = {};  ///< the start and every restart point
  Evidence evidence = Evidence::gathered;
  StepLook inside = {};
};

}  // namespace kardan
