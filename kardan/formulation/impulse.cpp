#include "kardan/formulation/impulse.h"

#include <algorithm>
#include <cmath>

#include "kardan/formulation/residuals.h"

namespace kardan {
namespace {

/// The share of the gradient's own mobility that constraints must leave.
constexpr double least_mobility = 1e-12;
/// Of the impulse: what a stop at rest may pull by rounding.
constexpr double no_pull = 1e-12;

}  // namespace

ImpulseSolver::ImpulseSolver(const System& system, const System& stops)
    : system_(system),
      stops_(stops),
      first_(system.sizes().lambda),
      count_(stops.sizes().lambda - system.sizes().lambda),
      ws_(stops.make_workspace()),
      own_(system.make_workspace()) {}

Eval ImpulseSolver::look(const State& state) {
  return stops_.evaluate(fitted(stops_, state), {.position = true, .velocity = true}, *ws_);
}

std::vector<int> ImpulseSolver::row_of(int stop) const {
  const SparsePattern& p = *stops_.patterns().constraint;
  return {p.column.begin() + p.row_start[first_ + stop],
          p.column.begin() + p.row_start[first_ + stop + 1]};
}

/// Full rows of the stops at rest.
void ImpulseSolver::load(std::span<const int> resting) {
  const SparsePattern& p = *stops_.patterns().constraint;
  rows_ = Matrix(static_cast<int>(resting.size()), system_.sizes().v);
  for (std::size_t i = 0; i < resting.size(); ++i) {
    const int row = first_ + resting[i];
    for (int k = p.row_start[row]; k < p.row_start[row + 1]; ++k)
      rows_(static_cast<int>(i), p.column[k]) = ws_->G.values[k];
  }
}

Eval ImpulseSolver::apply(int stop, double restitution, State& state) {
  if (Eval e = look(state); e != Eval::ok) return e;
  if (Eval e = system_.evaluate(fitted(system_, state), Request::all(), *own_); e != Eval::ok)
    return e;
  const int n = system_.sizes().v, m = system_.sizes().constraints();
  load(std::span(&stop, 1));
  gradient_.assign(n, 0.0);
  for (int c = 0; c < n; ++c) gradient_[c] = rows_(0, c);
  std::vector<int> resting;
  for (int i = 0; i < count_; ++i)
    if (i != stop && state.modes[system_.impulses()[i].mode] != 0) resting.push_back(i);
  for (;;) {
    std::vector<std::vector<int>> columns;
    columns.reserve(resting.size());
    for (int i : resting) columns.push_back(row_of(i));
    Saddle saddle(system_.patterns().mass, system_.patterns().constraint, std::move(columns));
    load(resting);
    if (Eval e = saddle.factor(own_->M.values, own_->G.values, rows_, system_.scales().mass);
        e != Eval::ok)
      return e;
    change_ = gradient_;
    reaction_.assign(m + resting.size(), 0.0);
    saddle.solve(change_, reaction_);
    const double mobility = dot(gradient_, change_);
    const double P = -(1 + restitution) * rate(stop) / mobility;
    // The one that would pull most.
    std::size_t worst = resting.size();
    double most = no_pull * norm_max(reaction_) * std::abs(P);
    for (std::size_t i = 0; i < resting.size(); ++i) {
      const double pull = state.modes[system_.impulses()[resting[i]].mode] * P * reaction_[m + i];
      if (pull <= most) continue;
      most = pull;
      worst = i;
    }
    if (worst < resting.size()) {
      resting.erase(resting.begin() + static_cast<std::ptrdiff_t>(worst));
      continue;
    }
    if (!(mobility > least_mobility * dot(gradient_, gradient_) / system_.scales().mass))
      return Eval::recoverable;
    add_scaled(P, change_, state.v);
    return all_finite(state.v) ? Eval::ok : Eval::recoverable;
  }
}

}  // namespace kardan
