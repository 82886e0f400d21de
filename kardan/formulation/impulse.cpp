#include "kardan/formulation/impulse.h"

namespace kardan {
namespace {

/// The share of the gradient's own mobility that constraints must leave.
constexpr double least_mobility = 1e-12;

}  // namespace

ImpulseSolver::ImpulseSolver(const System& system)
    : system_(system), saddle_(system.patterns().mass, system.patterns().constraint) {}

Eval ImpulseSolver::rate(int event, const State& state, double& rate, Workspace& ws) {
  gradient_.assign(system_.sizes().v, 0.0);
  if (!system_.event_gradient(event, state, gradient_, ws)) return Eval::recoverable;
  rate = dot(gradient_, state.v);
  return Eval::ok;
}

Eval ImpulseSolver::apply(int event, double restitution, State& state, Workspace& ws) {
  double before = 0;
  if (Eval e = rate(event, state, before, ws); e != Eval::ok) return e;
  if (Eval e = system_.evaluate(state, Request::all(), ws); e != Eval::ok) return e;
  if (Eval e = saddle_.factor(ws.M.values, ws.G.values, Matrix(), system_.scales().mass);
      e != Eval::ok)
    return e;
  change_ = gradient_;
  reaction_.assign(system_.sizes().constraints(), 0.0);
  saddle_.solve(change_, reaction_);
  const double mobility = dot(gradient_, change_);
  if (!(mobility > least_mobility * dot(gradient_, gradient_) / system_.scales().mass))
    return Eval::recoverable;
  add_scaled(-(1 + restitution) * before / mobility, change_, state.v);
  return all_finite(state.v) ? Eval::ok : Eval::recoverable;
}

}  // namespace kardan
