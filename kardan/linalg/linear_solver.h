#pragma once
/// A x = b for a square matrix of fixed pattern and changing values: dense where it is small or
/// full, sparse otherwise, behind one interface.

#include <memory>
#include <span>
#include <variant>

#include "kardan/base/eval.h"
#include "kardan/linalg/dense_lu.h"
#include "kardan/linalg/matrix.h"
#include "kardan/linalg/sparse.h"
#include "kardan/linalg/sparse_lu.h"

namespace kardan {

struct LinearSolverOptions {
  /// Largest size factored dense whatever the pattern. Measured for the saddle-point matrix of a
  /// chain (benchmarks/linalg_benchmark.cpp): sparse a quarter faster at size 15, four times at 69.
  int dense_limit = 8;
  /// A larger matrix is factored dense as well when its sparse factors would fill this share of
  /// size x size. Unstructured patterns of size 150 break even at 0.43.
  double dense_fill = 0.42;
};

/// After the first factor nothing allocates, except in the sparse case when pivots have to be
/// chosen anew.
///
/// The sparse case keeps the pivots of earlier values while they are good: solutions are accurate
/// to rounding either way, but their last bits depend on which values chose the pivots. Call
/// `forget_pivots` where results must not depend on what was factored before (a checkpoint).
class LinearSolver {
 public:
  enum class Kind { dense, sparse };

  explicit LinearSolver(std::shared_ptr<const SparsePattern> pattern,
                        LinearSolverOptions options = {});

  Kind kind() const { return static_cast<Kind>(solver_.index()); }
  int size() const { return pattern_->rows; }

  /// `values` over the pattern. recoverable when A is exactly singular or a value is not finite;
  /// fatal when the pattern is not square or memory runs out; then no solve may follow.
  [[nodiscard]] Eval factor(std::span<const double> values);

  /// The next factor chooses its pivots from its own values alone.
  void forget_pivots() { reuse_ = Reuse::no; }

  /// The next factor starts from the pivots of another solver of the same pattern (if it has any)
  /// and does not depend on what was factored here before.
  void adopt_pivots(const LinearSolver& other);

  /// How the current factors were made; none after a failure.
  Pivots pivots() const { return pivots_; }

  /// x := A^-1 x
  void solve(std::span<double> x);
  /// X := A^-1 X, the columns of X being the right-hand sides.
  void solve(Matrix& X);
  /// x := A^-T x
  void solve_transposed(std::span<double> x);

  /// Estimate of the reciprocal condition number of A with its rows scaled to unit size.
  double rcond();
  /// Smallest pivot over the largest entry of its row, about: costs no solves.
  double pivot_ratio() const;

 private:
  enum class Reuse { no, yes };
  struct Dense {
    Matrix A;
    DenseLu lu;
  };

  std::shared_ptr<const SparsePattern> pattern_;
  std::variant<Dense, SparseLu> solver_;  // in the order of Kind
  Eval analyzed_ = Eval::ok;
  Reuse reuse_ = Reuse::no;
  Pivots pivots_ = Pivots::none;
};

}  // namespace kardan
