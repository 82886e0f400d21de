#include "kardan/linalg/dense_lu.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <utility>

#include "kardan/linalg/condition.h"
#include "kardan/linalg/kernels.h"

namespace kardan {

namespace {

// Columns eliminated together: the trailing matrix is read and written once per panel instead of
// once per column, which is what bounds the speed at the sizes of mechanisms.
constexpr int panel_width = 4;

/// y -= a x
inline void subtract_scaled(double a, const double* __restrict x, double* __restrict y, int size) {
  for (int j = 0; j < size; ++j) y[j] -= a * x[j];
}

/// x . y with four partial sums: a fixed order that the compiler may vectorise.
inline double dot_product(const double* __restrict x, const double* __restrict y, int size) {
  double s0 = 0.0, s1 = 0.0, s2 = 0.0, s3 = 0.0;
  int j = 0;
  for (; j + 4 <= size; j += 4) {
    s0 += x[j] * y[j];
    s1 += x[j + 1] * y[j + 1];
    s2 += x[j + 2] * y[j + 2];
    s3 += x[j + 3] * y[j + 3];
  }
  for (; j < size; ++j) s0 += x[j] * y[j];
  return (s0 + s1) + (s2 + s3);
}

/// y -= l[0] u0 + l[1] u1 + l[2] u2 + l[3] u3 for two rows y at once.
inline void update_two_rows(const double* l_a, const double* l_b, const double* __restrict u0,
                            const double* __restrict u1, const double* __restrict u2,
                            const double* __restrict u3, double* __restrict y_a,
                            double* __restrict y_b, int size) {
  const double a0 = l_a[0], a1 = l_a[1], a2 = l_a[2], a3 = l_a[3];
  const double b0 = l_b[0], b1 = l_b[1], b2 = l_b[2], b3 = l_b[3];
  for (int j = 0; j < size; ++j) {
    y_a[j] -= (a0 * u0[j] + a1 * u1[j]) + (a2 * u2[j] + a3 * u3[j]);
    y_b[j] -= (b0 * u0[j] + b1 * u1[j]) + (b2 * u2[j] + b3 * u3[j]);
  }
}

inline void update_row(const double* l, const double* __restrict u0, const double* __restrict u1,
                       const double* __restrict u2, const double* __restrict u3,
                       double* __restrict y, int size) {
  const double a0 = l[0], a1 = l[1], a2 = l[2], a3 = l[3];
  for (int j = 0; j < size; ++j) y[j] -= (a0 * u0[j] + a1 * u1[j]) + (a2 * u2[j] + a3 * u3[j]);
}

/// Eliminates the columns [begin, end) below the diagonal, within those columns only; row
/// exchanges are applied to whole rows. False at an exact zero (or non-finite) pivot.
bool factor_panel(Matrix& lu, int begin, int end, std::vector<int>& pivot) {
  const int n = lu.rows();
  for (int k = begin; k < end; ++k) {
    int place = k;
    double largest = std::abs(lu(k, k));
    for (int i = k + 1; i < n; ++i) {
      const double candidate = std::abs(lu(i, k));
      if (candidate > largest) largest = candidate, place = i;
    }
    if (!(largest > 0.0) || !std::isfinite(largest)) return false;
    pivot[k] = place;
    if (place != k) std::swap_ranges(lu.row(k), lu.row(k) + n, lu.row(place));
    const double* pivot_row = lu.row(k);
    const double inverse = 1.0 / pivot_row[k];
    const bool invertible = std::isfinite(inverse);
    for (int i = k + 1; i < n; ++i) {
      double* row = lu.row(i);
      row[k] = invertible ? row[k] * inverse : row[k] / pivot_row[k];
      for (int j = k + 1; j < end; ++j) row[j] -= row[k] * pivot_row[j];
    }
  }
  return true;
}

/// Rows [begin, end) of U right of the panel, then the Schur complement below.
void update_trailing(Matrix& lu, int begin, int end) {
  const int n = lu.rows();
  const int width = n - end;
  for (int k = begin; k < end; ++k) {
    for (int i = k + 1; i < end; ++i) {
      subtract_scaled(lu(i, k), lu.row(k) + end, lu.row(i) + end, width);
    }
  }
  if (end - begin < panel_width) return;  // the last panel reaches the last column
  const double* u0 = lu.row(begin) + end;
  const double* u1 = lu.row(begin + 1) + end;
  const double* u2 = lu.row(begin + 2) + end;
  const double* u3 = lu.row(begin + 3) + end;
  int i = end;
  for (; i + 2 <= n; i += 2) {
    double* a = lu.row(i);
    double* b = lu.row(i + 1);
    update_two_rows(a + begin, b + begin, u0, u1, u2, u3, a + end, b + end, width);
  }
  if (i < n) {
    double* a = lu.row(i);
    update_row(a + begin, u0, u1, u2, u3, a + end, width);
  }
}

}  // namespace

Eval DenseLu::load_scaled(const Matrix& A) {
  const int n = A.rows();
  lu_.resize(n, n);
  pivot_.resize(n);
  row_scale_.resize(n);
  rows_.resize(n);
  minus_.resize(n);
  norm_ = 0.0;
  if (!all_finite(A.values())) return Eval::recoverable;
  for (int i = 0; i < n; ++i) {
    const double* from = A.row(i);
    const double largest = norm_max({from, static_cast<std::size_t>(n)});
    if (largest == 0.0) return Eval::recoverable;
    const double scale = power_of_two_scale(largest);
    row_scale_[i] = scale;
    double* to = lu_.row(i);
    double sum = 0.0;
    for (int j = 0; j < n; ++j) {
      to[j] = scale * from[j];
      sum += std::abs(to[j]);
    }
    norm_ = std::max(norm_, sum);
  }
  return Eval::ok;
}

bool DenseLu::eliminate() {
  const int n = lu_.rows();
  for (int begin = 0; begin < n; begin += panel_width) {
    const int end = std::min(begin + panel_width, n);
    if (!factor_panel(lu_, begin, end, pivot_)) return false;
    update_trailing(lu_, begin, end);
  }
  return true;
}

Eval DenseLu::factor(const Matrix& A) {
  assert(A.rows() == A.cols());
  if (const Eval loaded = load_scaled(A); loaded != Eval::ok) return loaded;
  return eliminate() ? Eval::ok : Eval::recoverable;
}

void DenseLu::solve(std::span<double> x) {
  const int n = size();
  assert(static_cast<int>(x.size()) == n);
  for (int i = 0; i < n; ++i) x[i] *= row_scale_[i];
  for (int k = 0; k < n; ++k) std::swap(x[k], x[pivot_[k]]);
  for (int i = 1; i < n; ++i) x[i] -= dot_product(lu_.row(i), x.data(), i);
  for (int i = n - 1; i >= 0; --i) {
    const double* row = lu_.row(i);
    x[i] = (x[i] - dot_product(row + i + 1, x.data() + i + 1, n - i - 1)) / row[i];
  }
}

void DenseLu::solve(Matrix& X) {
  const int n = size();
  const int width = X.cols();
  assert(X.rows() == n);
  for (int i = 0; i < n; ++i) {
    double* row = X.row(i);
    for (int j = 0; j < width; ++j) row[j] *= row_scale_[i];
  }
  for (int k = 0; k < n; ++k) {
    if (pivot_[k] != k) std::swap_ranges(X.row(k), X.row(k) + width, X.row(pivot_[k]));
  }
  for (int k = 0; k < n; ++k) rows_[k] = X.row(k);
  for (int i = 1; i < n; ++i) {
    for (int k = 0; k < i; ++k) minus_[k] = -lu_(i, k);
    add_combination(i, minus_.data(), rows_.data(), width, X.row(i));
  }
  for (int i = n - 1; i >= 0; --i) {
    double* row = X.row(i);
    for (int k = i + 1; k < n; ++k) minus_[k] = -lu_(i, k);
    add_combination(n - i - 1, minus_.data() + i + 1, rows_.data() + i + 1, width, row);
    const double diagonal = lu_(i, i);
    for (int j = 0; j < width; ++j) row[j] /= diagonal;
  }
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
