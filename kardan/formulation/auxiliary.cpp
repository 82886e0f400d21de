#include "kardan/formulation/auxiliary.h"

#include <cmath>
#include <utility>

#include "kardan/linalg/orientation.h"

namespace kardan {
namespace {

/// A step of this relative size is round-off of w.
constexpr double converged_auxiliary = 1e-14;
/// Above this it is none, and w was not found.
constexpr double not_found = 1e-6;
constexpr int most_auxiliary_iterations = 20;

}  // namespace

Eval AuxiliarySolver::solve(const System& system, State& state, Workspace& ws) {
  const Sizes& n = system.sizes();
  if (n.w == 0) return Eval::ok;
  zero_.assign(n.v, 0.0);  // d does not depend on accelerations
  d_w_.resize(n.w, n.w);
  double size = 0;
  for (int iteration = 0; iteration < most_auxiliary_iterations; ++iteration) {
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
    size = 0;
    for (int i = 0; i < n.w; ++i) {
      state.w[i] -= step_[i];
      size = std::max(size, std::abs(step_[i]) / (1 + std::abs(state.w[i])));
    }
    if (size < converged_auxiliary) break;
  }
  return all_finite(state.w) && size < not_found ? Eval::ok : Eval::recoverable;
}

Eval AuxiliarySolver::follow(const System& system, const State& from, State& state, Workspace& ws) {
  if (system.sizes().w == 0) return Eval::ok;
  if (&from == &state) return solve(system, state, ws);
  between_ = from;
  w_ = from.w;
  const auto move = [](double theta, const Vector& a, const Vector& b, Vector& out) {
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = a[i] + theta * (b[i] - a[i]);
  };
  int side = 0;
  const auto solve_at = [&](double theta, Vector& w) {
    between_.t = from.t + theta * (state.t - from.t);
    move(theta, from.p, state.p, between_.p);
    move(theta, from.v, state.v, between_.v);
    move(theta, from.r, state.r, between_.r);
    move(theta, from.s, state.s, between_.s);
    std::swap(between_.w, w);
    const Eval e = solve(system, between_, ws);
    std::swap(between_.w, w);
    if (e != Eval::ok) return false;
    const int here = orientation(d_w_);
    if (side == 0) side = here;
    return here == side;
  };
  if (!solve_at(0, w_) || !follower_.follow(w_, solve_at)) return Eval::recoverable;
  state.w = w_;
  return solve(system, state, ws);
}

}  // namespace kardan
