#pragma once
/// Newton's method for a step of the constrained equations whose unknowns are v', lambda, z and w
/// at its end: with dx = T^-1 b dv', dv = c dv',
///
///   [ M - b f_p T - c f_v   G'   -f_z           -f_w        ] [dv'    ]
///   [ G T  (or G)           0     0              0          ] [dlambda]     z' by the trapezoidal
///   [ -h/2 (b b_p + c b_v)  0   1 - h/2 b_z   -h/2 b_w      ] [dz     ]     rule; w eliminated
///   [ b d_p + c d_v         0     d_z            d_w        ] [dw     ]
///
/// One sparse factorization with a fixed pattern.

#include <memory>

#include "kardan/integrate/constrained_problem.h"
#include "kardan/linalg/linear_solver.h"

namespace kardan {

/// Which level the holonomic rows are enforced on: positions, or both, positions being moved along
/// M^-1 G'.
enum class ConstraintLevel { positions, positions_and_velocities };

struct StepWeights {
  double position = 0;  ///< b
  double velocity = 0;  ///< c
  double h = 0;
};

class ConstrainedNewton {
 public:
  /// Makes the pattern when the problem's rows have changed.
  void begin(ConstrainedProblem& problem);
  /// At the point the problem evaluated last, for v' and lambda.
  [[nodiscard]] Eval factor(ConstrainedProblem& problem, const Vector& x, const Vector& rate,
                            const Vector& lambda, const StepWeights& weights,
                            ConstraintLevel level);
  /// One step from the residuals there: v', lambda, z and the shift of the positions are improved.
  [[nodiscard]] Eval improve(ConstrainedProblem& problem, const StepWeights& weights,
                             ConstraintLevel level, const Vector& residual_z, Vector& rate,
                             Vector& lambda, Vector& z, Vector& shift);
  /// Of a change of v' what the step leaves free: along the constraints nothing, of stiff modes
  /// little. Nonholonomic rows leave positions free: what they drive stays.
  void filter(const ConstrainedProblem& problem, Vector& change);
  /// Size of the last step in x, v and z, each by its weight.
  double step_size(const StepWeights& weights, const Local& scale) const;

 private:
  void make_pattern(const ConstrainedProblem& problem);
  void assemble(const Motion& m, const StepWeights& weights);

  int n_ = 0, m_ = 0, first_ = 0, auxiliary_ = 0;
  std::shared_ptr<const SparsePattern> rows_;  // of the constraints the pattern was made for
  std::shared_ptr<const SparsePattern> pattern_;
  std::unique_ptr<LinearSolver> solver_;
  std::vector<int> mass_, force_, G_, Gt_, force_aux_, aux_, aux_aux_, z_diagonal_;
  SparseMatrix chart_G_, chart_f_p_, chart_aux_p_;
  Vector values_, step_, shift_step_, row_;
};

}  // namespace kardan
