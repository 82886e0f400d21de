#pragma once
/// The builder an element writes itself into: rows of constraints, forces, variables, sensors.
/// `Program` is the result: banks of primitives with the rows' names and units, ready for the
/// system to lay out.

#include <algorithm>
#include <concepts>
#include <memory>
#include <string>
#include <type_traits>
#include <typeindex>
#include <unordered_map>
#include <vector>

#include "kardan/base/diagnostics.h"
#include "kardan/elements/constraint_bank.h"
#include "kardan/elements/force_bank.h"
#include "kardan/elements/formula.h"
#include "kardan/elements/input.h"
#include "kardan/elements/sensor.h"

namespace kardan {

/// A frame fixed to a body: origin s and axes R in the body frame (origin at the centre of mass).
template <int D>
struct BodyFrame {
  BodyColumns body;
  VecOf<D> s{};
  RotationOf<D> R{};
};

enum class RowUnit { length, angle };
enum class RowKind { holonomic, nonholonomic };

/// What a constraint row is, for messages, scaling and results.
struct RowInfo {
  int element = 0;
  std::string label;  ///< "translation along world x", "rotation about local y"
  RowUnit unit = RowUnit::length;
  RowKind kind = RowKind::holonomic;
  double offset = 0;  ///< constant added to g
};

enum class SensorQuantity { value, rate };

/// A formula over other quantities, bound by name when the model is compiled.
struct ExpressionQuantity {
  std::string name;
  ElementFormula value;
  std::string unit = "";
};

/// A joint whose reaction is shown.
struct ReactionQuantity {
  std::string name, joint;
  SourceLocation where;
};

/// A continuous angle whose full turns are counted in the State (space only). Or, where `whole`,
/// the rotation of frame RB on B seen from frame RA on A: its rotation vector is log(R) lengthened
/// by `turns` full turns, and its quaternion (-1)^turns times that with w >= 0.
template <int D>
struct TurnCounter {
  Angle<D> angle;
  BodyColumns A, B;
  int element = 0;
  bool whole = false;
  Mat3d RA{}, RB{};
};

/// A side condition of a joint in space: axis a of body A and axis b of body B point the same way,
/// which products of axes that vanish do not say. Where the joint's equations hold a.b is 1, or, at
/// a mirror image of the joint, 0 or -1.
struct AxisAlignment {
  int element = 0;
  int A = 0, B = 0;  // bodies
  Vec3d a, b;        // in their bodies' frames
  Vec3d at;          // origin of the joint's frame on B
};

struct VariableInfo {
  int element = 0;
  std::string name;
  double initial = 0;
};

template <int D>
struct Program {
  Program();
  Program(Program&&) noexcept;
  Program& operator=(Program&&) noexcept;
  ~Program();

  std::vector<RowInfo> rows;  // in order of creation; nonholonomic ones are moved last later
  std::vector<std::unique_ptr<ConstraintBank<D>>> constraints;
  std::vector<std::unique_ptr<ForceBank<D>>> forces;
  std::vector<const SwitchingForces<D>*> switching;  // those of the forces that are
  std::vector<const GuardedForces<D>*> guarded;
  std::vector<VariableInfo> states, auxiliaries;  // r, w
  std::vector<Sensor<D>> sensors;
  std::vector<ExpressionQuantity> expressions;
  std::vector<ReactionQuantity> reactions;
  std::vector<TurnCounter<D>> counters;
  std::vector<AxisAlignment> alignments;
  std::vector<std::string> events;  // names of the event functions
  std::vector<Input<D>> inputs;
  Formulas<D> formulas;
  std::vector<std::pair<std::string, std::string>> aliases;  // other names of quantities
  std::vector<std::string> remarks;                          // what is not as exact as it is asked
  int modes = 0;
};

template <int D>
class Builder {
 public:
  Builder(Program<D>& program, Diagnostics& diagnostics)
      : program_(program), diagnostics_(diagnostics) {}

  /// Starts the next element: its index in the model, name, place in the file, its frames and
  /// where the given start puts them in the world. Frames placed by one point and axis in the world
  /// are the same in the given start: angles between them begin at zero, not at a full turn.
  enum class Placed { by_markers, together };
  void begin(int element, std::string name, SourceLocation where, std::vector<BodyFrame<D>> frames,
             std::vector<BodyMotion<D>> start, Placed placed = Placed::by_markers);

  const BodyFrame<D>& frame(int k) const { return frames_[k]; }
  int frame_count() const { return static_cast<int>(frames_.size()); }
  const std::string& name() const { return name_; }
  /// Axis k of frame f in its body: column k of R.
  VecOf<D> axis(int f, int k) const;
  /// Value of a measure between frames A and B in the start given by the model.
  template <class M>
  double start_value(const M& m, int A, int B) const {
    Measure<D> y;
    m.evaluate({start_[A], start_[B]}, Depth::value, y);
    return y.value;
  }

  // Constraint rows. Each returns or takes the index of a row.
  int row(std::string label, RowUnit unit, double offset = 0);
  int nonholonomic_row(std::string label);
  template <class M>
  void measure(int row, M m, int A, int B, double coefficient = 1, int counter = -1);
  void driver(int row, TimeFunction phi, double coefficient = -1);
  /// D rows: frame A and B have the same origin.
  void point(int A, int B);
  /// dot-1 row: axis i of frame A is perpendicular to axis j of frame B.
  void perpendicular(int A, int i, int B, int j, std::string label);
  /// Side condition of such rows: axis i of frame A and axis i of frame B point the same way.
  void aligned(int A, int B, int i);
  /// dot-2 row: the line from A to B is perpendicular to axis i of frame A.
  void in_plane(int A, int i, int B, std::string label);

  // Measures by frames: angle about A's z axis, displacement along axis i of A, length.
  Angle<D> angle(int A, int B);
  Dot2<D> displacement(int A, int i, int B) const;
  Length<D> length(int A, int B) const;
  /// A counter of full turns for an angle; in the plane there is nothing to count (-1).
  int count_turns(const Angle<D>& angle, int A, int B);
  /// The same for the rotation of frame RB on B's body seen from frame RA on A's.
  int count_turns(int A, int B, const Mat3d& RA, const Mat3d& RB);

  // Forces. Frame `ground` stands for the ground where an element is given no frame on it.
  static constexpr int ground = -1;
  template <class M>
  void line_force(M m, int A, int B, Law law, int counter = -1, double initial_state = 0);
  template <class K>
  void force(K kernel, int A, int B);

  // Inputs: what varies with time by itself, or with the way, must be declared, else steps may pass
  // over it. Those that are constant are left out.
  void force_input(const TimeFunction& f, int A, int B, InputKind kind = InputKind::force);
  void row_input(const TimeFunction& f, int row, int derivative, double factor = 1);
  void road_input(RoadInput<D> road, int B);

  // Sensors: ELEMENT.suffix, or ELEMENT when the suffix is empty. Of a measure, or of anything else
  // computed from a state: a type derived from SensorReading (sensor.h).
  template <class M>
  void sensor(const std::string& suffix, std::string unit, M measure, SensorQuantity quantity,
              int A, int B, int counter = -1);
  template <class R>
  void reading(const std::string& suffix, std::string unit, R reading);

  /// NAME.alias for NAME.suffix in expressions.
  void alias(const std::string& alias, const std::string& suffix);

  void expression_sensor(Expression value);

  // Formulas over any quantities, bound by name when the model is compiled. `key` is the field they
  // come from; `locals` are names of the element's own for quantities of the model.
  using Locals = std::vector<std::pair<std::string, std::string>>;
  ElementFormula formula(const std::string& key, Expression value, SourceLocation where = {},
                         Locals locals = {}) const;
  /// Q = formula * dy/dp. Of a `direction`, G and its change alone count.
  template <class M>
  void formula_force(ElementFormula formula, M direction, int A, int B, InputKind kind,
                     FormulaForce<D>::Shown shown = FormulaForce<D>::Shown::sum);
  /// r' = formula: the variable NAME.suffix.
  void formula_state(ElementFormula formula, const std::string& suffix, double initial);
  /// 0 = formula, of positions, or of velocities and then linear in them. From the start: its value
  /// there is subtracted.
  enum class Counted { from_zero, from_start };
  void formula_row(ElementFormula formula, std::string label, RowUnit unit,
                   Counted counted = Counted::from_zero);
  /// The quantity NAME.suffix.
  void formula_quantity(const std::string& suffix, std::string unit, ElementFormula formula);
  void reaction_sensor(std::string joint);

  /// Refuses frame k on a point mass, which cannot take a torque: it would be lost.
  bool require_rotation(int k);

  /// A custom bank of constraints (rolling): created on first use.
  template <class Bank>
  Bank& constraint_bank();
  template <class Bank>
  Bank& force_bank();
  RowSlots slots(int row, int A, int B) const;

  /// What the element does not do as exactly as it is asked to: told by `check` and certificates.
  void remark(const std::string& text) { program_.remarks.push_back(name_ + ": " + text); }

  /// The element cannot be built: a located error. `code` is listed in the docs.
  void fail(std::string code, const std::string& message, std::string hint = "");

 private:
  Input<D> input_on(int A, int B, InputKind kind) const;
  void variable_input(const TimeFunction& f, int index, double factor);
  /// Where a formula names the time.
  void formula_input(const ElementFormula& formula, FormulaInput source, Input<D> input);
  template <class M>
  void law_inputs(const M& m, const Law& law, int A, int B, int counter, const AuxSlots& aux);

  template <class Bank, class Base>
  Bank& bank(std::unordered_map<std::type_index, Base*>& index,
             std::vector<std::unique_ptr<Base>>& banks);

  Program<D>& program_;
  Diagnostics& diagnostics_;
  int element_ = 0;
  std::string name_;
  SourceLocation where_;
  std::vector<BodyFrame<D>> frames_;
  std::vector<BodyMotion<D>> start_;  // of the frames' bodies
  Placed placed_ = Placed::by_markers;
  std::unordered_map<std::type_index, ConstraintBank<D>*> constraint_index_;
  std::unordered_map<std::type_index, ForceBank<D>*> force_index_;
};

// --- templates --------------------------------------------------------------------------------

template <int D>
template <class Bank, class Base>
Bank& Builder<D>::bank(std::unordered_map<std::type_index, Base*>& index,
                       std::vector<std::unique_ptr<Base>>& banks) {
  Base*& found = index[std::type_index(typeid(Bank))];
  if (!found) {
    banks.push_back(std::make_unique<Bank>());
    found = banks.back().get();
  }
  return static_cast<Bank&>(*found);
}

template <int D>
template <class Bank>
Bank& Builder<D>::constraint_bank() {
  return bank<Bank>(constraint_index_, program_.constraints);
}

template <int D>
template <class Bank>
Bank& Builder<D>::force_bank() {
  const std::size_t before = program_.forces.size();
  Bank& out = bank<Bank>(force_index_, program_.forces);
  if (program_.forces.size() == before) return out;
  if constexpr (std::derived_from<Bank, SwitchingForces<D>>) program_.switching.push_back(&out);
  if constexpr (std::derived_from<Bank, GuardedForces<D>>) program_.guarded.push_back(&out);
  return out;
}

template <int D>
template <class M>
void Builder<D>::sensor(const std::string& suffix, std::string unit, M measure,
                        SensorQuantity quantity, int A, int B, int counter) {
  MeasureReading<D, M> of(std::move(measure), frames_[A].body, frames_[B].body, counter);
  if (quantity == SensorQuantity::value)
    reading(suffix, std::move(unit), std::move(of));
  else
    reading(suffix, std::move(unit), RateReading<D, M>(std::move(of)));
}

template <int D>
template <class R>
void Builder<D>::reading(const std::string& suffix, std::string unit, R reading) {
  auto held = std::make_unique<const R>(std::move(reading));
  Sensor<D> sensor{suffix.empty() ? name_ : name_ + "." + suffix, std::move(unit), nullptr};
  if constexpr (std::derived_from<R, FollowedReading<D>>) sensor.followed = held.get();
  if constexpr (requires { held->of(); }) sensor.rate_of = &held->of();
  sensor.reading = std::move(held);
  program_.sensors.push_back(std::move(sensor));
}

template <int D>
template <class M>
void Builder<D>::formula_force(ElementFormula formula, M direction, int A, int B, InputKind kind,
                               FormulaForce<D>::Shown shown) {
  const auto index = static_cast<int>(program_.formulas.forces.size());
  formula_input(formula, {FormulaInput::Of::force, index}, input_on(A, B, kind));
  FormulaForce<D> force{std::move(formula), AnyMeasure<D>(std::move(direction))};
  if (A != ground) force.A = frames_[A].body;
  force.B = frames_[B].body;
  force.element = element_;
  force.shown = shown;
  program_.formulas.forces.push_back(std::move(force));
}

template <int D>
template <class M>
void Builder<D>::measure(int row, M m, int A, int B, double coefficient, int counter) {
  constraint_bank<MeasureRows<D, M>>().items.push_back({m, coefficient, counter, slots(row, A, B)});
}

template <int D>
template <class M>
void Builder<D>::line_force(M m, int A, int B, Law law, int counter, double initial_state) {
  typename ForceBank<D>::Slots s;
  s.A = frames_[A].body;
  s.B = frames_[B].body;
  s.element = element_;
  std::visit(
      [&](const auto& l) {
        if (l.states > 0) {
          s.aux.r = static_cast<int>(program_.states.size());
          program_.states.push_back({element_, name_ + ".state", initial_state});
        }
        if (l.auxiliaries > 0) {
          s.aux.w = static_cast<int>(program_.auxiliaries.size());
          program_.auxiliaries.push_back({element_, name_ + ".output", 0});
        }
      },
      law);
  law_inputs(m, law, A, B, counter, s.aux);
  force_bank<LineForces<D, M>>().items.push_back({m, std::move(law), counter, s});
}

template <int D>
template <class M>
void Builder<D>::law_inputs(const M& m, const Law& law, int A, int B, int counter,
                            const AuxSlots& aux) {
  constexpr InputKind kind = std::is_same_v<M, Angle<D>> ? InputKind::torque : InputKind::force;
  if (const auto* spring = std::get_if<SpringLaw>(&law)) {
    force_input(spring->actuation, A, B, kind);
  } else if (const auto* lag = std::get_if<LagLaw>(&law)) {
    variable_input(lag->command, aux.r, 1 / lag->time_constant);
  } else if (const auto* pid = std::get_if<PidLaw>(&law)) {
    variable_input(pid->reference, aux.r, 1);
    if (pid->reference.is_constant()) return;
    for (const int derivative : {0, 1}) {
      Input<D> input = input_on(A, B, kind);
      input.derivative = derivative;
      input.factor = derivative == 0 ? pid->kp : pid->kd;
      input.source = pid->reference;
      if (input.factor != 0) program_.inputs.push_back(std::move(input));
    }
  } else if (const auto* free = std::get_if<ExpressionLaw>(&law)) {
    for (const Varies varies : {Varies::time, Varies::way}) {
      if (!is_input(*free, varies)) continue;
      Input<D> input = input_on(A, B, kind);
      input.source = LawInput<D>{*free, AnyMeasure<D>(m), counter, varies};
      program_.inputs.push_back(std::move(input));
    }
  }
}

template <int D>
template <class K>
void Builder<D>::force(K kernel, int A, int B) {
  typename ForceBank<D>::Slots s;
  if (A != ground) s.A = frames_[A].body;
  s.B = frames_[B].body;
  s.element = element_;
  if constexpr (CountsTurns<K>)
    if (const auto frame = kernel.counted_frame())
      s.counter = count_turns(A, B, Mat3d::identity(), *frame);
  if constexpr (K::events > 0) {
    s.mode = program_.modes++;
    s.event = static_cast<int>(program_.events.size());
    for (int e = 0; e < K::events; ++e)
      program_.events.push_back(name_ + "." + std::string(K::event_name(e)));
  }
  force_bank<KernelForces<D, K>>().items.push_back({std::move(kernel), s});
}

extern template struct Program<2>;
extern template struct Program<3>;
// Rows and forces on the measures of frames: see measure_banks.cpp.
extern template class MeasureRows<2, Dot1<2>>;
extern template class MeasureRows<2, Dot2<2>>;
extern template class MeasureRows<2, Length<2>>;
extern template class MeasureRows<2, Distance<2>>;
extern template class MeasureRows<2, Angle<2>>;
extern template class MeasureRows<2, AnyMeasure<2>>;
extern template class MeasureRows<3, Dot1<3>>;
extern template class MeasureRows<3, Dot2<3>>;
extern template class MeasureRows<3, Length<3>>;
extern template class MeasureRows<3, Distance<3>>;
extern template class MeasureRows<3, Angle<3>>;
extern template class MeasureRows<3, AnyMeasure<3>>;
extern template class LineForces<2, Length<2>>;
extern template class LineForces<2, Dot2<2>>;
extern template class LineForces<2, Angle<2>>;
extern template class LineForces<3, Length<3>>;
extern template class LineForces<3, Dot2<3>>;
extern template class LineForces<3, Angle<3>>;
extern template void Builder<2>::line_force(Length<2>, int, int, Law, int, double);
extern template void Builder<2>::line_force(Dot2<2>, int, int, Law, int, double);
extern template void Builder<2>::line_force(Angle<2>, int, int, Law, int, double);
extern template void Builder<3>::line_force(Length<3>, int, int, Law, int, double);
extern template void Builder<3>::line_force(Dot2<3>, int, int, Law, int, double);
extern template void Builder<3>::line_force(Angle<3>, int, int, Law, int, double);

}  // namespace kardan
