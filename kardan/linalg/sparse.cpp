#include "kardan/linalg/sparse.h"

#include <algorithm>
#include <cassert>
#include <limits>
#include <utility>

#include "kardan/linalg/dispatch.h"

namespace kardan {
namespace {

/// Patterns without a hole need no indices; rows of less than a block are not worth it.
bool needs_no_indices(const SparsePattern& p) {
  return p.cols >= 4 && p.is_full();
}

using Lanes __attribute__((vector_size(4 * sizeof(long long)))) = long long;

KARDAN_INLINE const Four& four(const double* x) {
  return *reinterpret_cast<const Four*>(x);
}

/// a := the sums of four blocks
KARDAN_INLINE void sum_up(Four& a, const Four& b, const Four& c, const Four& d) {
  const Four ab =
      __builtin_shufflevector(a, b, 0, 4, 2, 6) + __builtin_shufflevector(a, b, 1, 5, 3, 7);
  const Four cd =
      __builtin_shufflevector(c, d, 0, 4, 2, 6) + __builtin_shufflevector(c, d, 1, 5, 3, 7);
  a = __builtin_shufflevector(ab, cd, 0, 1, 4, 5) + __builtin_shufflevector(ab, cd, 2, 3, 6, 7);
}

/// store(i, row i of A times x); in the same order on every processor. Rows are read in blocks of
/// four, the last of which ends with the row: what it shares with the one before counts once.
template <class Store>
KARDAN_INLINE void full_products(int rows, int cols, const double* A, const double* x,
                                 Store&& store) {
  const int whole = (cols - 1) / 4 * 4, from = cols - 4;
  const Lanes place{0, 1, 2, 3};
  const Four x_last = place >= static_cast<long long>(whole - from) ? four(x + from) : Four{};
  int i = 0;
  for (; i + 4 <= rows; i += 4, A += 4 * cols) {
    const double *B = A + cols, *C = B + cols, *D = C + cols;
    Four a = four(A + from) * x_last, b = four(B + from) * x_last, c = four(C + from) * x_last,
         d = four(D + from) * x_last;
    for (int j = 0; j < whole; j += 4) {
      const Four y = four(x + j);
      a += four(A + j) * y;
      b += four(B + j) * y;
      c += four(C + j) * y;
      d += four(D + j) * y;
    }
    sum_up(a, b, c, d);
    store(i, a[0]), store(i + 1, a[1]), store(i + 2, a[2]), store(i + 3, a[3]);
  }
  for (; i < rows; ++i, A += cols) {
    Four a = four(A + from) * x_last;
    for (int j = 0; j < whole; j += 4) a += four(A + j) * four(x + j);
    store(i, (a[0] + a[1]) + (a[2] + a[3]));
  }
}

KARDAN_DISPATCHED
void multiply_full(int rows, int cols, const double* A, const double* x, double* y) {
  full_products(
      rows, cols, A, x, [&](int i, double sum) __attribute__((always_inline)) { y[i] = sum; });
}

KARDAN_DISPATCHED
void multiply_add_full(int rows, int cols, const double* A, double alpha, const double* x,
                       double* y) {
  full_products(
      rows, cols, A,
      x, [&](int i, double sum) __attribute__((always_inline)) { y[i] += alpha * sum; });
}

/// Column by column of blocks; entries that two blocks share are computed alike in both.
KARDAN_DISPATCHED
void multiply_transposed_add_full(int rows, int cols, const double* A, double alpha,
                                  const double* x, double* y) {
  const int from = cols - 4;
  const auto block = [&](int j, Four& sum) __attribute__((always_inline)) {
    sum = four(y + j);
    const double* row = A + j;
    for (int i = 0; i < rows; ++i, row += cols) sum += (alpha * x[i]) * four(row);
  };
  Four last, next;
  block(from, last);
  for (int j = 0; j < from; j += 4) {
    block(j, next);
    *reinterpret_cast<Four*>(y + j) = next;
  }
  *reinterpret_cast<Four*>(y + from) = last;
}

}  // namespace

int SparsePattern::find(int i, int j) const {
  assert(i >= 0 && i < rows);
  const auto begin = column.begin() + row_start[i];
  const auto end = column.begin() + row_start[i + 1];
  const auto place = std::lower_bound(begin, end, j);
  return place != end && *place == j ? static_cast<int>(place - column.begin()) : -1;
}

PatternBuilder::PatternBuilder(int rows, int cols) : rows_(rows), cols_(cols) {
  assert(rows >= 0 && cols >= 0);
}

void PatternBuilder::add(int i, int j) {
  assert(i >= 0 && i < rows_ && j >= 0 && j < cols_);
  entries_.push_back({i, j});
}

void PatternBuilder::add_block(int i, int j, int rows, int cols) {
  for (int k = i; k < i + rows; ++k) {
    for (int l = j; l < j + cols; ++l) add(k, l);
  }
}

void PatternBuilder::add_block(std::span<const int> rows, std::span<const int> cols) {
  for (const int i : rows) {
    for (const int j : cols) add(i, j);
  }
}

std::shared_ptr<const SparsePattern> PatternBuilder::build() const {
  assert(entries_.size() <= static_cast<std::size_t>(std::numeric_limits<int>::max()));
  auto pattern = std::make_shared<SparsePattern>();
  pattern->rows = rows_;
  pattern->cols = cols_;

  // Counting sort by row, then a short sort within each row: linear for bounded row lengths.
  std::vector<int> next(static_cast<std::size_t>(rows_) + 1, 0);
  for (const Entry& entry : entries_) ++next[entry.row + 1];
  for (int i = 0; i < rows_; ++i) next[i + 1] += next[i];
  std::vector<int>& column = pattern->column;
  column.resize(entries_.size());
  for (const Entry& entry : entries_) column[next[entry.row]++] = entry.col;

  // next[i] is now the end of row i; rows move left as their duplicates go.
  pattern->row_start.assign(static_cast<std::size_t>(rows_) + 1, 0);
  auto kept = column.begin();
  for (int i = 0; i < rows_; ++i) {
    const auto begin = column.begin() + (i == 0 ? 0 : next[i - 1]);
    const auto end = column.begin() + next[i];
    std::sort(begin, end);
    kept = std::move(begin, std::unique(begin, end), kept);
    pattern->row_start[i + 1] = static_cast<int>(kept - column.begin());
  }
  column.erase(kept, column.end());
  column.shrink_to_fit();
  return pattern;
}

PickedRows pick_rows(const SparsePattern& all, std::span<const int> rows) {
  PickedRows out;
  SparsePattern picked;
  picked.rows = static_cast<int>(rows.size());
  picked.cols = all.cols;
  for (int row : rows) {
    for (int k = all.row_start[row]; k < all.row_start[row + 1]; ++k) {
      out.place.push_back(k);
      picked.column.push_back(all.column[k]);
    }
    picked.row_start.push_back(static_cast<int>(picked.column.size()));
  }
  picked.column.shrink_to_fit();
  out.place.shrink_to_fit();
  out.pattern = std::make_shared<const SparsePattern>(std::move(picked));
  return out;
}

SparseMatrix::SparseMatrix() : pattern(std::make_shared<const SparsePattern>()) {}

SparseMatrix::SparseMatrix(std::shared_ptr<const SparsePattern> shared_pattern)
    : pattern(std::move(shared_pattern)), values(pattern->column.size(), 0.0) {}

void SparseMatrix::set_zero() {
  std::fill(values.begin(), values.end(), 0.0);
}

void SparseMatrix::multiply(std::span<const double> x, std::span<double> y) const {
  kardan::multiply(*pattern, values, x, y);
}

void SparseMatrix::multiply_add(double alpha, std::span<const double> x,
                                std::span<double> y) const {
  assert(static_cast<int>(x.size()) == cols() && static_cast<int>(y.size()) == rows());
  if (needs_no_indices(*pattern))
    return multiply_add_full(rows(), cols(), values.data(), alpha, x.data(), y.data());
  for (int i = 0; i < rows(); ++i) {
    double sum = 0.0;
    for (int k = pattern->row_start[i]; k < pattern->row_start[i + 1]; ++k) {
      sum += values[k] * x[pattern->column[k]];
    }
    y[i] += alpha * sum;
  }
}

void SparseMatrix::multiply_transposed_add(double alpha, std::span<const double> x,
                                           std::span<double> y) const {
  assert(static_cast<int>(x.size()) == rows() && static_cast<int>(y.size()) == cols());
  if (needs_no_indices(*pattern))
    return multiply_transposed_add_full(rows(), cols(), values.data(), alpha, x.data(), y.data());
  for (int i = 0; i < rows(); ++i) {
    const double scaled = alpha * x[i];
    for (int k = pattern->row_start[i]; k < pattern->row_start[i + 1]; ++k) {
      y[pattern->column[k]] += values[k] * scaled;
    }
  }
}

Matrix SparseMatrix::to_dense() const {
  Matrix dense;
  copy_to_dense(*pattern, values, dense);
  return dense;
}

void multiply(const SparsePattern& pattern, std::span<const double> values,
              std::span<const double> x, std::span<double> y) {
  assert(static_cast<int>(x.size()) == pattern.cols && static_cast<int>(y.size()) == pattern.rows);
  if (needs_no_indices(pattern))
    return multiply_full(pattern.rows, pattern.cols, values.data(), x.data(), y.data());
  for (int i = 0; i < pattern.rows; ++i) {
    double sum = 0.0;
    for (int k = pattern.row_start[i]; k < pattern.row_start[i + 1]; ++k) {
      sum += values[k] * x[pattern.column[k]];
    }
    y[i] = sum;
  }
}

void copy_to_dense(const SparsePattern& pattern, std::span<const double> values, Matrix& dense) {
  assert(static_cast<int>(values.size()) == pattern.nonzeros());
  dense.resize(pattern.rows, pattern.cols);
  dense.set_zero();
  for (int i = 0; i < pattern.rows; ++i) {
    double* row = dense.row(i);
    for (int k = pattern.row_start[i]; k < pattern.row_start[i + 1]; ++k) {
      row[pattern.column[k]] = values[k];
    }
  }
}

}  // namespace kardan
