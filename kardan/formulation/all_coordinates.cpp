#include "kardan/formulation/all_coordinates.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "kardan/formulation/analysis.h"
#include "kardan/formulation/residuals.h"

namespace kardan {
namespace {

/// Cholesky factors of G M^-1 G' see the square of what is left of a row: rows with less than this
/// are left out.
constexpr double row_tolerance = 3e-7;
/// A row that was left out must hold by itself, up to rounding and this much of what the others'
/// errors leave in it.
constexpr double redundant_share = 100, redundant_floor = 1e-9;
/// Residuals above this are seen with the naked eye: a thousandth of the model's size.
constexpr double visibly_off = 1e-3;
/// Projection stops at this scaled residual: round-off of large models begins below it.
constexpr double projected = 2e-14;
constexpr int max_projections = 8;
/// [rad] The chart ends where a body has turned this far from the base.
constexpr double chart_reach = 1;

}  // namespace

AllCoordinates::AllCoordinates(const System& system, const AllCoordinatesOptions& options)
    : system_(system),
      options_(options),
      chart_(system),
      ws_(system.make_workspace()),
      base_at_(std::make_unique<At>()),
      at_(std::make_unique<At>()),
      end_at_(std::make_unique<At>()) {
  if (options.gains == AllCoordinatesOptions::Gains::constant) {
    alpha_ = options.alpha;
    beta_ = options.beta;
  }
}

Eval AllCoordinates::choose_rows(const std::string& why) {
  const RowDependencies found = constraint_dependencies(system_, base_, *ws_, row_tolerance);
  if (found.eval != Eval::ok) return found.eval;
  rows_ = found.independent;
  const SparsePattern& all = *system_.patterns().constraint;
  SparsePattern kept;
  kept.rows = rows();
  kept.cols = all.cols;
  G_place_.clear();
  holonomic_ = 0;
  for (int row : rows_) {
    holonomic_ += row < system_.sizes().lambda;
    for (int k = all.row_start[row]; k < all.row_start[row + 1]; ++k) {
      G_place_.push_back(k);
      kept.column.push_back(all.column[k]);
    }
    kept.row_start.push_back(static_cast<int>(kept.column.size()));
  }
  G_pattern_ = std::make_shared<const SparsePattern>(std::move(kept));
  // The values of M decide how the solvers treat it.
  if (Eval e = system_.evaluate(base_, {.force = true}, *ws_); e != Eval::ok) {
    blame(base_);
    return e;
  }
  for (At* at : {base_at_.get(), at_.get(), end_at_.get()}) make_patterns(*at);
  has_end_ = false;
  history_.push_back({base_.t, rows(), history_.empty() ? "start" : why});
  return Eval::ok;
}

void AllCoordinates::make_patterns(At& at) {
  Motion& m = at.motion;
  for (Vector* v : {&m.g, &m.rate, &m.gamma}) v->assign(rows(), 0.0);
  m.G = SparseMatrix(G_pattern_);
  m.rate_p = SparseMatrix(G_pattern_);
  m.M = ws_->M;
  at.solver = std::make_unique<MotionSolver>(ws_->M, G_pattern_);
}

void AllCoordinates::take(const SparseMatrix& all, SparseMatrix& kept) const {
  for (std::size_t k = 0; k < G_place_.size(); ++k) kept.values[k] = all.values[G_place_[k]];
}

void AllCoordinates::to_velocities(const Vector& x, const Vector& u, Vector& v) const {
  chart_.to_velocities(x, u, v);
}

void AllCoordinates::to_chart(const Vector& x, const Vector& v, Vector& u) const {
  chart_.to_rates(x, v, u);
}

void AllCoordinates::chart_columns(const Vector& x, SparseMatrix& G) const {
  chart_.turn_columns(x, G);
}

/// Evaluates at point_.
Eval AllCoordinates::evaluate_at(At& at, What what) {
  const Request request{.position = what != What::forces,
                        .velocity = what == What::velocities || what == What::all,
                        .acceleration = what == What::all,
                        .force = what == What::forces || what == What::all};
  Eval e = request.force ? auxiliaries_.solve(system_, point_, *ws_) : Eval::ok;
  if (e == Eval::ok) e = system_.evaluate(point_, request, *ws_);
  if (e != Eval::ok) {
    blame(point_);
    return e;
  }
  Motion& m = at.motion;
  for (int i = 0; i < rows(); ++i) {
    if (request.position) m.g[i] = ws_->g[rows_[i]];
    if (request.velocity) m.rate[i] = ws_->rate[rows_[i]];
    if (request.acceleration) m.gamma[i] = ws_->gamma[rows_[i]];
  }
  if (request.velocity) take(ws_->G, m.G);
  if (request.force) {
    m.f = ws_->f;
    m.b = ws_->b;
    m.M.values = ws_->M.values;
  }
  return Eval::ok;
}

Eval AllCoordinates::evaluate(double t, const Vector& x, const Vector& v, const Vector& z,
                              What what) {
  point_.t = t;
  system_.retract(base_.p, x, point_.p);
  if (!base_.turns.empty()) system_.follow_turns(base_, point_, *ws_);
  point_.v = v;
  point_.r = z;
  return evaluate_at(*at_, what);
}

Eval AllCoordinates::differentiate(const Vector& a, const Vector& lambda) {
  spread(lambda, all_lambda_);
  if (Eval e = system_.differentiate(point_, a, all_lambda_, *ws_); e != Eval::ok) return e;
  Motion& m = at_->motion;
  m.f_p = ws_->f_p;
  m.f_v = ws_->f_v;
  take(ws_->rate_p, m.rate_p);
  m.aux_p = ws_->aux_p;
  m.aux_v = ws_->aux_v;
  m.aux_aux = ws_->aux_aux;
  m.force_aux = ws_->force_aux;
  return Eval::ok;
}

Eval AllCoordinates::factor_at(At& at) {
  const Eval e = at.solver->factor(at.motion.M, at.motion.G);
  if (e == Eval::ok) return e;
  const int row = at.solver->failed_row();
  culprit_ = row < 0 ? "the accelerations (mass matrix and constraints are singular together)"
                     : fmt::format("'{}': it depends on other constraints here",
                                   system_.row_name(rows_[row]));
  return e;
}

Eval AllCoordinates::factor() {
  return factor_at(*at_);
}

void AllCoordinates::solve(Place place, Vector& a, Vector& lambda) {
  (place == Place::base ? base_at_ : at_)->solver->solve(a, lambda);
}

/// Multipliers of all rows: zero for those left out.
void AllCoordinates::spread(const Vector& kept, Vector& all) const {
  all.assign(system_.sizes().constraints(), 0.0);
  for (int i = 0; i < rows(); ++i) all[rows_[i]] = kept[i];
}

void AllCoordinates::base_multipliers(Vector& lambda) const {
  lambda.resize(rows());
  for (int i = 0; i < rows(); ++i) lambda[i] = base_lambda_[rows_[i]];
}

void AllCoordinates::note_multipliers(double t, const Vector& lambda) {
  step_lambda_time_ = t;
  spread(lambda, step_lambda_);
}

/// a, lambda from the factors and residuals of `at`, with feedback.
Eval AllCoordinates::accelerate(At& at, Vector& a, Vector& lambda) {
  const Motion& m = at.motion;
  c_.resize(rows());
  for (int i = 0; i < rows(); ++i)
    c_[i] = m.gamma[i] - 2 * alpha_ * m.rate[i] - beta_ * beta_ * m.g[i];
  a = m.f;
  at.solver->solve(a, c_);
  spread(c_, lambda);
  return all_finite(a) ? Eval::ok : Eval::recoverable;
}

Eval AllCoordinates::begin_step(double h) {
  if (options_.gains == AllCoordinatesOptions::Gains::constant || h == h_) return Eval::ok;
  h_ = h;
  alpha_ = options_.alpha / h;
  beta_ = options_.beta / h;
  if (Eval e = accelerate(*base_at_, base_a_, base_lambda_); e != Eval::ok) return e;
  base_rate_.a = base_a_;
  return Eval::ok;
}

Eval AllCoordinates::rate(double t, const Local& y, LocalRate& out) {
  if (options_.gains == AllCoordinatesOptions::Gains::per_step && h_ == 0) {
    culprit_ = "gains per step, which this method does not tell: set gains=constant";
    return Eval::fatal;
  }
  chart_.to_velocities(y.x, y.u, v_);
  if (Eval e = evaluate(t, y.x, v_, y.z, What::all); e != Eval::ok) return e;
  if (Eval e = factor(); e != Eval::ok) return e;
  if (Eval e = accelerate(*at_, a_, lambda_); e != Eval::ok) return e;
  chart_.to_second_rates(y.x, y.u, a_, out.a);
  out.b = at_->motion.b;
  return Eval::ok;
}

bool AllCoordinates::is_end(const State& s) const {
  return has_end_ && s.t == end_.t && s.p == end_.p && s.v == end_.v && s.r == end_.r &&
         s.w == end_.w && s.turns == end_.turns && s.modes == end_.modes;
}

Eval AllCoordinates::rebase(const State& state) {
  has_past_ = has_base_ && state.t > base_.t && state.modes == base_.modes;
  if (has_past_) {
    std::swap(past_, base_);
    std::swap(past_a_, base_a_);
    past_b_ = base_rate_.b;
  }
  has_base_ = false;
  const bool known = is_end(state);
  base_ = state;
  if (known) {
    std::swap(base_at_, end_at_);
    std::swap(base_a_, end_a_);
    std::swap(base_lambda_, end_lambda_);
  } else if (Eval e = settle_base(); e != Eval::ok) {
    return e;
  }
  has_end_ = false;
  point_ = base_;
  base_y_.resize(second(), first());
  std::fill(base_y_.x.begin(), base_y_.x.end(), 0.0);
  base_y_.u = base_.v;
  base_y_.z = base_.r;
  base_rate_.a = base_a_;
  base_rate_.b = base_at_->motion.b;
  has_base_ = true;
  return Eval::ok;
}

/// Equations and accelerations at the base, with another choice of rows where this one fails.
Eval AllCoordinates::settle_base() {
  bool fresh = history_.empty();
  if (fresh)
    if (Eval e = choose_rows({}); e != Eval::ok) return e;
  for (;;) {
    point_ = base_;
    if (Eval e = evaluate_at(*base_at_, What::all); e != Eval::ok) return e;
    base_.w = point_.w;
    Eval e = factor_at(*base_at_);
    if (e == Eval::ok) e = constraints_hold(*base_at_);
    if (e == Eval::ok) return accelerate(*base_at_, base_a_, base_lambda_);
    if (fresh) return e;
    fresh = true;
    if (Eval chosen = choose_rows(culprit_); chosen != Eval::ok) return chosen;
  }
}

/// Rows left out follow from the others, unless the position has changed that; and the others must
/// have a solution nearby. They are off by the method's error, so that this is looked at where they
/// are closed.
Eval AllCoordinates::constraints_hold(At& at) {
  if (Eval e = rates_hold(at); e != Eval::ok) return e;
  return positions_hold(at);
}

/// At positions that are off, the rates of dependent rows depend on each other only so far.
Eval AllCoordinates::rates_hold(At& at) {
  const int all = system_.sizes().constraints();
  if (rows() == all) return Eval::ok;
  int row = 0;
  const double most = redundant_floor + redundant_share * largest_off(row);
  a_.assign(second(), 0.0);
  c_ = at.motion.rate;
  for (double& c : c_) c = -c;
  at.solver->solve(a_, c_);
  all_lambda_ = ws_->rate;
  ws_->G.multiply_add(1, a_, all_lambda_);
  for (row = 0; row < all; ++row)
    if (!(std::abs(scaled_residual(system_, row, 1, all_lambda_[row])) <= most))
      return contradiction(row);
  return Eval::ok;
}

/// Closes the kept rows from point_ on by the factors of `at`. Where they are visibly off and that
/// brings no solution nearer the mechanism is locked, which methods with an error estimate rarely
/// see; fixed steps would go on.
Eval AllCoordinates::positions_hold(At& at) {
  int row = 0;
  double left = largest_off(row);
  if (rows() == system_.sizes().constraints() && left <= visibly_off) return Eval::ok;
  nearby_ = point_;
  for (int k = 0; k < max_projections && left > redundant_floor / redundant_share; ++k) {
    a_.assign(second(), 0.0);
    c_.assign(rows(), 0.0);
    for (int i = 0; i < holonomic_; ++i) c_[i] = -ws_->g[rows_[i]];
    at.solver->solve(a_, c_);
    closer_ = nearby_;
    system_.retract(nearby_.p, a_, closer_.p);
    if (!closer_.turns.empty()) system_.follow_turns(nearby_, closer_, *ws_);
    std::swap(nearby_, closer_);
    if (Eval e = system_.evaluate(nearby_, {.position = true}, *ws_); e != Eval::ok) return e;
    const double now = largest_off(row);
    if (now <= 0.5 * left) {
      left = now;
      continue;
    }
    if (left <= visibly_off) {
      left = std::fmax(left, now);
      break;
    }
    culprit_ = fmt::format("'{}': the constraints cannot be closed here", system_.row_name(row));
    return Eval::recoverable;
  }
  const double most = redundant_floor + redundant_share * left;
  for (row = 0; row < system_.sizes().lambda; ++row)
    if (!(std::abs(scaled_residual(system_, row, 0, ws_->g[row])) <= most))
      return contradiction(row);
  return Eval::ok;
}

/// Largest scaled residual of the kept rows of positions, which are in the workspace, and its row.
double AllCoordinates::largest_off(int& row) const {
  double largest = 0;
  for (int i = 0; i < holonomic_; ++i) {
    const double off = std::abs(scaled_residual(system_, rows_[i], 0, ws_->g[rows_[i]]));
    if (!(off <= largest)) largest = off, row = rows_[i];
  }
  return largest;
}

Eval AllCoordinates::contradiction(int row) {
  culprit_ = fmt::format("'{}': it contradicts the other constraints", system_.row_name(row));
  return Eval::recoverable;
}

Eval AllCoordinates::finish(double t, const Local& y, State& state, ChartPoint& point) {
  x_ = y.x;
  chart_.to_velocities(x_, y.u, point_.v);
  point_.t = t;
  point_.r = y.z;
  system_.retract(base_.p, x_, point_.p);
  if (!base_.turns.empty()) system_.follow_turns(base_, point_, *ws_);
  if (options_.projection == AllCoordinatesOptions::Projection::each_step)
    if (Eval e = project(); e != Eval::ok) return e;
  if (Eval e = evaluate_at(*end_at_, What::all); e != Eval::ok) return e;
  if (Eval e = factor_at(*end_at_); e != Eval::ok) return e;
  if (Eval e = constraints_hold(*end_at_); e != Eval::ok) return e;
  if (Eval e = accelerate(*end_at_, end_a_, end_lambda_); e != Eval::ok) return e;
  end_ = point_;
  has_end_ = true;
  state = point_;
  point.t = t;
  point.q = x_;
  chart_.to_rates(x_, point_.v, point.dq);
  chart_.to_second_rates(x_, point.dq, end_a_, point.ddq);
  point.z = y.z;
  point.dz = end_at_->motion.b;
  point.a = end_a_;
  return Eval::ok;
}

/// Moves point_ (chart coordinates x_) along M^-1 G' until g = 0, then its velocities.
Eval AllCoordinates::project() {
  double last = 0;
  for (int iteration = 0; iteration < max_projections; ++iteration) {
    if (Eval e = evaluate_at(*at_, What::velocities); e != Eval::ok) return e;
    const Motion& m = at_->motion;
    double size = 0;
    for (int i = 0; i < rows(); ++i)
      size = std::max(size, std::abs(scaled_residual(system_, rows_[i], 0, m.g[i])));
    if (Eval e = factor(); e != Eval::ok) return e;
    if (size < projected || (iteration > 1 && size > 0.5 * last)) break;
    last = size;
    a_.assign(second(), 0.0);
    c_.resize(rows());
    for (int i = 0; i < rows(); ++i) c_[i] = -m.g[i];
    at_->solver->solve(a_, c_);
    chart_.to_rates(x_, a_, u_);
    add_scaled(1, u_, x_);
    system_.retract(base_.p, x_, point_.p);
    if (!base_.turns.empty()) system_.follow_turns(base_, point_, *ws_);
  }
  a_.assign(second(), 0.0);
  c_.resize(rows());
  for (int i = 0; i < rows(); ++i) c_[i] = -at_->motion.rate[i];
  at_->solver->solve(a_, c_);
  add_scaled(1, a_, point_.v);
  return all_finite(x_) && all_finite(point_.v) ? Eval::ok : Eval::recoverable;
}

void AllCoordinates::base_point(ChartPoint& point) const {
  point.t = base_.t;
  point.q.assign(second(), 0.0);
  point.dq = base_.v;
  point.ddq = base_a_;  // at the base T = I and its rate does not act on x'
  point.z = base_.r;
  point.dz = base_rate_.b;
  point.a = base_a_;
}

Eval AllCoordinates::state_at(const ChartPoint& point, Consistency consistency, State& state) {
  point_.t = point.t;
  point_.r = point.z;
  x_ = point.q;
  system_.retract(base_.p, x_, point_.p);
  chart_.to_velocities(x_, point.dq, point_.v);
  if (!base_.turns.empty()) system_.follow_turns(base_, point_, *ws_);
  if (consistency == Consistency::projected &&
      options_.projection == AllCoordinatesOptions::Projection::each_step)
    if (Eval e = project(); e != Eval::ok) return e;
  if (Eval e = auxiliaries_.solve(system_, point_, *ws_); e != Eval::ok) return e;
  state = point_;
  return Eval::ok;
}

void AllCoordinates::event_functions(const State& state, std::span<double> z) {
  system_.events(state, z, *ws_);
}

void AllCoordinates::switch_modes(const State& after, State& state) {
  State probe = after;
  system_.choose_modes(probe, *ws_);
  state.modes = probe.modes;
}

bool AllCoordinates::advance(const ChartPoint& point) {
  return chart_.largest_turn(point.q) <= chart_reach;
}

bool AllCoordinates::past(double& t, Local& y, LocalRate& rate) {
  if (!has_past_) return false;
  y.resize(second(), first());
  chart_.difference(base_, past_, y.x);
  chart_.to_rates(y.x, past_.v, y.u);
  chart_.to_second_rates(y.x, y.u, past_a_, rate.a);
  t = past_.t;
  y.z = past_.r;
  rate.b = past_b_;
  return true;
}

/// Names the force or the constraint that is not finite at `state`.
void AllCoordinates::blame(const State& state) {
  const auto& elements = system_.blueprint().elements;
  Vector forces(elements.size());
  system_.element_forces(state, forces, *ws_);
  culprit_ = "a force that is not finite";
  for (std::size_t i = 0; i < elements.size(); ++i)
    if (!std::isfinite(forces[i]))
      culprit_ = fmt::format("'{}': its force is not finite", elements[i].name);
  for (int row : rows_)
    if (!std::isfinite(ws_->g[row]) || !std::isfinite(ws_->gamma[row]))
      culprit_ = fmt::format("'{}', which is not finite", system_.row_name(row));
}

}  // namespace kardan
