#include "kardan/integrate/onset.h"

#include <algorithm>
#include <cmath>

namespace kardan {
namespace {

/// Iterations that contract by this, (omega h)^2 = 3: estimates see the motion.
constexpr double resolved = 0.5;
/// Of the way of the step, the change by which f is differentiated along e.
constexpr double small_change = 1e-3;
/// A step that cannot be evaluated is this much too long.
constexpr double shorter = 0.25;
constexpr int most_trials = 60;

bool finite(const LocalRate& rate) {
  return all_finite(rate.a) && all_finite(rate.b);
}

}  // namespace

/// A change of rates, weighed as one of velocities and first-order variables.
double Onset::size(ChartProblem& problem, const State& state, const ErrorScale& scale,
                   const LocalRate& from, const LocalRate& to) {
  std::fill(error_.x.begin(), error_.x.end(), 0.0);
  error_.u = to.a;
  add_scaled(-1, from.a, error_.u);
  error_.z = to.b;
  add_scaled(-1, from.b, error_.z);
  return problem.error_norm(error_, state, scale);
}

double Onset::resolved_step(ChartProblem& problem, const State& state, const ErrorScale& scale,
                            double h, Counters& counters) {
  base_ = problem.base();
  error_.resize(problem.second(), problem.first());
  for (LocalRate* r : {&first_, &second_}) r->resize(problem.second(), problem.first());
  for (int trial = 0; trial < most_trials; ++trial) {
    if (problem.begin_step(h) != Eval::ok) return h;
    rate_ = problem.base_rate();
    y_ = base_;
    add_scaled(h, base_.u, y_.x);
    add_scaled(0.5 * h * h, rate_.a, y_.x);
    add_scaled(h, rate_.a, y_.u);
    add_scaled(h, rate_.b, y_.z);
    ++counters.evaluations;
    if (problem.rate(state.t + h, y_, first_) != Eval::ok || !finite(first_)) {
      h *= shorter;
      continue;
    }
    // The way of the step, and what it misses.
    error_.x = y_.x;
    add_scaled(-1, base_.x, error_.x);
    error_.u = rate_.a;
    for (double& u : error_.u) u *= h;
    error_.z = rate_.b;
    for (double& z : error_.z) z *= h;
    const double way = problem.error_norm(error_, state, scale);
    for (std::size_t i = 0; i < error_.x.size(); ++i) {
      error_.x[i] = h * h / 6 * (first_.a[i] - rate_.a[i]);
      error_.u[i] = h / 2 * (first_.a[i] - rate_.a[i]);
    }
    for (std::size_t i = 0; i < error_.z.size(); ++i)
      error_.z[i] = h / 2 * (first_.b[i] - rate_.b[i]);
    const double missed = problem.error_norm(error_, state, scale);
    if (missed <= 1) return h;
    const double share = std::min(1.0, small_change * way / missed);
    add_scaled(share, error_.x, y_.x);
    add_scaled(share, error_.u, y_.u);
    add_scaled(share, error_.z, y_.z);
    ++counters.evaluations;
    if (!(share > 0) || problem.rate(state.t + h, y_, second_) != Eval::ok || !finite(second_)) {
      h *= shorter;
      continue;
    }
    const double rho = size(problem, state, scale, first_, second_) /
                       (share * size(problem, state, scale, rate_, first_));
    if (rho <= resolved || missed <= rho) return h;
    h *= std::isfinite(rho) ? std::sqrt(resolved / rho) : shorter;
  }
  return h;
}

}  // namespace kardan
