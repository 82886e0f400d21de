#include "kardan/linalg/motion/gram_cholesky.h"

#include <Eigen/OrderingMethods>
#include <Eigen/SparseCore>
#include <algorithm>
#include <cmath>
#include <type_traits>

#include "kardan/base/assert.h"
#include "kardan/linalg/dispatch.h"
#include "kardan/linalg/lanes.h"

namespace kardan {
namespace {

/// Doubles of a tile between nodes.
constexpr int tile = lanes * lanes;

KARDAN_INLINE const Four* fours(const double* x) {
  return reinterpret_cast<const Four*>(x);
}
KARDAN_INLINE Four* fours(double* x) {
  return reinterpret_cast<Four*>(x);
}

/// What a factorization reads and writes.
struct Work {
  const GramPlan* plan;
  const double* Y;
  int* filled;
  double *L, *inside, *inverse, *row;
  int failed, weakest;
  double pivot_ratio;
};

/// x = sum of the products of a tile of S with `columns` columns
template <class Columns>
KARDAN_INLINE void sum_products(Columns columns, const Work& w, int entry, double* x) {
  Four sum[columns] = {};
  const GramPlan::Product* product = w.plan->products.data() + w.plan->product_start[entry];
  const GramPlan::Product* end = w.plan->products.data() + w.plan->product_start[entry + 1];
  for (; product != end; ++product) {
    const Four* a = fours(w.Y + product->row_tile);
    const double* b = w.Y + product->column_tile;
    for (int k = 0; k < product->columns; ++k, b += lanes)
      for (int j = 0; j < columns; ++j) sum[j] += a[k] * b[j];
  }
  for (int j = 0; j < columns; ++j) fours(x)[j] = sum[j];
}

/// y -= A B' for a tile A with as many columns as B, which has as many rows as y has columns
template <class Columns>
KARDAN_INLINE void subtract_product(Columns columns, const Four* A, const double* B, int rows,
                                    double* y) {
  for (int i = 0; i < rows; ++i) {
    Four sum = fours(y)[i];
    for (int j = 0; j < columns; ++j) sum -= A[j] * B[lanes * j + i];
    fours(y)[i] = sum;
  }
}

/// L(row, column) from what is left of S there, and its share of the tiles right of it.
template <class Columns>
KARDAN_INLINE void eliminate(Columns columns, int node, int j, Work& w) {
  const GramPlan& plan = *w.plan;
  double* x = w.row + tile * j;
  const double* inside = w.inside + tile * j;
  Four left[columns];
  for (int c = columns - 1; c >= 0; --c) {
    left[c] = fours(x)[c];
    for (int k = 0; k < c; ++k) left[c] += fours(x)[k] * inside[lanes * k + c];
  }
  for (int c = 0; c < columns; ++c) fours(x)[c] = Four{};
  const int end = w.filled[j]++;
  for (int p = plan.L_start[j]; p < end; ++p) {
    const int i = plan.L_row[p];
    subtract_product(columns, left, w.L + tile * p, plan.size[i], w.row + tile * i);
  }
  double* L = w.L + tile * end;
  for (int c = 0; c < columns; ++c) fours(L)[c] = left[c] * w.inverse[lanes * j + c];
  subtract_product(columns, left, L, plan.size[node], w.row + tile * node);
}

/// Pivots of a tile on the diagonal, and the inverse of its unit lower triangle.
template <class Rows>
KARDAN_INLINE bool factor_diagonal(Rows rows, int node, const double* diagonal, Work& w) {
  double* x = w.row + tile * node;
  double* inverse = w.inverse + lanes * node;
  double L[rows][rows];
  for (int i = 0; i < rows; ++i) {
    double pivot = x[lanes * i + i];
    for (int j = 0; j < i; ++j) {
      double sum = x[lanes * j + i];
      for (int k = 0; k < j; ++k) sum -= L[i][k] * x[lanes * k + j];
      x[lanes * j + i] = sum;  // L(i, j) D(j)
      L[i][j] = sum * inverse[j];
      pivot -= L[i][j] * sum;
    }
    if (!(pivot > 0 && pivot > GramCholesky::smallest_pivot * diagonal[i])) {
      w.failed = lanes * node + i;
      return false;
    }
    if (pivot < w.pivot_ratio * diagonal[i]) {
      w.pivot_ratio = pivot / diagonal[i];
      w.weakest = lanes * node + i;
    }
    inverse[i] = 1 / pivot;
    if (!std::isfinite(pivot)) return false;
  }
  double* inside = w.inside + tile * node;
  for (int i = 0; i < rows; ++i) {
    inside[lanes * i + i] = 1;
    for (int j = i - 1; j >= 0; --j) {
      double sum = L[i][j];
      for (int k = j + 1; k < i; ++k) sum += L[i][k] * inside[lanes * j + k];
      inside[lanes * j + i] = -sum;
    }
  }
  for (int j = 0; j < rows; ++j) fours(x)[j] = Four{};
  return true;
}

/// Row by row: from L(0..k-1, 0..k-1) D x = S(k, 0..k-1)'.
KARDAN_DISPATCHED
bool factor_rows(Work& w) {
  const GramPlan& plan = *w.plan;
  const int nodes = static_cast<int>(plan.order.size());
  std::copy_n(plan.L_start.data(), nodes, w.filled);
  for (int k = 0; k < nodes; ++k) {
    const int node = plan.order[k];
    for (int e = plan.row_start[k]; e < plan.row_start[k + 1]; ++e) {
      const int j = plan.column[e];
      with_constant(
          plan.size[j], [&](auto columns) __attribute__((always_inline)) {
            sum_products(columns, w, e, w.row + tile * j);
          });
    }
    double diagonal[lanes];
    for (int i = 0; i < lanes; ++i) diagonal[i] = w.row[tile * node + lanes * i + i];
    for (int e = plan.row_of_L_start[k]; e < plan.row_of_L_start[k + 1]; ++e) {
      const int j = plan.row_of_L[e];
      with_constant(
          plan.size[j], [&](auto columns)
                            __attribute__((always_inline)) { eliminate(columns, node, j, w); });
    }
    bool good = true;
    with_constant(
        plan.size[node], [&](auto rows) __attribute__((always_inline)) {
          good = factor_diagonal(rows, node, diagonal, w);
        });
    if (!good) return false;
  }
  return true;
}

KARDAN_DISPATCHED
void lower(const GramPlan& plan, const double* L, const double* inside, double* x) {
  for (const int j : plan.order)
    with_constant(
        plan.size[j], [&](auto columns) __attribute__((always_inline)) {
          double* own = x + lanes * j;
          Four sum = fours(inside + tile * j)[0] * own[0];
          for (int c = 1; c < columns; ++c) sum += fours(inside + tile * j)[c] * own[c];
          *fours(own) = sum;
          for (int p = plan.L_start[j]; p < plan.L_start[j + 1]; ++p) {
            Four* other = fours(x + lanes * plan.L_row[p]);
            Four left = *other;
            for (int c = 0; c < columns; ++c) left -= fours(L + tile * p)[c] * own[c];
            *other = left;
          }
        });
}

/// y -= a x
KARDAN_INLINE void subtract_row(double a, const double* x, int width, double* y) {
  for (int k = 0; k < width; k += lanes) *fours(y + k) -= a * *fours(x + k);
}

KARDAN_DISPATCHED
void lower_rows(const GramPlan& plan, const double* L, const double* inside, int width, double* X) {
  for (const int j : plan.order) {
    const int rows = plan.size[j];
    double* own = X + plan.first[j] * static_cast<std::ptrdiff_t>(width);
    // From below: every row is used before it changes.
    for (int i = rows - 1; i > 0; --i)
      for (int c = 0; c < i; ++c)
        subtract_row(-inside[tile * j + lanes * c + i], own + c * width, width, own + i * width);
    for (int p = plan.L_start[j]; p < plan.L_start[j + 1]; ++p) {
      const int other = plan.L_row[p];
      double* y = X + plan.first[other] * static_cast<std::ptrdiff_t>(width);
      for (int i = 0; i < plan.size[other]; ++i, y += width)
        for (int c = 0; c < rows; ++c)
          subtract_row(L[tile * p + lanes * c + i], own + c * width, width, y);
    }
  }
}

KARDAN_INLINE double sum_of(Four x) {
  return (x[0] + x[1]) + (x[2] + x[3]);
}

KARDAN_DISPATCHED
void upper(const GramPlan& plan, const double* L, const double* inside, double* x) {
  for (std::size_t k = plan.order.size(); k-- > 0;) {
    const int j = plan.order[k];
    with_constant(
        plan.size[j], [&](auto columns) __attribute__((always_inline)) {
          double* own = x + lanes * j;
          Four sum[columns] = {};
          for (int p = plan.L_start[j]; p < plan.L_start[j + 1]; ++p) {
            const Four other = *fours(x + lanes * plan.L_row[p]);
            for (int c = 0; c < columns; ++c) sum[c] += fours(L + tile * p)[c] * other;
          }
          double left[columns];
          for (int c = 0; c < columns; ++c) left[c] = own[c] - sum_of(sum[c]);
          for (int c = 0; c < columns; ++c) {
            own[c] = left[c];
            for (int i = c + 1; i < columns; ++i)
              own[c] += inside[tile * j + lanes * c + i] * left[i];
          }
        });
  }
}

}  // namespace

GramPlan::GramPlan(std::vector<int> sizes, std::span<const GramGroup> groups,
                   std::span<const GramTile> tiles, int without)
    : size(std::move(sizes)), first(1, 0) {
  for (const int rows : size) first.push_back(first.back() + rows);
  auto each_pair = [&](auto&& use) {
    for (int g = 0; g < static_cast<int>(groups.size()); ++g) {
      if (g == without) continue;
      const auto own = tiles.subspan(groups[g].first_tile, groups[g].tiles);
      for (std::size_t s = 0; s < own.size(); ++s)
        for (std::size_t t = 0; t <= s; ++t) use(own[s], own[t], groups[g].columns);
    }
  };
  std::vector<std::vector<int>> near(size.size());
  each_pair([&](const GramTile& a, const GramTile& b, int) {
    if (a.node != b.node) near[a.node].push_back(b.node);
  });
  find_order(near);

  std::vector<int> place(size.size());
  for (int k = 0; k < nodes(); ++k) place[order[k]] = k;
  struct Entry {
    int row, column;  // in the order
    Product product;
  };
  std::vector<Entry> entries;
  each_pair([&](GramTile a, GramTile b, int columns) {
    if (place[a.node] < place[b.node]) std::swap(a, b);
    entries.push_back({place[a.node], place[b.node], {a.values, b.values, columns}});
  });
  std::stable_sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) {
    return a.row < b.row || (a.row == b.row && a.column < b.column);
  });
  row_start.reserve(size.size() + 1);
  products.reserve(entries.size());
  const Entry* last = nullptr;
  for (const Entry& e : entries) {
    if (!last || last->row != e.row || last->column != e.column) {
      while (static_cast<int>(row_start.size()) <= e.row)
        row_start.push_back(static_cast<int>(column.size()));
      column.push_back(order[e.column]);
      product_start.push_back(static_cast<int>(products.size()));
    }
    products.push_back(e.product);
    last = &e;
  }
  row_start.resize(size.size() + 1, static_cast<int>(column.size()));
  product_start.push_back(static_cast<int>(products.size()));
  analyze();
  for (std::vector<int>* list : {&first, &column, &product_start, &row_of_L_start, &row_of_L})
    list->shrink_to_fit();
}

/// Approximate minimum degree (Amestoy, Davis, Duff 1996).
void GramPlan::find_order(std::span<const std::vector<int>> near) {
  using Lower = Eigen::SparseMatrix<double>;
  std::vector<Eigen::Triplet<double>> entries;
  for (int i = 0; i < nodes(); ++i) {
    entries.emplace_back(i, i, 1.0);
    for (const int j : near[i]) entries.emplace_back(std::max(i, j), std::min(i, j), 1.0);
  }
  Lower A(nodes(), nodes());
  A.setFromTriplets(entries.begin(), entries.end());
  Eigen::AMDOrdering<int>::PermutationType found;
  Eigen::AMDOrdering<int>()(A.selfadjointView<Eigen::Lower>(), found);
  order.assign(found.indices().data(), found.indices().data() + nodes());
}

/// The pattern of L: the columns of its row k are reached from those of S's row k by going up the
/// elimination tree (T. A. Davis, Direct Methods for Sparse Linear Systems, 2006, section 4.1).
void GramPlan::analyze() {
  const int n = nodes();
  std::vector<int> parent(n, -1), seen(n, -1), count(n, 0), place(n);
  for (int k = 0; k < n; ++k) place[order[k]] = k;
  row_of_L_start.assign(1, 0);
  for (int k = 0; k < n; ++k) {
    seen[k] = k;
    for (int e = row_start[k]; e < row_start[k + 1]; ++e)
      for (int j = place[column[e]]; seen[j] != k; j = parent[j]) {
        if (parent[j] < 0) parent[j] = k;
        seen[j] = k;
        row_of_L.push_back(j);
        ++count[order[j]];
      }
    std::sort(row_of_L.begin() + row_of_L_start[k], row_of_L.end());
    row_of_L_start.push_back(static_cast<int>(row_of_L.size()));
  }
  for (int& j : row_of_L) j = order[j];
  L_start.assign(n + 1, 0);
  for (int j = 0; j < n; ++j) L_start[j + 1] = L_start[j] + count[j];
  L_row.resize(row_of_L.size());
  std::vector<int> end(L_start.begin(), L_start.end() - 1);
  for (int k = 0; k < n; ++k)
    for (int e = row_of_L_start[k]; e < row_of_L_start[k + 1]; ++e)
      L_row[end[row_of_L[e]]++] = order[k];
}

double GramPlan::rows_below(int node) const {
  double rows = 0;
  for (int p = L_start[node]; p < L_start[node + 1]; ++p) rows += size[L_row[p]];
  return rows;
}

double GramPlan::factor_nonzeros() const {
  double sum = 0;
  for (int j = 0; j < nodes(); ++j) sum += size[j] * (rows_below(j) + 0.5 * (size[j] - 1));
  return sum;
}

double GramPlan::work() const {
  double sum = 0;
  for (int j = 0; j < nodes(); ++j)
    for (int c = 0; c < size[j]; ++c) {
      const double count = rows_below(j) + c;
      sum += 0.5 * count * (count + 3);
    }
  return sum;
}

GramCholesky::GramCholesky(std::shared_ptr<const GramPlan> plan)
    : plan_(std::move(plan)),
      filled_(plan_->nodes()),
      L_(tile * plan_->L_row.size()),
      inside_(tile * plan_->size.size()),
      inverse_(lanes * plan_->size.size()),
      row_(tile * plan_->size.size()) {}

Eval GramCholesky::factor(std::span<const double> Y) {
  Work w{plan_.get(),
         Y.data(),
         filled_.data(),
         L_.data(),
         inside_.data(),
         inverse_.data(),
         row_.data(),
         -1,
         0,
         1};
  const bool good = factor_rows(w);
  // What failed may have left numbers behind, not finite ones perhaps.
  if (!good) std::fill(row_.begin(), row_.end(), 0.0);
  failed_ = w.failed;
  weakest_ = w.weakest;
  pivot_ratio_ = good ? w.pivot_ratio : 0;
  return good ? Eval::ok : Eval::recoverable;
}

void GramCholesky::solve_lower(std::span<double> x) const {
  KARDAN_ASSERT(x.size() == inverse_.size(), "four lanes a node");
  lower(*plan_, L_.data(), inside_.data(), x.data());
}

void GramCholesky::scale(std::span<double> x) const {
  for (std::size_t i = 0; i < x.size(); ++i) x[i] *= inverse_[i];
}

void GramCholesky::solve_upper(std::span<double> x) const {
  upper(*plan_, L_.data(), inside_.data(), x.data());
}

void GramCholesky::solve_lower(Matrix& X) const {
  KARDAN_ASSERT(X.rows() == plan_->first.back() && X.cols() % lanes == 0, "all rows, whole lanes");
  lower_rows(*plan_, L_.data(), inside_.data(), X.cols(), X.data());
}

}  // namespace kardan
