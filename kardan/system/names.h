#pragma once
/// What a compiled model says of its equations beside their values: names, units, typical sizes,
/// the layout of coordinates and rows, what happens at events. It is made once, when the model is
/// compiled, and never changes; copies share it.

#include <array>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "kardan/base/time_function.h"
#include "kardan/elements/builder.h"
#include "kardan/model/blueprint.h"
#include "kardan/system/equations.h"

namespace kardan {

/// Typical sizes of the model, by which residuals and tolerances are scaled.
struct Scales {
  double length = 1;        // [m] reach of the joints' arms
  double speed = 1;         // [m/s]
  double acceleration = 1;  // [m/s^2]
  double mass = 1;          // [kg]
};

/// Place of a body in p and v.
struct BodyLayout {
  int p = 0, p_count = 0;
  int v = 0, v_count = 0;
};

/// The body that owns a column of v: they are laid out in order.
[[nodiscard]] int body_of_column(const std::vector<BodyLayout>& bodies, int column);

/// A coordinate that follows a function of time.
struct PrescribedMotion {
  int element = 0;
  TimeFunction motion;
};

/// Places of an event of `when` whose action is an impulse.
struct Impulse {
  int event = 0;  ///< in Blueprint::events
  int asked = 0;  ///< of its function among the event functions
  int rest = 0;   ///< of its state of rest there ("NAME.rest": positive at rest)
  /// In the modes of a state: the side at which it is held (the sign of its function before), or 0:
  /// not at rest.
  int mode = 0;
};

/// Places of a friction among the event functions and modes.
struct FrictionPlaces {
  int turn = 0;   ///< "NAME.turn": the speed of slip in its direction; positive where none slips
  int stick = 0;  ///< "NAME.stick": positive while it sticks
  /// In the modes of a state: the direction in which it slips, or 0: it sticks, or nothing presses.
  int mode = 0;
};

struct NamedQuantity {
  std::string name;
  Quantity quantity;
  std::string unit = {};          ///< "m", "rad/s"; "1" for a pure number, empty: not known
  std::vector<int> columns = {};  ///< of velocities that its gradient may touch
  bool velocity = false;          ///< a velocity or a rate
  bool followed = false;          ///< to second order along the motion: impulses can act on it
  bool rate = false;              ///< the rate of one that is followed
};

/// Named quantities, those of a kind one after the other, counted from 0.
class QuantityList {
 public:
  void add(NamedQuantity quantity);
  const NamedQuantity* find(std::string_view name) const;
  /// Null where it is none of these.
  const NamedQuantity* find(const Quantity& quantity) const;
  const std::vector<NamedQuantity>& all() const { return all_; }

 private:
  std::vector<NamedQuantity> all_;
  std::unordered_map<std::string, int> by_name_;
  std::array<int, 8> first_{-1, -1, -1, -1, -1, -1, -1, -1};  // by kind
};

/// What Names are made of.
struct NameData {
  Blueprint blueprint;  ///< dimension 2: plane, 3: space, 1: coordinates without bodies
  bool exact_derivatives = true;
  Sizes sizes;
  Patterns patterns;
  int element_modes = 0;  ///< the first modes; those of impulses come behind
  std::vector<BodyLayout> bodies;
  std::unordered_map<std::string, int> body_index;  ///< empty without bodies
  std::vector<RowInfo> rows;
  std::vector<std::vector<int>> row_bodies;
  std::vector<double> row_scales;
  std::vector<AxisAlignment> alignments;
  std::vector<VariableInfo> states, auxiliaries;
  double state_scale = 1;
  std::vector<std::string> event_names;
  std::vector<Impulse> impulses;
  std::vector<FrictionPlaces> frictions;
  std::vector<ReactionQuantity> reaction_sensors;
  std::vector<PrescribedMotion> prescribed_motions;
  std::vector<std::string> remarks;  ///< of elements: what is not as exact as it is asked
  Scales scales;
  std::vector<std::string> velocity_names;  ///< of coordinates without bodies
  /// All but the coordinates of bodies, which come before them: their names are made when they are
  /// asked for, since they would take as much room as the bodies.
  QuantityList quantities;
  std::unordered_map<std::string, std::string> aliases;  ///< other names of quantities
  State start;

  std::optional<Quantity> find_quantity(std::string_view name) const;
  std::vector<std::string> quantity_names() const;
  std::vector<int> quantity_columns(const Quantity&) const;
  bool is_velocity(const Quantity&) const;
  bool is_followed(const Quantity&) const;
  /// A velocity, or the rate of a quantity that is followed.
  bool is_rate(const Quantity&) const;
  /// Events of elements stand in `event_names`: those of `when` are put behind them, then for every
  /// impulse its state of rest; and modes for these.
  void add_events();
};

class Names {
 public:
  explicit Names(NameData data) : data_(std::make_shared<const NameData>(std::move(data))) {}

  const NameData& data() const { return *data_; }
  const Blueprint& blueprint() const { return data_->blueprint; }
  const Sizes& sizes() const { return data_->sizes; }
  const Patterns& patterns() const { return data_->patterns; }
  int dimension() const { return data_->blueprint.dimension; }
  bool has_bodies() const { return dimension() > 1; }
  /// False where differences stand in for derivatives.
  bool exact_derivatives() const { return data_->exact_derivatives; }
  const std::vector<BodyLayout>& bodies() const { return data_->bodies; }  // 0 is the ground
  const std::vector<RowInfo>& rows() const { return data_->rows; }  // constraint rows, by index
  /// Moving bodies of each row.
  const std::vector<std::vector<int>>& row_bodies() const { return data_->row_bodies; }
  /// What holds at the joints beside their rows: axes that point the same way.
  const std::vector<AxisAlignment>& alignments() const { return data_->alignments; }
  const std::vector<VariableInfo>& states() const { return data_->states; }            // r
  const std::vector<VariableInfo>& auxiliaries() const { return data_->auxiliaries; }  // w
  /// Those of elements come first, then those of `when`, then the states of rest of impulses, then
  /// what changes at frictions.
  const std::vector<std::string>& event_names() const { return data_->event_names; }
  /// The place of event `asked` of `when` there.
  int asked_event(int asked) const;
  /// In the order of Blueprint::impulses.
  const std::vector<Impulse>& impulses() const { return data_->impulses; }
  /// In the order of Blueprint::frictions.
  const std::vector<FrictionPlaces>& frictions() const { return data_->frictions; }
  /// Whether something presses on a friction: its stop rests, or it does not need one.
  bool pressed(const State& s, int friction) const {
    const int stop = blueprint().frictions[friction].stop;
    return stop < 0 || s.modes[impulses()[stop].mode] != 0;
  }
  /// Modes that belong to elements: the first ones of a state.
  int element_modes() const { return data_->element_modes; }
  /// Reactions to be shown: sensor name and joint.
  const std::vector<ReactionQuantity>& reaction_sensors() const { return data_->reaction_sensors; }
  /// Motions that drivers prescribe; constant ones are left out.
  const std::vector<PrescribedMotion>& prescribed_motions() const {
    return data_->prescribed_motions;
  }
  const Scales& scales() const { return data_->scales; }
  /// What elements do not do as exactly as they are asked to.
  const std::vector<std::string>& remarks() const { return data_->remarks; }

  /// Coordinates, velocities and sensors by name ("arm.angle", "chassis.vz", "tip.x").
  std::optional<Quantity> find_quantity(std::string_view name) const {
    return data_->find_quantity(name);
  }
  std::vector<std::string> quantity_names() const { return data_->quantity_names(); }
  /// "m", "rad/s"; "1" for a pure number, empty where it is not known.
  std::string quantity_unit(const Quantity&) const;
  /// Velocity indices a quantity's gradient may touch.
  std::vector<int> quantity_columns(const Quantity& q) const { return data_->quantity_columns(q); }
  /// True for velocities and rates.
  bool is_velocity(const Quantity& q) const { return data_->is_velocity(q); }

  /// "hinge_3 rotation about local y"
  std::string row_name(int row) const;
  const std::string& element_of_row(int row) const;

  /// Names of the change of a coordinate, its velocity and acceleration, by column of v.
  std::string coordinate_name(int column) const;
  std::string velocity_name(int column) const;
  std::string acceleration_name(int column) const;

  /// Typical sizes: of a tangent column (lengths, 1 rad for rotations), of the residual of a
  /// constraint row, of a dynamic variable.
  double coordinate_scale(int column) const { return is_rotation(column) ? 1 : scales().length; }
  double row_scale(int row) const { return data_->row_scales[row]; }
  double state_scale(int /*index*/) const { return data_->state_scale; }
  /// True for rotations, false for displacements.
  bool is_rotation(int column) const;
  /// The body that owns a column of v: they are laid out in order.
  int body_of_column(int column) const;

  /// p_new = p moved by the tangent `delta`: the chart of a step.
  void retract(std::span<const double> p, std::span<const double> delta,
               std::span<double> p_new) const;

 private:
  std::string name_of(int column, std::span<const char* const> names) const;

  std::shared_ptr<const NameData> data_;
};

/// Whether two models have the same variables, equations and patterns.
bool same_layout(const Names& a, const Names& b);

}  // namespace kardan
