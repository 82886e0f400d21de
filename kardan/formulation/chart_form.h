#pragma once
/// What the three families of formulations are made of alike: the equations with their workspace
/// and events, the chart of a step and where it stands, the watch for singular positions, what a
/// tolerance means, and the name of whatever failed last. `Problem` is the kind of problem.

#include <memory>
#include <span>
#include <string>

#include "kardan/formulation/auxiliary.h"
#include "kardan/formulation/chart.h"
#include "kardan/formulation/chart_base.h"
#include "kardan/formulation/culprit.h"
#include "kardan/formulation/error_units.h"
#include "kardan/formulation/singular_watch.h"
#include "kardan/formulation/system_events.h"
#include "kardan/integrate/problem.h"
#include "kardan/system/system.h"

namespace kardan {

template <class Problem>
class ChartForm : public Problem {
 public:
  const Local& base() const final { return base_.y; }
  const LocalRate& base_rate() const final { return base_.rate; }
  ErrorScale default_scale(double tolerance) const final {
    return error_units_.default_scale(tolerance);
  }
  EventSource& events() final { return events_; }
  double largest_turn(const Vector& q) const final { return chart_.largest_turn(q); }
  const Vector& accelerations() const final { return base_.a; }
  const Vector& multipliers() const final { return base_.lambda; }
  double singular_time() const final { return singular_.time(); }
  std::string culprit() const final { return culprit_; }

 protected:
  /// `system` must outlive this.
  explicit ChartForm(const System& system)
      : system_(system),
        ws_(system.make_workspace()),
        events_(system, *ws_),
        chart_(system),
        error_units_(system),
        follows_(system.sizes().turns > 0 || system.sizes().s > 0) {}

  /// Positions of a state at the coordinates q of the chart, with turn counters and contact
  /// variables that continue those of the base.
  void move_to(std::span<const double> q, State& state) { move(base_.state, q, state); }
  void move(const State& from, std::span<const double> q, State& state) {
    system_.retract(from.p, q, state.p);
    if (follows_) system_.follow_turns(from, q, state, *ws_);
  }
  /// The state that chart coordinates and their rates stand for, as they are; w is that of the base.
  void take(const ChartPoint& point, State& state) {
    state = base_.state;
    state.t = point.t;
    state.r = point.z;
    move_to(point.q, state);
    chart_.to_velocities(point.q, point.dq, state.v);
  }
  /// The end of a step, at q, and what was solved for there, as a chart point.
  void put_end(const State& end, std::span<const double> q, const Vector& a,
               std::span<const double> b, ChartPoint& point) const {
    point.t = end.t;
    point.q.assign(q.begin(), q.end());
    chart_.to_rates(point.q, end.v, a, point.dq, point.ddq);
    point.z = end.r;
    point.dz.assign(b.begin(), b.end());
  }
  /// Positions and velocities of a state, in the chart of the base.
  void put_place(const State& at, Vector& q, Vector& dq) const {
    q.resize(at.v.size());
    chart_.difference(base_.state.p, at.p, q);
    chart_.to_rates(q, at.v, dq);
  }
  /// Evaluates into the workspace; what is not finite is named.
  [[nodiscard]] Eval evaluate_named(const State& state, Request request) {
    const Eval e = system_.evaluate(state, request, *ws_);
    if (e != Eval::ok) culprit_ = not_finite_culprit(system_, state, *ws_);
    return e;
  }
  /// The same after w has followed the equations from the base.
  [[nodiscard]] Eval evaluate_following(State& state, Request request) {
    if (request.force)
      if (Eval e = auxiliaries_.follow(system_, base_.state, state, *ws_); e != Eval::ok) {
        culprit_ = not_finite_culprit(system_, state, *ws_);
        return e;
      }
    return evaluate_named(state, request);
  }

  const System& system_;
  std::unique_ptr<Workspace> ws_;
  SystemEvents events_;
  Chart chart_;
  AuxiliarySolver auxiliaries_;
  ErrorUnits error_units_;
  ChartBase base_;
  SolvedState past_, end_;  // the base before; the end of the step finished last
  SingularWatch singular_;
  std::string culprit_;
  const bool follows_;  // angles count turns, or there are contact variables
};

}  // namespace kardan
