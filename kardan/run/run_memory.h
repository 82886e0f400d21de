#pragma once
/// What a run needs to go on from a restart point.

#include <vector>

#include "kardan/base/state.h"
#include "kardan/integrate/problem.h"
#include "kardan/run/report.h"
#include "kardan/system/system.h"

namespace kardan {

/// When impulses of a stop happened.
struct Bounces {
  int count = 0;
  double first = 0, last = 0;  ///< [s]
};

/// What the estimate of the run's error (error_watch.h) has found so far, beside what it reports.
struct ErrorMemory {
  bool begun = false;
  Local error;                      ///< at the last end of a step
  int position = -1, velocity = -1;  ///< where the largest errors have been
  long stride = 1, in_piece = 0;    ///< steps in a piece of the time, and in the last one
};

/// A run at a restart point: what follows depends on this, the model and the options alone.
struct RunMemory {
  State state;
  RunReport report;          ///< so far; without what was asked
  bool started = false;      ///< the watchers have been given the start
  bool paused = false;       ///< the driver has come here; else this is the start
  double start = 0;          ///< [s] of the run
  long shown = 0;            ///< points of the grid
  Residuals last_residuals;  ///< of the last step
  ErrorMemory error;
  // By stop: an event whose action is an impulse.
  std::vector<Bounces> bounces;
  std::vector<int> rested;     ///< the side on which it rests; 0: it does not
  std::vector<int> last_side;  ///< where it has rested last
};

/// Whether a memory, wherever it comes from, is one of a run of the system.
[[nodiscard]] bool fits(const System& system, const RunMemory& memory);

}  // namespace kardan
