#include "kardan/integrate/onset.h"

#include <algorithm>
#include <cmath>

namespace kardan {
namespace {

/// Iterations that contract by this, (omega h)^2 = 3: estimates see the motion.
constexpr double resolved = 0.5;
/// Of that, what a shorter step aims at.
constexpr double aim = 0.8;
/// Of the way of the step, the change by which f is differentiated along e.
constexpr double small_change = 1e-3;
/// A step that cannot be evaluated is this much too long.
constexpr double shorter = 0.25;
constexpr int most_onset_trials = 60;

}  // namespace

/// A change of accelerations, weighed as one of velocities.
double Onset::size(ChartProblem& problem, const State& state, const ErrorScale& scale,
                   const LocalRate& from, const LocalRate& to) {
  std::fill(error_.x.begin(), error_.x.end(), 0.0);
  error_.u = to.a;
  add_scaled(-1, from.a, error_.u);
  std::fill(error_.z.begin(), error_.z.end(), 0.0);
  return problem.error_norm(error_, state, scale);
}

/// Whether velocities along the change of accelerations are damped more than what it swings by:
/// lambda^2 > 4 omega^2, with lambda h/2 the contraction by them.
bool Onset::overdamped(ChartProblem& problem, const State& state, const ErrorScale& scale,
                       double time, double change, double rho, Counters& counters) {
  for (std::size_t i = 0; i < y_.u.size(); ++i) y_.u[i] += time * (first_.a[i] - rate_.a[i]);
  ++counters.evaluations;
  if (problem.rate(state.t, y_, first_) != Eval::ok) return false;
  const double damping = size(problem, state, scale, second_, first_) / change;
  return damping * damping > 6 * rho;
}

double Onset::resolved_step(ChartProblem& problem, const State& state, const ErrorScale& scale,
                            double h, Counters& counters) {
  base_ = problem.base();
  error_.resize(problem.second_order(), problem.first_order());
  for (LocalRate* r : {&first_, &second_}) r->resize(problem.second_order(), problem.first_order());
  for (int trial = 0; trial < most_onset_trials; ++trial) {
    if (problem.begin_step(h) != Eval::ok) return h;
    rate_ = problem.base_rate();
    y_ = base_;
    add_scaled(h, base_.u, y_.x);
    add_scaled(0.5 * h * h, rate_.a, y_.x);
    ++counters.evaluations;
    if (problem.rate(state.t, y_, first_) != Eval::ok || !all_finite(first_.a)) {
      h *= shorter;
      continue;
    }
    // The way of the step, and what it misses.
    error_.x = y_.x;
    add_scaled(-1, base_.x, error_.x);
    for (Vector* rest : {&error_.u, &error_.z}) std::fill(rest->begin(), rest->end(), 0.0);
    const double way = problem.error_norm(error_, state, scale);
    for (std::size_t i = 0; i < error_.x.size(); ++i) {
      error_.x[i] = h * h / 6 * (first_.a[i] - rate_.a[i]);
      error_.u[i] = h / 2 * (first_.a[i] - rate_.a[i]);
    }
    const double missed = problem.error_norm(error_, state, scale);
    if (missed <= 1) return h;
    const double share = std::min(1.0, small_change * way / missed);
    add_scaled(share, error_.x, y_.x);
    ++counters.evaluations;
    if (!(share > 0) || problem.rate(state.t, y_, second_) != Eval::ok || !all_finite(second_.a)) {
      h *= shorter;
      continue;
    }
    const double change = share * size(problem, state, scale, rate_, first_);
    const double rho = size(problem, state, scale, first_, second_) / change;
    if (rho <= resolved || missed <= rho) return h;
    if (std::isfinite(rho) &&
        overdamped(problem, state, scale, share * h / 2, change, rho, counters))
      return h;
    h *= std::isfinite(rho) ? std::sqrt(aim * resolved / rho) : shorter;
  }
  return h;
}

}  // namespace kardan
