/// Stops and frictions, decided together.

#include <fmt/format.h>

#include <cmath>

#include "kardan/formulation/residuals.h"
#include "kardan/run/stops.h"
#include "kardan/system/slip.h"

namespace kardan {
namespace {

using Verdict = ContactAnswer::Verdict;

/// [of the energy of the impulse] Rounding of what an impulse takes.
constexpr double no_gain = 1e-9;

}  // namespace

std::vector<int> Stops::modes(const State& state) const {
  std::vector<int> out;
  for (int i = 0; i < count(); ++i) out.push_back(side(state, i));
  for (const FrictionPlaces& f : system_.frictions()) out.push_back(state.modes[f.mode]);
  return out;
}

void Stops::set_modes(const std::vector<int>& modes, State& state) const {
  for (int i = 0; i < count(); ++i) state.modes[system_.impulses()[i].mode] = modes[i];
  for (int i = 0; i < frictions(); ++i)
    state.modes[system_.frictions()[i].mode] = modes[count() + i];
}

/// With sides and directions as the modes tell; at a state that was looked at.
Eval Stops::fill(const State& state, ContactRows::Level level, ContactProblem& problem) {
  problem.stops.assign(count(), {});
  problem.frictions.assign(frictions(), {});
  for (int i = 0; i < count(); ++i) problem.stops[i].side = side(state, i);
  for (int i = 0; i < frictions(); ++i) {
    const FrictionData& data = system_.friction(state, i);
    FrictionContact& f = problem.frictions[i];
    const bool velocity = level == ContactRows::Level::velocity;
    const double rate = velocity ? 0 : std::abs(rows_->rate(count() + i));
    const SlipLaw law{data.stick, data.slip, 0, data.stribeck, 0, 0};
    f.slip = velocity ? data.slip : law.coefficient(rate).value;
    f.stick = velocity ? data.slip : data.stick;
    f.extra = data.viscous * rate;
    // An impulse of a stop or joint has friction of its own; a force has none.
    f.load = {.fixed = velocity ? 0 : data.preload, .arm = data.arm, .stop = data.stop};
    f.moves = velocity ? 0 : state.modes[system_.frictions()[i].mode];
  }
  return rows_->fill(state, level, problem);
}

bool Stops::answered(const ContactAnswer& answer, double t) {
  std::string names;
  for (const FrictionData& f : system_.blueprint().frictions)
    names += (names.empty() ? "'" : ", '") + f.name + "'";
  why_.clear();
  switch (answer.verdict) {
    case Verdict::found:
      return true;
    case Verdict::none:
      why_ = fmt::format("t = {:.9g}: no motion answers the laws of friction and contact of {}", t,
                         names);
      break;
    case Verdict::several:
      why_ = fmt::format(
          "t = {:.9g}: more than one motion answers the laws of friction and contact of {}", t,
          names);
      break;
    case Verdict::undecided:
      why_ = fmt::format("t = {:.9g}: the forces that load {} are not unique", t, names);
      break;
    case Verdict::too_many:
      why_ =
          fmt::format("t = {:.9g}: too many contacts change at once among those of {}", t, names);
      break;
  }
  return false;
}

Eval Stops::choose_all(State& state, int leaves, int slips) {
  why_ = fmt::format("t = {:.9g}: stops or frictions cannot be evaluated", state.t);
  if (Eval e = rows_->look(state); e != Eval::ok) return e;
  ContactProblem problem;
  if (Eval e = fill(state, ContactRows::Level::acceleration, problem); e != Eval::ok) return e;
  for (int i = 0; i < count(); ++i) {
    const int s = side(state, i) != 0 ? side(state, i) : -event(i).direction;
    const bool touches = std::abs(rows_->scaled_value(i)) <= touching;
    problem.stops[i].side = i != leaves && touches && s * rows_->scaled_rate(i) <= touching ? s : 0;
  }
  for (int i = 0; i < frictions(); ++i) {
    const double rate = rows_->scaled_rate(count() + i);
    FrictionContact& f = problem.frictions[i];
    f.moves = std::abs(rate) <= touching ? 0 : rate > 0 ? 1 : -1;
    f.may_stick = i != slips;
    const FrictionData& data = system_.friction(state, i);
    if (f.moves == 0) f.slip = data.stribeck > 0 ? data.stick : data.slip, f.extra = 0;
  }
  const ContactAnswer answer = solve_contacts(problem);
  if (!answered(answer, state.t)) return Eval::recoverable;
  set_modes(answer.modes, state);
  why_ = rows_->unknown_load();
  if (!why_.empty()) return Eval::recoverable;
  return project(state);
}

Eval Stops::collide(State& state, const Vector& restitution) {
  why_ = fmt::format("t = {:.9g}: stops or frictions cannot be evaluated", state.t);
  if (Eval e = rows_->look(state); e != Eval::ok) return e;
  ContactProblem problem;
  if (Eval e = fill(state, ContactRows::Level::velocity, problem); e != Eval::ok) return e;
  bool approaches = false, returns = false;
  for (int i = 0; i < count(); ++i) {
    const int s = side(state, i) != 0 ? side(state, i) : -event(i).direction;
    const bool touches = side(state, i) != 0 || std::abs(rows_->scaled_value(i)) <= touching;
    problem.stops[i].side = touches ? s : 0;
    approaches = approaches || (touches && s * rows_->scaled_rate(i) < -touching);
  }
  if (!approaches) {
    why_.clear();
    return Eval::ok;
  }
  // Of two stops with one z the side is known by the event alone.
  const Vector before = problem.b;
  const ContactAnswer pressed = solve_contacts(problem);
  if (!answered(pressed, state.t)) return Eval::recoverable;
  Vector impulse = pressed.force;
  problem.b = pressed.x;
  for (int i = 0; i < count(); ++i) {
    problem.stops[i].least = restitution[i] * problem.stops[i].side * pressed.force[i];
    returns = returns || problem.stops[i].least > 0;
  }
  if (returns) {
    const ContactAnswer released = solve_contacts(problem);
    if (!answered(released, state.t)) return Eval::recoverable;
    add_scaled(1, released.force, impulse);
    problem.b = released.x;
  }
  double work = 0, size = 0;
  for (std::size_t i = 0; i < impulse.size(); ++i) {
    work += 0.5 * (before[i] + problem.b[i]) * impulse[i];
    size += std::abs(before[i] * impulse[i]);
  }
  if (work > no_gain * size) {
    why_ = fmt::format("t = {:.9g}: an impact with friction would gain energy", state.t);
    return Eval::recoverable;
  }
  rows_->apply(impulse, state.v);
  for (int i = 0; i < count(); ++i) {
    const bool stays = std::abs(problem.unit[i] * problem.b[i]) <= touching;
    const bool rests = problem.stops[i].side != 0 && stays && restitution[i] == 0;
    state.modes[system_.impulses()[i].mode] = rests ? problem.stops[i].side : 0;
  }
  return all_finite(state.v) ? Eval::ok : Eval::recoverable;
}

}  // namespace kardan
