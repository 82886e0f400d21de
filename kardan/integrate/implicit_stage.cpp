#include "kardan/integrate/implicit_stage.h"

#include <cmath>

namespace kardan {
namespace {

/// Relative size below which corrections are round-off: constraints are closed to about this.
constexpr double round_off = 1e-13;

/// y := known + (c_x a, c_u a, c_z b)
void place(const Local& known, const StageWeights& c, const LocalRate& k, Local& y) {
  y = known;
  add_scaled(c.x, k.a, y.x);
  add_scaled(c.u, k.a, y.u);
  add_scaled(c.z, k.b, y.z);
}

}  // namespace

Eval StageSolver::use(const LocalJacobian& J, const StageWeights& c, Counters& counters) {
  J_ = &J;
  return factor(c, counters);
}

Eval StageSolver::factor(const StageWeights& c, Counters& counters) {
  const LocalJacobian& J = *J_;
  const int n = J.M.rows(), first = J.B_z.rows();
  c_ = c;
  S_.resize(n + first, n + first);
  rhs_.resize(n + first);
  for (int i = 0; i < n; ++i) {
    double* row = S_.row(i);
    for (int j = 0; j < n; ++j) row[j] = J.M(i, j) - c.u * J.A_u(i, j) - c.x * J.A_x(i, j);
    for (int j = 0; j < first; ++j) row[n + j] = -c.z * J.A_z(i, j);
  }
  for (int i = 0; i < first; ++i) {
    double* row = S_.row(n + i);
    for (int j = 0; j < n; ++j) row[j] = -c.u * J.B_u(i, j) - c.x * J.B_x(i, j);
    for (int j = 0; j < first; ++j) row[n + j] = (i == j ? 1.0 : 0.0) - c.z * J.B_z(i, j);
  }
  ++counters.factorizations;
  return lu_.factor(S_);
}

/// One Newton correction of k and y from the rate at y; its size as an error of the step.
double StageSolver::correct(ChartProblem& problem, const StepStart& start, LocalRate& k, Local& y) {
  const int n = J_->M.rows(), first = J_->B_z.rows();
  change_.resize(n, first);
  for (int i = 0; i < n; ++i) change_.u[i] = rate_.a[i] - k.a[i];
  for (int i = 0; i < n; ++i) rhs_[i] = dot({J_->M.row(i), change_.u.size()}, change_.u);
  for (int i = 0; i < first; ++i) rhs_[n + i] = rate_.b[i] - k.b[i];
  lu_.solve(rhs_);
  for (int i = 0; i < n; ++i) {
    k.a[i] += rhs_[i];
    change_.x[i] = c_.x * rhs_[i];
    change_.u[i] = c_.u * rhs_[i];
  }
  for (int i = 0; i < first; ++i) {
    k.b[i] += rhs_[n + i];
    change_.z[i] = c_.z * rhs_[n + i];
  }
  if (!all_finite(rhs_)) return HUGE_VAL;
  add_scaled(1, change_.x, y.x);
  add_scaled(1, change_.u, y.u);
  add_scaled(1, change_.z, y.z);
  return problem.error_norm(change_, *start.state, *start.scale);
}

Eval StageSolver::solve(ChartProblem& problem, const StepStart& start, double t, const Local& known,
                        const StageWeights& c, Begin begin, LocalRate& k, Local& y,
                        Counters& counters) {
  const double enough = std::max(options_.share, round_off / start.scale->relative);
  bool new_matrix = begin == Begin::with_new_matrix;
  int matrices = 0, with_this_matrix = 0;
  double last = 0;
  rate_.resize(problem.second_order(), problem.first_order());
  place(known, c, k, y);
  for (int iteration = 0; iteration < options_.max_iterations; ++iteration) {
    ++counters.evaluations;
    if (Eval e = problem.rate(t, y, rate_); e != Eval::ok) return e;
    if (new_matrix) {
      ++counters.jacobians;
      if (Eval e = problem.jacobian_at(t, y, options_.matrix, own_); e != Eval::ok) return e;
      if (Eval e = use(own_, c, counters); e != Eval::ok) return e;
      new_matrix = false;
      with_this_matrix = 0;
      ++matrices;
    }
    ++counters.iterations;
    ++with_this_matrix;
    const double size = correct(problem, start, k, y);
    if (!std::isfinite(size)) return Eval::recoverable;
    // What remains after this correction is theta/(1 - theta) of it; with the first correction of a
    // matrix theta is unknown, and 1/2 is assumed.
    const double theta = with_this_matrix > 1 ? size / last : 0.5;
    if (theta < 1 && theta / (1 - theta) * size <= enough) return Eval::ok;
    if (options_.newton == Newton::full) {
      new_matrix = true;
    } else if (with_this_matrix > 1) {
      const double to_go = theta < 1 ? std::log(enough / size) / std::log(theta) : HUGE_VAL;
      if (to_go > options_.patience && matrices < options_.max_matrices)
        new_matrix = true;
      else if (theta >= 1 || iteration + to_go > options_.max_iterations)
        return Eval::recoverable;
    }
    last = size;
  }
  return Eval::recoverable;
}

void StageSolver::filter(Local& e) {
  // (M - c_u A_u - c_x A_x) s - c_z A_z r = M e_u / c_u + A_x e_x, and the row of b likewise; then
  // e_u = c_u s, e_z = c_z r, e_x += c_x s.
  const int n = J_->M.rows(), first = J_->B_z.rows();
  for (int i = 0; i < n; ++i)
    rhs_[i] = dot({J_->M.row(i), e.u.size()}, e.u) / c_.u + dot({J_->A_x.row(i), e.x.size()}, e.x);
  for (int i = 0; i < first; ++i)
    rhs_[n + i] = e.z[i] / c_.z + dot({J_->B_x.row(i), e.x.size()}, e.x);
  lu_.solve(rhs_);
  for (int i = 0; i < n; ++i) {
    e.x[i] += c_.x * rhs_[i];
    e.u[i] = c_.u * rhs_[i];
  }
  for (int i = 0; i < first; ++i) e.z[i] = c_.z * rhs_[n + i];
}

}  // namespace kardan
