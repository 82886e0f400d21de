#include "kardan/formulation/all_coordinates.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "kardan/formulation/analysis.h"
#include "kardan/formulation/culprit.h"

namespace kardan {

AllCoordinates::AllCoordinates(const System& system, const AllCoordinatesOptions& options)
    : ChartForm(system),
      options_(options),
      base_at_(std::make_unique<At>()),
      at_(std::make_unique<At>()),
      end_at_(std::make_unique<At>()) {
  if (options.gains == AllCoordinatesOptions::Gains::constant) {
    gains_.alpha = options.alpha;
    gains_.beta = options.beta;
  }
}

Eval AllCoordinates::choose_rows(const std::string& why) {
  const RowDependencies found =
      constraint_dependencies(system_, base_.state, *ws_, singular::redundant_row);
  if (found.eval != Eval::ok) return found.eval;
  rows_.independent = found.independent;
  rows_.picked = pick_rows(*system_.patterns().constraint, rows_.independent);
  rows_.holonomic = 0;
  for (int row : rows_.independent) rows_.holonomic += row < system_.sizes().lambda;
  for (Vector* v : {&scratch_.a, &scratch_.u})
    v->resize(second_order());  // of the first step that needs a projection
  rows_.positions.choose(system_, std::span(rows_.independent).first(rows_.holonomic));
  // The values of M decide how the solvers treat it.
  if (Eval e = evaluate_named(base_.state, {.force = true}); e != Eval::ok) return e;
  for (At* at : {base_at_.get(), at_.get(), end_at_.get()}) make_patterns(*at);
  base_at_->solver = std::make_unique<MotionSolver>(ws_->M, rows_.picked.pattern);
  for (At* at : {at_.get(), end_at_.get()})
    at->solver = std::make_unique<MotionSolver>(*base_at_->solver, ws_->M, rows_.picked.pattern);
  end_.known = false;
  shape_.solver.reset();
  rows_.history.push_back({base_.state.t, rows(), rows_.history.empty() ? "start" : why});
  return Eval::ok;
}

void AllCoordinates::make_patterns(At& at) {
  Motion& m = at.motion;
  at.factored = false;
  for (Vector* v : {&m.g, &m.rate, &m.gamma}) v->assign(rows(), 0.0);
  m.rate_p = SparseMatrix();  // until it is asked for
  m.rate_p.pattern = rows_.picked.pattern;
  if (in_workspace()) return;
  m.G = SparseMatrix(rows_.picked.pattern);
  m.M = ws_->M;
}

/// Differential equations ask for nothing but factors of M and G, which are made where they were
/// evaluated.
bool AllCoordinates::in_workspace() const {
  return kind() == ProblemKind::ode && rows() == system_.sizes().constraints();
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

/// Evaluates at point_. Factors, where they are asked for, are made next.
Eval AllCoordinates::evaluate_at(At& at, What what) {
  const Request request{.position = what != What::forces,
                        .velocity = what == What::velocities || what == What::all,
                        .acceleration = what == What::all,
                        .force = what == What::forces || what == What::all};
  if (Eval e = evaluate_following(point_, request); e != Eval::ok) return e;
  Motion& m = at.motion;
  if (rows() == system_.sizes().constraints()) {
    if (request.position) m.g = ws_->g;
    if (request.velocity) m.rate = ws_->rate;
    if (request.acceleration) m.gamma = ws_->gamma;
    if (request.velocity && !in_workspace()) m.G.values = ws_->G.values;
  } else {
    for (int i = 0; i < rows(); ++i) {
      if (request.position) m.g[i] = ws_->g[rows_.independent[i]];
      if (request.velocity) m.rate[i] = ws_->rate[rows_.independent[i]];
      if (request.acceleration) m.gamma[i] = ws_->gamma[rows_.independent[i]];
    }
    if (request.velocity) rows_.picked.take(ws_->G.values, m.G.values);
  }
  if (request.force) {
    m.f = ws_->f;
    m.b = ws_->b;
    if (!in_workspace()) m.M.values = ws_->M.values;
  }
  return Eval::ok;
}

Eval AllCoordinates::evaluate(double t, const Vector& x, const Vector& v, const Vector& z,
                              What what) {
  point_.v = v;
  return evaluate_moved(t, x, z, what);
}

/// With the velocities of point_.
Eval AllCoordinates::evaluate_moved(double t, const Vector& x, const Vector& z, What what) {
  point_.t = t;
  move_to(x, point_);
  point_.r = z;
  return evaluate_at(*at_, what);
}

Eval AllCoordinates::differentiate(const Vector& a, const Vector& lambda) {
  spread(lambda, scratch_.all_lambda);
  if (Eval e = system_.differentiate(point_, a, scratch_.all_lambda, *ws_); e != Eval::ok) return e;
  Motion& m = at_->motion;
  m.f_p = ws_->f_p;
  m.f_v = ws_->f_v;
  m.rate_p.values.resize(rows_.picked.pattern->nonzeros());
  rows_.picked.take(ws_->rate_p.values, m.rate_p.values);
  m.aux_p = ws_->aux_p;
  m.aux_v = ws_->aux_v;
  m.aux_aux = ws_->aux_aux;
  m.force_aux = ws_->force_aux;
  return Eval::ok;
}

Eval AllCoordinates::factor_at(At& at) {
  at.factored = false;
  Eval e = in_workspace() ? at.solver->factor(ws_->M, ws_->G)
                          : at.solver->factor(at.motion.M, at.motion.G);
  if (e == Eval::ok && options_.singular == AllCoordinatesOptions::Singular::refused &&
      std::sqrt(at.solver->pivot_ratio()) < least_root() &&
      std::sqrt(remainder(at).square) < least_root()) {
    culprit_ = fmt::format("'{}': it nearly depends on other constraints here, a singular position",
                           system_.row_name(rows_.independent[at.solver->weakest_row()]));
    return Eval::recoverable;
  }
  if (e == Eval::ok) {
    at.factored = true;
    return e;
  }
  const int row = at.solver->failed_row();
  culprit_ = row < 0 ? singular_accelerations
                     : fmt::format("'{}': it depends on other constraints here",
                                   system_.row_name(rows_.independent[row]));
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
  for (int i = 0; i < rows(); ++i) all[rows_.independent[i]] = kept[i];
}

void AllCoordinates::base_multipliers(Vector& lambda) const {
  lambda.resize(rows());
  for (int i = 0; i < rows(); ++i) lambda[i] = base_.lambda[rows_.independent[i]];
}

void AllCoordinates::note_multipliers(double t, const Vector& lambda) {
  step_multipliers_.t = t;
  spread(lambda, step_multipliers_.lambda);
}

/// a, lambda from the factors and residuals of `at`, with feedback.
Eval AllCoordinates::accelerate(At& at, Vector& a, Vector& lambda) {
  const Motion& m = at.motion;
  scratch_.c.resize(rows());
  for (int i = 0; i < rows(); ++i)
    scratch_.c[i] = m.gamma[i] - 2 * gains_.alpha * m.rate[i] - gains_.beta * gains_.beta * m.g[i];
  a = m.f;
  at.solver->solve(a, scratch_.c);
  spread(scratch_.c, lambda);
  return all_finite(a) ? Eval::ok : Eval::recoverable;
}

Eval AllCoordinates::begin_step(double h) {
  step_ = h;
  if (options_.gains == AllCoordinatesOptions::Gains::constant || h == gains_.h) return Eval::ok;
  gains_.h = h;
  gains_.alpha = options_.alpha / h;
  gains_.beta = options_.beta / h;
  if (Eval e = accelerate(*base_at_, base_.a, base_.lambda); e != Eval::ok) return e;
  base_.rate.a = base_.a;
  return Eval::ok;
}

Eval AllCoordinates::rate(double t, const Local& y, LocalRate& out) {
  if (options_.gains == AllCoordinatesOptions::Gains::per_step && gains_.h == 0) {
    culprit_ = "gains per step, whose length this method does not give: set gains=constant";
    return Eval::fatal;
  }
  chart_.to_velocities(y.x, y.u, point_.v);
  if (Eval e = evaluate_moved(t, y.x, y.z, What::all); e != Eval::ok) return e;
  if (Eval e = factor(); e != Eval::ok) return e;
  if (Eval e = accelerate(*at_, scratch_.a, scratch_.lambda); e != Eval::ok) return e;
  chart_.to_second_rates(y.x, y.u, scratch_.a, out.a);
  out.b = at_->motion.b;
  return Eval::ok;
}

Eval AllCoordinates::rebase(const State& state) {
  const bool known = move_base(state, base_, past_, end_);
  if (known) {
    std::swap(base_at_, end_at_);
    std::swap(base_.a, end_.a);
    std::swap(base_.lambda, end_.lambda);
  } else if (Eval e = settle_base(); e != Eval::ok) {
    return e;
  }
  point_ = base_.state;
  base_.b = base_at_->motion.b;
  base_.place_freely();
  base_.known = true;
  look_ahead();
  return Eval::ok;
}

/// What counts as near, where rows nearly depend on each other all the time.
double AllCoordinates::level() const {
  return std::min(1.0, singular_.best() / singular::plain_root);
}

/// What must be left of every row.
double AllCoordinates::least_root() const {
  if (!base_.known) return 0;
  const double root = singular_.now(), refused = level() * singular::refused_root,
               nearest = level() * singular::nearest_root;
  // Steps do not end so near: rows nearly depend on each other in this model.
  if (root < nearest) return 0.5 * root;
  if (!std::isfinite(singular_.time())) return std::min(refused, root);
  const double share = singular::refused_share * root * step_ / (singular_.time() - base_.state.t);
  return std::min(refused, std::max(nearest, share));
}

void AllCoordinates::look_ahead() {
  const Remainder& left = base_at_->left;
  const bool comparable = past_.known && root_kind_ == left.kind;
  root_kind_ = left.kind;
  singular_.see(base_.state.t, std::sqrt(left.square),
                comparable ? SingularWatch::Before::comparable : SingularWatch::Before::unrelated);
  if (options_.singular == AllCoordinatesOptions::Singular::refused)
    singular_.foretell(level() * singular::near_row,
                       kind() == ProblemKind::ode ? 1 : singular::half_explicit_ahead);
}

/// Equations and accelerations at the base, with another choice of rows where this one fails.
Eval AllCoordinates::settle_base() {
  bool fresh = rows_.history.empty();
  if (fresh)
    if (Eval e = choose_rows({}); e != Eval::ok) return e;
  for (;;) {
    point_ = base_.state;
    if (Eval e = evaluate_at(*base_at_, What::all); e != Eval::ok) return e;
    base_.state.w = point_.w;
    Eval e = factor_at(*base_at_);
    if (e == Eval::ok) base_at_->left = remainder(*base_at_);
    if (e == Eval::ok) e = constraints_hold(*base_at_);
    if (e == Eval::ok) return accelerate(*base_at_, base_.a, base_.lambda);
    if (fresh) return e;
    fresh = true;
    if (Eval chosen = choose_rows(culprit_); chosen != Eval::ok) return chosen;
  }
}

Eval AllCoordinates::finish(double t, const Local& y, State& state, ChartPoint& point) {
  const bool projects = options_.projection == AllCoordinatesOptions::Projection::each_step;
  scratch_.x = y.x;
  chart_.to_velocities(scratch_.x, y.u, point_.v);
  point_.t = t;
  point_.r = y.z;
  move_to(scratch_.x, point_);
  // The factors of the last stage lie next to those of the end.
  if (projects)
    if (Eval e = project_position(at_->factored ? Factors::last : Factors::none); e != Eval::ok)
      return e;
  if (Eval e = evaluate_at(*end_at_, What::all); e != Eval::ok) return e;
  if (Eval e = factor_at(*end_at_); e != Eval::ok) return e;
  end_at_->left = remainder(*end_at_);
  if (projects) {
    if (Eval e = project_velocity(*end_at_); e != Eval::ok) return e;
    if (Eval e = evaluate_at(*end_at_, What::all); e != Eval::ok) return e;
  }
  if (Eval e = constraints_hold(*end_at_); e != Eval::ok) return e;
  if (Eval e = accelerate(*end_at_, end_.a, end_.lambda); e != Eval::ok) return e;
  if (options_.singular == AllCoordinatesOptions::Singular::refused && branches_are_blurred()) {
    culprit_ = "a singular position: constraints are off by more than branches are apart";
    return Eval::recoverable;
  }
  end_.state = state = point_;
  end_.known = true;
  put_end(point_, scratch_.x, end_.a, end_at_->motion.b, point);
  point.a = end_.a;
  return Eval::ok;
}

/// At a distance s from a singular position two branches are s^2 apart, and s goes with what is
/// left of a row: positions that are off by as much lie between them, and lead to either.
bool AllCoordinates::branches_are_blurred() const {
  const double off = rows_.positions.worst_of_these(end_at_->motion.g).size;
  return end_at_->left.square < singular::blurred * level() * level() * off;
}

void AllCoordinates::base_point(ChartPoint& point) const {
  base_.put(point);
  point.a = base_.a;
}

Eval AllCoordinates::state_at(const ChartPoint& point, Consistency consistency, State& state) {
  take(point, point_);
  scratch_.x = point.q;
  if (consistency == Consistency::projected &&
      options_.projection == AllCoordinatesOptions::Projection::each_step) {
    if (Eval e = project_position(Factors::none); e != Eval::ok) return e;
    if (Eval e = evaluate_at(*at_, What::velocities); e != Eval::ok) return e;
    if (Eval e = factor(); e != Eval::ok) return e;
    if (Eval e = project_velocity(*at_); e != Eval::ok) return e;
  }
  if (Eval e = auxiliaries_.follow(system_, base_.state, point_, *ws_); e != Eval::ok) return e;
  state = point_;
  return Eval::ok;
}

bool AllCoordinates::advance(const ChartPoint& point) {
  return chart_.largest_turn(point.q) <= chart_reach;
}

bool AllCoordinates::past(double& t, Local& y, LocalRate& rate) {
  if (!past_.known) return false;
  locate(past_.state, y);
  chart_.to_second_rates(y.x, y.u, past_.a, rate.a);
  t = past_.state.t;
  rate.b = past_.b;
  return true;
}

void AllCoordinates::locate(const State& state, Local& y) {
  y.resize(second_order(), first_order());
  put_place(state, y.x, y.u);
  y.z = state.r;
}

}  // namespace kardan
