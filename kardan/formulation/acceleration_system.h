#pragma once
/// Accelerations, multipliers and auxiliary variables at a given state:
///
///   [ M    G' - f_lambda   -f_w ] [ a      ]
///   [ G    0                0   ] [ lambda ]      (G with the nonholonomic rows)
///   [ 0    d_lambda         d_w ] [ w      ]
///
/// Rows of constraints that are not active (redundant ones) are replaced by lambda_i = 0. M may be
/// singular where the constraints regularise it. Small dense systems with few free directions are
/// solved through these (linalg/null_space_solver.h) while the constraints are far from redundant.

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "kardan/linalg/linear_solver.h"
#include "kardan/linalg/null_space_solver.h"
#include "kardan/system/equations.h"

namespace kardan {

class AccelerationSystem {
 public:
  explicit AccelerationSystem(const Equations& equations);

  int size() const { return n_ + m_ + w_; }

  /// From the matrices of an evaluated workspace, differentiated too where there are auxiliary
  /// variables or forces that depend on multipliers.
  [[nodiscard]] Eval factor(const Workspace& ws, const std::vector<char>& active);
  /// x := K^-1 x
  void solve(std::span<double> x) { by_free_ ? free_->solve(x) : solver_->solve(x); }
  /// Also G with all its rows, as it was factored last; null where the whole system was.
  NullSpaceSolver* constraints() { return by_free_ ? &*free_ : nullptr; }
  void solve(Matrix& X) { by_free_ ? free_->solve(X) : solver_->solve(X); }

 private:
  int n_, m_, r_, w_;
  bool multiplier_forces_;
  std::shared_ptr<const SparsePattern> pattern_;
  std::unique_ptr<LinearSolver> solver_;
  std::optional<NullSpaceSolver> free_;
  bool by_free_ = false;  // the last factors are those of free_
  Vector values_;
  // Places of the values of each block.
  std::vector<int> mass_, G_, Gt_, diagonal_, force_w_, aux_w_, force_lambda_, aux_lambda_;
};

}  // namespace kardan
