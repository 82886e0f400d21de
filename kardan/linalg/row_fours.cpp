#include "kardan/linalg/row_fours.h"

#include <algorithm>
#include <cstddef>
#include <type_traits>

#include "kardan/linalg/dispatch.h"

namespace kardan {
namespace {

/// Up to this many zeros between two segments are taken in.
constexpr int narrow_gap = 2;

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

/// Row `row` of a part, on N fours.
template <int N>
KARDAN_INLINE void sum_products(const RowProducts& products, int row, int part, const int* fours,
                                double* y) {
  Four sum[N] = {};
  std::ptrdiff_t at[N];
  for (int e = 0; e < N; ++e) at[e] = fours[e];
  for (const RowProducts::Item& t : products.of(row, part, Sign::plus))
    add_rows<N, Sign::plus>(t.count, t.a, t.x, t.stride, at, sum);
  for (const RowProducts::Item& t : products.of(row, part, Sign::minus))
    add_rows<N, Sign::minus>(t.count, t.a, t.x, t.stride, at, sum);
  for (int e = 0; e < N; ++e) four(y + at[e]) = sum[e];
}

/// Whether all entries that are counted vanish; not so where one is not finite.
KARDAN_DISPATCHED
bool vanish(std::span<const double> counted, const double* value) {
  Four sum = {};
  std::size_t k = 0;
  for (; k + 4 <= counted.size(); k += 4) {
    const Four v = four(value + k);
    sum += four(counted.data() + k) * (v * v);
  }
  double rest = 0;
  for (; k < counted.size(); ++k) rest += counted[k] * (value[k] * value[k]);
  return sum[0] + sum[1] + sum[2] + sum[3] + rest == 0;
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
  start_.assign(pattern.rows + 1, 0);
  unseen_.assign(pattern.column.size(), 1.0);
  segments_.reserve(pattern.column.size() / (narrow_gap + 2) + pattern.rows);
}

bool RowSegments::learn(const SparseMatrix& A) {
  if (vanish(unseen_, A.values.data())) return false;
  const SparsePattern& p = *A.pattern;
  for (std::size_t k = 0; k < unseen_.size(); ++k)
    if (A.values[k] != 0) unseen_[k] = 0;
  segments_.clear();
  for (int i = 0; i < p.rows; ++i) {
    const std::size_t begin = segments_.size();
    for (int k = p.row_start[i]; k < p.row_start[i + 1]; ++k) {
      if (unseen_[k] != 0) continue;
      if (segments_.size() > begin) {
        Segment& last = segments_.back();
        const int next = k - last.value;
        if (next <= last.count + narrow_gap && p.column[k] == last.column + next) {
          last.count = next + 1;
          continue;
        }
      }
      segments_.push_back({k, p.column[k], 1});
    }
    start_[i + 1] = static_cast<int>(segments_.size());
  }
  return true;
}

void RowProducts::compile(std::span<const SparseTerm> terms, std::span<const int> rows, int width) {
  parts_ = 0;
  std::size_t most = 0;
  for (const SparseTerm& t : terms) {
    parts_ = std::max(parts_, t.parts);
    most += t.segments->most() * t.parts;
  }
  items_.clear();
  items_.reserve(most);
  start_.assign(1, 0);
  start_.reserve(rows.size() * parts_ * 2 + 1);
  for (int row : rows)
    for (int part = 0; part < parts_; ++part)
      for (Sign sign : {Sign::plus, Sign::minus}) {
        for (const SparseTerm& t : terms) {
          if (t.sign != sign || t.parts <= part) continue;
          for (const RowSegments::Segment& s : t.segments->of(row))
            items_.push_back({t.A->values.data() + s.value,
                              t.X.data + s.column * std::ptrdiff_t{t.X.stride} + part * width,
                              s.count, t.X.stride});
        }
        start_.push_back(static_cast<int>(items_.size()));
      }
}

KARDAN_DISPATCHED
void multiply_rows(const RowProducts& products, const RowFours& fours, int width, Matrix& Y) {
  for (int i = 0; i < Y.rows(); ++i)
    for (int p = 0; p < products.parts(); ++p)
      each_few(
          fours.of(i), [&](auto n, const int* few) __attribute__((always_inline)) {
            sum_products<n>(products, i, p, few, Y.row(i) + p * width);
          });
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
        const Four turned = E[3 * i] * a;
        y = (sum == Sum::begin ? turned : y + turned) + E[3 * i + 1] * b + E[3 * i + 2] * c;
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
