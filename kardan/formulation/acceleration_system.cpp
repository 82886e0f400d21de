#include "kardan/formulation/acceleration_system.h"

#include <algorithm>

namespace kardan {
namespace {

/// Calls use(i, j, k) for every entry (i, j) with value index k.
template <class Use>
void each(const std::shared_ptr<const SparsePattern>& pattern, Use&& use) {
  if (!pattern) return;
  for (int i = 0; i < pattern->rows; ++i)
    for (int k = pattern->row_start[i]; k < pattern->row_start[i + 1]; ++k)
      use(i, pattern->column[k], k);
}

}  // namespace

AccelerationSystem::AccelerationSystem(const Equations& equations)
    : n_(equations.sizes().v),
      m_(equations.sizes().constraints()),
      r_(equations.sizes().r),
      w_(equations.sizes().w),
      multiplier_forces_(equations.sizes().multiplier_forces) {
  const Patterns& p = equations.patterns();
  PatternBuilder builder(size(), size());
  each(p.mass, [&](int i, int j, int) { builder.add(i, j); });
  each(p.constraint, [&](int i, int j, int) {
    builder.add(n_ + i, j);
    builder.add(j, n_ + i);
  });
  for (int i = 0; i < m_; ++i) builder.add(n_ + i, n_ + i);
  const int w0 = n_ + m_ - r_;  // column of auxiliary variable r_ + k is w0 + r_ + k
  if (w_ > 0) {
    each(p.force_aux, [&](int i, int j, int) {
      if (j >= r_) builder.add(i, w0 + j);
    });
    each(p.aux_aux, [&](int i, int j, int) {
      if (i >= r_ && j >= r_) builder.add(w0 + i, w0 + j);
    });
    for (int i = 0; i < w_; ++i) builder.add(n_ + m_ + i, n_ + m_ + i);
  }
  if (multiplier_forces_) {
    each(p.force_lambda, [&](int i, int j, int) { builder.add(i, n_ + j); });
    each(p.aux_lambda, [&](int i, int j, int) {
      if (i >= r_) builder.add(w0 + i, n_ + j);
    });
  }
  pattern_ = builder.build();
  auto find = [&](std::vector<int>& places, int i, int j) {
    places.push_back(pattern_->find(i, j));
  };
  each(p.mass, [&](int i, int j, int) { find(mass_, i, j); });
  each(p.constraint, [&](int i, int j, int) {
    find(G_, n_ + i, j);
    find(Gt_, j, n_ + i);
  });
  for (int i = 0; i < m_; ++i) find(diagonal_, n_ + i, n_ + i);
  // Entries that do not belong to the system have place -1.
  if (w_ > 0) {
    each(p.force_aux, [&](int i, int j, int) { find(force_w_, i, j >= r_ ? w0 + j : -1); });
    each(p.aux_aux, [&](int i, int j, int) {
      find(aux_w_, i >= r_ ? w0 + i : 0, i >= r_ && j >= r_ ? w0 + j : -1);
    });
  }
  if (multiplier_forces_) {
    each(p.force_lambda, [&](int i, int j, int) { find(force_lambda_, i, n_ + j); });
    each(p.aux_lambda, [&](int i, int j, int) {
      find(aux_lambda_, i >= r_ ? w0 + i : 0, i >= r_ ? n_ + j : -1);
    });
  }
  values_.resize(pattern_->nonzeros());
  solver_ = std::make_unique<LinearSolver>(pattern_);
  const auto dense = [](const SparsePattern& of) { return of.nonzeros() == of.rows * of.cols; };
  if (w_ == 0 && !multiplier_forces_ && NullSpaceSolver::serves(n_, m_) && dense(*p.mass) &&
      dense(*p.constraint))
    free_.emplace(n_, m_);
}

Eval AccelerationSystem::factor(const Workspace& ws, const std::vector<char>& active) {
  const bool all = std::find(active.begin(), active.end(), 0) == active.end();
  by_free_ = free_ && all && free_->factor(ws.M.values, ws.G.values) == Eval::ok;
  if (by_free_) return Eval::ok;
  std::fill(values_.begin(), values_.end(), 0.0);
  auto add = [&](const std::vector<int>& places, const SparseMatrix& A, double sign) {
    for (std::size_t k = 0; k < places.size(); ++k)
      if (places[k] >= 0) values_[places[k]] += sign * A.values[k];
  };
  add(mass_, ws.M, 1);
  add(force_w_, ws.force_aux, -1);
  add(aux_w_, ws.aux_aux, 1);
  if (multiplier_forces_) {
    add(force_lambda_, ws.force_lambda, -1);
    add(aux_lambda_, ws.aux_lambda, 1);
  }
  const SparsePattern& p = *ws.G.pattern;
  for (int i = 0; i < m_; ++i) {
    if (!active[i]) {
      values_[diagonal_[i]] = 1;
      continue;
    }
    for (int k = p.row_start[i]; k < p.row_start[i + 1]; ++k) {
      values_[G_[k]] += ws.G.values[k];
      values_[Gt_[k]] += ws.G.values[k];
    }
  }
  return solver_->factor(values_);
}

}  // namespace kardan
