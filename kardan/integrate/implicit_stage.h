#pragma once
/// An implicit stage of a method on a second-order problem,
///
///   x = X + c_x a,   u = U + c_u a,   z = Z + c_z b,   (a, b) = rate(t, x, u, z),
///
/// solved for (a, b) by Newton's method with
///
///   [ M - c_u A_u - c_x A_x    -c_z A_z     ]
///   [ -c_u B_u - c_x B_x        I - c_z B_z ]
///
/// Newmark: c_x = beta h^2, c_u = gamma h. Diagonally implicit Runge-Kutta: c_x = c_u^2.

#include "kardan/integrate/method.h"
#include "kardan/linalg/dense_lu.h"

namespace kardan {

struct StageWeights {
  double x = 0, u = 0, z = 0;  // c_x, c_u, c_z
};

/// Newton's method: with a matrix kept while it contracts well, or a new one in every iteration.
enum class Newton { simplified, full };

struct NewtonOptions {
  Derivatives matrix = Derivatives::exact;
  Newton newton = Newton::simplified;
  double share = 0.01;      ///< of the error tolerance that the iteration may leave
  double patience = 3;      ///< iterations to go above which a new matrix is made: it costs as much
  int max_matrices = 5;     ///< made in a stage
  int max_iterations = 25;  ///< in a stage
};

class StageSolver {
 public:
  explicit StageSolver(const NewtonOptions& options) : options_(options) {}

  /// Takes J, which must outlive the stage, for the iteration matrix.
  Eval use(const LocalJacobian& J, const StageWeights& c, Counters& counters);

  /// Which matrix an iteration begins with: the last one, or a new one at the predicted point.
  enum class Begin { with_last_matrix, with_new_matrix };

  /// (a, b) in `k` from the guess there, and the point y; `known` is (X, U, Z). The matrix is kept
  /// while the corrections contract well. Recoverable when they do not contract.
  Eval solve(ChartProblem& problem, const StepStart& start, double t, const Local& known,
             const StageWeights& c, Begin begin, LocalRate& k, Local& y, Counters& counters);

  /// e := (I - c J)^-1 e with the last matrix, which takes from an error estimate what stiffness
  /// has blown up (Hairer & Wanner II, IV.8).
  void filter(Local& e);

 private:
  Eval factor(const StageWeights& c, Counters& counters);
  double correct(ChartProblem& problem, const StepStart& start, LocalRate& k, Local& y);

  NewtonOptions options_;
  const LocalJacobian* J_ = nullptr;
  LocalJacobian own_;
  StageWeights c_;
  Matrix S_;
  DenseLu lu_;
  LocalRate rate_;
  Local change_;
  Vector rhs_;
};

}  // namespace kardan
