#include "kardan/integrate/backward_step.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "kardan/integrate/state_matrix.h"

namespace kardan {
namespace {

/// [tolerances] Changes of y below this end the iteration; where rounding does not let them become
/// so small, changes below the second do.
constexpr double converged = 1e-6, good_enough = 1e-2;
constexpr int most_iterations = 10;
/// By which a change is at most the one before it while the iteration converges.
constexpr double slow = 0.5;

void clear_like(const Local& shape, Local& y) {
  y.x.assign(shape.x.size(), 0.0);
  y.u.assign(shape.u.size(), 0.0);
  y.z.assign(shape.z.size(), 0.0);
}

}  // namespace

/// y: the polynomial through `from` ends, at t.
void BackwardStep::foretell(double t, int from, Local& y) {
  clear_like(ends[0].y, y);
  for (int j = 0; j < from; ++j) {
    double weight = 1;
    for (int m = 0; m < from; ++m)
      if (m != j) weight *= (t - ends[m].t) / (ends[j].t - ends[m].t);
    add_scaled(weight, ends[j].y, y);
  }
}

/// weights_: y'(t) of the polynomial through y(t) and `order` ends.
void BackwardStep::differentiate(double t, int order) {
  weights_.fill(0);
  for (int j = 0; j < order; ++j) {
    weights_[0] += 1 / (t - ends[j].t);
    double product = 1 / (ends[j].t - t);
    for (int m = 0; m < order; ++m)
      if (m != j) product *= (t - ends[m].t) / (ends[j].t - ends[m].t);
    weights_[j + 1] = product;
  }
}

Eval BackwardStep::factor(ChartProblem& problem, double t, const Local& y) {
  if (const Eval here = problem.jacobian_at(t, y, Derivatives::exact, jacobian_);
      here == Eval::fatal) {
    if (Eval e = problem.jacobian(jacobian_); e != Eval::ok) return e;
  } else if (here != Eval::ok) {
    return here;
  }
  if (Eval e = state_matrix(jacobian_, matrix_); e != Eval::ok) return e;
  for (int i = 0; i < matrix_.rows(); ++i) {
    for (int j = 0; j < matrix_.cols(); ++j) matrix_(i, j) = -matrix_(i, j);
    matrix_(i, i) += weights_[0];
  }
  return lu_.factor(matrix_);
}

Eval BackwardStep::solve(ChartProblem& problem, double t, int order, const State& state,
                         const ErrorScale& scale, Local& y) {
  differentiate(t, order);
  foretell(t, std::min(order + 1, count), y);
  clear_like(y, past_);
  for (int j = 0; j < order; ++j) add_scaled(weights_[j + 1], ends[j].y, past_);
  if (Eval e = factor(problem, t, y); e != Eval::ok) return e;
  const std::size_t n = y.x.size(), first = y.z.size();
  step_.resize(2 * n + first);
  clear_like(y, difference_);
  double last = std::numeric_limits<double>::infinity();
  for (int iteration = 0; iteration < most_iterations; ++iteration) {
    if (Eval e = problem.rate(t, y, rate_); e != Eval::ok) return e;
    for (std::size_t i = 0; i < n; ++i) {
      step_[i] = y.u[i] - past_.x[i] - weights_[0] * y.x[i];
      step_[n + i] = rate_.a[i] - past_.u[i] - weights_[0] * y.u[i];
    }
    for (std::size_t i = 0; i < first; ++i)
      step_[2 * n + i] = rate_.b[i] - past_.z[i] - weights_[0] * y.z[i];
    lu_.solve(step_);
    std::copy_n(step_.begin(), n, difference_.x.begin());
    std::copy_n(step_.begin() + n, n, difference_.u.begin());
    std::copy_n(step_.begin() + 2 * n, first, difference_.z.begin());
    if (!all_finite(difference_)) return Eval::recoverable;
    add_scaled(1, difference_, y);
    const double size = problem.error_norm(difference_, state, scale);
    if (size < converged) return Eval::ok;
    if (size > slow * last) return last < good_enough ? Eval::ok : Eval::recoverable;
    last = size;
  }
  return last < good_enough ? Eval::ok : Eval::recoverable;
}

}  // namespace kardan
