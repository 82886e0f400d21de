#pragma once
/// Bodies, joints and forces in the plane (D = 2) or in space (D = 3) as general equations.
///
///   M = diag(m I, J) constant,   f = m g + element forces - (0, w x J w)
///   planar p = (x, y, angle), v = (vx, vy, omega); spatial p = (x, q), v = (x', body-frame spin)

#include <array>
#include <deque>

#include "kardan/system/patterns.h"
#include "kardan/system/quantity_jet.h"
#include "kardan/system/system.h"

namespace kardan {

template <int D>
class MultibodySystem final : public System {
 public:
  MultibodySystem(Blueprint blueprint, Program<D> program, std::vector<BodyLayout> bodies,
                  Topology topology, Patterns patterns);

  const Sizes& sizes() const override { return sizes_; }
  const Patterns& patterns() const override { return patterns_; }
  std::unique_ptr<Workspace> make_workspace() const override;
  Eval evaluate(const State&, Request, Workspace&) const override;
  Eval differentiate(const State&, std::span<const double> a, std::span<const double> lambda,
                     Workspace&) const override;
  Eval invariants(const State&, Workspace&) const override;
  void retract(std::span<const double> p, std::span<const double> delta,
               std::span<double> p_new) const override;
  void events(const State&, std::span<double> z, Workspace&) const override;
  void choose_modes(State&, Workspace&) const override;
  int rest_mode(int impulse) const override { return program_.modes + impulse; }
  std::unique_ptr<System> hold(const std::vector<int>& events) const override;
  void event_guards(const State&, std::span<const double> speed, std::span<double> guard,
                    std::span<double> rate, Workspace&) const override;
  void follow_turns(const State& from, std::span<const double> way, State& to,
                    Workspace&) const override;
  const std::vector<AxisAlignment>& alignments() const override { return program_.alignments; }

  /// Its parameters never change.
  void set_modes(int /*event*/, State&) const override {}

  int dimension() const override { return D; }
  bool exact_derivatives() const override { return true; }
  const Blueprint& blueprint() const override { return blueprint_; }
  const std::vector<BodyLayout>& bodies() const override { return bodies_; }
  const std::vector<RowInfo>& rows() const override { return program_.rows; }
  const std::vector<std::vector<int>>& row_bodies() const override { return topology_.row_bodies; }
  const std::vector<VariableInfo>& states() const override { return program_.states; }
  const std::vector<VariableInfo>& auxiliaries() const override { return program_.auxiliaries; }
  const std::vector<std::string>& event_names() const override { return event_names_; }
  const Scales& scales() const override { return scales_; }
  const std::vector<ReactionQuantity>& reaction_sensors() const override {
    return program_.reactions;
  }
  State start() const override;
  Energy energy(const State&, Workspace&) const override;
  Momentum momentum(const State&, Workspace&) const override;
  void element_forces(const State&, std::span<double> out, Workspace&) const override;
  void force_vectors(const State&, std::span<Vec3d> out, Workspace&) const override;
  std::optional<Quantity> find_quantity(std::string_view name) const override;
  std::vector<std::string> quantity_names() const override;
  std::string quantity_unit(const Quantity&) const override;
  std::vector<int> quantity_columns(const Quantity&) const override;
  bool is_velocity(const Quantity&) const override;
  double quantity(const Quantity&, const State&, double factor, std::span<double> by_p,
                  std::span<double> by_v, Workspace&) const override;
  std::string coordinate_name(int column) const override;
  std::string velocity_name(int column) const override;
  std::string acceleration_name(int column) const override;
  double coordinate_scale(int column) const override;
  double row_scale(int row) const override;
  double state_scale(int index) const override;

  const std::vector<InputEffect>& time_inputs(const State&) const override {
    return time_inputs_.effects;
  }
  const std::vector<InputEffect>& way_inputs(const State&) const override {
    return way_inputs_.effects;
  }
  void enclose_time_inputs(const State& at, double a, double b, int order,
                           std::span<InputBounds> out, Workspace&) const override;
  void enclose_way_inputs(const State& from, const State& to, const StepError& error, double a,
                          double b, int order, std::span<InputBounds> out,
                          Workspace&) const override;
  std::vector<PrescribedMotion> prescribed_motions() const override;

  /// Binds expression sensors, events and invariants to the quantities they name; once, before the
  /// system is used.
  void bind_expressions(Diagnostics& diagnostics);
  /// Then the rows of the events that are held.
  void bind_held(std::span<const SharedRow> rows);
  /// Finds what the inputs act on.
  void bind_inputs();

 private:
  /// How far b of a counter is from the half plane at which turns are counted, for the poses of its
  /// bodies.
  struct TurnDistance {
    std::array<double, 8> poses{};
    double value = -1;
  };
  struct MotionScratch final : Workspace::Scratch {
    std::vector<BodyMotion<D>> motion;
    std::vector<TurnDistance> turn_distances;    // of the states that turns were followed from last
    Vector argument_values, argument_gradients;  // of all expressions, one after the other
    std::deque<QuantityJet> jets;                // of quantities in rows that are held
    JetScratch jet_work;
    std::vector<VecOf<D>> way;  // places and velocities on roads, at the start of a step
  };
  /// An expression over quantities; its arguments stand from `first` on in the scratch.
  struct BoundExpression {
    Expression value;
    std::vector<Quantity> arguments;
    int first = 0;
  };
  /// An event that is held: its row in the constraint matrix and its blocks in the forces.
  struct HeldRow {
    int event = 0;  // of `when`
    int row = 0;
    std::vector<int> columns;  // ascending
    std::vector<int> slots;    // of the columns in the row
    std::vector<int> blocks;   // columns x columns in the force pattern
  };
  /// Inputs of one kind: their places in the program, and what they act on.
  struct InputGroup {
    std::vector<int> places;
    std::vector<InputEffect> effects;
  };
  struct BodyMass {
    double mass;
    Mat3d inertia;
  };

  void orient(const State&, int body, BodyMotion<D>&) const;
  Depth depth_of(const Request&) const;
  double turned(std::span<const double> way, int body) const;
  double principal_angle(const TurnCounter<D>& counter, const State& from,
                         std::span<const double> way, double s, MotionScratch& scratch) const;
  struct Turn;
  Turn whole_turn(const TurnCounter<D>& counter, const State&, MotionScratch& scratch) const;
  int whole_turns(std::size_t counter, const State& from, const State& to,
                  MotionScratch& scratch) const;
  double turn_distance(std::size_t counter, const State& state, MotionScratch& scratch) const;
  std::vector<BodyMotion<D>>& move(const State&, std::span<const double> a, Workspace&) const;
  Context<D> context(const State&, const std::vector<BodyMotion<D>>&) const;
  ConstraintValues constraint_values(Workspace&) const;
  ForceValues force_values(Workspace&) const;
  void body_forces(const std::vector<BodyMotion<D>>&, Vector& f) const;
  void body_force_derivatives(const std::vector<BodyMotion<D>>&, SparseMatrix& f_v) const;
  double sensor(int index, const State&, double factor, std::span<double> by_p,
                std::span<double> by_v, Workspace&) const;
  bool of_positions(const BoundExpression&) const;
  double expression(const BoundExpression&, const State&, double factor, std::span<double> by_p,
                    std::span<double> by_v, Workspace&) const;
  void jet(const Quantity&, const HeldRow&, const State&, std::size_t depth, QuantityJet&,
           Workspace&) const;
  void jet(const BoundExpression&, const HeldRow&, const State&, std::size_t depth, QuantityJet&,
           Workspace&) const;
  void quaternion_jet(const BodyLayout&, int component, const HeldRow&, const State&,
                      const BodyMotion<D>&, QuantityJet&) const;
  void evaluate_held(const State&, Depth, const ConstraintValues&, Workspace&) const;
  void differentiate_held(const State&, const ConstraintValues&, const ForceValues&,
                          Workspace&) const;
  BoundExpression bind(const std::string& owner, const Expression&, const SourceLocation&,
                       Diagnostics&);
  int invariant_rows() const;
  void energy_gradient(const State&, std::span<double> by_p, std::span<double> by_v,
                       Workspace&) const;
  void momentum_gradient(const State&, int row, Workspace&) const;
  void angular_momentum_gradient(const State&, int row, Workspace&) const;
  Scales find_scales() const;
  std::string name_of(int column, const char* const (&names)[D == 2 ? 3 : 6]) const;
  InputEffect effect(const Input<D>&) const;
  Taylor law_over(const LawInput<D>&, const Input<D>&, const Context<D>&, const Taylor& t) const;
  void name_quantities();
  std::optional<Quantity> find_coordinate(std::string_view name) const;

  Blueprint blueprint_;
  Program<D> program_;
  std::vector<BodyLayout> bodies_;
  Topology topology_;
  Patterns patterns_;
  Sizes sizes_;
  Scales scales_;
  std::vector<BodyMass> masses_;
  std::vector<int> spin_block_;  // index in f_v of each body's (spin, spin) block
  std::vector<int> spin_stride_;
  std::vector<double> offsets_;                // constants of the rows
  bool splits_ = false;                        // all constraints know Depth::gradient
  std::vector<BoundExpression> expressions_;   // expression sensors
  std::vector<BoundExpression> asked_events_;  // of `when`
  std::vector<HeldRow> held_;
  std::vector<BoundExpression> invariants_;  // those that are expressions
  int arguments_ = 0;                        // of all of them
  InputGroup time_inputs_, way_inputs_;
  std::vector<std::string> event_names_;  // of elements, then of `when`
  std::unordered_map<std::string, int> body_index_;
  // All but the coordinates of bodies, which come before them.
  std::vector<std::string> quantity_order_;
  std::unordered_map<std::string, Quantity> quantities_;
};

extern template class MultibodySystem<2>;
extern template class MultibodySystem<3>;

}  // namespace kardan
