#pragma once
/// General equations with names for everything: of a compiled model with its bodies, joints and
/// forces, or written by a user. There every coordinate counts as a body of its own.

#include <optional>
#include <string>
#include <vector>

#include "kardan/base/diagnostics.h"
#include "kardan/base/expression.h"
#include "kardan/base/inputs.h"
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

/// A named scalar of the motion: a coordinate, a velocity, a sensor.
struct Quantity {
  enum class Kind {
    position,
    velocity,
    sensor,
    state,
    auxiliary,
    contact,
    time,
    expression
  } kind = Kind::position;
  int body = 0;
  int index = 0;  // component of the body, index of the sensor or variable
};

struct Energy {
  double kinetic = 0, potential = 0;  // [J]
  double applied_power = 0;           // [W] of all forces without a potential (damping included)
  bool known = true;                  // false: the equations do not tell; energies are NaN
};

struct Momentum {
  Vec3d linear;   // [kg m/s]
  Vec3d angular;  // [kg m^2/s] about the world origin
};

/// A coordinate that follows a function of time.
struct PrescribedMotion {
  int element = 0;
  TimeFunction motion;
};

/// No function here has a default: a system that wraps another one cannot forget to pass one on.
class System : public Equations {
 public:
  virtual int dimension() const = 0;  // 2: plane, 3: space, 1: coordinates without bodies
  bool has_bodies() const { return dimension() > 1; }
  /// False where differences stand in for derivatives.
  virtual bool exact_derivatives() const = 0;
  virtual const Blueprint& blueprint() const = 0;
  virtual const std::vector<BodyLayout>& bodies() const = 0;            // 0 is the ground
  virtual const std::vector<RowInfo>& rows() const = 0;                 // constraint rows, by index
  virtual const std::vector<std::vector<int>>& row_bodies() const = 0;  // moving bodies of each row
  /// What holds at the joints beside their rows: axes that point the same way.
  virtual const std::vector<AxisAlignment>& alignments() const = 0;
  virtual const std::vector<VariableInfo>& states() const = 0;       // r
  virtual const std::vector<VariableInfo>& auxiliaries() const = 0;  // w
  virtual const std::vector<std::string>& event_names() const = 0;
  virtual const Scales& scales() const = 0;
  /// Reactions to be shown: sensor name and joint.
  virtual const std::vector<ReactionQuantity>& reaction_sensors() const = 0;

  /// The state the model gives: a guess until it is assembled.
  virtual State start() const = 0;

  virtual Energy energy(const State&, Workspace&) const = 0;
  virtual Momentum momentum(const State&, Workspace&) const = 0;
  /// Scalar force of every element (0 for those without), by element index.
  virtual void element_forces(const State&, std::span<double> out, Workspace&) const = 0;
  /// Force of every force element on its (second) body [N], in the world, by element index.
  virtual void force_vectors(const State&, std::span<Vec3d> out, Workspace&) const = 0;

  /// Coordinates, velocities and sensors by name ("arm.angle", "chassis.vz", "tip.x").
  virtual std::optional<Quantity> find_quantity(std::string_view name) const = 0;
  virtual std::vector<std::string> quantity_names() const = 0;
  /// "m", "rad/s"; "1" for a pure number, empty where it is not known.
  virtual std::string quantity_unit(const Quantity&) const = 0;
  /// Velocity indices a quantity's gradient may touch.
  virtual std::vector<int> quantity_columns(const Quantity&) const = 0;
  /// True for velocities and rates.
  virtual bool is_velocity(const Quantity&) const = 0;
  /// Value; gradients over the tangents of p and v are added, times `factor`, where given.
  virtual double quantity(const Quantity&, const State&, double factor, std::span<double> by_p,
                          std::span<double> by_v, Workspace&) const = 0;

  /// Places in event_names(): those of elements come first, then those of `when`, then for every
  /// impulse of `when` its state of rest ("NAME.rest": positive at rest).
  int asked_event(int asked) const;
  int rest_event(int impulse) const;
  /// Where the modes of a state tell the side at which impulse `impulse` is held (the sign of its
  /// function before), or 0: not at rest.
  virtual int rest_mode(int impulse) const = 0;
  /// Event functions of impulses at rest keep their side; those of rest itself are the side of zero
  /// that the modes tell, until whoever knows the reaction says more.
  void mark_rest(const State& s, std::span<double> z) const;
  /// The same system with events of `when` (indices in blueprint().events) held at zero: the
  /// constraints of the events, in this order, follow the other holonomic ones. Null where it
  /// cannot be compiled.
  virtual std::unique_ptr<System> hold(const std::vector<int>& events) const = 0;
  /// Changes the modes of a state to those an event sets.
  virtual void set_modes(int event, State&) const = 0;

  /// Inputs, functions of time and of the way travelled, at the modes of a state (inputs.h).
  virtual const std::vector<InputEffect>& time_inputs(const State&) const = 0;
  virtual const std::vector<InputEffect>& way_inputs(const State&) const = 0;
  /// Over the times from a to b, derivatives to `order`: everything else as it is in `at`.
  virtual void enclose_time_inputs(const State& at, double a, double b, int order,
                                   std::span<InputBounds> out, Workspace&) const = 0;
  /// Over the times from a to b, on the cubic way between two states and around it.
  virtual void enclose_way_inputs(const State& from, const State& to, const StepError& error,
                                  double a, double b, int order, std::span<InputBounds> out,
                                  Workspace&) const = 0;
  /// Motions that drivers prescribe; constant ones are left out.
  virtual std::vector<PrescribedMotion> prescribed_motions() const = 0;

  /// "hinge_3 rotation about local y"
  std::string row_name(int row) const;
  const std::string& element_of_row(int row) const;

  /// Names of the change of a coordinate, its velocity and acceleration, by column of v.
  virtual std::string coordinate_name(int column) const = 0;
  virtual std::string velocity_name(int column) const = 0;
  virtual std::string acceleration_name(int column) const = 0;

  /// Typical sizes: of a tangent column (lengths, 1 rad for rotations), of the residual of a
  /// constraint row, of a dynamic variable.
  virtual double coordinate_scale(int column) const = 0;
  virtual double row_scale(int row) const = 0;
  virtual double state_scale(int index) const = 0;
  /// True for rotations, false for displacements.
  bool is_rotation(int column) const;
  /// The body that owns a column of v: they are laid out in order.
  int body_of_column(int column) const;
};

/// Lays out and links the elements. Null if an error was reported.
std::unique_ptr<System> compile(Blueprint blueprint, Diagnostics& diagnostics);
/// The same of what is sound, whatever was reported: its names help to find further faults.
std::unique_ptr<System> compile_draft(Blueprint blueprint, Diagnostics& diagnostics);

}  // namespace kardan
