#pragma once
/// Bodies, joints and forces in the plane (D = 2) or in space (D = 3) as general equations.
///
///   M = diag(m I, J) constant,   f = m g + element forces - (0, w x J w)
///   planar p = (x, y, angle), v = (vx, vy, omega); spatial p = (x, q), v = (x', body-frame spin)

#include <array>
#include <deque>

#include "kardan/system/bound_expressions.h"
#include "kardan/system/conditions.h"
#include "kardan/system/formula_terms.h"
#include "kardan/system/patterns.h"
#include "kardan/system/quantity_jet.h"
#include "kardan/system/reading.h"
#include "kardan/system/velocity_jet.h"
#include "kardan/system/slip.h"

namespace kardan {

template <int D>
class MultibodyEquations final : public BodyEquations {
 public:
  /// `shared`: rows of the events that are held, in the order of Blueprint::held, then those that
  /// are formulas.
  MultibodyEquations(const NameData& names, Program<D> program, const Topology& topology,
                     BoundExpressions expressions, std::span<const SharedRow> shared);
  ~MultibodyEquations() override;

  std::unique_ptr<Workspace> make_workspace() const override;
  void adopt(Workspace&) const override;
  Eval evaluate(const State&, Request, Workspace&) const override;
  Eval differentiate(const State&, std::span<const double> a, std::span<const double> lambda,
                     Workspace&) const override;
  Eval invariants(const State&, Workspace&) const override;
  void events(const State&, std::span<double> z, Workspace&) const override;
  void choose_modes(State&, Workspace&) const override;
  const Conditions& conditions() const override { return conditions_; }
  void event_guards(const State&, std::span<const double> speed, std::span<double> guard,
                    std::span<double> rate, Workspace&) const override;
  void follow_turns(const State& from, std::span<const double> way, State& to,
                    Workspace&) const override;

  Energy energy(const State&, Workspace&) const override;
  Momentum momentum(const State&, Workspace&) const override;
  void element_forces(const State&, std::span<double> out, Workspace&) const override;
  void force_vectors(const State&, std::span<Vec3d> out, Workspace&) const override;
  double quantity(const Quantity&, const State&, double factor, std::span<double> by_p,
                  std::span<double> by_v, Workspace&) const override;

  const std::vector<InputEffect>& time_inputs() const override { return time_inputs_.effects; }
  const std::vector<InputEffect>& way_inputs() const override { return way_inputs_.effects; }
  void enclose_time_inputs(const State& at, double a, double b, int order,
                           std::span<InputBounds> out, Workspace&) const override;
  void enclose_way_inputs(const State& from, const State& to, const StepError& error, double a,
                          double b, int order, std::span<InputBounds> out,
                          Workspace&) const override;
  const BodyEquations* of_bodies() const override { return this; }

  /// Counts full turns of the start, as many as bring it nearest to what drivers and locks want.
  void wind_up(NameData& names) const;
  /// Rows that are counted from the start vanish there.
  void count_from_start(NameData& names);

 private:
  /// How far b of a counter is from the half plane at which turns are counted, for the poses of its
  /// bodies.
  struct TurnDistance {
    std::array<double, 8> poses{};
    double value = -1;
  };
  /// What a road or a law goes by, at the end of a step.
  struct WayEnd {
    double y = 0, rate = 0;
  };
  struct WayEnds {
    WayEnd from, to;
  };
  /// A formula whose features no estimate sees: a way input.
  struct WayFormula {
    const BoundFormula* formula = nullptr;
    bool narrow = false;  // it may be shown by the ends of a step
  };
  struct MotionScratch final : Workspace::Scratch {
    MotionScratch();
    ~MotionScratch() override;
    std::vector<BodyMotion<D>> motion;
    std::vector<TurnDistance> turn_distances;    // of the states that turns were followed from last
    Vector argument_values, argument_gradients;  // of all expressions, one after the other
    std::deque<QuantityJet> jets;                // of quantities in rows that are held
    JetScratch jet_work;
    std::vector<WayEnds> ways;
    std::vector<WayEnds> way_arguments;  // of formulas, one after the other
    std::vector<Taylor> enclosed;
    FormulaScratch formulas;
    VelocityScratch velocity_rows;
    SlipScratch slip;
  };
  /// A row of an expression, an event that is held, or a friction: its row in the constraint matrix
  /// and its blocks in the forces.
  struct HeldRow {
    const BoundExpression* value = nullptr;
    int row = -1;            // none: it slips
    bool positions = true;   // its value is held too, not its rate alone
    bool of_velocities = false;
    std::vector<int> columns;  // ascending
    std::vector<int> slots;    // of the columns in the row
    std::vector<int> blocks;   // columns x columns in the force pattern
  };
  /// A friction: what it slips along, and what presses.
  struct Friction {
    HeldRow way;
    SlipLaw law;
    SlipLoad load;
    FrictionPlaces places;
    int stop_mode = -1;      // its side in the modes; -1: it needs no stop
    std::vector<int> dense;  // blocks of its columns and all
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
  /// How a body stands that does not turn.
  struct Orientation {
    Mat3d R = Mat3d::identity();
    double angle = 0;
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
  struct HeldAngle;
  std::vector<HeldAngle> held_angles(const NameData& names) const;
  void turn_fully(const TurnCounter<D>& counter, int times, State&, Workspace&) const;
  std::vector<BodyMotion<D>>& move(const State&, std::span<const double> a, Workspace&) const;
  static FormulaScratch& formula_scratch(Workspace&);
  Context<D> context(const State&, const std::vector<BodyMotion<D>>&) const;
  ConstraintValues constraint_values(Workspace&) const;
  ForceValues force_values(Workspace&) const;
  void body_forces(const std::vector<BodyMotion<D>>&, Vector& f) const;
  void body_force_derivatives(const std::vector<BodyMotion<D>>&, SparseMatrix& f_v) const;
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
  void velocity_jet(const Quantity&, const HeldRow&, const State&, VelocityJet&, Workspace&) const;
  VelocityJet& velocity_jet(const HeldRow&, const State&, Workspace&) const;
  void evaluate_velocity_row(const HeldRow&, const State&, const ConstraintValues&,
                             Workspace&) const;
  void differentiate_velocity_row(const HeldRow&, const State&, const ConstraintValues&,
                                  const ForceValues&, Workspace&) const;
  Reading<D> reading(const State& state, const Context<D>& at) const {
    return {state, at, bodies_, program_.sensors};
  }
  void move_body(const State&, std::size_t body, std::span<const double> a,
                 BodyMotion<D>& out) const;
  void energy_gradient(const State&, std::span<double> by_p, std::span<double> by_v,
                       Workspace&) const;
  void momentum_gradient(const State&, int row, Workspace&) const;
  void angular_momentum_gradient(const State&, int row, Workspace&) const;
  void bind_held(const NameData& names, std::span<const SharedRow> rows);
  void bind(const std::vector<int>& bodies, HeldRow& row) const;
  void bind_frictions(const NameData& names, std::span<const SharedRow> rows);
  int direction(const Friction&, const State&) const;
  bool slips_on_load(const State&) const;
  void look_at_slips(const State&, Workspace&) const;
  Eval add_slips(const State&, Workspace&) const;
  void differentiate_slips(const State&, Workspace&) const;
  Eval follow_loads(const State&, Workspace&) const;
  void differentiate_at(const State&, std::span<const double> a, std::span<const double> lambda,
                        Workspace&) const;
  void bind_inputs(const NameData& names);
  InputEffect effect(const Input<D>&, const NameData&) const;
  Taylor formula_over(const FormulaInput&, const State&, const Context<D>&, const Taylor& t) const;
  WayEnd measured(const LawInput<D>&, const Input<D>&, const Context<D>&) const;
  Taylor law_over(const LawInput<D>&, const std::array<Taylor, 3>& arguments) const;
  void bind_way_formulas(const NameData& names);
  InputEffect effect(const FormulaForce<D>&, const Context<D>& start) const;
  void look_at_arguments(const State&, WayEnd WayEnds::*end, Workspace&) const;
  void enclose_way_formulas(const State& from, const State& to, double a, double b, int order,
                            std::span<InputBounds> out, Workspace&) const;

  Program<D> program_;
  std::vector<BodyLayout> bodies_;
  std::vector<PairSlots> pairs_;
  Patterns patterns_;
  Sizes sizes_;
  Vec3d gravity_;
  double mass_scale_ = 1;  // [kg]
  int first_asked_ = 0;    // of the events of `when` among all
  std::vector<BodyMass> masses_;
  std::vector<Orientation> resting_;  // of points; in the order of bodies_, up to the last point
  std::vector<int> spin_block_;       // index in f_v of each body's (spin, spin) block
  std::vector<int> spin_stride_;
  std::vector<double> offsets_;   // constants of the rows
  bool splits_ = false;           // all constraints know Depth::gradient
  BoundExpressions expressions_;  // invariants: those that are expressions
  Conditions conditions_;
  FormulaTerms<D> formulas_;
  std::vector<std::vector<int>> sensor_bodies_;  // that each sensor sees move
  std::vector<HeldRow> held_;
  std::vector<Friction> frictions_;
  std::vector<InvariantData::Kind> invariants_;
  InputGroup time_inputs_, way_inputs_;
  std::vector<WayFormula> way_formulas_;  // behind the other way inputs
};

/// Names of bodies and quantities, of what elements have written into a program, which they are
/// taken from; expressions come later.
template <int D>
NameData name_multibody(Blueprint blueprint, Program<D>& program, std::vector<BodyLayout> bodies,
                        const Topology& topology);
/// And of rows and events, once their order is known.
template <int D>
void name_rows(Program<D>& program, const Topology& topology, Patterns patterns, NameData& names);

extern template class MultibodyEquations<2>;
extern template class MultibodyEquations<3>;

}  // namespace kardan
