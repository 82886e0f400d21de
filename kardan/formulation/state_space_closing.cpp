/// Dependent positions and velocities of the state-space form: what closes the constraints for
/// given free ones.

#include <algorithm>
#include <cmath>

#include "kardan/formulation/state_space.h"
#include "kardan/linalg/kernels.h"

namespace kardan {
namespace {

constexpr int max_position_iterations = 12;
/// A residual that falls by less than this deserves new factors: they cost about as much as three
/// iterations, and 14 digits at this rate take as many again.
constexpr double slow_contraction = 0.05;
/// A residual that will fall below this share of the tolerance at the rate it fell need not be
/// looked at by itself.
constexpr double foreseeable = 0.1;

}  // namespace

/// The curvature of the constraints at the base: what bends the dependent coordinates there.
void StateSpace::bend_base() {
  const int n = second_order(), drift = split_.drift(), m = split_.holonomic;
  at_base_.bend.resize(m);
  scratch_.guess.resize(n + drift);
  split_.x_of.multiply(base_.a, std::span(scratch_.guess).first(n));
  split_.drift_of(base_.a, std::span(scratch_.guess).subspan(n));
  scratch_.dependent_velocities.resize(split_.rows.size());
  split_.dependent_of.multiply(base_.a, scratch_.dependent_velocities);
  for (int k = 0; k < m; ++k)
    at_base_.bend[k] = scratch_.dependent_velocities[k] -
                       dot({at_base_.H.row(k), scratch_.guess.size()}, scratch_.guess);
}

/// Along the tangent at the base, bent as the motion bends there, or at the accepted point nearby.
void StateSpace::guess_positions(double t, const Local& y) {
  const Tangent& near = *nearest_;
  const bool from_base = nearest_ == &at_base_;
  const int n = second_order(), drift = split_.drift();
  scratch_.guess.resize(n + drift);
  for (int i = 0; i < n; ++i) scratch_.guess[i] = from_base ? y.x[i] : y.x[i] - near.free[i];
  for (int i = 0; i < drift; ++i)
    scratch_.guess[n + i] = from_base ? y.z[i] : y.z[i] - near.free[n + i];
  const double time = t - near.t;
  for (int k = 0; k < split_.holonomic; ++k) {
    scratch_.dependent[k] = near.H_t[k] * time;
    scratch_.dependent[k] += from_base ? 0.5 * time * time * near.bend[k] : near.dependent[k];
  }
  add_products(near.H, scratch_.guess, scratch_.dependent);
  split_.compose(y.x, {y.z.data(), static_cast<std::size_t>(drift)}, point_.q);
  split_.add_dependent(scratch_.dependent, point_.q);
}

Eval StateSpace::dependent_positions(double t, const Local& y) {
  holds_.at = Evaluated::At::nothing;
  at_end_ = foreseen_ = false;
  point_.state.t = t;
  guess_positions(t, y);
  return close_positions();
}

/// How far the positions are from closed (scaled, the worst row); `dependent` is what they lack.
WorstRow StateSpace::open_positions() {
  for (int k = 0; k < split_.holonomic; ++k) scratch_.dependent[k] = -ws_->g[split_.rows[k]];
  return partition_.positions().worst(ws_->g);
}

/// Newton's iteration from the point on. Its last step is not looked at where its rate foresees
/// that it ends below the tolerance: dependent_velocities() looks.
Eval StateSpace::close_positions() {
  double last = 0;
  LinearSolver* factors = &nearest_->positions();
  const bool look = foreseen_;  // it did not come true
  foreseen_ = false;
  for (int iteration = 0; iteration < max_position_iterations; ++iteration) {
    if (!all_finite(point_.q)) break;
    move_to(point_.q, point_.state);
    if (Eval e = system_.evaluate(point_.state, {.position = true}, *ws_); e != Eval::ok) return e;
    const auto [size, worst] = open_positions();
    if (size < closing_.position) return update_turns(), Eval::ok;
    if (iteration > 2 && size > 0.9 * last) {
      if (size < stalled * closing_.position)
        return update_turns(), Eval::ok;  // round-off of the model
      culprit_ = system_.row_name(worst);
      return Eval::recoverable;
    }
    // The factors of the base serve while they converge fast; far from it Newton's own are needed.
    if (iteration > 0 && size > slow_contraction * last) {
      if (Eval e = system_.evaluate(point_.state, {.velocity = true, .rates = false}, *ws_);
          e != Eval::ok)
        return e;
      update_turns();
      chart_columns();
      if (Eval e = partition_.blocks().factor_near(at_base_, point_.G, point_.tangent);
          e != Eval::ok) {
        culprit_ = system_.row_name(worst);
        return e;
      }
      factors = &point_.tangent.positions();
    }
    factors->solve(scratch_.dependent);
    split_.add_dependent(scratch_.dependent, point_.q);
    if (!look && iteration > 0 && size * size < foreseeable * closing_.position * last) {
      move_to(point_.q, point_.state);
      foreseen_ = true;
      return update_turns(), Eval::ok;
    }
    last = size;
  }
  culprit_ = "the closing of the constraints";
  if (!(last < stalled * closing_.position)) return Eval::recoverable;
  update_turns();
  return Eval::ok;
}

Eval StateSpace::dependent_velocities(const Vector& u) {
  split_.compose(u, {}, point_.dq);
  if (split_.rows.empty()) {
    if (accelerations_.on_free_directions())
      partition_.blocks().expand(point_.G, ws_->g_t, point_.tangent);
    turn_velocities();
    return Eval::ok;
  }
  const Request request{.position = foreseen_, .velocity = true, .rates = false};
  if (Eval e = system_.evaluate(point_.state, request, *ws_); e != Eval::ok) return e;
  if (foreseen_ && !(open_positions().size < closing_.position)) {
    if (Eval e = close_positions(); e != Eval::ok) return e;
    if (Eval e = system_.evaluate(point_.state, {.velocity = true, .rates = false}, *ws_);
        e != Eval::ok)
      return e;
  }
  foreseen_ = false;
  chart_columns();
  if (Eval e = partition_.blocks().factor_near(at_base_, point_.G, point_.tangent); e != Eval::ok)
    return e;
  if (accelerations_.on_free_directions())
    partition_.blocks().expand(point_.G, ws_->g_t, point_.tangent);
  const SparsePattern& p = *ws_->G.pattern;
  for (std::size_t i = 0; i < split_.rows.size(); ++i) {
    double sum = ws_->g_t[split_.rows[i]];
    for (int k = p.row_start[split_.rows[i]]; k < p.row_start[split_.rows[i] + 1]; ++k)
      sum += point_.G[k] * point_.dq[p.column[k]];
    scratch_.dependent_velocities[i] = -sum;
  }
  point_.tangent.velocity->solve(scratch_.dependent_velocities);
  split_.add_dependent(scratch_.dependent_velocities, point_.dq);
  turn_velocities();
  return Eval::ok;
}

/// The velocities of the point from those in the chart.
void StateSpace::turn_velocities() {
  std::copy(point_.dq.begin(), point_.dq.end(), point_.state.v.begin());
  for (const Chart::Turn& t : chart_.turns())
    put_three(point_.turn[t.body] * three_at(point_.dq, t.v), t.v, point_.state.v);
}

/// At a distance s from a singular position two branches are s^2 apart.
double StateSpace::blurred_below() const {
  return singular_.best() * std::sqrt(singular::blurred * closing_.position);
}

/// A step must not end where positions that are closed may lie on either branch.
Eval StateSpace::check_branches() {
  if (partition_.blocks().regularity(point_.tangent) >= std::min(singular_.now(), blurred_below()))
    return Eval::ok;
  culprit_ = "a singular position: its branches are nearer to each other than rounding";
  return Eval::recoverable;
}

/// Where the dependent coordinates would be determined no more.
void StateSpace::look_ahead(SingularWatch::Before before) {
  singular_.see(base_.state.t, partition_.blocks().regularity(at_base_), before);
  singular_.foretell(singular::near_pivot * singular_.best());
}

}  // namespace kardan
