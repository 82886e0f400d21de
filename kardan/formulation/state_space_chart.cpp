/// The state-space form for methods that stay in a chart, or remember, over several steps.

#include <algorithm>
#include <cmath>

#include "kardan/formulation/state_space.h"

namespace kardan {
bool StateSpace::advance(const ChartPoint& point) {
  if (chart_.largest_turn(point.q) > chart_reach) return false;
  if (split_.rows.empty()) return true;
  if (partition_.blocks().factor_near(at_base_, point_.G, near_) != Eval::ok) return false;
  nearest_ = &near_;
  near_.t = point.t;
  near_.free.resize(split_.free_positions());
  near_.dependent.resize(split_.rows.size());
  split_.x_of.multiply(point.q, std::span(near_.free).first(second_order()));
  split_.dependent_of.multiply(point.q, near_.dependent);
  std::copy(near_.dependent.begin() + split_.holonomic, near_.dependent.end(),
            near_.free.begin() + second_order());
  partition_.blocks().expand(point_.G, ws_->g_t, near_);
  return partition_.serves(near_);
}

bool StateSpace::past(double& t, Local& y, LocalRate& rate) {
  if (!past_.known) return false;
  locate(past_.state, y);
  const auto& [q, dq] = scratch_.place;
  rate.resize(second_order(), first_order());
  scratch_.second.resize(q.size());
  chart_.to_second_rates(q, dq, past_.a, scratch_.second);
  split_.x_of.multiply(scratch_.second, rate.a);
  t = past_.state.t;
  load_first_order(dq, past_.b, rate.b);
  return true;
}

/// scratch_.place: q and q'.
void StateSpace::locate(const State& state, Local& y) {
  auto& [q, dq] = scratch_.place;
  put_place(state, q, dq);
  y.resize(second_order(), first_order());
  split_.x_of.multiply(q, y.x);
  split_.x_of.multiply(dq, y.u);
  load_first_order(q, state.r, y.z);
}

void StateSpace::free_accelerations(const ChartPoint& point, Vector& a) const {
  a.resize(second_order());
  split_.x_of.multiply(point.ddq, a);
}

void StateSpace::error_weights(const State& state, const ErrorScale& scale, Local& weights) {
  const int n = second_order(), drift = split_.drift();
  weights.resize(n, first_order());
  for (Vector* part : {&weights.x, &weights.u, &weights.z})
    std::fill(part->begin(), part->end(), 0.0);
  error_units_.units(state, state.v, scale, scratch_.units);
  Vector& column = scratch_.errors.x;
  column.resize(system_.sizes().v);
  const auto weight = [&](const Matrix& from, int i, const Vector& units) {
    for (std::size_t j = 0; j < column.size(); ++j) column[j] = from(static_cast<int>(j), i);
    return error_units_.largest(column, units);
  };
  for (int i = 0; i < n; ++i) {
    weights.x[i] = weight(nearest_->B, i, scratch_.units.x);
    weights.u[i] = weight(nearest_->velocities(), i, scratch_.units.u);
  }
  for (int i = 0; i < drift; ++i) weights.z[i] = weight(nearest_->B, n + i, scratch_.units.x);
  for (std::size_t i = 0; i < state.r.size(); ++i) weights.z[drift + i] = 1 / scratch_.units.z[i];
}

}  // namespace kardan
