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
  auto& [q, dq, ddq] = scratch_.past;
  if (!put_past(q, dq, ddq)) return false;
  y.resize(second_order(), first_order());
  rate.resize(second_order(), first_order());
  split_.x_of.multiply(q, y.x);
  split_.x_of.multiply(dq, y.u);
  split_.x_of.multiply(ddq, rate.a);
  t = past_.state.t;
  load_first_order(q, past_.state.r, y.z);
  load_first_order(dq, past_.b, rate.b);
  return true;
}

void StateSpace::error_weights(const State& state, const ErrorScale& scale, Local& weights) {
  const int n = second_order(), drift = split_.drift();
  weights.resize(n, first_order());
  for (Vector* part : {&weights.x, &weights.u, &weights.z})
    std::fill(part->begin(), part->end(), 0.0);
  error_units_.units(state, state.v, scale, scratch_.units);
  for (int j = 0; j < system_.sizes().v; ++j) {
    const double *q = nearest_->B.row(j), *dq = nearest_->velocities().row(j);
    for (int i = 0; i < n; ++i) {
      weights.x[i] = std::max(weights.x[i], std::abs(q[i]) / scratch_.units.x[j]);
      weights.u[i] = std::max(weights.u[i], std::abs(dq[i]) / scratch_.units.u[j]);
    }
    for (int i = 0; i < drift; ++i)
      weights.z[i] = std::max(weights.z[i], std::abs(q[n + i]) / scratch_.units.x[j]);
  }
  for (std::size_t i = 0; i < state.r.size(); ++i) weights.z[drift + i] = 1 / scratch_.units.z[i];
}

}  // namespace kardan
