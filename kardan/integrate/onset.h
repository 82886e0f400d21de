#pragma once
/// The first step of equations that have just begun to hold: at the start of a run, and behind an
/// event that has changed them. Implicit methods may step over what is fast, and their estimates
/// filter it out; what the motion itself excites must be resolved first.
///
/// Positions along the parabola, x_1 = x + h u + h^2/2 a, miss about e = h^2/6 (a(x_1) - a(x)), and
///
///   rho = |a(x_1 + e) - a(x_1)| / |a(x_1) - a(x)|
///
/// is by what an iteration on the step would contract: (omega h)^2/6 for the oscillation that is
/// excited. Where rho is large, its size is |e|/rho. What is damped beyond oscillation dies out,
/// and may be stepped over.

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

  bool overdamped(ChartProblem& problem, const State& state, const ErrorScale& scale, double time,
                  double change, double rho, Counters& counters);

  Local base_, y_, error_;
  LocalRate rate_, first_, second_;
};

}  // namespace kardan
