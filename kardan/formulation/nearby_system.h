#pragma once
/// Motions near a run in all coordinates of a chart, M v' + G' lambda = f, for the estimate of
/// global errors. Whatever formulation makes the run, its motion is one of these equations.
///
/// Errors are differences from a motion that satisfies the constraints: after every block
/// what crosses them is taken out, along M^-1 G'.
///
/// With x and z eliminated as in rosenbrock.h, I - c J is
///
///   [ M - c C - c^2 K   G'   -c F      ]
///   [ G                 -eps           ]      K = (f - M a - G' lambda)_p, C = f_v
///   [ -c B_v - c^2 B_p        I - c B  ]
///
/// where J leaves out what the chart turns within a block, and how G changes: it carries errors,
/// and makes none.

#include <memory>

#include "kardan/formulation/accelerations.h"
#include "kardan/formulation/auxiliary.h"
#include "kardan/formulation/chart.h"
#include "kardan/formulation/independent_motion.h"
#include "kardan/integrate/nearby_motion.h"
#include "kardan/linalg/linear_solver.h"
#include "kardan/system/system.h"

namespace kardan {

class NearbySystem final : public NearbyMotion {
 public:
  explicit NearbySystem(const System& system);

  int second_order() const override { return system_.sizes().v; }
  int first_order() const override { return system_.sizes().r; }
  void rebase(const State& base) override;
  void place(const State& state, const Vector& a, const Vector& b, Local& y,
             LocalRate& rate) const override;
  void state_at(const Local& y, State& state) override;
  double largest_turn(const Local& y) const override { return chart_.largest_turn(y.x); }
  double turned(const Local& y) const override;
  Eval rate(double t, const Local& y, LocalRate& out) override;
  Eval factor(double c) override;
  void filter(Local& e) override;
  Eval carry(const Local& at, const State& base, Local& e) override;

  /// Accelerations and rates of first-order variables at a state.
  Eval evaluate(const State& state, Vector& a, Vector& b);

 private:
  Eval accelerate();
  void turn(const Local& at, Local& e) const;
  Eval close(Local& e);
  void make_pattern();

  const System& system_;
  Chart chart_;
  std::unique_ptr<Workspace> ws_;
  AuxiliarySolver auxiliaries_;
  AccelerationSolver coupled_;  // where forces depend on multipliers
  IndependentMotion motion_;
  State base_, point_, moved_;
  Vector a_, lambda_;  // at the last point
  Local near_base_;
  Vector across_, open_;

  /// I - c J, from the first use on.
  struct Matrix {
    std::shared_ptr<const SparsePattern> pattern;
    std::unique_ptr<LinearSolver> solver;
    Vector values, right;
    SparseMatrix mass, constraint, stiffness, from_positions;           // where it was made
    std::vector<int> M, f_p, f_v, G, Gt, diagonal, f_z, b_p, b_v, b_z;  // places
    double c = 0;
  } matrix_;
};

}  // namespace kardan
