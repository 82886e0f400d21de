#pragma once
/// The first step of equations that have just begun to hold: at the start of a run, and behind an
/// event that has changed them. Implicit methods may step over what is fast, and their estimates
/// filter it out; what the motion itself excites must be resolved first.
///
/// A step along the parabola, y_1 = (x + h u + h^2/2 a, u + h a, z + h b), misses about
///
///   e = (h^2/6 (a_1 - a), h/2 (a_1 - a), h/2 (b_1 - b)),
///
/// and rho = |f(y_1 + e) - f(y_1)| / |f(y_1) - f(y)| is by what an iteration on the step would
/// contract: (omega h)^2/6 for an oscillation, |lambda| h/2 for a decay, of what is excited. Where
/// rho is large, the excited motion is of the size |e|/rho.

#include "kardan/integrate/method.h"
#include "kardan/integrate/problem.h"

namespace kardan {

class Onset {
 public:
  /// At the base of the problem, which is `state`: a step of at most h that resolves what the
  /// motion excites above the tolerances `scale`.
  double resolved_step(ChartProblem& problem, const State& state, const ErrorScale& scale, double h,
                       Counters& counters);

 private:
  double size(ChartProblem& problem, const State& state, const ErrorScale& scale,
              const LocalRate& from, const LocalRate& to);

  Local base_, y_, error_;
  LocalRate rate_, first_, second_;
};

}  // namespace kardan
