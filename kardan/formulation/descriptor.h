#pragma once
/// The equations of motion in all coordinates, as implicit equations in the chart of a step.
/// Unknowns y = (q, v, r | a, lambda, w, eta); p = p0 (+) q, eta only in the form of Gear, Gupta
/// and Leimkuhler. The rows of F, of which a form uses some:
///
///   kinematics     q' - T(q)^-1 (v - G' eta)            constraints (lambda and mu together)
///   dynamics       v' - a                                 acceleration   G a - gamma
///   force elements r' - b                                 position       g
///   balance        M a - f + G' lambda                    velocity       G v + g_t
///   auxiliary      d
///
/// `strangeness_free` uses all levels of the constraints, and of kinematics and dynamics only the
/// combinations L_p, L_v that the constraints leave free (selectors, chosen by the linearization);
/// `index_1`, `index_2`, `index_3` use one level, `ggl` two of them with the multipliers eta.
/// Since a is an unknown of its own, M may be singular where the constraints regularise it.

#include <memory>

#include "kardan/formulation/chart_form.h"
#include "kardan/formulation/descriptor_form.h"
#include "kardan/formulation/formulation.h"
#include "kardan/formulation/motion_blocks.h"
#include "kardan/integrate/dae_problem.h"
#include "kardan/linalg/constraint_space.h"
#include "kardan/system/system.h"

namespace kardan {

class Descriptor final : public ChartForm<DaeProblem> {
 public:
  Descriptor(const System& system, const DescriptorForm& form);

  int second_order() const override { return layout_.n; }
  int first_order() const override { return layout_.r; }
  Eval rebase(const State& state) override;
  Eval rate(double t, const Local& y, LocalRate& out) override;
  Eval finish(double t, const Local& y, State& state, ChartPoint& point) override;
  void base_point(ChartPoint& point) const override;
  void place(const Local& y, ChartPoint& point) override;
  void locate(const State& state, Local& y) override;
  void free_accelerations(const ChartPoint& point, Vector& a) const override { a = point.ddq; }
  void spread_speed(const Vector& u, Vector& speed) const override { speed = u; }
  Eval state_at(const ChartPoint& point, Consistency, State& state) override;
  double error_norm(const Local& e, const State& state, const ErrorScale& scale) override;
  void error_units(const State& state, const ErrorScale& scale, Local& units) override;
  void error_weights(const State& state, const ErrorScale& scale, Local& weights) override {
    weigh_one_by_one(state, scale, weights);
  }
  Diagnosis diagnosis() const override { return diagnosis_; }
  Eval begin_step(double h) override;
  void constrained_part(Vector& d) override;
  bool advance(const ChartPoint& point) override;
  ProblemCounts counts() const override { return counts_; }
  std::vector<std::string> remarks() const override;
  std::span<const PartitionRecord> partition_history() const override { return history_; }
  int partitions() const override { return chosen_.partitions; }

  int unknowns() const override { return layout_.unknowns(); }
  int equations() const override { return layout_.equations(); }
  const Vector& base_values() const override { return y0_; }
  const Vector& base_rates() const override { return dy0_; }
  Eval residual(double t, std::span<const double> y, std::span<const double> dy,
                std::span<double> F) override;
  std::unique_ptr<DaeLinearization> make_linearization() const override;
  Eval linearize(double t, std::span<const double> y, DaeLinearization& out) override;
  void carry(std::span<double> y) override;
  Eval close(double t, std::span<double> y) override;
  /// Without constraints there is nothing that would make velocities algebraic.
  int velocity_index() const override { return layout_.m > 0 ? form_.velocity_index : 1; }

 private:
  void place(double t, std::span<const double> y);
  /// w of a state, which continues that of the base.
  Eval follow_auxiliaries(State& state);
  Eval begin_at(double t, const Local& y, State& state);
  Eval evaluate(const State& state, Request request);
  Eval fail(Diagnosis diagnosis, std::string culprit, Eval answer = Eval::recoverable);
  std::string weak_rows(const ConstraintSpace& rows) const;
  void watch_rank();
  /// The rank is decided where constraints hold; elsewhere redundant rows look independent.
  enum class At { consistent, anywhere };
  /// Whether the workspace holds the evaluation at the state already.
  enum class Values { wanted, present };
  Eval choose_rows(const State& state, At at, Values values = Values::wanted);
  void unbalance();
  void unbalance_at_rest();
  bool refine_accelerations();
  bool rows_are_known(const State& state) const;
  Eval solve_accelerations(State& state, Values values = Values::wanted);
  Eval close(State& state);
  Eval keep_invariants(State& state);
  Eval invariants_are_preserved(const State& state);
  void note_invariants();
  struct Openness {
    double position = 0, velocity = 0;
    int worst = 0;
  };
  Openness openness(const std::vector<char>& rows, const State& state) const;
  Eval close_on(const std::vector<char>& rows, State& state, Values values);
  double position_drift() const;
  Eval redundant_rows_hold(const State& state);
  bool jumped(const State& state) const;
  void look_ahead(const State& state);
  void rotate(std::span<const double> q, std::span<const double> v);

  DescriptorForm form_;
  DescriptorLayout layout_;
  int rank_ = 0, position_rank_ = 0;    // largest so far of all rows, of holonomic ones
  ConstraintSpace position_rows_;       // of the state chosen last
  RowChoice choice_, position_choice_;  // where the rank was decided
  /// Which constraints count at a state, and the factors of the accelerations there.
  struct Chosen {
    MotionMatrix acceleration;
    ConstraintSpace rows;
    std::vector<char> active;  // constraint rows that are not redundant
    std::vector<char> strong;  // those that are far from redundant
    double t = 0;
    Vector p = {};
    double remainder = 1;  // smallest of the rows at the base, or next to it
    bool old = false;      // it was found by a linearization, and `rows` belong to a state before
    int partitions = 0;
  };
  Chosen chosen_;
  /// The same for states between steps: looking at them changes no step.
  std::unique_ptr<Chosen> aside_;  // made when it is first needed
  Chosen nothing_chosen() const;
  void step_aside();
  /// The last linearization: where, and with what it left in the workspace.
  struct Linearized {
    bool evaluated = false;  // the workspace holds the evaluation there
    double t = 0, remainder = 0;
    Vector y;
    // Auxiliary variables at the latest time of the present attempt whose residual was asked for.
    double latest = 0;
    Vector w;
    bool astray = false;  // from the present base they were found on another branch
  };
  Linearized last_;
  double step_ = 0;  // of the present attempt
  Vector y0_, dy0_;
  ProblemCounts counts_;
  std::vector<PartitionRecord> history_;
  int switches_ = 0;            // from LU to QR
  std::string near_rows_;       // of the base seen last
  std::vector<char> end_rows_;  // that counted at the end of the last step

  // Scratch.
  State point_, before_;
  Vector a_, lambda_, rhs_, tangent_;
  Vector end_q_;                  // of the step finished last; after rebase(): zero
  Vector moved_, pushed_;         // by the last closing: positions in body tangents, velocities
  Vector shifted_, total_shift_;  // of positions after the step, in body tangents
  RowSpace invariants_;
  Vector kept_;             // their values at the start, where there are bodies
  std::vector<int> modes_;  // to which these belong
  Matrix free_, by_free_;
  Vector along_;
  std::vector<RotationChart> rotations_;
  Vector column_scale_, multiplier_weight_;
  Vector ahead_;
  bool at_base_ = true;  // steps begin there, not at a point inside the chart
  Diagnosis diagnosis_ = Diagnosis::none;
};

Formulation strangeness_free();
Formulation strangeness_free_2();
Formulation ggl();
Formulation index_1();
Formulation index_1_projected();
Formulation index_2();
Formulation index_3();

}  // namespace kardan
