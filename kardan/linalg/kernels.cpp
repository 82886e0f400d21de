#include "kardan/linalg/kernels.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

#include "kardan/base/stop.h"
#include "kardan/linalg/dispatch.h"

namespace kardan {
namespace {

/// Neighbouring columns; loads and stores need no alignment.
template <int W>
struct Columns {
  using Type __attribute__((vector_size(W * sizeof(double)), aligned(sizeof(double)))) = double;
};
template <int W>
using Wide = typename Columns<W>::Type;

/// N times W columns from y on: the sums stay in registers.
template <int W, int N>
KARDAN_INLINE void add_columns(int count, const double* c, const double* const* rows, int j,
                               double* y) {
  Wide<W>* out = reinterpret_cast<Wide<W>*>(y + j);
  Wide<W> sum[N];
  for (int e = 0; e < N; ++e) sum[e] = out[e];
  for (int k = 0; k < count; ++k) {
    const Wide<W>* x = reinterpret_cast<const Wide<W>*>(rows[k] + j);
    for (int e = 0; e < N; ++e) sum[e] += c[k] * x[e];
  }
  for (int e = 0; e < N; ++e) out[e] = sum[e];
}

/// The same with rows that follow each other, subtracted.
template <int W, int N>
KARDAN_INLINE void subtract_columns(int count, const double* c, const double* x, int width, int j,
                                    double* y) {
  Wide<W>* out = reinterpret_cast<Wide<W>*>(y + j);
  Wide<W> sum[N];
  for (int e = 0; e < N; ++e) sum[e] = out[e];
  x += j;
  for (int k = 0; k < count; ++k, x += width)
    for (int e = 0; e < N; ++e) sum[e] -= c[k] * reinterpret_cast<const Wide<W>*>(x)[e];
  for (int e = 0; e < N; ++e) out[e] = sum[e];
}

/// The same with rows of X that are listed.
template <int W, int N>
KARDAN_INLINE void subtract_listed_columns(int count, const double* c, const int* row,
                                           const double* X, std::ptrdiff_t width, int j,
                                           double* y) {
  Wide<W>* out = reinterpret_cast<Wide<W>*>(y + j);
  Wide<W> sum[N];
  for (int e = 0; e < N; ++e) sum[e] = out[e];
  X += j;
  for (int k = 0; k < count; ++k) {
    const Wide<W>* x = reinterpret_cast<const Wide<W>*>(X + row[k] * width);
    for (int e = 0; e < N; ++e) sum[e] -= c[k] * x[e];
  }
  for (int e = 0; e < N; ++e) out[e] = sum[e];
}

KARDAN_INLINE void subtract_listed(int count, const double* c, const int* row, const double* X,
                                   int width, double* y) {
  if (count == 0) return;
  int j = 0;
  for (; j + 16 <= width; j += 16) subtract_listed_columns<4, 4>(count, c, row, X, width, j, y);
  if (j + 8 <= width) {
    subtract_listed_columns<4, 2>(count, c, row, X, width, j, y);
    j += 8;
  }
  if (j + 4 <= width) {
    subtract_listed_columns<4, 1>(count, c, row, X, width, j, y);
    j += 4;
  }
  if (j + 2 <= width) {
    subtract_listed_columns<2, 1>(count, c, row, X, width, j, y);
    j += 2;
  }
  if (j == width) return;
  double sum = y[j];
  for (int k = 0; k < count; ++k) sum -= c[k] * X[row[k] * static_cast<std::ptrdiff_t>(width) + j];
  y[j] = sum;
}

KARDAN_INLINE void subtract_combination(int count, const double* c, const double* x, int width,
                                        double* y) {
  int j = 0;
  for (; j + 16 <= width; j += 16) subtract_columns<4, 4>(count, c, x, width, j, y);
  if (j + 8 <= width) {
    subtract_columns<4, 2>(count, c, x, width, j, y);
    j += 8;
  }
  if (j + 4 <= width) {
    subtract_columns<4, 1>(count, c, x, width, j, y);
    j += 4;
  }
  if (j + 2 <= width) {
    subtract_columns<2, 1>(count, c, x, width, j, y);
    j += 2;
  }
  if (j == width) return;
  double sum = y[j];
  for (int k = 0; k < count; ++k) sum -= c[k] * x[k * static_cast<std::ptrdiff_t>(width) + j];
  y[j] = sum;
}

/// Row i of an n x n matrix.
KARDAN_INLINE double* row_of(double* lu, int n, int i) {
  return lu + static_cast<std::ptrdiff_t>(i) * n;
}

// Columns eliminated together: the trailing matrix is read and written once per panel instead of
// once per column, which is what bounds the speed at the sizes of mechanisms.
constexpr int panel_width = 4;

/// y -= a x
KARDAN_INLINE void subtract_scaled(double a, const double* __restrict x, double* __restrict y,
                                   int size) {
  for (int j = 0; j < size; ++j) y[j] -= a * x[j];
}

/// y *= a
KARDAN_INLINE void scale(double a, int size, double* y) {
  int j = 0;
  for (; j + 4 <= size; j += 4) *reinterpret_cast<Wide<4>*>(y + j) *= a;
  for (; j < size; ++j) y[j] *= a;
}

/// x . y with four partial sums: a fixed order.
KARDAN_INLINE double dot_product(const double* __restrict x, const double* __restrict y, int size) {
  Wide<4> sum = {};
  int j = 0;
  for (; j + 4 <= size; j += 4)
    sum += *reinterpret_cast<const Wide<4>*>(x + j) * *reinterpret_cast<const Wide<4>*>(y + j);
  for (; j < size; ++j) sum[0] += x[j] * y[j];
  return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

/// y -= l[0] u0 + l[1] u1 + l[2] u2 + l[3] u3 for two rows y at once.
KARDAN_INLINE void update_two_rows(const double* l_a, const double* l_b,
                                   const double* __restrict u0, const double* __restrict u1,
                                   const double* __restrict u2, const double* __restrict u3,
                                   double* __restrict y_a, double* __restrict y_b, int size) {
  const double a0 = l_a[0], a1 = l_a[1], a2 = l_a[2], a3 = l_a[3];
  const double b0 = l_b[0], b1 = l_b[1], b2 = l_b[2], b3 = l_b[3];
  for (int j = 0; j < size; ++j) {
    y_a[j] -= (a0 * u0[j] + a1 * u1[j]) + (a2 * u2[j] + a3 * u3[j]);
    y_b[j] -= (b0 * u0[j] + b1 * u1[j]) + (b2 * u2[j] + b3 * u3[j]);
  }
}

KARDAN_INLINE void update_row(const double* l, const double* __restrict u0,
                              const double* __restrict u1, const double* __restrict u2,
                              const double* __restrict u3, double* __restrict y, int size) {
  const double a0 = l[0], a1 = l[1], a2 = l[2], a3 = l[3];
  for (int j = 0; j < size; ++j) y[j] -= (a0 * u0[j] + a1 * u1[j]) + (a2 * u2[j] + a3 * u3[j]);
}

/// Eliminates the columns [begin, end) below the diagonal, within those columns only; row
/// exchanges are applied to whole rows. False at an exact zero (or non-finite) pivot.
KARDAN_INLINE bool factor_panel(int n, double* lu, int begin, int end, int* pivot) {
  for (int k = begin; k < end; ++k) {
    int place = k;
    double largest = std::abs(row_of(lu, n, k)[k]);
    for (int i = k + 1; i < n; ++i) {
      const double candidate = std::abs(row_of(lu, n, i)[k]);
      if (candidate > largest) largest = candidate, place = i;
    }
    if (!(largest > 0.0) || !std::isfinite(largest)) return false;
    pivot[k] = place;
    if (place != k) std::swap_ranges(row_of(lu, n, k), row_of(lu, n, k) + n, row_of(lu, n, place));
    const double* pivot_row = row_of(lu, n, k);
    const double inverse = 1.0 / pivot_row[k];
    const bool invertible = std::isfinite(inverse);
    for (int i = k + 1; i < n; ++i) {
      double* row = row_of(lu, n, i);
      row[k] = invertible ? row[k] * inverse : row[k] / pivot_row[k];
      for (int j = k + 1; j < end; ++j) row[j] -= row[k] * pivot_row[j];
    }
  }
  return true;
}

/// Rows [begin, end) of U right of the panel, then the Schur complement below.
KARDAN_INLINE void update_trailing(int n, double* lu, int begin, int end) {
  const int width = n - end;
  for (int k = begin; k < end; ++k) {
    for (int i = k + 1; i < end; ++i) {
      subtract_scaled(row_of(lu, n, i)[k], row_of(lu, n, k) + end, row_of(lu, n, i) + end, width);
    }
  }
  if (end - begin < panel_width) return;  // the last panel reaches the last column
  const double* u0 = row_of(lu, n, begin) + end;
  const double* u1 = row_of(lu, n, begin + 1) + end;
  const double* u2 = row_of(lu, n, begin + 2) + end;
  const double* u3 = row_of(lu, n, begin + 3) + end;
  int i = end;
  for (; i + 2 <= n; i += 2) {
    double* a = row_of(lu, n, i);
    double* b = row_of(lu, n, i + 1);
    update_two_rows(a + begin, b + begin, u0, u1, u2, u3, a + end, b + end, width);
  }
  if (i < n) {
    double* a = row_of(lu, n, i);
    update_row(a + begin, u0, u1, u2, u3, a + end, width);
  }
}

}  // namespace

namespace {

KARDAN_INLINE void add_listed(int count, const double* c, const double* const* rows, int width,
                              double* y) {
  int j = 0;
  for (; j + 16 <= width; j += 16) add_columns<4, 4>(count, c, rows, j, y);
  if (j + 8 <= width) {
    add_columns<4, 2>(count, c, rows, j, y);
    j += 8;
  }
  if (j + 4 <= width) {
    add_columns<4, 1>(count, c, rows, j, y);
    j += 4;
  }
  if (j + 2 <= width) {
    add_columns<2, 1>(count, c, rows, j, y);
    j += 2;
  }
  if (j == width) return;
  double sum = y[j];
  for (int k = 0; k < count; ++k) sum += c[k] * rows[k][j];
  y[j] = sum;
}

}  // namespace

KARDAN_DISPATCHED
void add_combination(int count, const double* c, const double* const* rows, int width, double* y) {
  add_listed(count, c, rows, width, y);
}

namespace {

/// `rows`: which rows of A, or null for all of them.
KARDAN_INLINE void add_sparse_products(double factor, const SparseMatrix& A, const int* rows,
                                       int count, const Matrix& X, Matrix& Y) {
  constexpr int most = 48;
  const SparsePattern& p = *A.pattern;
  const int width = X.cols();
  double c[most];
  const double* x[most];
  for (int i = 0; i < count; ++i) {
    const int row = rows ? rows[i] : i;
    int terms = 0;
    for (int k = p.row_start[row]; k < p.row_start[row + 1]; ++k) {
      const double value = A.values[k];
      if (value == 0) continue;
      if (terms == most) {
        add_listed(terms, c, x, width, Y.row(i));
        terms = 0;
      }
      c[terms] = factor * value;
      x[terms++] = X.row(p.column[k]);
    }
    add_listed(terms, c, x, width, Y.row(i));
  }
}

}  // namespace

KARDAN_DISPATCHED
void add_products(double factor, const SparseMatrix& A, std::span<const int> rows, const Matrix& X,
                  Matrix& Y) {
  add_sparse_products(factor, A, rows.data(), static_cast<int>(rows.size()), X, Y);
}

KARDAN_DISPATCHED
void add_products(double factor, const SparseMatrix& A, const Matrix& X, Matrix& Y) {
  add_sparse_products(factor, A, nullptr, A.rows(), X, Y);
}

namespace {

constexpr int largest_small = 32;

/// Eliminates column by column: at these sizes panels cost more than they save, and the matrices of
/// mechanisms have zeros to skip.
KARDAN_INLINE bool eliminate_small(int n, double* lu, int* pivot) {
  for (int k = 0; k < n; ++k) {
    int place = k;
    double largest = std::abs(row_of(lu, n, k)[k]);
    for (int i = k + 1; i < n; ++i) {
      const double candidate = std::abs(row_of(lu, n, i)[k]);
      if (candidate > largest) largest = candidate, place = i;
    }
    if (!(largest > 0.0) || !std::isfinite(largest)) return false;
    pivot[k] = place;
    double* pivot_row = row_of(lu, n, k);
    if (place != k) std::swap_ranges(pivot_row, pivot_row + n, row_of(lu, n, place));
    const double inverse = 1.0 / pivot_row[k];
    const bool invertible = std::isfinite(inverse);
    for (int i = k + 1; i < n; ++i) {
      double* row = row_of(lu, n, i);
      if (row[k] == 0) continue;
      const double l = row[k] = invertible ? row[k] * inverse : row[k] / pivot_row[k];
      int j = k + 1;
      for (; j + 4 <= n; j += 4)
        *reinterpret_cast<Wide<4>*>(row + j) -=
            l * *reinterpret_cast<const Wide<4>*>(pivot_row + j);
      for (; j < n; ++j) row[j] -= l * pivot_row[j];
    }
  }
  return true;
}

}  // namespace

KARDAN_DISPATCHED
bool eliminate(int n, double* lu, int* pivot) {
  if (n <= largest_small) return eliminate_small(n, lu, pivot);
  for (int begin = 0; begin < n; begin += panel_width) {
    if (n >= long_loop) stop_point();
    const int end = std::min(begin + panel_width, n);
    if (!factor_panel(n, lu, begin, end, pivot)) return false;
    update_trailing(n, lu, begin, end);
  }
  return true;
}

KARDAN_DISPATCHED
void substitute(int n, const double* lu, double* x) {
  for (int i = 1; i < n; ++i) x[i] -= dot_product(lu + static_cast<std::ptrdiff_t>(i) * n, x, i);
  for (int i = n - 1; i >= 0; --i) {
    const double* row = lu + static_cast<std::ptrdiff_t>(i) * n;
    x[i] = (x[i] - dot_product(row + i + 1, x + i + 1, n - i - 1)) / row[i];
  }
}

KARDAN_DISPATCHED
void substitute(int n, const double* lu, int width, double* X) {
  const std::ptrdiff_t stride = width;
  for (int i = 1; i < n; ++i) {
    if (n >= long_loop) stop_point();
    subtract_combination(i, lu + static_cast<std::ptrdiff_t>(i) * n, X, width, X + i * stride);
  }
  for (int i = n - 1; i >= 0; --i) {
    if (n >= long_loop) stop_point();
    const double* row = lu + static_cast<std::ptrdiff_t>(i) * n;
    double* x = X + i * stride;
    subtract_combination(n - i - 1, row + i + 1, x + stride, width, x);
    for (int j = 0; j < width; ++j) x[j] /= row[i];
  }
}

KARDAN_DISPATCHED
void add_products(const Matrix& A, std::span<const double> x, std::span<double> y) {
  const int rows = A.rows(), columns = A.cols();
  for (int i = 0; i < rows; ++i) y[i] += dot_product(A.row(i), x.data(), columns);
}

KARDAN_DISPATCHED
void multiply_lower(int rows, int width, const double* A, const double* B, double* C) {
  for (int i = 0; i < width; ++i)
    for (int j = 0; j <= i; j += 4) {
      Wide<4> sum = {};
      for (int k = 0; k < rows; ++k)
        sum += A[k * width + i] * *reinterpret_cast<const Wide<4>*>(B + k * width + j);
      *reinterpret_cast<Wide<4>*>(C + i * width + j) = sum;
    }
}

KARDAN_DISPATCHED
void turn_rows(const double* T, int width, double* X) {
  for (int j = 0; j < width; j += 4) {
    Wide<4>* row[3];
    for (int i = 0; i < 3; ++i) row[i] = reinterpret_cast<Wide<4>*>(X + i * width + j);
    const Wide<4> x = *row[0], y = *row[1], z = *row[2];
    for (int i = 0; i < 3; ++i) *row[i] = T[3 * i] * x + T[3 * i + 1] * y + T[3 * i + 2] * z;
  }
}

KARDAN_DISPATCHED
void multiply_rows(const SparseRows& A, int width, const double* X, double* Y) {
  for (int i = 0; i < A.rows; ++i) {
    double* y = Y + i * width;
    for (int j = 0; j < width; j += 4) *reinterpret_cast<Wide<4>*>(y + j) = Wide<4>{};
    for (int k = A.row_start[i]; k < A.row_start[i + 1]; ++k) {
      const double a = A.value[k];
      if (a == 0) continue;
      const double* x = X + (A.column[k] - A.first) * width;
      for (int j = 0; j < width; j += 4)
        *reinterpret_cast<Wide<4>*>(y + j) += a * *reinterpret_cast<const Wide<4>*>(x + j);
    }
  }
}

KARDAN_DISPATCHED
void subtract_from_rows(int count, const int* row, const double* c, int width, const double* x,
                        double* X) {
  for (int p = 0; p < count; ++p) {
    double* y = X + row[p] * static_cast<std::ptrdiff_t>(width);
    for (int j = 0; j < width; j += 4)
      *reinterpret_cast<Wide<4>*>(y + j) -= c[p] * *reinterpret_cast<const Wide<4>*>(x + j);
  }
}

KARDAN_DISPATCHED
RowSize row_size(int width, const double* row) {
  Wide<4> most = {}, sum = {};
  int j = 0;
  for (; j + 4 <= width; j += 4) {
    const Wide<4> x = *reinterpret_cast<const Wide<4>*>(row + j);
    const Wide<4> size = x < 0 ? -x : x;
    most = size > most ? size : most;
    sum += size;
  }
  RowSize out{0, (sum[0] + sum[1]) + (sum[2] + sum[3])};
  for (int k = 0; k < 4; ++k) out.largest = std::max(out.largest, most[k]);
  for (; j < width; ++j) {
    out.largest = std::max(out.largest, std::abs(row[j]));
    out.sum += std::abs(row[j]);
  }
  return out;
}

KARDAN_DISPATCHED
bool row_is_finite(std::span<const double> row) {
  // As all_finite: zero times what is not finite is NaN, and stays.
  const std::size_t size = row.size();
  const double* x = row.data();
  Wide<4> sum = {};
  std::size_t j = 0;
  for (; j + 4 <= size; j += 4) sum += 0.0 * *reinterpret_cast<const Wide<4>*>(x + j);
  double all = (sum[0] + sum[1]) + (sum[2] + sum[3]);
  for (; j < size; ++j) all += 0.0 * x[j];
  return all == 0;
}

void substitute(const FactorPattern& at, const FactorValues& lu, double* x) {
  const int* column = at.column.data();
  const double* value = lu.value.data();
  for (std::size_t b = 0; b + 1 < at.block_start.size(); ++b) {
    const int begin = at.block_start[b], end = at.block_start[b + 1];
    for (int i = begin; i < end; ++i) {
      double sum = x[i];
      for (int k = at.row_start[i]; k < at.row_middle[i]; ++k) sum -= value[k] * x[column[k]];
      x[i] = sum * lu.inverse[i];
    }
    for (int i = end - 2; i >= begin; --i) {
      double sum = x[i];
      for (int k = at.row_middle[i]; k < at.row_start[i + 1]; ++k) sum -= value[k] * x[column[k]];
      x[i] = sum;
    }
  }
}

KARDAN_DISPATCHED
void substitute(const FactorPattern& at, const FactorValues& lu, int width, double* X) {
  const std::ptrdiff_t stride = width;
  const int* column = at.column.data();
  const double* value = lu.value.data();
  for (std::size_t b = 0; b + 1 < at.block_start.size(); ++b) {
    const int begin = at.block_start[b], end = at.block_start[b + 1];
    for (int i = begin; i < end; ++i) {
      const int k = at.row_start[i];
      double* x = X + i * stride;
      subtract_listed(at.row_middle[i] - k, value + k, column + k, X, width, x);
      scale(lu.inverse[i], width, x);
    }
    for (int i = end - 2; i >= begin; --i) {
      const int k = at.row_middle[i];
      subtract_listed(at.row_start[i + 1] - k, value + k, column + k, X, width, X + i * stride);
    }
  }
}

void substitute_transposed(const FactorPattern& at, const FactorValues& lu, double* x) {
  const int* column = at.column.data();
  const double* value = lu.value.data();
  for (std::size_t b = at.block_start.size() - 1; b > 0; --b) {
    const int begin = at.block_start[b - 1], end = at.block_start[b];
    for (int i = begin; i + 1 < end; ++i)
      for (int k = at.row_middle[i]; k < at.row_start[i + 1]; ++k) x[column[k]] -= value[k] * x[i];
    for (int i = end - 1; i >= begin; --i) {
      x[i] *= lu.inverse[i];
      for (int k = at.row_start[i]; k < at.row_middle[i]; ++k) x[column[k]] -= value[k] * x[i];
    }
  }
}

}  // namespace kardan
