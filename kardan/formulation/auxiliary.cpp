#include "kardan/formulation/auxiliary.h"

#include <cmath>

namespace kardan {
namespace {

/// A step of this relative size is round-off of w.
constexpr double converged = 1e-14;
constexpr int max_iterations = 20;

}  // namespace

Eval AuxiliarySolver::solve(const System& system, State& state, Workspace& ws) {
  const Sizes& n = system.sizes();
  if (n.w == 0) return Eval::ok;
  zero_.assign(n.v, 0.0);  // d does not depend on accelerations
  d_w_.resize(n.w, n.w);
  for (int iteration = 0; iteration < max_iterations; ++iteration) {
    if (Eval e = system.evaluate(state, {.force = true}, ws); e != Eval::ok) return e;
    if (Eval e = system.differentiate(state, zero_, {}, ws); e != Eval::ok) return e;
    const SparsePattern& p = *ws.aux_aux.pattern;
    d_w_.set_zero();
    for (int i = 0; i < n.w; ++i)
      for (int k = p.row_start[n.r + i]; k < p.row_start[n.r + i + 1]; ++k)
        if (p.column[k] >= n.r) d_w_(i, p.column[k] - n.r) = ws.aux_aux.values[k];
    if (Eval e = lu_.factor(d_w_); e != Eval::ok) return e;
    step_ = ws.d;
    lu_.solve(step_);
    double size = 0;
    for (int i = 0; i < n.w; ++i) {
      state.w[i] -= step_[i];
      size = std::max(size, std::abs(step_[i]) / (1 + std::abs(state.w[i])));
    }
    if (size < converged) break;
  }
  return all_finite(state.w) ? Eval::ok : Eval::recoverable;
}

}  // namespace kardan
