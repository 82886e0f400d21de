#include "kardan/formulation/tangent.h"

#include <algorithm>

namespace kardan {

DependentBlocks::DependentBlocks(const Parametrization& split, const SparsePattern& constraint)
    : split_(&split) {
  const int m = static_cast<int>(split.rows.size());
  velocity_ = DependentBlock(split, constraint, m);
  velocity_values_.resize(velocity_.pattern()->nonzeros());
  if (split.drift() > 0) {
    position_ = DependentBlock(split, constraint, split.holonomic);
    position_values_.resize(position_.pattern()->nonzeros());
    free_velocity_ = FreeBlock(split, constraint, m, split.free_velocities());
  }
  free_ = FreeBlock(split, constraint, split.holonomic, split.free_positions());
}

void DependentBlocks::prepare(Tangent& tangent) const {
  tangent.B.resize(0, 0);  // other coordinates are free now
  tangent.velocity = std::make_unique<LinearSolver>(velocity_.pattern());
  tangent.position.reset();
  if (split_->drift() > 0) tangent.position = std::make_unique<LinearSolver>(position_.pattern());
}

Eval DependentBlocks::factor_near(const Tangent& base, const Vector& G, Tangent& tangent) {
  tangent.velocity->adopt_pivots(*base.velocity);
  if (tangent.position) tangent.position->adopt_pivots(*base.position);
  return factor(G, tangent);
}

Eval DependentBlocks::factor(const Vector& G, Tangent& tangent) {
  velocity_.gather(G, velocity_values_);
  if (Eval e = tangent.velocity->factor(velocity_values_); e != Eval::ok) return e;
  if (!tangent.position) return Eval::ok;
  position_.gather(G, position_values_);
  return tangent.position->factor(position_values_);
}

void DependentBlocks::expand(const Vector& G, const Vector& g_t, Tangent& tangent) const {
  const Parametrization& split = *split_;
  const int n = split.free_positions(), m = split.holonomic, nv = split.X.rows();
  free_.gather(G, tangent.H);
  tangent.H_t.resize(m);
  for (int i = 0; i < m; ++i) tangent.H_t[i] = -g_t[split.rows[i]];
  if (m > 0) {
    tangent.positions().solve(tangent.H);
    if (norm_max(tangent.H_t) > 0) tangent.positions().solve(tangent.H_t);
  }
  const bool picked = !split.dependent_coordinates.empty();
  if (!picked || tangent.B.rows() == 0) {
    tangent.B.resize(nv, n);
    split.free_columns(tangent.B);
  }
  if (picked)
    for (int k = 0; k < m; ++k)
      std::copy_n(tangent.H.row(k), n, tangent.B.row(split.dependent_coordinates[k]));
  else
    split.add_dependent(tangent.H, tangent.B);
  if (split.drift() == 0) return;
  free_velocity_.gather(G, tangent.H_u);
  tangent.velocity->solve(tangent.H_u);
  tangent.U.resize(nv, split.free_velocities());
  split.free_columns(tangent.U);
  split.add_dependent(tangent.H_u, tangent.U);
}

double DependentBlocks::length(const Tangent& tangent) const {
  const double positions = split_->length(tangent.H);
  return split_->drift() == 0 ? positions : std::max(positions, split_->length(tangent.H_u));
}

double DependentBlocks::regularity(Tangent& tangent) const {
  return split_->holonomic > 0 ? tangent.positions().pivot_ratio() : 1;
}

}  // namespace kardan
