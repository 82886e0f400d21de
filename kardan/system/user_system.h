#pragma once
/// Equations written by a user as a System: names, start, patterns. Every coordinate stands for
/// itself: p_new = p + delta, one "body" each, without scales but those of the constraint rows
/// (what they change by per unit of the coordinates at the start) and of the masses.

#include <algorithm>
#include <limits>
#include <unordered_map>

#include "kardan/system/user_equations.h"

namespace kardan {

class UserSystem final : public System {
 public:
  UserSystem(std::unique_ptr<UserEquations> equations, Blueprint blueprint);

  const Sizes& sizes() const override { return sizes_; }
  const Patterns& patterns() const override { return patterns_; }
  std::unique_ptr<Workspace> make_workspace() const override;
  Eval evaluate(const State& state, Request request, Workspace& ws) const override {
    return equations_->evaluate(state, request, ws);
  }
  Eval differentiate(const State& state, std::span<const double> a, std::span<const double> lambda,
                     Workspace& ws) const override {
    return equations_->differentiate(state, a, lambda, ws);
  }
  Eval invariants(const State& state, Workspace& ws) const override {
    return equations_->invariants(state, ws);
  }
  void retract(std::span<const double> p, std::span<const double> delta,
               std::span<double> p_new) const override;
  void events(const State& state, std::span<double> z, Workspace& ws) const override {
    equations_->events(state, z, ws);
    mark_rest(state, z);
  }
  int rest_mode(int impulse) const override { return impulse; }
  std::unique_ptr<System> hold(const std::vector<int>& events) const override;
  void choose_modes(State& state, Workspace& ws) const override;
  /// No event is known as the passage of a distance.
  void event_guards(const State&, std::span<const double> speed, std::span<double> guard,
                    std::span<double> rate, Workspace&) const override;
  /// Its parameters never change.
  void set_modes(int /*event*/, State&) const override {}
  void follow_turns(const State& from, std::span<const double> way, State& to,
                    Workspace& ws) const override;

  int dimension() const override { return 1; }
  bool exact_derivatives() const override { return equations_->exact(); }
  const Blueprint& blueprint() const override { return blueprint_; }
  const std::vector<BodyLayout>& bodies() const override { return bodies_; }
  const std::vector<RowInfo>& rows() const override { return rows_; }
  const std::vector<std::vector<int>>& row_bodies() const override { return row_bodies_; }
  const std::vector<AxisAlignment>& alignments() const override { return alignments_; }
  const std::vector<VariableInfo>& states() const override { return states_; }
  const std::vector<VariableInfo>& auxiliaries() const override { return auxiliaries_; }
  const std::vector<std::string>& event_names() const override { return event_names_; }
  const Scales& scales() const override { return scales_; }
  const std::vector<ReactionQuantity>& reaction_sensors() const override { return reactions_; }
  State start() const override { return start_; }
  Energy energy(const State& state, Workspace& ws) const override {
    return equations_->energy(state, ws);
  }
  Momentum momentum(const State&, Workspace&) const override { return {}; }
  /// Equations have forces by velocity, and no elements.
  void element_forces(const State&, std::span<double> out, Workspace&) const override;
  void force_vectors(const State&, std::span<Vec3d> out, Workspace&) const override;
  std::optional<Quantity> find_quantity(std::string_view name) const override;
  std::vector<std::string> quantity_names() const override { return quantity_order_; }
  /// Equations are numbers: only the time has a known unit.
  std::string quantity_unit(const Quantity& q) const override {
    return q.kind == Quantity::Kind::time ? "s" : "";
  }
  std::vector<int> quantity_columns(const Quantity&) const override;
  bool is_velocity(const Quantity&) const override;
  double quantity(const Quantity&, const State&, double factor, std::span<double> by_p,
                  std::span<double> by_v, Workspace&) const override;

  const std::vector<InputEffect>& time_inputs(const State&) const override { return inputs_; }
  const std::vector<InputEffect>& way_inputs(const State&) const override { return no_inputs_; }
  void enclose_time_inputs(const State& at, double a, double b, int order,
                           std::span<InputBounds> out, Workspace&) const override;
  void enclose_way_inputs(const State&, const State&, const StepError&, double, double, int,
                          std::span<InputBounds>, Workspace&) const override {}
  std::vector<PrescribedMotion> prescribed_motions() const override { return {}; }

  std::string coordinate_name(int column) const override;
  std::string velocity_name(int column) const override;
  std::string acceleration_name(int column) const override;
  double coordinate_scale(int) const override { return scales_.length; }
  double row_scale(int row) const override { return row_scale_[row]; }
  double state_scale(int) const override { return 1; }

 private:
  void lay_out();
  void name_rows();
  void name_quantities();
  void find_scales();
  void find_inputs();

  std::unique_ptr<UserEquations> equations_;
  Blueprint blueprint_;
  Sizes sizes_;
  Patterns patterns_;
  Scales scales_;
  Vector row_scale_;
  State start_;
  std::vector<BodyLayout> bodies_;
  std::vector<RowInfo> rows_;
  std::vector<std::string> event_names_;
  std::vector<std::vector<int>> row_bodies_;
  std::vector<AxisAlignment> alignments_;  // none: there are no joints
  std::vector<VariableInfo> states_, auxiliaries_;
  std::vector<ReactionQuantity> reactions_;  // none
  /// A formula that depends on time, and which derivative of it acts.
  struct InputFormula {
    Formula formula;
    int derivative = 0;
  };
  std::vector<InputFormula> input_formulas_;
  std::vector<InputEffect> inputs_, no_inputs_;
  std::vector<bool> output_moves_;  // outputs that depend on velocities
  std::vector<std::string> quantity_order_;
  std::unordered_map<std::string, Quantity> quantities_;
};

}  // namespace kardan
