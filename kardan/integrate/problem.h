#pragma once
/// Initial value problems on a manifold, seen through charts. Inside a step a method works with
/// local coordinates around the base of the chart,
///
///   x' = u,   u' = a(t, x, u, z),   z' = b(t, x, u, z),
///
/// x = 0 at the base; after an accepted step the base moves on. What x means is the problem's
/// affair; methods and driver know no bodies or joints.

#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kardan/base/eval.h"
#include "kardan/base/state.h"
#include "kardan/integrate/diagnosis.h"
#include "kardan/integrate/event_source.h"
#include "kardan/linalg/matrix.h"

namespace kardan {

/// A point, or a difference of points, in local coordinates.
struct Local {
  Vector x, u, z;
  void resize(int second, int first) {
    x.resize(second);
    u.resize(second);
    z.resize(first);
  }
};

/// y += factor x
inline void add_scaled(double factor, const Local& x, Local& y) {
  add_scaled(factor, x.x, y.x);
  add_scaled(factor, x.u, y.u);
  add_scaled(factor, x.z, y.z);
}

inline bool all_finite(const Local& y) {
  return all_finite(y.x) && all_finite(y.u) && all_finite(y.z);
}

struct LocalRate {
  Vector a, b;
  void resize(int second, int first) {
    a.resize(second);
    b.resize(first);
  }
};

/// Derivatives at a point, the second-order part multiplied by the reduced mass:
///   M da = A_x dx + A_u du + A_z dz + A_t dt,   db = B_x dx + B_u du + B_z dz + B_t dt.
struct LocalJacobian {
  Matrix M, A_x, A_u, A_z, B_x, B_u, B_z;
  Vector A_t, B_t;
};

/// Which terms a Jacobian shall have. Fisette & Vaneghem leave out how the dependent accelerations
/// change when the independent ones are held, and the change of the constraint forces' directions.
enum class Derivatives { exact, fisette_vaneghem };

/// The end of a step in the full coordinates of the chart: position, velocity, acceleration.
struct ChartPoint {
  double t = 0;
  Vector q, dq, ddq;  // chart coordinates of all positions
  Vector z, dz;       // first-order variables
  // At the ends of a step: accelerations in the coordinates of the equations; may be left empty.
  Vector a;
};

/// What the step control compares: the error of every variable by name.
struct ErrorScale {
  double relative = 1e-6;
  Vector position, velocity, first;  // absolute tolerances
  // Relative tolerances per variable; empty: `relative` for all.
  Vector relative_position, relative_velocity, relative_first;
};

/// When and why independent coordinates, or selectors, were chosen.
struct PartitionRecord {
  double t = 0;
  int rank = 0;  ///< of the constraints
  std::string why;
};

/// Work that a problem counts itself, under the names of GEOMS' statistics.
struct ProblemCounts {
  long mass_evaluations = 0;
  long selectors = 0;          ///< how often they were chosen
  long predecompositions = 0;  ///< factorizations of what does not depend on the step
  long rank_decisions = 0;     ///< of those, with a decomposition that reveals the rank
};

/// What a problem can answer, and so which methods can treat it.
enum class ProblemKind {
  ode,          ///< rate() and jacobian() in coordinates that are free
  constrained,  ///< mass, forces and constraint matrix in all coordinates
  dae           ///< residuals of differential and algebraic equations
};
std::string_view to_string(ProblemKind);

class ChartProblem {
 public:
  virtual ~ChartProblem() = default;

  virtual ProblemKind kind() const = 0;

  virtual int second_order() const = 0;  // length of x and u
  virtual int first_order() const = 0;   // length of z

  /// Moves the base to a consistent state.
  virtual Eval rebase(const State& state) = 0;
  virtual const Local& base() const = 0;
  virtual const LocalRate& base_rate() const = 0;

  /// Told before every attempt, for problems whose equations depend on the step; base_rate() then
  /// belongs to this one.
  virtual Eval begin_step(double h) = 0;

  virtual Eval rate(double t, const Local& y, LocalRate& out) = 0;
  /// At the base, exact.
  virtual Eval jacobian(LocalJacobian& out) = 0;
  /// At any local point; costs no evaluation at the point of the last rate(). A problem that cannot
  /// answer says fatal.
  virtual Eval jacobian_at(double t, const Local& y, Derivatives, LocalJacobian& out) = 0;

  /// The consistent full state at a local point, with everything dense output needs.
  virtual Eval finish(double t, const Local& y, State& state, ChartPoint& point) = 0;
  /// The base as a chart point.
  virtual void base_point(ChartPoint& point) const = 0;
  /// Writes a local point into a chart point: its free coordinates, their velocities, and z. What
  /// depends on them is left as it is.
  virtual void place(const Local& y, ChartPoint& point) = 0;
  /// A state near the base as a local point.
  virtual void locate(const State& state, Local& y) = 0;
  /// The accelerations of a chart point as those of its free coordinates.
  virtual void free_accelerations(const ChartPoint& point, Vector& a) const = 0;
  /// Bounds of the speeds of chart coordinates from those of u; where some depend on others in ways
  /// that only a position gives, `speed` is left as it is.
  virtual void spread_speed(const Vector& u, Vector& speed) const = 0;
  /// A full state from chart coordinates, with or without making it consistent.
  enum class Consistency { as_interpolated, projected };
  virtual Eval state_at(const ChartPoint& point, Consistency, State& state) = 0;

  /// Weighted error of a local difference `e` at the end of a step, over all coordinates:
  /// the largest |error| / (absolute + relative |value|).
  virtual double error_norm(const Local& e, const State& state, const ErrorScale& scale) = 0;
  /// Weights of single local coordinates: of an error in one of them alone, weight times its size
  /// is the error_norm.
  virtual void error_weights(const State& state, const ErrorScale& scale, Local& weights) = 0;
  /// Absolute tolerances from the problem's own units.
  virtual ErrorScale default_scale(double tolerance) const = 0;

  /// Of the equations, whatever their form.
  virtual EventSource& events() = 0;

  /// d := what free coordinates cannot make of a displacement d of chart coordinates, along the
  /// constraints at the end of the step finished last (after rebase(): at the base).
  virtual void constrained_part(Vector& d) = 0;
  /// [rad] The largest rotation that chart coordinates q stand for.
  virtual double largest_turn(const Vector& q) const = 0;

  /// For methods that stay in a chart over many steps. Tells that the step to `point`, just
  /// finished, is taken: what follows lies near it. False when the chart ends here and the base
  /// must move.
  virtual bool advance(const ChartPoint& point) = 0;
  /// For methods that remember. The base before the present one, seen in the present chart: where
  /// it was and its rates. False when there is none, or the equations have changed since.
  virtual bool past(double& t, Local& y, LocalRate& rate) = 0;

  /// At the base, in the coordinates of the equations: accelerations, multipliers of all rows.
  virtual const Vector& accelerations() const = 0;
  virtual const Vector& multipliers() const = 0;
  /// How often independent coordinates, or selectors, were chosen.
  virtual int partitions() const = 0;
  virtual std::span<const PartitionRecord> partition_history() const = 0;

  /// Time at which constraints will depend on each other, as the last bases foretell it; infinite:
  /// none is near.
  virtual double singular_time() const = 0;
  virtual ProblemCounts counts() const = 0;
  /// What the user should know about how the problem was treated; empty: nothing special.
  virtual std::vector<std::string> remarks() const = 0;

  /// Why the last call failed, naming the culprit; empty if unknown.
  virtual std::string culprit() const = 0;
  /// The same as one of the named causes.
  virtual Diagnosis diagnosis() const = 0;

 protected:
  /// error_weights() by an error_norm() for every coordinate.
  void weigh_one_by_one(const State& state, const ErrorScale& scale, Local& weights);
};

/// place() where all chart coordinates are free.
inline void place_freely(const Local& y, ChartPoint& point) {
  point.q = y.x;
  point.dq = y.u;
  point.z = y.z;
}

}  // namespace kardan
