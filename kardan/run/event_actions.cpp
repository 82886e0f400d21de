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
/// [scaled] Stops that touch and are faster than this approach each other.
constexpr double approaching = 1e-9;
/// Impulses that pass each other on at the same time: more than any row of bodies needs.
constexpr int most_impulses = 10'000;

}  // namespace

EventActions::EventActions(const System& system, RunMemory& memory)
    : system_(system),
      tolerance_(memory.report.tolerance),
      energy_(memory.report.energy),
      stops_(system),
      bounces_(memory.bounces),
      rested_(memory.rested),
      last_side_(memory.last_side) {
  bounces_.resize(stops_.count());
  rested_.resize(stops_.count(), 0);
  last_side_.resize(stops_.count(), 0);
  stuck_.resize(stops_.frictions(), 0);
}

/// Those of frictions: what slips stops or turns, what sticks can hold no longer.
void EventActions::add_rules(DriverOptions& driver) {
  for (int i = 0; i < stops_.frictions(); ++i) {
    const FrictionPlaces& places = system_.frictions()[i];
    EventRule& turn = driver.events[places.turn];
    turn.direction = -1;
    turn.act = [this, i](State& s, int, double, State& after) { return change(i, -1, s, after); };
    EventRule& stick = driver.events[places.stick];
    stick.direction = -1;
    stick.level = true;
    stick.act = [this, i](State& s, int, double, State& after) { return change(i, i, s, after); };
  }
}

void EventActions::prepare(const State& state, DriverOptions& driver) {
  driver.events.clear();
  for (const std::string& name : system_.event_names()) driver.events.push_back({.name = name});
  const std::vector<EventData>& asked = system_.blueprint().events;
  for (std::size_t i = 0; i < asked.size(); ++i) {
    const int e = system_.asked_event(static_cast<int>(i));
    EventRule& rule = driver.events[e];
    rule.direction = asked[i].direction;
    rule.stop = asked[i].action == EventAction::stop;
    if (asked[i].action == EventAction::set)
      rule.act = [this, e](State& s, int, double, State& after) { return set(e, s, after); };
    if (asked[i].action == EventAction::impulse)
      rule.act = [this, stop = stops_.stop_of(static_cast<int>(i))](State& s, int direction,
                                                                    double time, State& after) {
        return impulse(stop, direction, s, time, after);
      };
  }
  add_rules(driver);
  const bool any = stops_.count() + stops_.frictions() > 0;
  driver.known_events.sides.assign(any ? driver.events.size() : 0, 0);
  for (const FrictionPlaces& f : system_.frictions()) driver.known_events.sides[f.turn] = 1;
  for (int i = 0; i < stops_.count(); ++i) {
    EventRule& rule = driver.events[system_.impulses()[i].rest];
    rule.direction = -1;
    rule.level = true;
    rule.act = [this, i](State& s, int, double, State& after) { return release(i, s, after); };
    // A stop that has just been left, or is touched, stands on the side it came from.
    const Impulse& impulse = system_.impulses()[i];
    const int side = last_side_[i] != 0 ? last_side_[i] : -asked[impulse.event].direction;
    if (stops_.impulses().look(state) == Eval::ok && stops_.touches(i))
      driver.known_events.sides[impulse.asked] = side;
  }
  if (stops_.resting(state).empty() && stops_.sticking(state).empty())
    driver.known_events.adjust = nullptr;
  else
    driver.known_events.adjust = [this](const State& s, std::span<double> z) {
      stops_.add_reactions(s, z);
    };
}

/// Made when the first event asks for it: most runs have none.
Workspace& EventActions::workspace() {
  if (!ws_) ws_ = system_.make_workspace();
  return *ws_;
}

double EventActions::total(const State& state) {
  const Energy e = system_.energy(state, workspace());
  return e.kinetic + e.potential;
}

void EventActions::count_work(double before, const State& state) {
  const double work = total(state) - before;
  if (!std::isfinite(work)) return;  // of equations that define no energy
  energy_.work += work;
  energy_.exchanged += std::abs(work);
}

void EventActions::forget() {
  happened_.event = -1;
  happened_.blows.clear();
}

void EventActions::acts(int event) {
  if (happened_.event < 0) happened_.event = event;
}

Eval EventActions::strike(int stop, double restitution, State& state) {
  if (remembers_) happened_.blows.push_back({stop, restitution, {}, state.modes});
  return stops_.impulses().apply(stop, restitution, state);
}

EventEffect EventActions::set(int event, State& state, State& after) {
  acts(event);
  const double before = total(state);
  system_.set_modes(event, state);
  system_.set_modes(event, after);
  const System* system = stops_.system(state);
  if (!system) return EventEffect::failed;
  const auto ws = system->make_workspace();
  const Residuals r = constraint_residuals(*system, state, {}, *ws);
  if (r.position > still_consistent || r.velocity > still_consistent) return EventEffect::failed;
  count_work(before, state);
  return EventEffect::changed;
}

EventEffect EventActions::impulse(int stop, int direction, State& state, double time,
                                  State& after) {
  ImpulseSolver& impulses = stops_.impulses();
  const double before = total(state);
  if (stops_.project(state) != Eval::ok || impulses.look(state) != Eval::ok)
    return EventEffect::failed;
  const double rate = impulses.rate(stop);
  if (rate * direction <= 0) return EventEffect::none;  // another impulse has turned it
  acts(system_.impulses()[stop].asked);
  const std::vector<int> modes = state.modes;
  const double e = stops_.event(stop).restitution;
  const bool rests = comes_to_rest(stop, state.t, rate) || e == 0;
  if (stops_.frictions() > 0) {
    if (collide(stop, rests ? 0 : direction, state) != Eval::ok) return EventEffect::failed;
    if (stops_.choose(state) != Eval::ok) return EventEffect::failed;
    count_work(before, state);
    after.modes = state.modes;
    return EventEffect::hand_over;
  }
  if (strike(stop, rests ? 0 : e, state) != Eval::ok) return EventEffect::failed;
  if (rests) state.modes[system_.impulses()[stop].mode] = -direction;
  if (settle(state) != Eval::ok) return EventEffect::failed;
  const bool others = rests || !stops_.resting(state).empty();
  if (others && stops_.choose(state) != Eval::ok) return EventEffect::failed;
  count_work(before, state);
  if (state.modes != modes) {
    after.modes = state.modes;
    return EventEffect::hand_over;
  }
  step_ = state.v;
  for (double& x : step_) x *= time;
  after = state;
  after.t += time;
  system_.retract(state.p, step_, after.p);
  system_.follow_turns(state, step_, after, workspace());
  return EventEffect::changed;
}

/// The impulses of all stops, of which one was hit in a direction (0: and stays); -1: none.
Eval EventActions::collide(int stop, int direction, State& state) {
  Vector restitution(stops_.count(), 0.0);
  for (int i = 0; i < stops_.count(); ++i)
    if (stops_.side(state, i) == 0) restitution[i] = stops_.event(i).restitution;
  if (stop >= 0 && direction == 0) restitution[stop] = 0;
  if (direction != 0) state.modes[system_.impulses()[stop].mode] = -direction;
  if (remembers_) happened_.blows.push_back({-1, 0, restitution, state.modes});
  return stops_.collide(state, restitution);
}

/// Decides anew what sticks and what slips, and where: one friction has come to rest, or `slips`.
EventEffect EventActions::change(int friction, int slips, State& state, State& after) {
  const int mode = state.modes[system_.frictions()[friction].mode];
  if ((mode == 0) != (slips >= 0)) return EventEffect::none;  // another one has changed it
  if (mode == 0 && !system_.pressed(state, friction)) return EventEffect::none;
  acts(slips >= 0 ? system_.frictions()[friction].stick : system_.frictions()[friction].turn);
  const double before = total(state);
  const std::vector<int> modes = state.modes;
  if (stops_.choose(state, -1, slips) != Eval::ok) return EventEffect::failed;
  count_work(before, state);
  after.modes = state.modes;
  return state.modes == modes ? EventEffect::none : EventEffect::hand_over;
}

EventEffect EventActions::release(int stop, State& state, State& after) {
  acts(system_.impulses()[stop].rest);
  const double before = total(state);
  if (stops_.project(state) != Eval::ok) return EventEffect::failed;
  state.modes[system_.impulses()[stop].mode] = 0;
  bounces_[stop] = {};
  if (stops_.choose(state, stop) != Eval::ok) return EventEffect::failed;
  count_work(before, state);
  after.modes = state.modes;
  return EventEffect::hand_over;
}

/// What touches and approaches after the impulse gets its own at once, as a row of balls hands on a
/// blow. Where that does not end, all of it rests.
Eval EventActions::settle(State& state) {
  ImpulseSolver& impulses = stops_.impulses();
  for (int count = 0;; ++count) {
    if (Eval e = impulses.look(state); e != Eval::ok) return e;
    bool any = false;
    for (int i = 0; i < stops_.count() && !any; ++i) {
      const EventData& event = stops_.event(i);
      const int side = stops_.side(state, i) != 0 ? stops_.side(state, i) : -event.direction;
      if (side == 0 || !stops_.touches(i) || side * stops_.scaled_rate(i) >= -approaching) continue;
      const bool rests = event.restitution == 0 || count >= most_impulses;
      if (Eval e = strike(i, rests ? 0 : event.restitution, state); e != Eval::ok) return e;
      if (rests) state.modes[system_.impulses()[i].mode] = side;
      any = true;
    }
    if (!any || count >= most_impulses + stops_.count()) return Eval::ok;
  }
}

Eval EventActions::begin(State& state, std::vector<EventRecord>& events) {
  if (stops_.count() + stops_.frictions() == 0) return Eval::ok;
  const double before = total(state);
  if (!stops_.compiled()) return Eval::fatal;
  if (Eval e = stops_.frictions() > 0 ? collide(-1, 0, state) : settle(state); e != Eval::ok)
    return e;
  if (Eval e = stops_.choose(state); e != Eval::ok) return e;
  count_work(before, state);
  note_rest(state, events);
  return Eval::ok;
}

void EventActions::note_rest(const State& state, std::vector<EventRecord>& events) {
  for (int i = 0; i < stops_.count(); ++i) {
    const bool rests = stops_.side(state, i) != 0;
    if (rests != (rested_[i] != 0)) note(state, system_.impulses()[i].rest, rests ? 1 : -1, events);
    rested_[i] = stops_.side(state, i);
    if (rests) last_side_[i] = rested_[i];
  }
  std::vector<char> stuck(stops_.frictions(), 0);
  for (const int i : stops_.sticking(state)) stuck[i] = 1;
  for (int i = 0; i < stops_.frictions(); ++i)
    if (stuck[i] != stuck_[i]) note(state, system_.frictions()[i].stick, stuck[i] ? 1 : -1, events);
  stuck_ = stuck;
}

/// Unless it was reported already.
void EventActions::note(const State& state, int event, int direction,
                        std::vector<EventRecord>& events) {
  for (auto e = events.rbegin(); e != events.rend() && e->t == state.t; ++e)
    if (e->event == event && e->direction == direction) return;
  events.push_back({state.t, event, direction});
}

bool EventActions::comes_to_rest(int stop, double t, double rate) {
  Bounces& b = bounces_[stop];
  if (b.count == 0) b.first = b.last = t;
  const double interval = t - b.last;
  b.last = t;
  if (++b.count <= least_bounces) return false;
  // A bounce rises by a quarter of its time times the speed.
  const bool unseen = std::abs(stops_.scaled_way(stop, interval * rate)) < 10 * tolerance_;
  return unseen || interval < resting_share * (t - b.first);
}

}  // namespace kardan
