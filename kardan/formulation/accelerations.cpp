#include "kardan/formulation/accelerations.h"

#include "kardan/formulation/coupled_accelerations.h"

namespace kardan {

Eval AccelerationSolver::solve(State& state, Vector& a, Vector& lambda, Workspace& ws) {
  if (system_.sizes().multiplier_forces)
    return solve_coupled_accelerations(system_, state, a, lambda, ws);
  if (Eval e = auxiliaries_.solve(system_, state, ws); e != Eval::ok) return e;
  if (Eval e = system_.evaluate(state, Request::all(), ws); e != Eval::ok) return e;
  if (!saddle_) saddle_.emplace(system_.patterns().mass, system_.patterns().constraint);
  if (Eval e = saddle_->factor(ws.M.values, ws.G.values, Matrix(), system_.scales().mass);
      e != Eval::ok)
    return e;
  a = ws.f;
  lambda = ws.gamma;
  saddle_->solve(a, lambda);
  return all_finite(a) ? Eval::ok : Eval::recoverable;
}

Eval solve_accelerations(const System& system, State& state, Vector& a, Vector& lambda,
                         Workspace& ws) {
  a.assign(system.sizes().v, 0.0);
  lambda.assign(system.sizes().constraints(), 0.0);
  return AccelerationSolver(system).solve(state, a, lambda, ws);
}

}  // namespace kardan
