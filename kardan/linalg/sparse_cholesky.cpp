#include "kardan/linalg/sparse_cholesky.h"

#include <Eigen/OrderingMethods>
#include <Eigen/SparseCore>
#include <algorithm>
#include <cmath>
#include <numeric>

#include "kardan/base/assert.h"
#include "kardan/linalg/kernels.h"

namespace kardan {

SparseCholesky::SparseCholesky(std::shared_ptr<const SparsePattern> pattern, double dense_fill)
    : pattern_(std::move(pattern)), inverse_(pattern_->rows), work_(pattern_->rows) {
  KARDAN_ASSERT(pattern_->rows == pattern_->cols, "a symmetric matrix is square");
  find_order();
  place_values();
  analyze();
  const double n = size();
  dense_ = static_cast<double>(L_row_.size()) >= dense_fill * n * (n - 1) / 2;
  L_.resize(L_row_.size());
  filled_.resize(size());
  if (!dense_) return;
  std::iota(permutation_.begin(), permutation_.end(), 0);
  full_.resize(size(), size());
}

/// Approximate minimum degree (Amestoy, Davis, Duff 1996).
void SparseCholesky::find_order() {
  using Lower = Eigen::SparseMatrix<double>;
  std::vector<Eigen::Triplet<double>> entries;
  for (int i = 0; i < size(); ++i)
    for (int k = pattern_->row_start[i]; k < pattern_->row_start[i + 1]; ++k)
      if (pattern_->column[k] <= i) entries.emplace_back(i, pattern_->column[k], 1.0);
  Lower A(size(), size());
  A.setFromTriplets(entries.begin(), entries.end());
  Eigen::AMDOrdering<int>::PermutationType found;
  Eigen::AMDOrdering<int>()(A.selfadjointView<Eigen::Lower>(), found);
  permutation_.resize(size());
  for (int k = 0; k < size(); ++k) permutation_[k] = found.indices()[k];
}

/// Where the entries of row k of P A P' stand in the values of A.
void SparseCholesky::place_values() {
  const int n = size();
  struct Entry {
    int column, place;
  };
  std::vector<std::vector<Entry>> rows(n);
  std::vector<int> inverse(n);
  for (int k = 0; k < n; ++k) inverse[permutation_[k]] = k;
  diagonal_.assign(n, -1);
  for (int i = 0; i < n; ++i)
    for (int k = pattern_->row_start[i]; k < pattern_->row_start[i + 1]; ++k) {
      const int j = pattern_->column[k];
      if (j > i) continue;
      const int a = inverse[i], b = inverse[j];
      if (a == b)
        diagonal_[a] = k;
      else
        rows[std::max(a, b)].push_back({std::min(a, b), k});
    }
  row_start_.assign(1, 0);
  for (auto& row : rows) {
    std::sort(row.begin(), row.end(), [](Entry a, Entry b) { return a.column < b.column; });
    for (const Entry& e : row) {
      column_.push_back(e.column);
      place_.push_back(e.place);
    }
    row_start_.push_back(static_cast<int>(column_.size()));
  }
}

/// The pattern of L: the columns of its row k are reached from those of A's row k by going up the
/// elimination tree (T. A. Davis, Direct Methods for Sparse Linear Systems, 2006, section 4.1).
void SparseCholesky::analyze() {
  const int n = size();
  std::vector<int> parent(n, -1), seen(n, -1), count(n, 0);
  row_of_L_start_.assign(1, 0);
  for (int k = 0; k < n; ++k) {
    seen[k] = k;
    for (int e = row_start_[k]; e < row_start_[k + 1]; ++e)
      for (int j = column_[e]; seen[j] != k; j = parent[j]) {
        if (parent[j] < 0) parent[j] = k;
        seen[j] = k;
        row_of_L_.push_back(j);
        ++count[j];
      }
    std::sort(row_of_L_.begin() + row_of_L_start_[k], row_of_L_.end());
    row_of_L_start_.push_back(static_cast<int>(row_of_L_.size()));
  }
  L_start_.assign(n + 1, 0);
  for (int j = 0; j < n; ++j) {
    L_start_[j + 1] = L_start_[j] + count[j];
    factor_work_ += 0.5 * count[j] * (count[j] + 3.0);
  }
  L_row_.resize(row_of_L_.size());
  std::vector<int> end(L_start_.begin(), L_start_.end() - 1);
  for (int k = 0; k < n; ++k)
    for (int e = row_of_L_start_[k]; e < row_of_L_start_[k + 1]; ++e)
      L_row_[end[row_of_L_[e]]++] = k;
}

bool SparseCholesky::accept(int k, double pivot, double diagonal) {
  const double ratio = pivot / diagonal;
  if (!(pivot > 0 && ratio > smallest_pivot)) {
    failed_ = permutation_[k];
    pivot_ratio_ = 0;
    return false;
  }
  if (ratio < pivot_ratio_) {
    pivot_ratio_ = ratio;
    weakest_ = permutation_[k];
  }
  inverse_[k] = 1 / pivot;
  return std::isfinite(pivot);
}

/// Row k of L from L(0..k-1, 0..k-1) D x = A(k, 0..k-1)'.
Eval SparseCholesky::factor(std::span<const double> values) {
  KARDAN_ASSERT(static_cast<int>(values.size()) == pattern_->nonzeros(), "one value per entry");
  failed_ = -1;
  pivot_ratio_ = 1;
  if (dense_) return factor_dense(values);
  Vector& x = work_;
  std::fill(x.begin(), x.end(), 0.0);
  std::copy(L_start_.begin(), L_start_.end() - 1, filled_.begin());
  for (int k = 0; k < size(); ++k) {
    for (int e = row_start_[k]; e < row_start_[k + 1]; ++e) x[column_[e]] = values[place_[e]];
    const double diagonal = diagonal_[k] < 0 ? 0 : values[diagonal_[k]];
    double pivot = diagonal;
    for (int e = row_of_L_start_[k]; e < row_of_L_start_[k + 1]; ++e) {
      const int j = row_of_L_[e], end = filled_[j];
      const double xj = x[j];
      x[j] = 0;
      for (int p = L_start_[j]; p < end; ++p) x[L_row_[p]] -= L_[p] * xj;
      const double l = xj * inverse_[j];
      pivot -= l * xj;
      L_[end] = l;
      filled_[j] = end + 1;
    }
    if (!accept(k, pivot, diagonal)) return Eval::recoverable;
  }
  return Eval::ok;
}

Eval SparseCholesky::factor_dense(std::span<const double> values) {
  for (int k = 0; k < size(); ++k) {
    double* row = full_.row(k);
    std::fill_n(row, k + 1, 0.0);
    for (int e = pattern_->row_start[k]; e < pattern_->row_start[k + 1]; ++e)
      if (pattern_->column[e] <= k) row[pattern_->column[e]] = values[e];
    const double diagonal = row[k];
    double pivot = diagonal;
    for (int j = 0; j < k; ++j) {
      const double* other = full_.row(j);
      double sum = row[j];
      for (int i = 0; i < j; ++i) sum -= row[i] * other[i];
      row[j] = sum;  // L(k, j) D(j)
    }
    for (int j = 0; j < k; ++j) {
      const double l = row[j] * inverse_[j];
      pivot -= l * row[j];
      row[j] = l;
    }
    if (!accept(k, pivot, diagonal)) return Eval::recoverable;
  }
  return Eval::ok;
}

void SparseCholesky::solve_lower(Matrix& X) const {
  const int n = size(), width = X.cols();
  for (int j = 0; j < n; ++j) {
    if (dense_) {
      for (int k = j + 1; k < n; ++k)
        subtract_from_rows(1, &k, full_.row(k) + j, width, X.row(j), X.data());
    } else {
      const int first = L_start_[j];
      subtract_from_rows(L_start_[j + 1] - first, L_row_.data() + first, L_.data() + first, width,
                         X.row(j), X.data());
    }
  }
}

void SparseCholesky::solve_lower(std::span<double> x) {
  const int n = size();
  KARDAN_ASSERT(failed_ < 0 && static_cast<int>(x.size()) == n, "factors of the same size");
  if (dense_) {
    for (int k = 0; k < n; ++k)
      x[k] -=
          dot({full_.row(k), static_cast<std::size_t>(k)}, x.first(static_cast<std::size_t>(k)));
    return;
  }
  for (int k = 0; k < n; ++k) work_[k] = x[permutation_[k]];
  for (int j = 0; j < n; ++j)
    for (int p = L_start_[j]; p < L_start_[j + 1]; ++p) work_[L_row_[p]] -= L_[p] * work_[j];
  std::copy(work_.begin(), work_.end(), x.begin());
}

void SparseCholesky::solve_upper(std::span<double> x) {
  const int n = size();
  if (dense_) {
    for (int k = n - 1; k > 0; --k)
      add_scaled(-x[k], {full_.row(k), static_cast<std::size_t>(k)},
                 x.first(static_cast<std::size_t>(k)));
    return;
  }
  std::copy(x.begin(), x.end(), work_.begin());
  for (int j = n - 1; j >= 0; --j) {
    double sum = work_[j];
    for (int p = L_start_[j]; p < L_start_[j + 1]; ++p) sum -= L_[p] * work_[L_row_[p]];
    work_[j] = sum;
  }
  for (int k = 0; k < n; ++k) x[permutation_[k]] = work_[k];
}

void SparseCholesky::solve(std::span<double> x) {
  solve_lower(x);
  for (int k = 0; k < size(); ++k) x[k] *= inverse_[k];
  solve_upper(x);
}

}  // namespace kardan
