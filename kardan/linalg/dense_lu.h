#pragma once
/// P D A = L U for square dense A, with partial pivoting. D scales every row by a power of two
/// (exactly), so that the pivots do not depend on the units in which an equation is written.

#include <span>
#include <vector>

#include "kardan/base/eval.h"
#include "kardan/linalg/matrix.h"

namespace kardan {

/// Storage is reused: no call allocates once a matrix of that size has been factored and, for
/// rcond, asked for once.
class DenseLu {
 public:
  /// recoverable when A is exactly singular or has an entry that is not finite; then no solve may
  /// follow. ok does not mean well conditioned: see rcond.
  [[nodiscard]] Eval factor(const Matrix& A);

  int size() const { return lu_.rows(); }

  /// x := A^-1 x
  void solve(std::span<double> x);
  /// X := A^-1 X, the columns of X being the right-hand sides.
  void solve(Matrix& X);
  /// x := A^-T x
  void solve_transposed(std::span<double> x);

  /// Estimate of 1 / (||DA|| ||(DA)^-1||) in the infinity norm, from 3-12 solves; 0 on
  /// overflow.
  double rcond();

  /// Smallest pivot of DA, the largest entry of every row of which is in [1, 2): how far A is from
  /// singular, without solves; 1 for none.
  double pivot_ratio() const;

 private:
  Eval load_scaled(const Matrix& A);

  Matrix lu_;
  std::vector<int> pivot_;  // row exchanged with row k at step k
  Vector row_scale_;        // D
  Vector scratch_;
  Vector signs_;
  double norm_ = 0.0;  // ||DA||, infinity norm
};

}  // namespace kardan
