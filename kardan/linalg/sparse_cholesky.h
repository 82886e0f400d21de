#pragma once
/// P A P' = L D L' for symmetric positive definite A of fixed pattern and changing values: dense
/// where the factors are nearly full, sparse otherwise. The order comes from the pattern alone
/// (approximate minimum degree), there are no pivots to choose: the same values give the same bits
/// whatever was factored before, and nothing allocates after construction.

#include <memory>
#include <span>
#include <vector>

#include "kardan/base/eval.h"
#include "kardan/linalg/matrix.h"
#include "kardan/linalg/sparse.h"

namespace kardan {

class SparseCholesky {
 public:
  /// Factored dense when L has this share of all entries below the diagonal: equal there at 24
  /// rows, sparse half again as slow for a full matrix (benchmarks/linalg_benchmark.cpp).
  static constexpr double default_dense_fill = 0.8;

  /// `pattern` is square and has both triangles, or the lower one; only entries on and below the
  /// diagonal are read. A diagonal entry may be missing: it counts as zero.
  explicit SparseCholesky(std::shared_ptr<const SparsePattern> pattern,
                          double dense_fill = default_dense_fill);

  int size() const { return pattern_->rows; }
  /// Entries of L below its diagonal.
  long factor_nonzeros() const { return static_cast<long>(L_.size()); }

  /// recoverable when A is not positive definite to working precision: a pivot that is not above
  /// `smallest_pivot` of its diagonal entry, or not finite. Then no solve may follow.
  [[nodiscard]] Eval factor(std::span<const double> values);

  /// Row of A whose pivot failed; -1 after a factorization that succeeded.
  int failed_row() const { return failed_; }
  /// Smallest pivot over its diagonal entry: how much of a row is left after removing what depends
  /// on the rows eliminated before it.
  double pivot_ratio() const { return pivot_ratio_; }
  /// The row with that pivot.
  int weakest_row() const { return weakest_; }

  /// x := A^-1 x
  void solve(std::span<double> x);

  // The halves of solve(), with rows in the order of the factors in between: row k there is row
  // order()[k] of A.
  std::span<const int> order() const { return permutation_; }
  /// X := L^-1 X for rows in the order of the factors; X is a multiple of four wide.
  void solve_lower(Matrix& X) const;
  /// x := L^-1 P x
  void solve_lower(std::span<double> x);
  /// x := P' L^-T x
  void solve_upper(std::span<double> x);
  /// D^-1
  std::span<const double> inverse_pivots() const { return inverse_; }

  /// Multiplications of a factorization, by the pattern.
  double work() const { return factor_work_; }

  /// Below this a pivot is rounding of its diagonal entry.
  static constexpr double smallest_pivot = 1e-14;

 private:
  void find_order();
  void analyze();
  void place_values();
  Eval factor_dense(std::span<const double> values);
  bool accept(int k, double pivot, double diagonal);

  std::shared_ptr<const SparsePattern> pattern_;
  bool dense_ = false;
  std::vector<int> permutation_;  // row k of the factors is row permutation_[k] of A
  // Row k of the permuted lower triangle: places in the values, columns; its diagonal entry.
  std::vector<int> row_start_, place_, column_, diagonal_;
  // L by columns, rows ascending, and the columns of each of its rows, ascending.
  std::vector<int> L_start_, L_row_, row_of_L_start_, row_of_L_;
  std::vector<int> filled_;  // end of what is known of each column
  Vector L_, inverse_, work_;
  double factor_work_ = 0;
  Matrix full_;
  int failed_ = -1, weakest_ = 0;
  double pivot_ratio_ = 0;
};

}  // namespace kardan
