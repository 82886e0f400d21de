#pragma once
/// Accelerations and multipliers at consistent positions and velocities, time after time:
///
///   M a + G' lambda + H' mu = f,   G a = gamma,   0 = d
///
/// Redundant rows are welcome: the multipliers are then those of least norm (in scaled rows). Where
/// forces depend on multipliers, Newton's method starts at those of the state.

#include <optional>

#include "kardan/formulation/auxiliary.h"
#include "kardan/linalg/motion/saddle.h"
#include "kardan/system/system.h"

namespace kardan {

class AccelerationSolver {
 public:
  explicit AccelerationSolver(const System& system) : system_(system) {}

  /// Sets a, lambda (all constraint rows) and state.w; `ws` then holds the evaluation at `state`.
  Eval solve(State& state, Vector& a, Vector& lambda, Workspace& ws);

 private:
  const System& system_;
  AuxiliarySolver auxiliaries_;
  std::optional<Saddle> saddle_;  // from the first use on: it takes more room than a system
};

/// The same, once.
Eval solve_accelerations(const System& system, State& state, Vector& a, Vector& lambda,
                         Workspace& ws);

}  // namespace kardan
