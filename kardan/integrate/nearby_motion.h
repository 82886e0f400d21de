#pragma once
/// Motions near a run, in local coordinates of their own: what the estimate of global errors
/// (global_error.h) asks of the equations. No run depends on it, so that the estimate cannot change
/// a run.

#include "kardan/integrate/problem.h"

namespace kardan {

class NearbyMotion {
 public:
  virtual ~NearbyMotion() = default;

  virtual int second_order() const = 0;  // length of x and u
  virtual int first_order() const = 0;   // length of z

  /// Moves the base of the chart to a state.
  virtual void rebase(const State& base) = 0;
  /// A state with its accelerations a and rates b of z, in the chart.
  virtual void place(const State& state, const Vector& a, const Vector& b, Local& y,
                     LocalRate& rate) const = 0;
  /// The state at a local point.
  virtual void state_at(const Local& y, State& state) = 0;
  /// [rad] The largest rotation at a local point.
  virtual double largest_turn(const Local& y) const = 0;
  /// [rad] The same, in the plane too; infinite where it is not known how Jacobians turn.
  virtual double turned(const Local& y) const = 0;

  virtual Eval rate(double t, const Local& y, LocalRate& out) = 0;
  /// Factors I - c J, J the Jacobian at the point of the last rate().
  virtual Eval factor(double c) = 0;
  /// e := (I - c J)^-1 e
  virtual void filter(Local& e) = 0;

  /// Moves the base to `base`, which lies at the local point `at`, and turns a difference of points
  /// there into one in the new chart, from a point that satisfies the constraints.
  virtual Eval carry(const Local& at, const State& base, Local& e) = 0;
};

}  // namespace kardan
