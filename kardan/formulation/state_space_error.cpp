/// Errors of independent coordinates as errors of all of them, weighed by their tolerances.

#include <algorithm>
#include <cmath>

#include "kardan/formulation/state_space.h"

namespace kardan {
/// The errors of all chart coordinates that go with those of x and zeta, along the constraints at
/// the end of the step (before the first step: at the base).
void StateSpace::spread_position_error(const Local& e, Vector& all) {
  const auto drift = static_cast<std::size_t>(split_.drift());
  const std::span<const double> zeta = std::span(e.z).first(drift);
  if (at_end_) {
    split_.compose(e.x, zeta, all);
    return close_error(split_.holonomic, point_.tangent.positions(), scratch_.dependent, all);
  }
  for (int j = 0; j < system_.sizes().v; ++j) {
    const double* row = nearest_->B.row(j);
    all[j] = dot({row, e.x.size()}, e.x) + dot({row + e.x.size(), drift}, zeta);
  }
}

/// The same for velocities and the errors of u.
void StateSpace::spread_velocity_error(const Vector& u, Vector& all) {
  if (at_end_) {
    split_.compose(u, {}, all);
    const int m = static_cast<int>(split_.rows.size());
    return close_error(m, *point_.tangent.velocity, scratch_.dependent_velocities, all);
  }
  for (int j = 0; j < system_.sizes().v; ++j)
    all[j] = dot({nearest_->velocities().row(j), u.size()}, u);
}

/// Adds dependent coordinates so that the first `m` rows do not change along `all`.
void StateSpace::close_error(int m, LinearSolver& solver, Vector& dependent, Vector& all) const {
  if (m == 0) return;
  const SparsePattern& p = *system_.patterns().constraint;
  for (int i = 0; i < m; ++i) {
    double sum = 0;
    for (int k = p.row_start[split_.rows[i]]; k < p.row_start[split_.rows[i] + 1]; ++k)
      sum -= point_.G[k] * all[p.column[k]];
    dependent[i] = sum;
  }
  solver.solve(dependent);
  split_.add_dependent(dependent, all);
}

void StateSpace::constrained_part(Vector& d) {
  Local& free = scratch_.free_part;
  free.resize(second_order(), split_.drift());
  split_.x_of.multiply(d, free.x);
  split_.drift_of(d, free.z);
  scratch_.errors.x.resize(d.size());
  spread_position_error(free, scratch_.errors.x);
  add_scaled(-1, scratch_.errors.x, d);
}

double StateSpace::error_norm(const Local& e, const State& state, const ErrorScale& scale) {
  scratch_.errors.resize(system_.sizes().v, system_.sizes().r);
  spread_position_error(e, scratch_.errors.x);
  spread_velocity_error(e.u, scratch_.errors.u);
  std::copy(e.z.begin() + split_.drift(), e.z.end(), scratch_.errors.z.begin());
  return error_units_.norm(scratch_.errors, state, state.v, scale);
}

}  // namespace kardan
