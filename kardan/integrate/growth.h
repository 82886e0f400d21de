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
///
/// Oscillations that grow, like exp(lambda t) with lambda = alpha +- i omega, are damped by long
/// steps in the same way. Methods of order p miss about |lambda| (h |lambda|)^p of alpha: where a
/// step would be longer than 1 / |lambda| it is held to what leaves most of alpha. No eigenvalue is
/// as fast where h |T_1| + h^2 |T_2| is smaller than M, which norms and one Cholesky factorization
/// tell.
///
/// Explicit methods magnify what grows without swinging, whatever the step. But where only their
/// stability bounds a step, some of them damp oscillations too.

#include <complex>
#include <functional>
#include <limits>

#include "kardan/integrate/problem.h"
#include "kardan/integrate/state_matrix.h"
#include "kardan/linalg/eigenvalues.h"

namespace kardan {

/// Whether the Jacobian has no real eigenvalue above 1 / h, as two Cholesky factorizations tell:
/// true is a proof, false is none.
class NoGrowthTest {
 public:
  [[nodiscard]] bool passes(const LocalJacobian& J, double h);
  /// Whether it has no eigenvalue at all of a size above 1 / h: true is a proof, false is none.
  [[nodiscard]] bool all_slow(const LocalJacobian& J, double h);

 private:
  double largest_part(const LocalJacobian& J, double h);
  void scale(const LocalJacobian& J, double h);
  bool positive(const LocalJacobian& J, double h, double positions);

  Vector scale_;  // of (u, z)
  Vector columns_;
  Matrix P_;
};

/// The Jacobian of a problem in free coordinates at a state of the same motion; null: it has none.
[[nodiscard]] const LocalJacobian* jacobian_in(ChartProblem& free_form, const State& state,
                                               LocalJacobian& out);

/// Eigenvalues of the Jacobian that grow.
struct GrowingModes {
  double real = 0;                                 ///< the largest real one; 0: none is positive
  std::vector<std::complex<double>> oscillations;  ///< one of each pair
  void clear() {
    real = 0;
    oscillations.clear();
  }
};
/// What is looked for them with: kept, nothing is allocated again.
struct ModeScratch {
  Matrix A;
  StateMatrixScratch masses;
  EigenSystem all;
};
/// Of modes that only rounding has moved off the axis none is one. Nothing when the eigenvalues
/// cannot be found.
[[nodiscard]] Eval find_modes(const LocalJacobian& J, GrowingModes& modes, ModeScratch& scratch);

/// What may pass out of sight: implicit methods let everything die, explicit ones only what swings.
enum class Unseen { all_that_grows, oscillations };

/// Looks at the Jacobian whenever steps have become longer, and after some steps.
class GrowthWatch {
 public:
  /// For a method of this order, over a time of `span`: what does not grow by e in it may die out.
  GrowthWatch(int order, double span, Unseen unseen)
      : order_(order), span_(span), unseen_(unseen) {}
  /// Null: it is not known there.
  using Jacobian = std::function<const LocalJacobian*()>;
  /// The step proposed, or the longest that follows what grows.
  double limit(double h, const Jacobian& jacobian);
  /// [s] That steps may have after the last look.
  double longest() const { return longest_; }
  /// A step was taken.
  void count() { ++since_, ++modes_age_; }
  /// Other equations hold from now on.
  void forget();

 private:
  void make_room(const LocalJacobian& J);
  void look(double h, const Jacobian& jacobian);
  void look_for_oscillations(double h, const Jacobian& jacobian);
  void follow(double h);
  double series() const;
  double resolved() const;
  double following(double h) const;

  int order_;
  double span_;  // [s]
  Unseen unseen_;

  NoGrowthTest test_;
  double known_to_ = 0;  // steps up to this length have been looked at
  double longest_ = std::numeric_limits<double>::infinity();
  int since_ = 0, patience_ = 0;  // steps since the last look, and until the next
  ModeScratch scratch_;
  GrowingModes modes_;            // when they were looked at last
  bool follows_ = false;          // an oscillation, until it no longer grows
  int modes_age_ = std::numeric_limits<int>::max() / 2;  // [steps]
};

}  // namespace kardan
