#pragma once
/// The equations of motion in all coordinates of the chart, constraints kept beside them.
///
/// As a constrained problem it gives methods M, f, G and the residuals at any point and solves
///
///   M v' + G' lambda = f,   G v' = c.
///
/// As an ordinary differential equation c = gamma - 2 alpha rate - beta^2 g (Baumgarte 1972;
/// nonholonomic rows: c = gamma - 2 alpha rate), with constant gains or with alpha = a/h, beta =
/// b/h for a step h; alpha = beta = 0 is the underlying equation, whose constraints drift. States
/// are as the method leaves them: residuals are at its order, unless `projection` puts the end of
/// every step back on positions and velocities that satisfy the constraints, along M^-1 G'.
///
/// Rows that follow from others are left out, and chosen anew when the others cease to carry them.

#include <memory>

#include "kardan/formulation/chart_form.h"
#include "kardan/formulation/closing.h"
#include "kardan/formulation/formulation.h"
#include "kardan/integrate/constrained_problem.h"
#include "kardan/linalg/motion/motion_solver.h"

namespace kardan {

struct AllCoordinatesOptions {
  ProblemKind kind = ProblemKind::constrained;
  double alpha = 0, beta = 0;  ///< [1/s], or times the step
  enum class Gains { constant, per_step } gains = Gains::constant;
  enum class Projection { none, each_step } projection = Projection::none;
  /// Points next to singular positions, where other branches begin: taken as they come, or refused.
  enum class Singular { taken, refused } singular = Singular::taken;
};

class AllCoordinates final : public ChartForm<ConstrainedProblem> {
 public:
  AllCoordinates(const System& system, const AllCoordinatesOptions& options);

  ProblemKind kind() const override { return options_.kind; }
  int second_order() const override { return system_.sizes().v; }
  int first_order() const override { return system_.sizes().r; }
  Eval rebase(const State& state) override;
  Eval begin_step(double h) override;
  Eval rate(double t, const Local& y, LocalRate& out) override;
  Eval jacobian(LocalJacobian& out) override;
  Eval jacobian_at(double, const Local&, Derivatives, LocalJacobian&) override {
    return Eval::fatal;
  }
  Eval finish(double t, const Local& y, State& state, ChartPoint& point) override;
  void base_point(ChartPoint& point) const override;
  void place(const Local& y, ChartPoint& point) override { place_freely(y, point); }
  void locate(const State& state, Local& y) override;
  void free_accelerations(const ChartPoint& point, Vector& a) const override { a = point.ddq; }
  void spread_speed(const Vector& u, Vector& speed) const override { speed = u; }
  Eval state_at(const ChartPoint& point, Consistency, State& state) override;
  double error_norm(const Local& e, const State& state, const ErrorScale& scale) override;
  void error_weights(const State& state, const ErrorScale& scale, Local& weights) override;
  void constrained_part(Vector& d) override;
  bool advance(const ChartPoint& point) override;
  bool past(double& t, Local& y, LocalRate& rate) override;
  int partitions() const override { return static_cast<int>(rows_.history.size()); }
  std::span<const PartitionRecord> partition_history() const override { return rows_.history; }
  ProblemCounts counts() const override { return {}; }
  std::vector<std::string> remarks() const override { return {}; }
  Diagnosis diagnosis() const override { return Diagnosis::none; }

  int rows() const override { return static_cast<int>(rows_.independent.size()); }
  int holonomic() const override { return rows_.holonomic; }
  int auxiliary() const override { return system_.sizes().w; }
  void to_velocities(const Vector& x, const Vector& u, Vector& v) const override;
  void to_chart(const Vector& x, const Vector& v, Vector& u) const override;
  void chart_columns(const Vector& x, SparseMatrix& G) const override;
  Eval evaluate(double t, const Vector& x, const Vector& v, const Vector& z, What what) override;
  Eval differentiate(const Vector& a, const Vector& lambda) override;
  const Motion& motion() const override { return at_->motion; }
  const Motion& base_motion() const override { return base_at_->motion; }
  Eval factor() override;
  void solve(Place place, Vector& a, Vector& lambda) override;
  void base_multipliers(Vector& lambda) const override;
  bool continues() const override { return past_.known; }
  void note_multipliers(double t, const Vector& lambda) override;

  /// Multipliers of all rows the method found inside its last step, and their time: those of the
  /// predictor-corrector are accurate to second order in the middle of the step. Empty: none.
  const Vector& step_multipliers() const { return step_multipliers_.lambda; }
  double step_multipliers_time() const { return step_multipliers_.t; }

 private:
  /// What is left of the weakest row without its part along others (squared), and how that was
  /// measured: numbers of another kind are no neighbours.
  struct Remainder {
    double square = 1;
    int kind = 0;
  };
  /// A point with its equations and their factors.
  struct At {
    Motion motion;
    std::unique_ptr<MotionSolver> solver;
    Remainder left;         // of the factors, at the ends of steps
    bool factored = false;  // the solver has them
  };
  Eval choose_rows(const std::string& why);
  void make_patterns(At& at);
  bool in_workspace() const;
  Eval evaluate_at(At& at, What what);
  Eval evaluate_moved(double t, const Vector& x, const Vector& z, What what);
  Eval factor_at(At& at);
  Eval accelerate(At& at, Vector& a, Vector& lambda);
  Eval settle_base();
  Eval constraints_hold(At& at);
  Eval rates_hold(At& at);
  Eval positions_hold(At& at);
  WorstRow worst_position() const;
  Eval contradiction(int row);
  bool branches_are_blurred() const;
  double level() const;
  /// Which factors a projection begins with: those factored last, or its own.
  enum class Factors { last, none };
  Eval project_position(Factors factors);
  Eval project_velocity(At& at);
  void look_ahead();
  Remainder remainder(const At& at);
  double shape_remainder(const At& at);
  double least_root() const;
  void spread(const Vector& kept, Vector& all) const;
  Eval differentiate_base();
  Eval eliminate_auxiliaries();

  AllCoordinatesOptions options_;
  struct {
    double alpha = 0, beta = 0;
    double h = 0;  // [s] for which they are, where they depend on the step
  } gains_;
  /// The constraints that are kept.
  struct Rows {
    std::vector<int> independent;
    PositionRows positions;
    PickedRows picked;
    int holonomic = 0;
    std::vector<PartitionRecord> history;
  } rows_;

  State point_;
  std::unique_ptr<At> base_at_, at_, end_at_;
  int root_kind_ = 0;  // how what is left of a row was measured
  double step_ = 0;    // [s]
  /// Constraints by their shape alone, without masses; made when they are first looked at.
  struct {
    std::unique_ptr<MotionSolver> solver;
    SparseMatrix mass;
  } shape_;
  /// Of all rows, inside the last step.
  struct {
    double t = 0;
    Vector lambda;
  } step_multipliers_;
  Matrix all_;  // derivatives
  struct {
    State nearby, closer;
    Vector x, a, lambda, c, u, all_lambda;
    struct {
      Matrix d_w, by_others;
      DenseLu lu;
    } aux;
  } scratch_;
};

/// For methods that enforce constraints themselves.
Formulation all_coordinates();
/// The same as differential equations: with feedback, without, and without but projected.
Formulation baumgarte();
Formulation index1_ode();
Formulation projected_ode();

}  // namespace kardan
