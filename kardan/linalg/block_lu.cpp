#include "kardan/linalg/block_lu.h"

#include <klu.h>

#include <algorithm>
#include <cassert>
#include <cmath>
#include <utility>

#include "kardan/linalg/condition.h"
#include "kardan/linalg/kernels.h"

namespace kardan {

Eval BlockLu::analyze(std::shared_ptr<const SparsePattern> pattern, int largest_wanted) {
  blocks_.clear();
  largest_ = 0;
  if (!pattern || pattern->rows != pattern->cols) return Eval::fatal;
  pattern_ = std::move(pattern);
  const int n = size();
  if (n == 0) return Eval::ok;
  // KLU reads our rows as columns, so that it orders A': A(Q, P) is lower block triangular.
  klu_common common;
  klu_defaults(&common);
  klu_symbolic* symbolic = klu_analyze(n, const_cast<int*>(pattern_->row_start.data()),
                                       const_cast<int*>(pattern_->column.data()), &common);
  if (symbolic == nullptr) return Eval::fatal;
  const bool singular = symbolic->structural_rank < n;
  std::vector<int> block_of(n), place(n);  // of the columns of A
  if (!singular) {
    blocks_.resize(symbolic->nblocks);
    for (int b = 0; b < symbolic->nblocks; ++b)
      for (int k = symbolic->R[b]; k < symbolic->R[b + 1]; ++k) {
        blocks_[b].rows.push_back(symbolic->Q[k]);
        blocks_[b].columns.push_back(symbolic->P[k]);
        block_of[symbolic->P[k]] = b;
        place[symbolic->P[k]] = k - symbolic->R[b];
      }
  }
  klu_free_symbolic(&symbolic, &common);
  if (singular) return Eval::recoverable;
  for (const Block& block : blocks_)
    largest_ = std::max(largest_, static_cast<int>(block.rows.size()));
  if (largest_ > largest_wanted) {
    blocks_.clear();
    return Eval::recoverable;
  }
  for (std::size_t b = 0; b < blocks_.size(); ++b) {
    Block& block = blocks_[b];
    const int count = static_cast<int>(block.rows.size());
    block.A.resize(count, count);
    block.x.resize(count);
    for (int r = 0; r < count; ++r)
      for (int k = pattern_->row_start[block.rows[r]]; k < pattern_->row_start[block.rows[r] + 1];
           ++k) {
        const int column = pattern_->column[k];
        if (block_of[column] == static_cast<int>(b))
          block.inside.push_back({r, place[column], k});
        else
          block.left.push_back({r, column, k});
      }
  }
  for (Vector* x : {&b_, &x_, &signs_, &row_scale_}) x->resize(n);
  return Eval::ok;
}

Eval BlockLu::factor(std::span<const double> values) {
  assert(static_cast<int>(values.size()) == pattern_->nonzeros());
  if (static_cast<int>(blocks_.size()) == 0) return size() == 0 ? Eval::ok : Eval::recoverable;
  values_.assign(values.begin(), values.end());
  if (!all_finite(values)) return Eval::recoverable;
  for (Block& block : blocks_) {
    block.A.set_zero();
    for (const Entry& e : block.inside) block.A(e.row, e.column) = values[e.value];
    if (Eval result = block.lu.factor(block.A); result != Eval::ok) return result;
  }
  return Eval::ok;
}

void BlockLu::solve(std::span<double> x) {
  assert(static_cast<int>(x.size()) == size());
  std::copy(x.begin(), x.end(), b_.begin());
  for (Block& block : blocks_) {
    const std::size_t count = block.rows.size();
    for (std::size_t r = 0; r < count; ++r) block.x[r] = b_[block.rows[r]];
    for (const Entry& e : block.left) block.x[e.row] -= values_[e.value] * x[e.column];
    block.lu.solve(block.x);
    for (std::size_t r = 0; r < count; ++r) x[block.columns[r]] = block.x[r];
  }
}

void BlockLu::solve(Matrix& X) {
  assert(X.rows() == size());
  const auto width = static_cast<std::size_t>(X.cols());
  for (Block& block : blocks_) {
    const int count = static_cast<int>(block.rows.size());
    block.X.resize(count, X.cols());
    for (int r = 0; r < count; ++r) std::copy_n(X.row(block.rows[r]), width, block.X.row(r));
  }
  for (Block& block : blocks_) {
    const int count = static_cast<int>(block.rows.size());
    for (std::size_t k = 0; k < block.left.size();) {
      const int row = block.left[k].row;
      RowSum sum(X.cols(), block.X.row(row));
      for (; k < block.left.size() && block.left[k].row == row; ++k)
        if (const double a = values_[block.left[k].value]; a != 0)
          sum.add(-a, X.row(block.left[k].column));
    }
    block.lu.solve(block.X);
    for (int r = 0; r < count; ++r) std::copy_n(block.X.row(r), width, X.row(block.columns[r]));
  }
}

void BlockLu::solve_transposed(std::span<double> x) {
  assert(static_cast<int>(x.size()) == size());
  std::copy(x.begin(), x.end(), b_.begin());
  for (auto block = blocks_.rbegin(); block != blocks_.rend(); ++block) {
    const std::size_t count = block->rows.size();
    for (std::size_t r = 0; r < count; ++r) block->x[r] = b_[block->columns[r]];
    block->lu.solve_transposed(block->x);
    for (std::size_t r = 0; r < count; ++r) x[block->rows[r]] = block->x[r];
    for (const Entry& e : block->left) b_[e.column] -= values_[e.value] * block->x[e.row];
  }
}

/// D and ||DA||.
void BlockLu::scale_rows(std::span<const double> values) {
  norm_ = 0.0;
  for (int i = 0; i < size(); ++i) {
    double largest = 0.0, sum = 0.0;
    for (int k = pattern_->row_start[i]; k < pattern_->row_start[i + 1]; ++k) {
      largest = std::max(largest, std::abs(values[k]));
      sum += std::abs(values[k]);
    }
    row_scale_[i] = power_of_two_scale(largest);
    norm_ = std::max(norm_, row_scale_[i] * sum);
  }
}

double BlockLu::rcond() {
  if (size() == 0) return 1.0;
  scale_rows(values_);
  return row_scaled_rcond(
      norm_, row_scale_, [this](std::span<double> x) { solve(x); },
      [this](std::span<double> x) { solve_transposed(x); }, x_, signs_);
}

}  // namespace kardan
