#include "kardan/linalg/motion/motion_matrix.h"

#include <algorithm>

namespace kardan {
namespace {

/// Calls use(i, j) for every entry.
template <class Use>
void each(const std::shared_ptr<const SparsePattern>& pattern, Use&& use) {
  if (!pattern) return;
  for (int i = 0; i < pattern->rows; ++i)
    for (int k = pattern->row_start[i]; k < pattern->row_start[i + 1]; ++k)
      use(i, pattern->column[k]);
}

/// Calls use(block, row, column) for every entry of every block, in the order of its values, with
/// its place in the whole matrix; -1 for what does not belong to it.
template <class Use>
void each_block(const MotionPatterns& p, int n, int m, Use&& use) {
  const int first = p.first_w, at_w = n + m - first;  // variable first + k stands at n + m + k
  const auto place_w = [=](int i) { return i >= first ? at_w + i : -1; };
  each(p.M, [&](int i, int j) { use(&MotionPatterns::M, i, j); });
  each(p.G, [&](int i, int j) { use(&MotionPatterns::G, n + i, j); });
  if (p.w > 0) {
    each(p.f_w, [&](int i, int j) { use(&MotionPatterns::f_w, i, place_w(j)); });
    each(p.d_w, [&](int i, int j) { use(&MotionPatterns::d_w, place_w(i), place_w(j)); });
  }
  each(p.f_lambda, [&](int i, int j) { use(&MotionPatterns::f_lambda, i, n + j); });
  each(p.d_lambda, [&](int i, int j) { use(&MotionPatterns::d_lambda, place_w(i), n + j); });
}

}  // namespace

MotionMatrix::MotionMatrix(const MotionPatterns& p)
    : n_(p.M->rows), m_(p.G->rows), w_(p.w), G_pattern_(p.G) {
  PatternBuilder builder(size(), size());
  each_block(p, n_, m_, [&](auto block, int i, int j) {
    if (i < 0 || j < 0) return;
    builder.add(i, j);
    if (block == &MotionPatterns::G) builder.add(j, i);
  });
  for (int i = n_; i < size(); ++i) builder.add(i, i);
  pattern_ = builder.build();
  const auto find = [&](int i, int j) { return i < 0 || j < 0 ? -1 : pattern_->find(i, j); };
  each_block(p, n_, m_, [&](auto block, int i, int j) {
    if (block == &MotionPatterns::M) mass_.push_back(find(i, j));
    if (block == &MotionPatterns::G) G_.push_back(find(i, j)), Gt_.push_back(find(j, i));
    if (block == &MotionPatterns::f_w) f_w_.push_back(find(i, j));
    if (block == &MotionPatterns::d_w) d_w_.push_back(find(i, j));
    if (block == &MotionPatterns::f_lambda) f_lambda_.push_back(find(i, j));
    if (block == &MotionPatterns::d_lambda) d_lambda_.push_back(find(i, j));
  });
  for (int i = 0; i < m_; ++i) diagonal_.push_back(find(n_ + i, n_ + i));
  values_.resize(pattern_->nonzeros());
  solver_ = std::make_unique<LinearSolver>(pattern_);
  if (w_ == 0 && !p.f_lambda && NullSpaceSolver::serves(n_, m_) && p.M->is_full() && p.G->is_full())
    free_.emplace(n_, m_);
}

Eval MotionMatrix::factor(const MotionValues& values, const std::vector<char>& active) {
  const bool all = std::find(active.begin(), active.end(), 0) == active.end();
  by_free_ = free_ && all && free_->factor(values.M, values.G) == Eval::ok;
  if (by_free_) return Eval::ok;
  std::fill(values_.begin(), values_.end(), 0.0);
  const auto add = [&](const std::vector<int>& places, std::span<const double> block, double sign) {
    for (std::size_t k = 0; k < places.size(); ++k)
      if (places[k] >= 0) values_[places[k]] += sign * block[k];
  };
  add(mass_, values.M, 1);
  add(f_w_, values.f_w, -1);
  add(d_w_, values.d_w, 1);
  add(f_lambda_, values.f_lambda, -1);
  add(d_lambda_, values.d_lambda, 1);
  const SparsePattern& p = *G_pattern_;
  for (int i = 0; i < m_; ++i) {
    if (!active[i]) {
      values_[diagonal_[i]] = 1;
      continue;
    }
    for (int k = p.row_start[i]; k < p.row_start[i + 1]; ++k) {
      values_[G_[k]] += values.G[k];
      values_[Gt_[k]] += values.G[k];
    }
  }
  return solver_->factor(values_);
}

}  // namespace kardan
