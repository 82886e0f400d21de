#include "kardan/linalg/row_fours.h"

#include <algorithm>
#include <cstddef>
#include <type_traits>

#include "kardan/linalg/dispatch.h"

namespace kardan {
namespace {

/// Four neighbouring columns; loads and stores need no alignment.
typedef double Four __attribute__((vector_size(4 * sizeof(double)), aligned(sizeof(double))));

KARDAN_INLINE const Four& four(const double* x) {
  return *reinterpret_cast<const Four*>(x);
}
KARDAN_INLINE Four& four(double* x) {
  return *reinterpret_cast<Four*>(x);
}

/// Calls use(N, fours) with as many fours at once as fit into registers together with the rest.
template <class Use>
KARDAN_INLINE void each_few(std::span<const int> fours, Use use) {
  const int* first = fours.data();
  std::size_t left = fours.size();
  for (; left > 5; left -= 4, first += 4) use(std::integral_constant<int, 4>(), first);
  switch (left) {
    case 1:
      return use(std::integral_constant<int, 1>(), first);
    case 2:
      return use(std::integral_constant<int, 2>(), first);
    case 3:
      return use(std::integral_constant<int, 3>(), first);
    case 4:
      return use(std::integral_constant<int, 4>(), first);
    case 5:
      return use(std::integral_constant<int, 5>(), first);
    default:
      return;
  }
}

/// sum += a x or sum -= a x.
template <int N, Sign sign>
KARDAN_INLINE void add_row(double a, const double* x, const std::ptrdiff_t (&at)[N],
                           Four (&sum)[N]) {
  for (int e = 0; e < N; ++e)
    if constexpr (sign == Sign::plus)
      sum[e] += a * four(x + at[e]);
    else
      sum[e] -= a * four(x + at[e]);
}

/// The same for rows of X that follow each other.
template <int N, Sign sign>
KARDAN_INLINE void add_rows(int count, const double* a, const double* x, std::ptrdiff_t stride,
                            const std::ptrdiff_t (&at)[N], Four (&sum)[N]) {
  int k = 0;
  for (; k + 3 <= count; k += 3, x += 3 * stride) {
    add_row<N, sign>(a[k], x, at, sum);
    add_row<N, sign>(a[k + 1], x + stride, at, sum);
    add_row<N, sign>(a[k + 2], x + 2 * stride, at, sum);
  }
  for (; k < count; ++k, x += stride) add_row<N, sign>(a[k], x, at, sum);
}

/// Row `row` of the terms with more than `part` parts, on N fours.
template <int N>
KARDAN_INLINE void sum_terms(std::span<const SparseTerm> terms, int part, int row, int shift,
                             const int* fours, double* y) {
  Four sum[N] = {};
  std::ptrdiff_t at[N];
  for (int e = 0; e < N; ++e) at[e] = fours[e] + shift;
  for (const SparseTerm& t : terms) {
    if (t.parts <= part) break;
    const double* value = t.A->values.data();
    const std::ptrdiff_t stride = t.X.stride;
    for (const RowSegments::Segment& s : t.segments->of(row)) {
      const double* x = t.X.data + s.column * stride;
      if (t.sign == Sign::plus)
        add_rows<N, Sign::plus>(s.count, value + s.value, x, stride, at, sum);
      else
        add_rows<N, Sign::minus>(s.count, value + s.value, x, stride, at, sum);
    }
  }
  for (int e = 0; e < N; ++e) four(y + at[e]) = sum[e];
}

}  // namespace

RowFours::RowFours(const std::vector<std::vector<int>>& columns, int width) {
  const int last = whole_fours(width) - 4;
  std::vector<int> sorted;
  for (const std::vector<int>& row : columns) {
    sorted = row;
    std::ranges::sort(sorted);
    const std::size_t begin = fours_.size();
    for (int c : sorted)
      if (fours_.size() == begin || c >= fours_.back() + 4) fours_.push_back(c);
    // The last ones end with the part.
    int most = last;
    for (std::size_t f = fours_.size(); f-- > begin && fours_[f] > most; most -= 4)
      fours_[f] = most;
    start_.push_back(static_cast<int>(fours_.size()));
  }
}

RowSegments::RowSegments(const SparsePattern& pattern) {
  for (int i = 0; i < pattern.rows; ++i) {
    for (int k = pattern.row_start[i]; k < pattern.row_start[i + 1]; ++k)
      if (k > pattern.row_start[i] && pattern.column[k] == pattern.column[k - 1] + 1)
        ++segments_.back().count;
      else
        segments_.push_back({k, pattern.column[k], 1});
    start_.push_back(static_cast<int>(segments_.size()));
  }
}

KARDAN_DISPATCHED
void multiply_rows(std::span<const SparseTerm> terms, std::span<const int> rows,
                   const RowFours& fours, int width, Matrix& Y) {
  for (int i = 0; i < Y.rows(); ++i) {
    const int row = rows.empty() ? i : rows[i];
    for (int p = 0; p < terms[0].parts; ++p)
      each_few(
          fours.of(i), [&](auto n, const int* few) __attribute__((always_inline)) {
            sum_terms<n>(terms, p, row, p * width, few, Y.row(i));
          });
  }
}

KARDAN_DISPATCHED
void turn_rows(Sum sum, const double* E, Strip X, std::span<const int> fours, int parts, int width,
               double* Y, int stride) {
  const double *x0 = X.data, *x1 = x0 + X.stride, *x2 = x1 + X.stride;
  for (int p = 0; p < parts; ++p)
    for (int first : fours) {
      const int j = first + p * width;
      const Four a = four(x0 + j), b = four(x1 + j), c = four(x2 + j);
      for (int i = 0; i < 3; ++i) {
        Four& y = four(Y + i * stride + j);
        const Four turned = E[3 * i] * a + E[3 * i + 1] * b + E[3 * i + 2] * c;
        y = sum == Sum::begin ? turned : y + turned;
      }
    }
}

KARDAN_DISPATCHED
void add_transposed(int rows, std::span<const int> columns, Strip U, Strip X,
                    std::span<const int> fours, int parts, int width, Matrix& Y) {
  for (int p = 0; p < parts; ++p)
    each_few(
        fours, [&](auto n, const int* few) __attribute__((always_inline)) {
          std::ptrdiff_t at[n];
          for (int e = 0; e < n; ++e) at[e] = few[e] + p * width;
          for (int column : columns) {
            double* y = Y.row(column);
            Four sum[n];
            for (int e = 0; e < n; ++e) sum[e] = four(y + at[e]);
            const double *u = U.data + column, *x = X.data;
            for (int k = 0; k < rows; ++k, u += U.stride, x += X.stride)
              add_row<n, Sign::plus>(*u, x, at, sum);
            for (int e = 0; e < n; ++e) four(y + at[e]) = sum[e];
          }
        });
}

}  // namespace kardan
