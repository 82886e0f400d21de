#include "kardan/run/event_actions.h"

#include <cmath>

#include "kardan/formulation/residuals.h"

namespace kardan {
namespace {

/// Parameters may not change where the constraints are: scaled residuals after an event.
constexpr double still_consistent = 1e-8;
/// An event that follows itself within this share of the time since its first impulse comes to
/// rest: what is left of the series is shorter still. So does one whose bounces are lost in the
/// tolerance.
constexpr double resting_share = 1e-6;
constexpr int least_bounces = 3;
/// [of the model's length] Functions this close to zero touch.
constexpr double touching = 1e-9;
/// Impulses that pass each other on at the same time: more than any row of bodies needs.
constexpr int most_impulses = 10'000;

}  // namespace

EventActions::EventActions(const System& system, RunMemory& memory)
    : system_(system),
      tolerance_(memory.report.tolerance),
      energy_(memory.report.energy),
      ws_(system.make_workspace()),
      impulses_(system),
      bounces_(memory.bounces),
      z_(system.event_names().size()),
      first_(static_cast<int>(system.event_names().size() - system.blueprint().events.size())) {}

std::vector<EventRule> EventActions::rules() {
  std::vector<EventRule> rules;
  for (const std::string& name : system_.event_names()) rules.push_back({.name = name});
  const std::vector<EventData>& asked = system_.blueprint().events;
  for (std::size_t i = 0; i < asked.size(); ++i) {
    const int e = first_ + static_cast<int>(i);
    EventRule& rule = rules[e];
    rule.direction = asked[i].direction;
    rule.stop = asked[i].action == EventAction::stop;
    if (asked[i].action == EventAction::set)
      rule.act = [this, e](State& s, int, double, State& after) { return set(e, s, after); };
    if (asked[i].action == EventAction::impulse)
      rule.act = [this, e](State& s, int direction, double time, State& after) {
        return impulse(e, direction, s, time, after);
      };
  }
  return rules;
}

double EventActions::total(const State& state) {
  const Energy e = system_.energy(state, *ws_);
  return e.kinetic + e.potential;
}

EventEffect EventActions::set(int event, State& state, State& after) {
  const double before = total(state);
  system_.set_modes(event, state);
  system_.set_modes(event, after);
  const Residuals r = constraint_residuals(system_, state, {}, *ws_);
  if (r.position > still_consistent || r.velocity > still_consistent) return EventEffect::failed;
  const double work = total(state) - before;
  if (energy_.known) {
    energy_.work += work;
    energy_.exchanged += std::abs(work);
  }
  return EventEffect::changed;
}

EventEffect EventActions::impulse(int event, int direction, State& state, double time,
                                  State& after) {
  double rate = 0;
  if (impulses_.rate(event, state, rate, *ws_) != Eval::ok) return EventEffect::failed;
  if (rate * direction <= 0) return EventEffect::none;  // another impulse has turned it
  const double before = total(state);
  const double e = system_.blueprint().events[event - first_].restitution;
  const bool rests = comes_to_rest(event, state.t, rate) || e == 0;
  if (impulses_.apply(event, rests ? 0 : e, state, *ws_) != Eval::ok) return EventEffect::failed;
  const bool settled = settle_others(state);
  step_ = state.v;
  for (double& x : step_) x *= time;
  after = state;
  after.t += time;
  system_.retract(state.p, step_, after.p);
  system_.follow_turns(state, after, *ws_);
  const double work = total(state) - before;
  if (energy_.known) {
    energy_.work += work;
    energy_.exchanged += std::abs(work);
  }
  return rests || !settled ? EventEffect::rests : EventEffect::changed;
}

/// What touches and approaches after the impulse gets its own at once, as a row of balls hands on a
/// blow. False when that never ends.
bool EventActions::settle_others(State& state) {
  const std::vector<EventData>& asked = system_.blueprint().events;
  for (int count = 0; count < most_impulses; ++count) {
    system_.events(state, z_, *ws_);
    bool any = false;
    for (std::size_t i = 0; i < asked.size() && !any; ++i) {
      const int e = first_ + static_cast<int>(i);
      double rate = 0;
      if (asked[i].action != EventAction::impulse || asked[i].direction == 0 ||
          std::abs(z_[e]) > touching * system_.scales().length ||
          impulses_.rate(e, state, rate, *ws_) != Eval::ok ||
          rate * asked[i].direction <= touching * system_.scales().speed)
        continue;
      if (impulses_.apply(e, asked[i].restitution, state, *ws_) != Eval::ok) return false;
      any = true;
    }
    if (!any) return true;
  }
  return false;
}

bool EventActions::comes_to_rest(int event, double t, double rate) {
  Bounces& b = bounces_[event];
  if (b.count == 0) b.first = b.last = t;
  const double interval = t - b.last;
  b.last = t;
  if (++b.count <= least_bounces) return false;
  // A bounce rises by a quarter of its time times the speed.
  const bool unseen = interval * std::abs(rate) < 10 * tolerance_ * system_.scales().length;
  return unseen || interval < resting_share * (t - b.first);
}

}  // namespace kardan
