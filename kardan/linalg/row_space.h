#pragma once
/// P A = [L 0] Q' for a dense A with at most as many independent rows as columns: Householder
/// reflections from the right, with row pivoting. Reveals the rank, names independent rows, spans
/// the null space with orthonormal columns and solves A x = b with the x of least norm. Columns of
/// large matrices are swapped so that reflections of sparse rows stay sparse: the work then goes
/// with the fill, not with the size.

#include <span>
#include <vector>

#include "kardan/base/eval.h"
#include "kardan/linalg/dense_lu.h"
#include "kardan/linalg/matrix.h"

namespace kardan {

/// Storage is reused: no call allocates once a matrix of that size has been factored.
class RowSpace {
 public:
  /// A row counts as dependent when what remains of it is at most `tolerance` times its length, or
  /// when there are `max_rank` others already. recoverable when a value is not finite.
  [[nodiscard]] Eval factor(const Matrix& A, double tolerance, int max_rank);

  int rank() const { return rank_; }
  int rows() const { return L_.rows(); }
  int cols() const { return L_.cols(); }
  /// The independent rows of A in the order of elimination: the first rank() entries.
  const std::vector<int>& row_permutation() const { return row_; }
  bool is_independent(int row) const { return place_[row] < rank_; }
  /// What remained of a row beside those eliminated before it, over its length; 0 when dependent.
  double remainder(int row) const { return remainder_[row]; }
  /// Smallest remainder of an independent row; 1 when the rank is 0.
  double smallest_remainder() const { return smallest_; }

  /// N := orthonormal basis of {x : A x = 0}, cols() - rank() columns.
  void null_space(Matrix& N);

  /// The x of least norm with A x = b on the independent rows; b has an entry for every row of A.
  void solve(std::span<const double> b, std::span<double> x) const;
  /// The same for four right-hand sides (lanes.h): matrices of four columns.
  void solve_lanes(const Matrix& B, Matrix& X) const;

  /// y := the coefficients with the same A' y for which the sum of (weight_i y_i)^2 is least.
  void least_norm_multipliers(std::span<const double> weight, std::span<double> y);

 private:
  void bring_forward(int k);
  void eliminate_sparse(int k, const double* v);
  void reflect(std::span<double> x) const;
  bool begin(const Matrix& A);
  double rest(int i, int k);

  Matrix L_;       // L left of and on the diagonal, reflection vectors right of it
  Vector head_;    // first entry of each reflection vector
  Vector factor_;  // 2 / |vector|^2
  Vector length_;  // of the rows as given
  Vector remainder_;
  Vector square_, computed_;  // of what remains of a row; when it was computed last
  std::vector<int> end_;      // of a row: zeros follow
  Vector scratch_;
  Matrix normal_;
  DenseLu lu_;
  std::vector<int> row_, place_;
  std::vector<int> swap_;  // of a large matrix: step k swapped columns k and swap_[k]
  std::vector<int> support_;
  int rank_ = 0;
  double smallest_ = 1;
};

}  // namespace kardan
