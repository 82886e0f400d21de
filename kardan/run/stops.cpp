#include "kardan/run/stops.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "kardan/formulation/assembly.h"
#include "kardan/formulation/residuals.h"

namespace kardan {
namespace {

/// [scaled force] Rounding of a reaction: a stop pulls beyond this, and is taken back below half.
constexpr double no_force = 1e-12;
/// [scaled acceleration] A stop that touches is pressed together beyond this.
constexpr double no_acceleration = 1e-10;
/// [scaled] What is left of positions and velocities without being made consistent.
constexpr double consistent = 1e-14;

}  // namespace

Stops::Stops(const System& system) : system_(system) {
  if ((count() == 0 && frictions() == 0) || !system.holds()) return;
  std::vector<int> stuck(frictions());
  std::iota(stuck.begin(), stuck.end(), 0);
  all_ = system.holds()->hold(system.blueprint().impulses, stuck);
  if (!all_) return;
  if (frictions() > 0) rows_ = std::make_unique<ContactRows>(system_, *all_);
  impulses_ = std::make_unique<ImpulseSolver>(system_, *all_);
  ws_ = all_->make_workspace();
  accel_.resize(all_->sizes().constraints());
}

int Stops::stop_of(int asked) const {
  const std::vector<int>& all = system_.blueprint().impulses;
  return static_cast<int>(std::find(all.begin(), all.end(), asked) - all.begin());
}

std::vector<int> Stops::resting(const State& state) const {
  std::vector<int> out;
  for (int i = 0; i < count(); ++i)
    if (side(state, i) != 0) out.push_back(i);
  return out;
}

std::vector<int> Stops::sticking(const State& state) const {
  std::vector<int> out;
  for (int i = 0; i < frictions(); ++i)
    if (state.modes[system_.frictions()[i].mode] == 0 && system_.pressed(state, i))
      out.push_back(i);
  return out;
}

Stops::Held* Stops::held(const State& state) {
  const std::vector<int> stops = resting(state), stuck = sticking(state);
  std::vector<int> key = stops;
  for (const int i : stuck) key.push_back(count() + i);
  const auto [found, is_new] = held_.try_emplace(key);
  Held& held = found->second;
  if (is_new) {
    std::vector<int> events;
    events.reserve(stops.size());
    for (int i : stops) events.push_back(system_.impulses()[i].event);
    if (system_.holds()) held.system = system_.holds()->hold(events, stuck);
    if (held.system) {
      held.ws = held.system->make_workspace();
      held.accelerations = std::make_unique<AccelerationSolver>(*held.system);
    }
  }
  return held.system ? &held : nullptr;
}

const System* Stops::system(const State& state) {
  if (resting(state).empty() && sticking(state).empty()) return &system_;
  const Held* h = held(state);
  return h ? h->system.get() : nullptr;
}

double Stops::scaled_way(int stop, double way) const {
  return scaled_residual(*all_, system_.sizes().lambda + stop, 0, way);
}

bool Stops::touches(int stop) const {
  return std::abs(scaled_way(stop, impulses_->value(stop))) <= touching;
}

double Stops::scaled_rate(int stop) const {
  return scaled_residual(*all_, system_.sizes().lambda + stop, 1, impulses_->rate(stop));
}

Eval Stops::solve(const State& state, Held& held) {
  probe_ = fitted(*held.system, state);
  return held.accelerations->solve(probe_, a_, lambda_, *held.ws);
}

/// The force with which the stop pushes, in those of the model: mass, acceleration and length of a
/// unit change of the stop.
double Stops::reaction(const State& state, const Held& held, int place, int stop) const {
  const SparsePattern& p = *held.system->patterns().constraint;
  const int row = system_.sizes().lambda + place;
  double way = 0;
  for (int k = p.row_start[row]; k < p.row_start[row + 1]; ++k)
    way = std::max(way, std::abs(held.ws->G.values[k]) * system_.coordinate_scale(p.column[k]));
  const Scales& s = system_.scales();
  return -side(state, stop) * lambda_[row] * way / (s.mass * s.acceleration * s.length);
}

void Stops::add_reactions(const State& state, std::span<double> z) {
  if (rows_) {
    const std::vector<int> now = modes(state);
    ContactProblem problem;
    const bool known = rows_->look(state) == Eval::ok &&
                       fill(state, ContactRows::Level::acceleration, problem) == Eval::ok;
    ContactAnswer answer;
    if (known) answer = forces_of(problem, now);
    const bool found = answer.verdict == ContactAnswer::Verdict::found;
    for (int i = 0; i < count() + frictions(); ++i) {
      const bool stop = i < count();
      if (stop ? now[i] == 0 : now[i] != 0 || !system_.pressed(state, i - count())) continue;
      z[stop ? system_.impulses()[i].rest : system_.frictions()[i - count()].stick] =
          found ? no_force + answer.margin[i] : std::nan("");
    }
    return;
  }
  const std::vector<int> stops = resting(state);
  if (stops.empty()) return;
  Held* h = held(state);
  const bool known = h && solve(state, *h) == Eval::ok;
  for (std::size_t i = 0; i < stops.size(); ++i)
    z[system_.impulses()[stops[i]].rest] =
        known ? no_force + reaction(state, *h, static_cast<int>(i), stops[i]) : std::nan("");
}

Eval Stops::choose(State& state, int leaves, int slips) {
  return rows_ ? choose_all(state, leaves, slips) : choose_stops(state, leaves);
}

Eval Stops::choose_stops(State& state, int leaves) {
  const int first = system_.sizes().lambda, most = 20 + 10 * count();
  if (Eval e = impulses_->look(state); e != Eval::ok) return e;
  // The side of every stop that may rest: those that move apart do not.
  std::vector<int> sides(count(), 0);
  for (int i = 0; i < count(); ++i) {
    const bool rested = side(state, i) != 0;
    const int s = rested ? side(state, i) : -event(i).direction;
    if (i != leaves && touches(i) && s * scaled_rate(i) <= touching) sides[i] = s;
    if (rested && sides[i] == 0) state.modes[system_.impulses()[i].mode] = 0;
  }
  for (int round = 0; round < most; ++round) {
    Held* h = held(state);
    if (!h) return Eval::fatal;
    if (Eval e = solve(state, *h); e != Eval::ok) return e;
    if (Eval e =
            all_->evaluate(fitted(*all_, probe_), {.velocity = true, .acceleration = true}, *ws_);
        e != Eval::ok)
      return e;
    for (std::size_t i = 0; i < accel_.size(); ++i) accel_[i] = -ws_->gamma[i];
    ws_->G.multiply_add(1, a_, accel_);
    int change = -1, place = 0;
    for (int i = 0; i < count() && change < 0; ++i) {
      if (side(state, i) != 0) {
        if (reaction(state, *h, place++, i) < -0.5 * no_force) change = i;
      } else if (sides[i] != 0 &&
                 sides[i] * scaled_residual(*all_, first + i, 2, accel_[first + i]) <
                     -no_acceleration) {
        change = i;
      }
    }
    if (change < 0) return project(state);
    int& mode = state.modes[system_.impulses()[change].mode];
    mode = mode != 0 ? 0 : sides[change];
  }
  return Eval::recoverable;
}

Eval Stops::project(State& state) {
  if (resting(state).empty() && sticking(state).empty()) return Eval::ok;
  Held* h = held(state);
  const Residuals r = constraint_residuals(*h->system, fitted(*h->system, state), {}, *h->ws);
  if (r.position <= consistent && r.velocity <= consistent) return Eval::ok;
  const ConsistentStart start = assemble(*h->system, fitted(*h->system, state), {});
  if (start.report.status != Eval::ok) return Eval::recoverable;
  state.p = start.state.p;
  state.v = start.state.v;
  state.s = start.state.s;
  return Eval::ok;
}

}  // namespace kardan
