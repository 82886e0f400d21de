#pragma once
/// An impulse along the gradient of a function z of the positions, under the constraints: with the
/// rate z' = z_p v before,
///
///   M dv + G' Lambda = z_p' P,   G dv = 0,   z_p (v + dv) = -e z_p v          e: restitution

#include "kardan/formulation/saddle.h"
#include "kardan/system/system.h"

namespace kardan {

class ImpulseSolver {
 public:
  explicit ImpulseSolver(const System& system);

  /// The rate of an event function; recoverable where it is no function of positions.
  Eval rate(int event, const State& state, double& rate, Workspace& ws);
  /// Changes the velocities of `state`; recoverable where the constraints do not let them change.
  Eval apply(int event, double restitution, State& state, Workspace& ws);

 private:
  const System& system_;
  Saddle saddle_;
  Vector gradient_, change_, reaction_;
};

}  // namespace kardan
