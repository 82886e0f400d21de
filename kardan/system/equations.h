#pragma once
/// The general equations of motion, evaluated. Letters as in the equations:
///
///   (1) p' = Z(p) v                         (2) M v' = f - G' lambda - H' mu
///   (3) r' = b        (4) 0 = d             (6) 0 = H v + h     (7) 0 = g
///   (8) 0 = e(t, p, v)
///
/// Contact point variables s are a function of t and p through (5): an evaluation solves for them,
/// starting at those of the state, and every derivative by p contains their change. Velocities are
/// such that tangents of p are Z v: whoever writes equations sees to that.
///
/// Constraint rows are kept together: `sizes.lambda` holonomic rows first (G), then `sizes.mu`
/// nonholonomic ones (H). Derivatives by p are by the tangent of the positions, which for bodies
/// has the dimension of v: displacement in the world frame, rotation in the body frame.
///
/// Everything is immutable but the Workspace, which belongs to one thread. Patterns are fixed at
/// construction; an evaluation rewrites values and never allocates.

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "kardan/base/branch_follower.h"
#include "kardan/base/eval.h"
#include "kardan/base/inputs.h"
#include "kardan/base/state.h"
#include "kardan/base/taylor.h"
#include "kardan/linalg/sparse.h"
#include "kardan/system/quantity.h"

namespace kardan {

/// Patterns shared by all workspaces of a system.
struct Patterns {
  std::shared_ptr<const SparsePattern> constraint;  // (lambda + mu) x v
  std::shared_ptr<const SparsePattern> force;       // v x v
  std::shared_ptr<const SparsePattern> mass;        // v x v
  std::shared_ptr<const SparsePattern> aux;         // (r + w) x v
  std::shared_ptr<const SparsePattern> aux_aux;     // (r + w) x (r + w)
  std::shared_ptr<const SparsePattern> force_aux;   // v x (r + w)
  // Null where nothing depends on multipliers, or there is no invariant.
  std::shared_ptr<const SparsePattern> force_lambda;  // v x (lambda + mu)
  std::shared_ptr<const SparsePattern> aux_lambda;    // (r + w) x (lambda + mu)
  std::shared_ptr<const SparsePattern> invariant;     // e x v
};

class Equations;

/// Results of the last evaluate and differentiate. Grouped by the call that fills them.
struct Workspace {
  /// Private memory of the evaluator.
  struct Scratch {
    virtual ~Scratch() = default;
  };

  // evaluate, Request::position
  Vector g;  // holonomic residual (rows of nonholonomic constraints stay 0)
  // evaluate, Request::velocity: and G itself
  Vector rate;     // g' = G v + g_t; H v + h
  Vector g_t;      // partial time derivative of g (h for nonholonomic rows: rate - H v)
  SparseMatrix G;  // [G; H]
  // evaluate, Request::acceleration
  Vector gamma;  // G v' = gamma
  // evaluate, Request::force
  Vector f, b, d;  // where they depend on multipliers: at those of the state
  SparseMatrix M;

  // differentiate: at the accelerations and multipliers it was given
  Vector accel;                                   // G a - gamma
  SparseMatrix rate_p, accel_p, accel_v;          // (G v + g_t)_p, (G a - gamma)_p, -gamma_v
  Vector rate_t, accel_t, f_t, b_t, d_t;          // by time; f_t of what f_p is of
  SparseMatrix f_p, f_v;                          // (f - M a - G' lambda - H' mu)_p, f_v
  SparseMatrix aux_p, aux_v, aux_aux, force_aux;  // (b; d) by p, v, (r; w), and f by (r; w)
  SparseMatrix force_lambda, aux_lambda;          // f and (b; d) by the multipliers

  // invariants
  Vector e;
  SparseMatrix e_p, e_v;

  // enclosures of inputs: variables and definitions, and what a formula takes of them
  std::vector<Taylor> enclosed, arguments;

  // follow_turns
  struct Following {
    State between;  // a state on the way
    BranchFollower follower;
  } following;

  std::unique_ptr<Scratch> scratch;

  /// The equations whose constants (a constant mass matrix) stand here.
  const Equations* constants_of = nullptr;
};

/// What an evaluation shall compute; later ones include what they need of the earlier ones.
struct Request {
  bool position = false;      // g
  bool velocity = false;      // G, g', g_t; with `position` also g
  bool acceleration = false;  // gamma (implies velocity)
  bool force = false;         // f, b, d
  // Of `velocity` and `acceleration` a part may be left out: what needs velocities, or what was
  // evaluated last, at the same positions (G, g_t). Equations may compute it all the same.
  bool rates = true, gradient = true;
  static constexpr Request all() { return {true, true, true, true}; }
};

class BodyEquations;
class Conditions;

/// No function here has a default, and what only some equations have is absent by type: it is in
/// BodyEquations.
class Equations {
 public:
  virtual ~Equations() = default;

  virtual std::unique_ptr<Workspace> make_workspace() const = 0;
  /// Puts the constants of these equations into a workspace of others with the same layout.
  virtual void adopt(Workspace&) const = 0;

  virtual Eval evaluate(const State&, Request, Workspace&) const = 0;

  /// All derivatives at the accelerations `a` and multipliers `lambda` (all constraint rows; empty:
  /// leave (G' lambda)_p out).
  virtual Eval differentiate(const State&, std::span<const double> a,
                             std::span<const double> lambda, Workspace&) const = 0;

  /// Invariants e (as many as Sizes::e) with their derivatives by p and v.
  virtual Eval invariants(const State&, Workspace&) const = 0;

  /// Event functions at the modes of the state, but those of rest, and the modes that belong to a
  /// state.
  virtual void events(const State&, std::span<double> z, Workspace&) const = 0;
  virtual void choose_modes(State&, Workspace&) const = 0;
  /// Those of the event functions that are formulas.
  virtual const Conditions& conditions() const = 0;
  /// Sets the turn counters and contact variables of `to` so that they continue from `from`, which
  /// was moved there by the tangent `way` (retract): turns go with it, however far. Contact
  /// variables that cannot are set to NaN, and no evaluation succeeds with them.
  virtual void follow_turns(const State& from, std::span<const double> way, State& to,
                            Workspace&) const = 0;

  virtual Energy energy(const State&, Workspace&) const = 0;
  /// Value; gradients over the tangents of p and v are added, times `factor`, where given.
  virtual double quantity(const Quantity&, const State&, double factor, std::span<double> by_p,
                          std::span<double> by_v, Workspace&) const = 0;

  /// Inputs that are functions of time (inputs.h).
  virtual const std::vector<InputEffect>& time_inputs() const = 0;
  /// Over the times from a to b, derivatives to `order`: everything else as it is in `at`.
  virtual void enclose_time_inputs(const State& at, double a, double b, int order,
                                   std::span<InputBounds> out, Workspace&) const = 0;
  /// Inputs that are functions of the way travelled: roads, and formulas of the state with features
  /// that a step may pass over (features.h).
  virtual const std::vector<InputEffect>& way_inputs() const = 0;
  /// Over the times from a to b, on the way between two states and around it.
  virtual void enclose_way_inputs(const State& from, const State& to, const StepError& error,
                                  double a, double b, int order, std::span<InputBounds> out,
                                  Workspace&) const = 0;

  /// These, where the coordinates are those of bodies; null else.
  virtual const BodyEquations* of_bodies() const = 0;
};

/// What only the motion of bodies has: forces of elements, momentum, distances.
class BodyEquations : public Equations {
 public:
  virtual Momentum momentum(const State&, Workspace&) const = 0;
  /// Scalar force of every element (0 for those without), by element index.
  virtual void element_forces(const State&, std::span<double> out, Workspace&) const = 0;
  /// Force of every force element on its (second) body [N], in the world, by element index.
  virtual void force_vectors(const State&, std::span<Vec3d> out, Workspace&) const = 0;

  /// For events that are the passage of a distance: the distance and a bound of its rate while no
  /// velocity exceeds `speed`. Others are left as they are.
  virtual void event_guards(const State&, std::span<const double> speed, std::span<double> guard,
                            std::span<double> rate, Workspace&) const = 0;
};

}  // namespace kardan
