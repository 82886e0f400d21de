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

#include "kardan/base/vec.h"
#include "kardan/formulation/chart_form.h"
#include "kardan/formulation/closing.h"
#include "kardan/formulation/formulation.h"
#include "kardan/formulation/free_accelerations.h"
#include "kardan/formulation/partition.h"
#include "kardan/formulation/state_space_jacobian.h"
#include "kardan/formulation/tangent.h"

namespace kardan {

class StateSpace final : public ChartForm<ChartProblem> {
 public:
  explicit StateSpace(const System& system, Parametrize choose = partition_coordinates,
                      Accelerations accelerations = Accelerations::automatic);

  ProblemKind kind() const override { return ProblemKind::ode; }
  int second_order() const override { return split_.free_velocities(); }
  int first_order() const override { return split_.drift() + system_.sizes().r; }
  Eval rebase(const State& state) override;
  Eval begin_step(double) override { return Eval::ok; }
  Eval rate(double t, const Local& y, LocalRate& out) override;
  Eval jacobian(LocalJacobian& out) override;
  Eval jacobian_at(double t, const Local& y, Derivatives terms, LocalJacobian& out) override;
  Eval finish(double t, const Local& y, State& state, ChartPoint& point) override;
  void base_point(ChartPoint& point) const override;
  void place(const Local& y, ChartPoint& point) override;
  void locate(const State& state, Local& y) override;
  void free_accelerations(const ChartPoint& point, Vector& a) const override;
  void spread_speed(const Vector& u, Vector& speed) const override;
  Eval state_at(const ChartPoint& point, Consistency, State& state) override;
  double error_norm(const Local& e, const State& state, const ErrorScale& scale) override;
  void error_weights(const State& state, const ErrorScale& scale, Local& weights) override;
  void constrained_part(Vector& d) override;
  bool advance(const ChartPoint& point) override;
  bool past(double& t, Local& y, LocalRate& rate) override;

  int partitions() const override { return static_cast<int>(partition_.history().size()); }
  std::span<const PartitionRecord> partition_history() const override {
    return partition_.history();
  }
  ProblemCounts counts() const override { return {}; }
  std::vector<std::string> remarks() const override { return {}; }
  Diagnosis diagnosis() const override { return Diagnosis::none; }
  const Parametrization& parametrization() const { return split_; }
  /// Free directions at the base: what every coordinate moves with x and zeta.
  const Matrix& directions() const { return at_base_.B; }
  /// The same of velocities: what they change with u, and, as jacobian() found last, with x and
  /// zeta (in the first columns).
  const Matrix& velocity_directions() const { return at_base_.velocities(); }
  const Matrix& velocity_changes() const { return jacobian_.velocity_changes(); }
  const State& base_state() const { return base_.state; }

 private:
  Eval choose_partition(std::string why);
  Eval dependent_positions(double t, const Local& y);
  Eval close_positions();
  WorstRow open_positions();
  void guess_positions(double t, const Local& y);
  void bend_base();
  void load_first_order(const Vector& q, std::span<const double> r, Vector& z) const;
  Eval dependent_velocities(const Vector& u);
  void turn_velocities();
  /// Whether G at these positions is the one evaluated last.
  enum class Gradient { known, unknown };
  Eval evaluate_forces(State& state, Gradient gradient);
  Eval accelerate(Tangent& tangent);
  void complete_multipliers(Tangent& tangent);
  Eval differentiate(const StateSpaceJacobian::Place& at, Derivatives terms, LocalJacobian& out);
  std::string directions_at_base();
  Eval check_redundant_rows();
  double blurred_below() const;
  Eval check_branches();
  void look_ahead(SingularWatch::Before before);
  void update_turns();
  void chart_columns();
  Eval evaluate(double t, const Local& y, LocalRate& out);
  Eval evaluate_point(double t, const Local& y);
  void spread_position_error(const Local& e, Vector& all);
  void spread_velocity_error(const Vector& u, Vector& all);
  void close_error(int m, LinearSolver& solver, Vector& dependent, Vector& all) const;

  Tangent at_base_;
  Tangent near_;                  // of an accepted point
  Tangent* nearest_ = &at_base_;  // of the two: where evaluations are expected
  Partition partition_;
  const Parametrization& split_ = partition_.split();
  Closing closing_;        // of states near the base
  bool foreseen_ = false;  // positions were closed without a last look
  FreeAccelerations accelerations_;
  StateSpaceJacobian jacobian_;

  /// What the workspace holds, as a value: the evaluation of the base, or of a point.
  struct Evaluated {
    enum class At { nothing, base, point } at = At::nothing;
    double t = 0;
    Local y;
    bool is(double time, const Local& where) const {
      return at == At::point && time == t && where.x == y.x && where.u == y.u && where.z == y.z;
    }
  };
  Evaluated holds_;
  EvaluatedPoint point_;  // evaluated last
  bool at_end_ = false;   // its columns and its tangent belong to the end of a step
  struct Scratch {
    Vector dependent, dependent_velocities, guess, place_dependent;
    Local units, free_part, grid_y;
    Local errors;  // of all coordinates
    LocalRate end_rate;
    struct Place {
      Vector q, dq;
    } place;
    Vector second;
  } scratch_;
};

Accelerations accelerations_option(const OptionValues& values);
Formulation state_space();

}  // namespace kardan
