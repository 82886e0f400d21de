#include "kardan/linalg/dense_lu.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <utility>

#include "kardan/linalg/condition.h"
#include "kardan/linalg/kernels.h"

namespace kardan {

namespace {

/// y -= a x
inline void subtract_scaled(double a, const double* __restrict x, double* __restrict y, int size) {
  for (int j = 0; j < size; ++j) y[j] -= a * x[j];
}

}  // namespace

Eval DenseLu::load_scaled(const Matrix& A) {
  const int n = A.rows();
  lu_.resize(n, n);
  pivot_.resize(n);
  row_scale_.resize(n);
  norm_ = 0.0;
  for (int i = 0; i < n; ++i) {
    const RowSize size = row_size(n, A.row(i));
    if (!std::isfinite(size.sum) || size.largest == 0.0) return Eval::recoverable;
    row_scale_[i] = power_of_two_scale(size.largest);
    norm_ = std::max(norm_, row_scale_[i] * size.sum);
    double* to = lu_.row(i);
    const double* from = A.row(i);
    for (int j = 0; j < n; ++j) to[j] = row_scale_[i] * from[j];
  }
  return Eval::ok;
}

Eval DenseLu::factor(const Matrix& A) {
  assert(A.rows() == A.cols());
  if (const Eval loaded = load_scaled(A); loaded != Eval::ok) return loaded;
  if (!eliminate(size(), lu_.data(), pivot_.data())) return Eval::recoverable;
  return Eval::ok;
}

void DenseLu::solve(std::span<double> x) {
  const int n = size();
  assert(static_cast<int>(x.size()) == n);
  for (int i = 0; i < n; ++i) x[i] *= row_scale_[i];
  for (int k = 0; k < n; ++k) std::swap(x[k], x[pivot_[k]]);
  substitute(n, lu_.data(), x.data());
}

void DenseLu::solve(Matrix& X) {
  const int n = size();
  const int width = X.cols();
  assert(X.rows() == n);
  for (int i = 0; i < n; ++i) {
    if (row_scale_[i] == 1) continue;
    double* row = X.row(i);
    for (int j = 0; j < width; ++j) row[j] *= row_scale_[i];
  }
  for (int k = 0; k < n; ++k) {
    if (pivot_[k] != k) std::swap_ranges(X.row(k), X.row(k) + width, X.row(pivot_[k]));
  }
  substitute(n, lu_.data(), width, X.data());
}

void DenseLu::solve_transposed(std::span<double> x) {
  const int n = size();
  assert(static_cast<int>(x.size()) == n);
  for (int k = 0; k < n; ++k) {
    const double* row = lu_.row(k);
    x[k] /= row[k];
    subtract_scaled(x[k], row + k + 1, x.data() + k + 1, n - k - 1);
  }
  for (int k = n - 1; k > 0; --k) subtract_scaled(x[k], lu_.row(k), x.data(), k);
  for (int k = n - 1; k >= 0; --k) std::swap(x[k], x[pivot_[k]]);
  for (int i = 0; i < n; ++i) x[i] *= row_scale_[i];
}

double DenseLu::pivot_ratio() const {
  double least = size() == 0 ? 1.0 : std::abs(lu_(0, 0));
  for (int k = 1; k < size(); ++k) least = std::min(least, std::abs(lu_(k, k)));
  return least;
}

double DenseLu::rcond() {
  const auto n = static_cast<std::size_t>(size());
  if (n == 0) return 1.0;
  scratch_.resize(n);
  signs_.resize(n);
  return row_scaled_rcond(
      norm_, row_scale_, [this](std::span<double> x) { solve(x); },
      [this](std::span<double> x) { solve_transposed(x); }, scratch_, signs_);
}

}  // namespace kardan
