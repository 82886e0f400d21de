#pragma once
/// One model for several values of its parameters: events may change them (`when`, action set). The
/// last mode of a state tells which values hold, so that a state says everything, as ever. All
/// variants are compiled beforehand; they have the same layout.

#include "kardan/system/system.h"

namespace kardan {

class VariantSystem final : public System {
 public:
  /// `next[k][e]` is the variant that follows variant k after event e.
  VariantSystem(std::vector<std::unique_ptr<System>> variants, std::vector<std::vector<int>> next);

  /// Whether two systems have the same variables, equations and patterns.
  static bool same_layout(const System& a, const System& b);
  int variants() const { return static_cast<int>(variants_.size()); }
  const System& variant(const State& s) const { return *variants_[s.modes.back()]; }

  void set_modes(int event, State& s) const override {
    s.modes.back() = next_[s.modes.back()][event];
  }

  const Sizes& sizes() const override { return sizes_; }
  const Patterns& patterns() const override { return first().patterns(); }
  std::unique_ptr<Workspace> make_workspace() const override { return first().make_workspace(); }
  Eval evaluate(const State& s, Request request, Workspace& ws) const override;
  Eval differentiate(const State& s, std::span<const double> a, std::span<const double> lambda,
                     Workspace& ws) const override;
  Eval invariants(const State& s, Workspace& ws) const override {
    return variant(s).invariants(s, ws);
  }
  void retract(std::span<const double> p, std::span<const double> delta,
               std::span<double> p_new) const override {
    first().retract(p, delta, p_new);
  }
  void events(const State& s, std::span<double> z, Workspace& ws) const override {
    variant(s).events(s, z, ws);
  }
  void event_guards(const State& s, std::span<const double> speed, std::span<double> guard,
                    std::span<double> rate, Workspace& ws) const override {
    variant(s).event_guards(s, speed, guard, rate, ws);
  }
  void choose_modes(State& s, Workspace& ws) const override { variant(s).choose_modes(s, ws); }
  void follow_turns(const State& from, std::span<const double> way, State& to,
                    Workspace& ws) const override {
    variant(to).follow_turns(from, way, to, ws);
  }

  int dimension() const override { return first().dimension(); }
  bool exact_derivatives() const override { return first().exact_derivatives(); }
  const Blueprint& blueprint() const override { return first().blueprint(); }
  const std::vector<BodyLayout>& bodies() const override { return first().bodies(); }
  const std::vector<RowInfo>& rows() const override { return first().rows(); }
  const std::vector<std::vector<int>>& row_bodies() const override { return first().row_bodies(); }
  const std::vector<AxisAlignment>& alignments() const override { return first().alignments(); }
  const std::vector<VariableInfo>& states() const override { return first().states(); }
  const std::vector<VariableInfo>& auxiliaries() const override { return first().auxiliaries(); }
  const std::vector<std::string>& event_names() const override { return first().event_names(); }
  const Scales& scales() const override { return first().scales(); }
  const std::vector<ReactionQuantity>& reaction_sensors() const override {
    return first().reaction_sensors();
  }
  State start() const override;
  Energy energy(const State& s, Workspace& ws) const override;
  Momentum momentum(const State& s, Workspace& ws) const override {
    return variant(s).momentum(s, ws);
  }
  void element_forces(const State& s, std::span<double> out, Workspace& ws) const override {
    variant(s).element_forces(s, out, ws);
  }
  void force_vectors(const State& s, std::span<Vec3d> out, Workspace& ws) const override {
    variant(s).force_vectors(s, out, ws);
  }
  std::optional<Quantity> find_quantity(std::string_view name) const override {
    return first().find_quantity(name);
  }
  std::vector<std::string> quantity_names() const override { return first().quantity_names(); }
  std::string quantity_unit(const Quantity& q) const override { return first().quantity_unit(q); }
  std::vector<int> quantity_columns(const Quantity& q) const override {
    return first().quantity_columns(q);
  }
  bool is_velocity(const Quantity& q) const override { return first().is_velocity(q); }
  double quantity(const Quantity& q, const State& s, double factor, std::span<double> by_p,
                  std::span<double> by_v, Workspace& ws) const override {
    return variant(s).quantity(q, s, factor, by_p, by_v, ws);
  }
  int rest_mode(int impulse) const override { return first().rest_mode(impulse); }
  const std::vector<InputEffect>& time_inputs(const State& s) const override {
    return variant(s).time_inputs(s);
  }
  const std::vector<InputEffect>& way_inputs(const State& s) const override {
    return variant(s).way_inputs(s);
  }
  void enclose_time_inputs(const State& at, double a, double b, int order,
                           std::span<InputBounds> out, Workspace& ws) const override {
    variant(at).enclose_time_inputs(at, a, b, order, out, ws);
  }
  void enclose_way_inputs(const State& from, const State& to, const StepError& error, double a,
                          double b, int order, std::span<InputBounds> out,
                          Workspace& ws) const override {
    variant(from).enclose_way_inputs(from, to, error, a, b, order, out, ws);
  }
  std::vector<PrescribedMotion> prescribed_motions() const override;
  std::unique_ptr<System> hold(const std::vector<int>& events) const override;
  std::string coordinate_name(int column) const override { return first().coordinate_name(column); }
  std::string velocity_name(int column) const override { return first().velocity_name(column); }
  std::string acceleration_name(int column) const override {
    return first().acceleration_name(column);
  }
  double coordinate_scale(int column) const override { return first().coordinate_scale(column); }
  double row_scale(int row) const override { return first().row_scale(row); }
  double state_scale(int index) const override { return first().state_scale(index); }

 private:
  const System& first() const { return *variants_.front(); }
  void load_mass(const State& s, Workspace& ws) const;

  std::vector<std::unique_ptr<System>> variants_;
  std::vector<std::vector<int>> next_;
  std::vector<Vector> mass_;  // constant mass matrices live in the workspace
  Sizes sizes_;
};

}  // namespace kardan
