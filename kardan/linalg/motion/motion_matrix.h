#pragma once
/// The whole matrix of motion with auxiliary unknowns w and forces that depend on multipliers:
///
///   [ M    G' - f_lambda   -f_w ] [ a      ]
///   [ G    0                0   ] [ lambda ]
///   [ 0    d_lambda         d_w ] [ w      ]
///
/// Rows of constraints that are not active (redundant ones) are replaced by lambda_i = 0. M may be
/// singular where the constraints regularise it. Small dense systems with few free directions are
/// solved through these (null_space_solver.h) while the constraints are far from redundant.

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "kardan/linalg/linear_solver.h"
#include "kardan/linalg/motion/null_space_solver.h"

namespace kardan {

/// Patterns; null: no such block. Of f_w, d_w and d_lambda the rows and columns of w begin at
/// `first_w`.
struct MotionPatterns {
  std::shared_ptr<const SparsePattern> M, G, f_w, d_w, f_lambda, d_lambda;
  int w = 0, first_w = 0;
};
/// Their values; empty: no such block.
struct MotionValues {
  std::span<const double> M, G, f_w, d_w, f_lambda, d_lambda;
};

class MotionMatrix {
 public:
  explicit MotionMatrix(const MotionPatterns& patterns);

  int size() const { return n_ + m_ + w_; }

  [[nodiscard]] Eval factor(const MotionValues& values, const std::vector<char>& active);
  /// x := K^-1 x
  void solve(std::span<double> x) { by_free_ ? free_->solve(x) : solver_->solve(x); }
  void solve(Matrix& X) { by_free_ ? free_->solve(X) : solver_->solve(X); }
  /// Of the whole matrix; 1 where it was not factored.
  double rcond() { return by_free_ ? 1 : solver_->rcond(); }
  /// Also G with all its rows, as it was factored last; null where the whole system was.
  NullSpaceSolver* constraints() { return by_free_ ? &*free_ : nullptr; }

 private:
  int n_, m_, w_;
  std::shared_ptr<const SparsePattern> pattern_, G_pattern_;
  std::unique_ptr<LinearSolver> solver_;
  std::optional<NullSpaceSolver> free_;
  bool by_free_ = false;  // the last factors are those of free_
  Vector values_;
  // Places of the values of each block; -1: not in the matrix.
  std::vector<int> mass_, G_, Gt_, diagonal_, f_w_, d_w_, f_lambda_, d_lambda_;
};

}  // namespace kardan
