#pragma once
/// Where the chart of a step stands, for all formulations: the base, the base before it, and the
/// end of the step finished last, each with what was solved for there. A base that is the end of
/// the step before needs no evaluation of its own.

#include <algorithm>
#include <span>
#include <utility>

#include "kardan/integrate/problem.h"

namespace kardan {

/// A state and what was solved for there: accelerations, multipliers of all rows and rates of r.
struct SolvedState {
  State state;
  Vector a, lambda, b;
  bool known = false;

  void keep(const State& s, const Vector& accelerations, const Vector& multipliers,
            std::span<const double> rates) {
    known = true;
    state = s;
    a = accelerations;
    lambda = multipliers;
    b.assign(rates.begin(), rates.end());
  }
  bool is(const State& s) const {
    return known && s.t == state.t && s.p == state.p && s.v == state.v && s.r == state.r &&
           s.w == state.w && s.turns == state.turns && s.modes == state.modes;
  }
};

/// The base: `known` once all of it is.
struct ChartBase : SolvedState {
  Local y;         ///< the base in its own chart
  LocalRate rate;  ///< there

  /// The local point where all coordinates of the chart are free.
  void place_freely() {
    y.resize(static_cast<int>(state.v.size()), static_cast<int>(state.r.size()));
    std::fill(y.x.begin(), y.x.end(), 0.0);
    y.u = state.v;
    y.z = state.r;
    rate.a = a;
    rate.b = b;
  }
  /// As a chart point; at the base T = I, and its rate does not act on q'.
  void put(ChartPoint& point) const {
    point.t = state.t;
    point.q.assign(state.v.size(), 0.0);
    point.dq = state.v;
    point.ddq = a;
    point.z = state.r;
    point.dz = b;
  }
};

/// The base moves to `next`, where everything is to be solved for. `past` becomes the base before,
/// known where the equations go on. True where `next` is the end of the last step, whose solution
/// `end` then has.
inline bool move_base(const State& next, ChartBase& base, SolvedState& past, SolvedState& end) {
  past.known = base.known && next.t > base.state.t && next.modes == base.state.modes;
  if (past.known) {
    std::swap(past.state, base.state);
    std::swap(past.a, base.a);
    std::swap(past.b, base.b);
  }
  base.state = next;
  base.known = false;
  const bool is_end = end.is(next);
  end.known = false;
  return is_end;
}

}  // namespace kardan
