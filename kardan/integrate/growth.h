#pragma once
/// Growing modes bound the step of implicit methods. A solution that grows like exp(lambda t) is
/// multiplied by R(h lambda) in a step, which is no growth at all where h lambda is large: L-stable
/// methods let it die, and their estimates, in units of a tolerance that the solution has not
/// reached yet, say nothing. So the step is held below 1 / lambda for the largest real eigenvalue
/// lambda of the Jacobian J of (x, u, z).
///
/// With x = s u eliminated, 1 / s is an eigenvalue where
///
///   T(s) = T_0 + s T_1 + s^2 T_2,   T_0 = [M 0; 0 I],   T_1 = -[A_u A_z; B_u B_z],
///                                   T_2 = -[A_x 0; B_x 0]
///
/// is singular. Where T_0 + h T_1 and T(h) have positive definite symmetric parts, in any scaling,
/// so has T(s) for every s in [0, h] (a quadratic in s that is positive at 0 lies above the chord,
/// or above its own linear part), and no eigenvalue is real and above 1 / h. Only where that
/// fails, eigenvalues are computed.

#include <functional>
#include <limits>

#include "kardan/integrate/problem.h"

namespace kardan {

/// Whether the Jacobian has no real eigenvalue above 1 / h, as two Cholesky factorizations tell:
/// true is a proof, false is none.
class NoGrowthTest {
 public:
  [[nodiscard]] bool passes(const LocalJacobian& J, double h);

 private:
  void scale(const LocalJacobian& J, double h);
  bool positive(const LocalJacobian& J, double h, double positions);

  Vector scale_;  // of (u, z)
  Matrix P_;
};

/// The Jacobian of a problem in free coordinates at a state of the same motion; null: it has none.
[[nodiscard]] const LocalJacobian* jacobian_in(ChartProblem& free_form, const State& state,
                                               LocalJacobian& out);

/// The largest real eigenvalue of the Jacobian; 0 where none is positive. Of modes that only
/// rounding has moved off zero none is. Nothing when the eigenvalues cannot be found.
[[nodiscard]] Eval fastest_growth(const LocalJacobian& J, double& rate);

/// Looks at the Jacobian whenever steps have become longer, and after some steps.
class GrowthWatch {
 public:
  /// Null: it is not known there.
  using Jacobian = std::function<const LocalJacobian*()>;
  /// The step wished, or the longest that follows what grows.
  double limit(double h, const Jacobian& jacobian);
  /// A step was taken.
  void count() { ++since_; }
  /// Other equations hold from now on.
  void forget() { *this = {}; }

 private:
  void look(double h, const Jacobian& jacobian);

  NoGrowthTest test_;
  double known_to_ = 0;  // steps up to this length have been looked at
  double longest_ = std::numeric_limits<double>::infinity();
  int since_ = 0, patience_ = 0;  // steps since the last look, and until the next
};

}  // namespace kardan
