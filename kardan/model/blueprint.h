#pragma once
/// A checked model in numbers: bodies with mass and inertia about their centres of mass, frames,
/// elements with their types, wishes. Made from a Model for given parameter values; every fault is
/// reported, not only the first.

#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "kardan/base/diagnostics.h"
#include "kardan/base/rotation.h"
#include "kardan/elements/catalog.h"
#include "kardan/model/equation_data.h"
#include "kardan/model/model.h"

namespace kardan {

enum class BodyKind { ground, point, rigid };

/// What the viewer draws, and what gives a body its mass when it has a density.
struct Shape {
  std::string kind;  ///< box, cylinder, sphere, capsule
  Vec3d size;        ///< [m] box: edges; cylinder, capsule: (radius, length, -); sphere: (radius)
  Vec3d at;          ///< [m] centre, in the body's reference frame
  Mat3d R = Mat3d::identity();
  double density = 0;  ///< [kg/m^3]
  std::string color;   ///< "#rrggbb"; empty: as the viewer likes
};

/// A frame on a body. `s` is seen from the centre of mass, in the body's axes.
struct FrameData {
  int body = 0;
  Vec3d s;
  Mat3d R = Mat3d::identity();
};

struct BodyData {
  std::string name;
  BodyKind kind = BodyKind::rigid;
  double mass = 0;              ///< [kg]
  Mat3d inertia{};              ///< [kg m^2] about the centre of mass, body axes
  Vec3d com;                    ///< [m] centre of mass in the body's reference frame
  Vec3d position;               ///< [m] start (guess): centre of mass in the world
  Mat3d R = Mat3d::identity();  ///< start (guess): body axes in the world
  double angle = 0;             ///< [rad] start (guess), planar
  Vec3d velocity;               ///< [m/s] start (guess), of the centre of mass, world
  Vec3d spin;                   ///< [rad/s] start (guess), body frame
  std::vector<Shape> shapes;
  std::unordered_map<std::string, FrameData> markers;
  SourceLocation where;
  std::string color;  ///< "#rrggbb"; empty: as the viewer likes
};

struct ElementData {
  std::string name;
  const ElementType* type = nullptr;
  FieldMap fields;
  std::vector<FrameData> frames;
  SourceLocation where;
  std::string color = {};  ///< "#rrggbb"; empty: as the viewer likes
  /// False: methods shall do without the derivatives of this force, as if none were known.
  bool differentiable = true;
  /// Its frames were placed by one point in the world.
  bool together = false;
  bool does_work = true;
};

enum class Priority { exactly, if_possible, free };

/// A wish: the expression `want` shall have the value `equals`.
struct WishData {
  std::string text;  ///< as shown: "K1.angle = -0.0617"
  Expression want;   ///< over named quantities of the motion
  double equals = 0;
  Priority priority = Priority::exactly;
  SourceLocation where;
};

struct EquilibriumData {
  bool keep_velocities = false;    ///< steady motion at the given velocities, not rest
  std::vector<std::string> solve;  ///< parameters to be found
  std::vector<WishData> wishes;    ///< as many conditions
  std::vector<WishData> place;     ///< where it stands in directions without forces
};

/// Something the motion shall preserve.
struct InvariantData {
  enum class Kind { energy, momentum, angular_momentum, expression } kind = Kind::energy;
  std::string text;  ///< as written
  Expression value;  ///< of an expression: over named quantities of the motion
  SourceLocation where;
};

/// Values of parameters by name.
using ParameterValues = std::vector<std::pair<std::string, double>>;

enum class EventAction { record, stop, set, impulse };

/// Something happens when `function` passes zero.
struct EventData {
  std::string name;
  Expression function;  ///< over named quantities of the motion
  int direction = 0;    ///< +1: becoming positive, -1: becoming negative, 0: both
  EventAction action = EventAction::record;
  SourceLocation where;
  ParameterValues set = {};  ///< parameters that change
  double restitution = 0;    ///< of an impulse: rate of `function` after it, by that before
};

/// Dry friction against the change of a function y of positions and time: a force -F sign(y') along
/// its gradient while it slips, with F = mu(|y'|) (preload + arm N) + viscous |y'|, and while it
/// sticks a constraint y' = 0 whose force is at most mu_s (preload + arm N).
struct FrictionData {
  std::string name;
  Expression along;             ///< y, over named quantities of the motion
  double stick = 0, slip = 0;   ///< coefficients at rest and in motion
  double viscous = 0;           ///< [N s/m, N m s]
  double stribeck = 0;          ///< [m/s, rad/s] over which `stick` becomes `slip`; 0: at once
  double preload = 0, arm = 1;  ///< [N; 1 or m]
  int stop = -1, joint = -1;    ///< N: place in Blueprint::impulses, or in Blueprint::elements
  SourceLocation where;
  std::vector<int> bodies = {};  ///< that `along` moves with, ascending; known from compile() on
  RowUnit unit = RowUnit::length;
};

/// An event of an impulse that is at rest: its function is held at zero, as a constraint.
struct HeldEvent {
  int event = 0;            ///< in Blueprint::events
  std::vector<int> bodies;  ///< that its function moves with, ascending
  RowUnit unit = RowUnit::length;
};

/// Names of quantities that go into result files; "*" stands for any letters.
struct OutputData {
  std::string pattern;
  SourceLocation where;
};

struct Blueprint {
  std::string name;
  int dimension = 3;
  Vec3d gravity;
  Environment parameters;
  std::vector<BodyData> bodies;  ///< 0 is the ground
  std::vector<ElementData> elements;
  std::vector<WishData> wishes;
  EquilibriumData equilibrium;
  std::vector<InvariantData> invariants;
  std::vector<EventData> events;
  std::vector<int> impulses;    ///< the events whose action is one
  std::vector<HeldEvent> held;  ///< events of impulses
  std::vector<FrictionData> frictions;
  std::vector<int> stuck;           ///< those of them that stick: ascending
  std::vector<OutputData> outputs;  ///< empty: everything
  /// Bodies and elements that were left out because of a fault.
  std::unordered_set<std::string> faulty;
  std::optional<EquationData> equations;  ///< instead of bodies
};

}  // namespace kardan
