#pragma once
/// Rank-revealing factorizations of dense matrices, and which rows of a matrix depend on which.

#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "kardan/base/eval.h"
#include "kardan/linalg/matrix.h"
#include "kardan/linalg/sparse.h"

namespace kardan {

struct RankOptions {
  /// A pivot counts as zero when it is at most `tolerance` times the largest pivot. Must lie well
  /// above rounding (about 1e-15 times the size) and below the smallest pivot that is meant.
  double tolerance = 1e-10;
  /// Coefficients of a dependency between rows of unit length are dropped up to this size: they are
  /// rounding (at most about tolerance times condition), not part of the dependency.
  double coefficient_tolerance = 1e-8;
  /// Of the independent rows: their exact condition costs more than which they are.
  enum class Condition { exact, left_out } condition = Condition::exact;
};

/// A P = Q R by Householder reflections with column pivoting; completed to Q [T 0; 0 0] Z' when the
/// rank is below the number of columns (complete orthogonal decomposition).
class PivotedQr {
 public:
  PivotedQr();
  ~PivotedQr();
  PivotedQr(PivotedQr&&) noexcept;
  PivotedQr& operator=(PivotedQr&&) noexcept;

  /// recoverable when a value is not finite; then nothing else may be called.
  [[nodiscard]] Eval factor(const Matrix& A, RankOptions options = {});

  int rows() const;
  int cols() const;
  int rank() const;
  /// p: column k of Q R is column p[k] of A; the first rank() are independent.
  const std::vector<int>& column_permutation() const;
  /// |R(0,0)| / |R(r-1,r-1)|, r the rank: a lower bound of the condition of the independent
  /// columns; 1 when the rank is 0.
  double pivot_ratio() const;
  /// R' of the independent columns, which has their singular values.
  Matrix triangle_transposed() const;

  /// The x of least norm among those that minimise ||A x - b||.
  void solve(std::span<const double> b, std::span<double> x);

  /// Orthonormal basis of {x : A x = 0}, as the cols() - rank() columns of the result.
  Matrix null_space();

  /// C with A(:, p[r + j]) = sum_i A(:, p[i]) C(i, j): the dependent columns from the independent.
  Matrix dependent_columns() const;

 private:
  class Implementation;
  std::unique_ptr<Implementation> implementation_;
};

/// P A Q = L U with full pivoting, stopped at the rank.
class FullPivotLu {
 public:
  /// recoverable when a value is not finite; then nothing else may be called.
  [[nodiscard]] Eval factor(const Matrix& A, RankOptions options = {});

  int rank() const { return rank_; }
  /// Row k of L U is row row_permutation()[k] of A; the first rank() are independent.
  const std::vector<int>& row_permutation() const { return row_; }
  const std::vector<int>& column_permutation() const { return column_; }
  /// |U(0,0)| / |U(r-1,r-1)|; 1 when the rank is 0.
  double pivot_ratio() const;

  /// x := B^-1 x for the independent block B(i, j) = A(row_permutation()[i],
  /// column_permutation()[j]), i, j < rank().
  void solve(std::span<double> x) const;
  /// x := B^-T x
  void solve_transposed(std::span<double> x) const;

  /// C with A(row[r + i], :) = sum_j C(i, j) A(row[j], :): the dependent rows from the independent.
  Matrix dependent_rows() const;

 private:
  Matrix lu_;
  std::vector<int> row_;
  std::vector<int> column_;
  int rank_ = 0;
};

/// row = sum of coefficient * independent row.
struct Dependency {
  int row = 0;
  std::vector<std::pair<int, double>> combination;  ///< (independent row, coefficient), ascending
};

struct RowDependencies {
  int rank = 0;
  std::vector<int> independent;       ///< ascending
  std::vector<Dependency> dependent;  ///< ascending in row
  /// Largest over smallest singular value of the independent rows, each scaled to unit length: the
  /// exact ratio for dense matrices, an estimate from inside (a lower bound; within two
  /// percent on chains) for sparse ones; 1 when the rank is 0, or it was left out.
  double condition = 1.0;
  /// recoverable when a value is not finite; then the rest is empty.
  Eval eval = Eval::ok;
};

/// Rows are scaled to unit length first, so that the answer does not depend on units; a zero row is
/// dependent with an empty combination. The same input gives the same answer, bit for bit.
RowDependencies find_row_dependencies(const Matrix& A, RankOptions options = {});

/// The same, above 60 rows by sparse elimination: work and storage grow linearly with the rows for
/// chains and trees of bodies with a bounded number of joints each. All rows that share a column
/// make a dense block: k joint rows on one body cost k^3 (measured: 860 rows 0.6 s, 1700 rows 6 s).
RowDependencies find_row_dependencies(const SparseMatrix& A, RankOptions options = {});

}  // namespace kardan
