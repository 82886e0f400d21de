#include "kardan/linalg/row_space.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "kardan/base/stop.h"
#include "kardan/linalg/lanes.h"

namespace kardan {
namespace {

/// Rows and columns together above which columns are swapped so that reflections stay sparse.
constexpr int sparse_from = 160;

}  // namespace

/// The largest entry of row k to the diagonal, so that the reflection touches the columns in which
/// the row has entries, and no others.
void RowSpace::bring_forward(int k) {
  const int m = L_.rows();
  int best = k;
  for (int j = k + 1; j < end_[k]; ++j)
    if (std::abs(L_(k, j)) > std::abs(L_(k, best))) best = j;
  swap_.push_back(best);
  if (best == k) return;
  // Reflection vectors of the rows before are in the same coordinates.
  for (int i = 0; i < m; ++i) {
    std::swap(L_(i, k), L_(i, best));
    if (L_(i, best) != 0) end_[i] = std::max(end_[i], best + 1);
  }
}

/// What the rows below k lose to its reflection v, entry by entry of its support.
void RowSpace::eliminate_sparse(int k, const double* v) {
  const int m = L_.rows();
  support_.clear();
  for (int j = 0; j < end_[k] - k; ++j)
    if (v[j] != 0) support_.push_back(j);
  for (int i = k + 1; i < m; ++i) {
    double* row = L_.row(i) + k;
    double product = 0;
    for (int j : support_) product += v[j] * row[j];
    if (product != 0) {
      for (int j : support_) row[j] -= factor_[k] * product * v[j];
      end_[i] = std::max(end_[i], end_[k]);
    }
    square_[i] -= row[0] * row[0];
  }
}

/// What remains of a row right of column k, from its square after the reflections before; computed
/// anew where differences have left few digits of it.
double RowSpace::rest(int i, int k) {
  constexpr double digits_left = 1e-4;
  if (square_[i] > digits_left * computed_[i]) return std::sqrt(square_[i]);
  const auto left = static_cast<std::size_t>(std::max(end_[i] - k, 0));
  const double norm = norm_two({L_.row(i) + k, left});
  square_[i] = computed_[i] = norm * norm;
  return norm;
}

/// Rows of A with their lengths; true where few of their entries count.
bool RowSpace::begin(const Matrix& A) {
  const int m = A.rows(), n = A.cols();
  L_ = A;
  rank_ = 0;
  smallest_ = 1;
  for (Vector* v : {&head_, &factor_, &length_, &square_, &computed_}) v->resize(m);
  for (std::vector<int>* v : {&row_, &place_, &end_}) v->resize(m);
  remainder_.assign(m, 0.0);
  swap_.clear();
  const bool sparse = m + n > sparse_from;
  if (sparse) {
    swap_.reserve(m);
    support_.reserve(n);
  }
  for (int i = 0; i < m; ++i) {
    row_[i] = i;
    length_[i] = norm_two({L_.row(i), static_cast<std::size_t>(n)});
    square_[i] = computed_[i] = length_[i] * length_[i];
    end_[i] = n;
    while (end_[i] > 0 && L_(i, end_[i] - 1) == 0) --end_[i];
  }
  return sparse;
}

Eval RowSpace::factor(const Matrix& A, double tolerance, int max_rank) {
  const int m = A.rows(), n = A.cols();
  const bool sparse = begin(A);
  if (!all_finite(A.values())) return Eval::recoverable;
  for (int k = 0; k < m && k < n && k < max_rank; ++k) {
    if (n >= long_loop) stop_point();
    int pivot = -1;
    double largest = 0;  // share of a row's own length: the choice does not depend on units of rows
    for (int i = k; i < m; ++i) {
      if (length_[i] == 0) continue;
      const double share = rest(i, k) / length_[i];
      if (share > largest) largest = share, pivot = i;
    }
    if (pivot < 0) break;
    if (pivot != k) {
      std::swap_ranges(L_.row(k), L_.row(k) + n, L_.row(pivot));
      std::swap(row_[k], row_[pivot]);
      std::swap(length_[k], length_[pivot]);
      std::swap(end_[k], end_[pivot]);
      std::swap(square_[k], square_[pivot]);
      std::swap(computed_[k], computed_[pivot]);
    }
    end_[k] = std::max(end_[k], k + 1);
    if (sparse) bring_forward(k);
    const auto left = static_cast<std::size_t>(end_[k] - k);
    double* v = L_.row(k) + k;
    const double norm = norm_two({v, left});
    largest = norm / length_[k];
    if (largest <= tolerance) break;
    smallest_ = std::min(smallest_, largest);
    remainder_[row_[k]] = largest;
    const double diagonal = v[0] > 0 ? -norm : norm;
    head_[k] = v[0] - diagonal;
    factor_[k] = 1 / (norm * (norm + std::abs(v[0])));
    v[0] = head_[k];
    if (sparse) eliminate_sparse(k, v);
    for (int i = k + 1; i < m && !sparse; ++i) {
      double* row = L_.row(i) + k;
      const double product = dot({v, left}, {row, left});
      if (product != 0) {
        add_scaled(-factor_[k] * product, {v, left}, {row, left});
        end_[i] = std::max(end_[i], end_[k]);
      }
      square_[i] -= row[0] * row[0];
    }
    v[0] = diagonal;
    ++rank_;
  }
  for (int i = 0; i < m; ++i) place_[row_[i]] = i;
  return Eval::ok;
}

/// x := Q x
void RowSpace::reflect(std::span<double> x) const {
  for (int k = rank_ - 1; k >= 0; --k) {
    const double* v = L_.row(k) + k;
    const auto left = static_cast<std::size_t>(end_[k] - k - 1);
    const double c = -factor_[k] * (head_[k] * x[k] + dot({v + 1, left}, {x.data() + k + 1, left}));
    x[k] += c * head_[k];
    add_scaled(c, {v + 1, left}, {x.data() + k + 1, left});
  }
  for (std::size_t k = swap_.size(); k-- > 0;) std::swap(x[k], x[swap_[k]]);
}

void RowSpace::null_space(Matrix& N) {
  const int n = cols(), free = n - rank_;
  N.resize(n, free);
  scratch_.resize(n);
  for (int j = 0; j < free; ++j) {
    if (n >= long_loop) stop_point();
    std::fill(scratch_.begin(), scratch_.end(), 0.0);
    scratch_[rank_ + j] = 1;
    reflect(scratch_);
    for (int i = 0; i < n; ++i) N(i, j) = scratch_[i];
  }
}

void RowSpace::solve(std::span<const double> b, std::span<double> x) const {
  std::fill(x.begin(), x.end(), 0.0);
  for (int k = 0; k < rank_; ++k) {
    const auto before = static_cast<std::size_t>(k);
    x[k] = (b[row_[k]] - dot({L_.row(k), before}, {x.data(), before})) / L_(k, k);
  }
  reflect(x);
}

void RowSpace::solve_lanes(const Matrix& B, Matrix& X) const {
  kardan::solve_lanes({&L_, row_.data(), head_.data(), factor_.data(), end_.data(), rank_}, B, X);
  for (std::size_t k = swap_.size(); k-- > 0;)
    if (const int other = swap_[k]; other != static_cast<int>(k))
      std::swap_ranges(X.row(static_cast<int>(k)), X.row(static_cast<int>(k)) + lanes,
                       X.row(other));
}

/// A' y depends on L' y alone. With W = diag(weight) the least W y is W^-1 L z, where
/// L' W^-2 L z = L' y.
void RowSpace::least_norm_multipliers(std::span<const double> weight, std::span<double> y) {
  const int m = rows();
  if (rank_ == m || rank_ == 0) return;
  normal_.resize(rank_, rank_);
  normal_.set_zero();
  scratch_.assign(rank_, 0.0);
  for (int i = 0; i < m; ++i) {
    if (m >= long_loop) stop_point();
    const double* row = L_.row(i);
    const int count = std::min(i + 1, rank_);
    const double square = weight[row_[i]] * weight[row_[i]];
    for (int j = 0; j < count; ++j) {
      scratch_[j] += row[j] * y[row_[i]];
      for (int k = 0; k < count; ++k) normal_(j, k) += row[j] * row[k] / square;
    }
  }
  if (lu_.factor(normal_) != Eval::ok) return;
  lu_.solve(scratch_);
  for (int i = 0; i < m; ++i) {
    const auto count = static_cast<std::size_t>(std::min(i + 1, rank_));
    const double square = weight[row_[i]] * weight[row_[i]];
    y[row_[i]] = dot({L_.row(i), count}, {scratch_.data(), count}) / square;
  }
}

}  // namespace kardan
