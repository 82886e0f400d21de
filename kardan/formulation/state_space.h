#pragma once
/// The state-space form by coordinate partitioning, in the chart of a step.
///
/// Chart coordinates q (one per velocity): displacement and rotation vector relative to the base,
/// p = p0 (+) q, v = T(q) q'. The constraint matrix at the base picks dependent coordinates y
/// (a well-conditioned square block G_d) and independent ones x, and drops redundant rows; other
/// bases than single coordinates serve as well (parametrization.h).
/// For given x: g = 0 determines y by Newton with the factors of the base; G T q' = -g_t
/// determines y'; [M G'; G 0] (a, lambda) = (f, gamma) the accelerations. At the base, B = [H; I]
/// spans the free directions, H = -G_d^-1 G_i, and
///
///   M^ = B'MB,   M^ J1 = B'( K B + C (Q' + E1 B) - M (E2 B + L) ),   M^ J2 = B'( C B - M N )
///
/// with K = f_p - (G'lambda)_p, C = f_v, E1, E2 the curvature of the chart, Q', L, N the changes of
/// dependent velocities and accelerations: the exact Jacobian from the elements' derivatives.
/// Away from the base the same holds with B = T(q) [H; I] and the derivatives of w(q, q') and
/// w'(q, q', q'') for the curvature.
///
/// Nonholonomic rows leave fewer velocities free than positions. Then as many of the free
/// positions, zeta, are no part of x but first-order variables, z = (zeta, r): zeta' and y' follow
/// from all rows for given u = x'. Positions change along B, which has columns for (x, zeta),
/// velocities along U, the null space of [G; H], and U takes the place of B' above.

#include <limits>
#include <memory>

#include "kardan/base/vec.h"
#include "kardan/formulation/auxiliary.h"
#include "kardan/formulation/closing.h"
#include "kardan/formulation/error_units.h"
#include "kardan/formulation/formulation.h"
#include "kardan/formulation/parametrization.h"
#include "kardan/formulation/system_events.h"
#include "kardan/integrate/problem.h"
#include "kardan/linalg/linear_solver.h"
#include "kardan/linalg/motion/motion_solver.h"
#include "kardan/linalg/row_fours.h"
#include "kardan/system/system.h"

namespace kardan {

/// How accelerations are solved for: on the free directions, whose mass matrix is dense; by the
/// sparse saddle-point matrix [M G'; G 0]; or by what either costs.
enum class Accelerations { automatic, reduced, saddle };

class StateSpace final : public ChartProblem {
 public:
  explicit StateSpace(const System& system, Parametrize choose = partition_coordinates,
                      Accelerations accelerations = Accelerations::automatic);

  ProblemKind kind() const override { return ProblemKind::ode; }
  int second() const override { return split_.free_velocities(); }
  int first() const override { return split_.drift() + system_.sizes().r; }
  Eval rebase(const State& state) override;
  const Local& base() const override { return base_y_; }
  const LocalRate& base_rate() const override { return base_rate_; }
  Eval begin_step(double) override { return Eval::ok; }
  Eval rate(double t, const Local& y, LocalRate& out) override;
  Eval jacobian(LocalJacobian& out) override;
  Eval jacobian_at(double t, const Local& y, Derivatives terms, LocalJacobian& out) override;
  Eval finish(double t, const Local& y, State& state, ChartPoint& point) override;
  void base_point(ChartPoint& point) const override;
  void place(const Local& y, ChartPoint& point) override;
  void spread_speed(const Vector& u, Vector& speed) const override;
  Eval state_at(const ChartPoint& point, Consistency, State& state) override;
  double error_norm(const Local& e, const State& state, const ErrorScale& scale) override;
  void error_weights(const State& state, const ErrorScale& scale, Local& weights) override;
  ErrorScale default_scale(double tolerance) const override {
    return error_units_.default_scale(tolerance);
  }
  EventSource& events() override { return events_; }
  void constrained_part(Vector& d) override;
  double largest_turn(const Vector& q) const override;
  bool advance(const ChartPoint& point) override;
  bool past(double& t, Local& y, LocalRate& rate) override;
  std::string culprit() const override { return culprit_; }

  const Vector& accelerations() const override { return base_a_; }
  const Vector& multipliers() const override { return base_lambda_; }
  int partitions() const override { return static_cast<int>(history_.size()); }
  std::span<const PartitionRecord> partition_history() const override { return history_; }
  double singular_time() const override { return singular_time_; }
  ProblemCounts counts() const override { return {}; }
  std::vector<std::string> remarks() const override { return {}; }
  Diagnosis diagnosis() const override { return Diagnosis::none; }
  const Parametrization& parametrization() const { return split_; }
  /// Free directions at the base: what every coordinate moves with x and zeta.
  const Matrix& directions() const { return at_base_.B; }
  /// The same of velocities: what they change with u, and, as jacobian() found last, with x and
  /// zeta (in the first columns).
  const Matrix& velocity_directions() const { return at_base_.velocities(); }
  const Matrix& velocity_changes() const { return VU_; }
  const State& base_state() const { return base_; }

 private:
  /// The constraints near a point, to first order.
  struct Tangent {
    double t = 0;
    Vector free, held;  // (x, zeta) and y of the point
    Matrix H;           // y by (x, zeta)
    Vector H_t;         // y by t
    Vector bend;        // y'' with x'' = zeta'' = 0, at the base
    Matrix B;           // q by (x, zeta)
    Matrix H_u, U;      // (y', zeta') and q' by u, where there are nonholonomic rows
    std::unique_ptr<LinearSolver> velocity;  // factors of [G; H] T [D Z]
    std::unique_ptr<LinearSolver> position;  // of G T D, where there are nonholonomic rows
    LinearSolver& positions() { return position ? *position : *velocity; }
    const Matrix& velocities() const { return position ? U : B; }
  };
  Eval choose_partition(std::string why);
  void prepare_dependent_solver();
  Eval factor_dependent(Tangent& tangent);
  Eval dependent_positions(double t, const Local& y);
  Eval close_positions();
  double open_positions(int& worst);
  void guess_positions(double t, const Local& y);
  void bend_base();
  void load_first_order(const Vector& q, std::span<const double> r, Vector& z) const;
  /// Turn counters and contact variables of a state in this chart.
  void follow(const Vector& q, State& state) {
    if (!base_.turns.empty() || !base_.s.empty()) system_.follow_turns(base_, q, state, *ws_);
  }
  Eval dependent_velocities(const Vector& u);
  void turn_velocities();
  /// Whether G at these positions is the one evaluated last.
  enum class Gradient { known, unknown };
  Eval evaluate_forces(State& state, Gradient gradient);
  Eval reduced_accelerations(Tangent& tangent);
  void reduced_multipliers(Tangent& tangent);
  void reduce_mass(const Matrix& U, Matrix& out);
  void share_bodies();
  void reduce_by_bodies(const Matrix& U);
  void reduce_at_once(const Matrix& U);
  void choose_accelerations();
  double reduced_work() const;
  Eval saddle_accelerations();
  std::string directions_at_base();
  void blame(const State& state);
  Eval check_redundant_rows();
  double regularity(Tangent& tangent) const;
  double blurred_below() const;
  Eval check_branches();
  void look_ahead(bool alike);
  void update_turns();
  void update_bias();
  void chart_columns();
  void velocity_from_chart(const Vector& q, const Vector& dq, Vector& v) const;
  void turn_to_body(const Matrix& X, Matrix& Y) const;
  void acceleration_from_chart(const Vector& ddq, Vector& a) const;
  void acceleration_to_chart(const Vector& q, const Vector& dq, const Vector& a, Vector& ddq) const;
  Eval evaluate(double t, const Local& y, LocalRate& out);
  Eval evaluate_point(double t, const Local& y);
  void expand(Tangent& tangent);
  double length(const Tangent& tangent) const;
  const Tangent& nearest() const { return near_base_ ? at_base_ : near_; }
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
    Tangent& tangent;
  };
  void curve_base();
  void curve_point();
  int derivative_width(bool moving) const;
  void find_columns();
  void shape_derivatives(int width);
  void add_curvature(Sum sum, Mat3d Curvature::*E, Strip X, int parts, int part, Matrix& Y) const;
  void to_body(Sum sum, const Matrix& X, int parts, int part, Matrix& Y) const;
  Eval reduce(const Place& at, Derivatives terms, LocalJacobian& out);
  void compile_products();
  void multiply_constraints(const RowProducts& products);
  void differentiate_velocities(const Place& at);
  void differentiate_accelerations(const Place& at);
  Eval reduce_forces(Derivatives terms, LocalJacobian& out);
  void reduce_rows(const Matrix& X, int parts, Matrix& Y);
  void reduce_vector(const Vector& x, Vector& y) const;
  void close_dependent(Tangent& tangent, Matrix& Yq, Matrix& Y);
  void resize_first_order(LocalJacobian& out) const;
  void add_drift(const Matrix& U, LocalJacobian& out);
  Eval add_auxiliary(LocalJacobian& out);
  Eval eliminate_auxiliary();
  void spread_position_error(const Local& e, Vector& all);
  void spread_velocity_error(const Vector& u, Vector& all);
  void close_error(int m, LinearSolver& dependent, Vector& held, Vector& all) const;

  const System& system_;
  Accelerations accelerations_;
  std::unique_ptr<Workspace> ws_;
  SystemEvents events_;
  State base_;  // p0, v0, r, w at the base
  Local base_y_;
  LocalRate base_rate_;
  Vector base_a_, base_lambda_;
  double fresh_norm_ = 0;
  // How far the dependent coordinates are from not being determined, at the base, the one before,
  // and at best; when they would be at last.
  double base_regularity_ = 1, past_regularity_ = 1, best_regularity_ = 0;
  double singular_time_ = std::numeric_limits<double>::infinity();
  Tangent at_base_, at_point_;
  Tangent near_;  // the accepted point near which evaluations are expected, if not the base
  bool near_base_ = true;
  // The base before this one.
  State past_;
  Vector past_a_, past_b_, past_q_, past_dq_, past_ddq_;
  // The end of the step finished last.
  State end_;
  Vector end_a_, end_lambda_;
  bool has_end_ = false;
  bool has_base_ = false, has_past_ = false;
  std::vector<PartitionRecord> history_;

  Parametrize choose_;
  Parametrization split_;
  const std::vector<int>& rows_ = split_.rows;
  HeldBlock velocity_block_, position_block_;
  FreeBlock free_block_, free_velocity_block_;  // of H and H_u
  std::vector<std::vector<int>> supports_;      // of the columns of U in body tangents
  Vector position_weight_;                      // by row: to scaled residuals
  Closing closing_;                             // of states near the base
  bool foreseen_ = false;                       // positions were closed without a last look
  Vector velocity_values_, position_values_;
  std::vector<Mat3d> turn_;  // T of every spatial body at the point
  Vector chart_G_;           // values of G T at the point

  bool chosen_ = false;  // how accelerations are solved
  bool reduced_ = true;  // on the free directions, else by the saddle matrix
  PickedRows kept_;      // rows_ of G
  SparseMatrix kept_G_;
  Vector kept_lambda_;
  std::unique_ptr<MotionSolver> saddle_;
  /// The columns of U that move a body (filled up to a multiple of four by such as do not), and U
  /// there in body tangents, M times it and the square of both.
  struct BodyShare {
    int body = 0;
    std::vector<int> columns;
    Matrix U;
    Vector x;
  };
  void gather(const Matrix& U, BodyShare& share);
  std::vector<BodyShare> shares_;     // none where masses couple bodies
  Vector share_mass_, share_square_;  // M U and U'M U of the body at hand
  Matrix reduced_mass_, mass_U_;
  Vector reduced_x_, force_, bias_;
  DenseLu reduced_lu_;

  AuxiliarySolver auxiliaries_;
  struct AuxiliaryScratch {
    Matrix part, by_x, by_u, own, w_x, w_u, w_r, d_w, f_aux, f_r;
    DenseLu lu;
  } aux_;
  State point_;  // state at the point evaluated last
  Vector q_, dq_, ddq_, a_, lambda_;
  Vector held_, held_velocities_, guess_;
  Local last_y_;                      // where evaluate() was last, if
  bool at_point_values_ = false;      // the workspace holds that evaluation
  std::vector<Curvature> curvature_;  // of each spatial body
  Matrix body_U_;                     // T dq' by u
  /// Columns of derivatives that may not vanish, by what their rows belong to.
  struct Columns {
    RowFours bodies, constraints, forces, body_forces;
  };
  struct Segments {
    RowSegments G, rate_p, accel_p, accel_v, f_p, f_v, M;
  } segments_;
  struct Products {
    RowProducts velocities, accelerations[2], forces[2], mass;  // [away, at the base], [-, exact]
  } products_;
  std::vector<int> every_row_;
  Columns columns_[2];                          // without and with a column for time
  std::vector<std::vector<int>> body_columns_;  // of u, that move a body
  int width_ = 0;                               // of one part of the matrices below
  Matrix Xq_, Vq_, Uq_, Nq_;  // changes of q and q' by (x, zeta, t), of q' by u, of q'' by all
  Matrix X_;                  // of positions by (x, zeta, t)
  Matrix VU_, AN_;            // of velocities and accelerations: a part by (x, zeta, t), one by u
  Matrix MU_, W1_, W3_, W4_;
  Vector by_time_;               // q by t
  bool at_base_values_ = false;  // the workspace holds the evaluation at the base
  bool at_end_ = false;          // chart_G_ and at_point_ belong to the end of a step
  bool moving_ = false;          // derivatives have a column for time
  ErrorUnits error_units_;
  Local units_;
  Vector error_x_, error_u_;
  Local free_part_;
  LocalRate end_rate_;
  Local grid_y_;
  Vector place_held_;
  std::string culprit_;
};

Accelerations accelerations_option(const OptionValues& values);
Formulation state_space();

}  // namespace kardan
