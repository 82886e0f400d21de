#pragma once
/// The state-space form by coordinate partitioning, in the chart of a step.
///
/// Chart coordinates q (one per velocity): displacement and rotation vector relative to the base,
/// p = p0 (+) q, v = T(q) q'. The constraint matrix at the base picks dependent coordinates q_d
/// (a well-conditioned square block G_d) and independent ones x = q_i, and drops redundant rows.
/// For given x: g = 0 determines q_d by Newton with the factors of the base; G T q' = -g_t
/// determines q_d'; [M G'; G 0] (a, lambda) = (f, gamma) the accelerations. At the base, B = [H; I]
/// spans the free directions, H = -G_d^-1 G_i, and
///
///   M^ = B'MB,   M^ J1 = B'( K B + C (Q' + E1 B) - M (E2 B + L) ),   M^ J2 = B'( C B - M N )
///
/// with K = f_p - (G'lambda)_p, C = f_v, E1, E2 the curvature of the chart, Q', L, N the changes of
/// dependent velocities and accelerations: the exact Jacobian from the elements' derivatives.
/// Away from the base the same holds with B = T(q) [H; I] and the derivatives of w(q, q') and
/// w'(q, q', q'') for the curvature.

#include <memory>

#include "kardan/base/vec.h"
#include "kardan/formulation/auxiliary.h"
#include "kardan/formulation/catalog.h"
#include "kardan/integrate/problem.h"
#include "kardan/linalg/linear_solver.h"
#include "kardan/system/system.h"

namespace kardan {

class StateSpace final : public ChartProblem {
 public:
  explicit StateSpace(const System& system);

  int second() const override { return static_cast<int>(independent_.size()); }
  int first() const override { return system_.sizes().r; }
  Eval rebase(const State& state) override;
  const Local& base() const override { return base_y_; }
  const LocalRate& base_rate() const override { return base_rate_; }
  Eval rate(double t, const Local& y, LocalRate& out) override;
  Eval jacobian(LocalJacobian& out) override;
  Eval jacobian_at(double t, const Local& y, Derivatives terms, LocalJacobian& out) override;
  Eval finish(double t, const Local& y, State& state, ChartPoint& point) override;
  void base_point(ChartPoint& point) const override;
  Eval state_at(const ChartPoint& point, Consistency, State& state) override;
  double error_norm(const Local& e, const State& state, const ErrorScale& scale) override;
  void error_weights(const State& state, const ErrorScale& scale, Local& weights) override;
  ErrorScale default_scale(double tolerance) const override;
  int events() const override { return system_.sizes().events; }
  void event_functions(const State& state, std::span<double> z) override;
  void switch_modes(const State& after, State& state) override;
  bool advance(const ChartPoint& point) override;
  bool past(double& t, Local& y, LocalRate& rate) override;
  std::string culprit() const override { return culprit_; }

  const Vector& accelerations() const override { return base_a_; }
  const Vector& multipliers() const override { return base_lambda_; }
  int partitions() const override { return partitions_; }
  const std::vector<int>& independent() const { return independent_; }
  /// Free directions at the base: what every velocity coordinate moves with the independent ones.
  const Matrix& directions() const { return B_; }

 private:
  Eval choose_partition();
  void prepare_dependent_solver();
  Eval factor_dependent(LinearSolver& solver);
  /// Turn counters and contact variables of a state in this chart.
  void follow(State& state) {
    if (!base_.turns.empty() || !base_.s.empty()) system_.follow_turns(base_, state, *ws_);
  }
  Eval dependent_positions(double t, const Vector& x);
  Eval dependent_velocities(const Vector& u);
  Eval evaluate_forces(State& state);
  Eval reduced_accelerations(LinearSolver& dependent, const Matrix& chart_B);
  void reduced_multipliers(LinearSolver& dependent);
  void reduce_mass(const Matrix& B, Matrix& out);
  Eval saddle_accelerations();
  bool directions_at_base();
  void blame(const State& state);
  Eval check_redundant_rows();
  void chart_columns();
  void velocity_from_chart(const Vector& q, const Vector& dq, Vector& v) const;
  void turn_to_body(const Matrix& X, Matrix& Y) const;
  void acceleration_from_chart(const Vector& ddq, Vector& a) const;
  void acceleration_to_chart(const Vector& q, const Vector& dq, const Vector& a, Vector& ddq) const;
  Eval evaluate(double t, const Local& y, LocalRate& out);
  void expand(LinearSolver& dependent, Matrix& B, Vector& H_t);
  double position_size(const BodyLayout& body, int k, const State& state) const;
  const Matrix& near_directions() const { return near_base_ ? B_ : near_B_; }
  /// Derivatives of a body's spin w(theta, theta') and w'(theta, theta', theta'').
  struct Curvature {
    Mat3d T;                     // w by theta', w' by theta''
    Mat3d spin;                  // w by theta
    Mat3d acceleration;          // w' by theta
    Mat3d acceleration_by_rate;  // w' by theta'
  };
  /// Where derivatives are taken: a state with its accelerations, and the directions there.
  struct Place {
    const State& state;
    const Vector &a, &lambda;
    const Matrix& chart_B;  // dq by x
    const Vector& H_t;      // dq_d by t
    LinearSolver& dependent;
  };
  void curve_base();
  void curve_point();
  void add_curvature(Mat3d Curvature::*E, const Matrix& X, Matrix& Y) const;
  void add_to_body(const Matrix& X, Matrix& Y) const;
  Eval reduce(const Place& at, Derivatives terms, LocalJacobian& out);
  void differentiate_accelerations(const Place& at);
  Eval reduce_forces(LocalJacobian& out);
  void close_dependent(LinearSolver& dependent, Matrix& Yq, Matrix& Y);
  Eval add_auxiliary(LocalJacobian& out);
  void spread_error(const Vector& independent, Vector& all);

  const System& system_;
  std::unique_ptr<Workspace> ws_;
  State base_;  // p0, v0, r, w at the base
  Local base_y_;
  LocalRate base_rate_;
  Vector base_a_, base_lambda_;
  Vector H_t_;  // dq_d/dt at the base for rheonomic constraints
  Matrix B_;    // nv x n: free directions at the base
  double fresh_norm_ = 0;
  // The accepted point near which evaluations are expected, when it is not the base.
  bool near_base_ = true;
  double near_t_ = 0;
  Vector near_q_, near_H_t_;
  Matrix near_B_;
  // The base before this one.
  State past_;
  Vector past_a_, past_b_, past_q_, past_dq_, past_ddq_;
  // The end of the step finished last.
  State end_;
  Vector end_a_, end_lambda_;
  bool has_end_ = false;
  bool has_base_ = false, has_past_ = false;
  int partitions_ = 0;

  std::vector<int> rows_, dependent_, independent_;  // of the partition
  std::vector<int> dependent_slot_;                  // value index in G of each value of G_d
  std::shared_ptr<const SparsePattern> dependent_pattern_, saddle_pattern_;
  std::vector<int> saddle_M_, saddle_G_, saddle_Gt_, saddle_from_;
  std::unique_ptr<LinearSolver> at_base_, at_point_, near_, saddle_;
  Vector dependent_values_, saddle_values_, saddle_x_, small_;
  Vector chart_G_;  // values of G T at the point

  bool reduced_ = true;  // accelerations on the free directions, else by the saddle matrix
  Matrix reduced_mass_, mass_B_;
  Vector reduced_x_;
  DenseLu reduced_lu_;

  AuxiliarySolver auxiliaries_;
  struct AuxiliaryScratch {
    Matrix by_x, by_u, own, w_x, w_u, w_r, d_w, f_aux, f_r, b_x;
    DenseLu lu;
  } aux_;
  State point_;  // state at the point evaluated last
  Vector q_, dq_, ddq_, a_, lambda_, g_d_, step_;
  Local last_y_;                  // where evaluate() was last, if
  bool at_point_values_ = false;  // the workspace holds that evaluation
  Matrix point_B_;                // dq by x at the point
  Vector point_H_t_;
  std::vector<Curvature> curvature_;  // of each spatial body
  Matrix Xq_, Vq_;                    // changes of q and q' by (x, t)
  Matrix body_B_;                     // T dq by x
  Matrix X_, V_, A_, N_;              // changes of positions, velocities, accelerations
  Matrix W1_, W2_, W3_, W4_;
  bool at_base_values_ = false;  // the workspace holds the evaluation at the base
  bool at_end_ = false;          // chart_G_ and at_point_ belong to the end of a step
  Vector error_x_, error_u_;
  std::vector<int> saddle_place_;
  LocalRate end_rate_;
  Local grid_y_;
  std::string culprit_;
};

Formulation state_space();

}  // namespace kardan
