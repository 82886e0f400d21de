#include "kardan/formulation/descriptor.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "kardan/base/rotation.h"
#include "kardan/formulation/analysis.h"
#include "kardan/formulation/culprit.h"
#include "kardan/formulation/descriptor_matrix.h"
#include "kardan/formulation/residuals.h"

namespace kardan {
namespace {

Vector column_scales(const System& system) {
  Vector out;
  for (int j = 0; j < system.sizes().v; ++j) out.push_back(column_scale(system, j));
  return out;
}

/// Whether auxiliary variables that a step has found differ from those at its end by a good part of
/// their ways from its base.
bool on_another_branch(const Vector& found, const Vector& base, const Vector& end) {
  constexpr double good_part = 0.1, nothing = 1e-4;
  for (std::size_t i = 0; i < end.size(); ++i) {
    const double way = std::max(std::abs(found[i] - base[i]), std::abs(end[i] - base[i]));
    if (std::abs(found[i] - end[i]) > good_part * way + nothing * (1 + std::abs(end[i])))
      return true;
  }
  return false;
}

}  // namespace

Descriptor::Descriptor(const System& system, const DescriptorForm& form)
    : ChartForm(system),
      form_(form),
      position_rows_(system.patterns().constraint, system.sizes().lambda, column_scales(system),
                     form.algebraic),
      chosen_(nothing_chosen()),
      column_scale_(column_scales(system)) {
  const Sizes& s = system.sizes();
  layout_ = {.n = s.v,
             .r = s.r,
             .m = s.constraints(),
             .holonomic = s.lambda,
             .w = s.w,
             .eta = form.ggl ? s.lambda : 0};
  rotations_.resize(chart_.turns().size());
  for (std::size_t k = 0; k < rotations_.size(); ++k) rotations_[k].v = chart_.turns()[k].v;
  for (const RowInfo& row : system.rows())
    multiplier_weight_.push_back(row.unit == RowUnit::length ? 1.0 : 1 / system.scales().length);
  // That of bodies is constant, and made with the workspace.
  if (system.has_bodies()) counts_.mass_evaluations = 1;
  y0_.resize(layout_.unknowns());
  dy0_.resize(layout_.unknowns());
  a_.resize(s.v);
  lambda_.resize(layout_.m);
  rhs_.resize(chosen_.acceleration.size());
  moved_.resize(s.v);
  pushed_.resize(s.v);
  tangent_.resize(s.v);
}

Descriptor::Chosen Descriptor::nothing_chosen() const {
  const int m = system_.sizes().constraints();
  const std::vector<char> all(m, 1);
  return {.acceleration = MotionMatrix(motion_patterns(system_)),
          .rows = ConstraintSpace(system_.patterns().constraint, m, column_scales(system_),
                                  form_.algebraic),
          .active = all,
          .strong = all};
}

/// Rotation charts at q for velocities v.
void Descriptor::rotate(std::span<const double> q, std::span<const double> v) {
  for (RotationChart& c : rotations_) {
    const Vec3d theta = three_at(q, c.v);
    c.T = rotation_rate_map(theta);
    c.T_inverse = rotation_rate_map_inverse(theta);
    c.gradient = rotation_rate_map_gradient(theta, c.T_inverse * three_at(v, c.v));
  }
}

Eval Descriptor::follow_auxiliaries(State& state) {
  if (layout_.w == 0) return Eval::ok;
  last_.evaluated = false;
  if (auxiliaries_.follow(system_, base_.state, state, *ws_) == Eval::ok) return Eval::ok;
  return fail(Diagnosis::auxiliary_not_solved,
              "the auxiliary variables, which could not be followed from the last state");
}

/// The state at unknowns y.
void Descriptor::place(double t, std::span<const double> y) {
  point_.t = t;
  const auto n = static_cast<std::size_t>(layout_.n);
  move_to(y.subspan(0, n), point_);
  std::copy_n(y.begin() + layout_.v(), n, point_.v.begin());
  std::copy_n(y.begin() + layout_.z(), layout_.r, point_.r.begin());
  std::copy_n(y.begin() + layout_.aux(), layout_.w, point_.w.begin());
  if (system_.sizes().multiplier_forces)
    std::copy_n(y.begin() + layout_.lambda(), layout_.m, point_.lambda.begin());
  std::copy_n(y.begin() + layout_.a(), n, a_.begin());
  std::copy_n(y.begin() + layout_.lambda(), layout_.m, lambda_.begin());
}

Eval Descriptor::residual(double t, std::span<const double> y, std::span<const double> dy,
                          std::span<double> F) {
  const DescriptorLayout& at = layout_;
  const auto n = static_cast<std::size_t>(at.n);
  place(t, y);
  if (layout_.w > 0 && t >= last_.latest) {
    last_.latest = t;
    last_.w = point_.w;
  }
  if (!last_.evaluated || last_.t != t || !std::equal(y.begin(), y.end(), last_.y.begin()))
    if (Eval e = evaluate(point_, Request::all()); e != Eval::ok) return e;
  // Kinematics: T(q)^-1 acts on rotations alone.
  tangent_ = point_.v;
  if (at.eta > 0) {
    const SparsePattern& p = *ws_->G.pattern;
    for (int i = 0; i < at.eta; ++i)
      for (int k = p.row_start[i]; k < p.row_start[i + 1]; ++k)
        tangent_[p.column[k]] -= ws_->G.values[k] * y[at.multiplier() + i];
  }
  chart_.apply(rotation_rate_map_inverse, y, tangent_, tangent_);
  for (std::size_t j = 0; j < n; ++j) F[j] = dy[j] - tangent_[j];
  for (std::size_t j = 0; j < n; ++j) F[n + j] = dy[n + j] - a_[j];
  for (int i = 0; i < at.r; ++i) F[at.z() + i] = dy[at.z() + i] - ws_->b[i];
  const std::span<double> balance = F.subspan(at.balance(), n);
  ws_->M.multiply(a_, balance);
  ws_->G.multiply_transposed_add(1, lambda_, balance);
  add_scaled(-1, ws_->f, balance);
  const std::span<double> accel = F.subspan(at.acceleration(), at.m);
  ws_->G.multiply(a_, accel);
  add_scaled(-1, ws_->gamma, accel);
  std::copy_n(ws_->d.begin(), at.w, F.begin() + at.d());
  std::copy_n(ws_->g.begin(), at.m, F.begin() + at.position());
  std::copy_n(ws_->rate.begin(), at.m, F.begin() + at.velocity());
  return all_finite(F) ? Eval::ok : Eval::recoverable;
}

std::unique_ptr<DaeLinearization> Descriptor::make_linearization() const {
  auto matrix = form_.select_dynamics ? make_selected_matrix(system_, layout_, form_, column_scale_)
                                      : make_full_matrix(system_, layout_, form_);
  matrix->at.rotations = rotations_;
  matrix->at.column_scale = column_scale_;
  return matrix;
}

Eval Descriptor::linearize(double t, std::span<const double> y, DaeLinearization& out) {
  auto& matrix = static_cast<DescriptorMatrix&>(out);
  place(t, y);
  if (Eval e = evaluate(point_, Request::all()); e != Eval::ok) return e;
  if (Eval e = system_.differentiate(point_, a_, lambda_, *ws_); e != Eval::ok)
    return fail(Diagnosis::not_finite, derivatives_not_finite, e);
  rotate(y.subspan(0, layout_.n), point_.v);
  matrix.max_rank = rank_;
  matrix.max_position_rank = position_rank_;
  matrix.known_rows = chosen_.t == t && chosen_.p == point_.p ? chosen_.rows.dense() : nullptr;
  matrix.choice = &choice_;
  matrix.position_choice = &position_choice_;
  DescriptorDerivatives& d = matrix.at;
  d.G = ws_->G;
  d.M = ws_->M;
  d.rate_p = ws_->rate_p;
  d.accel_p = ws_->accel_p;
  d.accel_v = ws_->accel_v;
  d.f_p = ws_->f_p;
  d.f_v = ws_->f_v;
  d.aux_p = ws_->aux_p;
  d.aux_v = ws_->aux_v;
  d.aux_aux = ws_->aux_aux;
  d.force_aux = ws_->force_aux;
  d.force_lambda = ws_->force_lambda;
  d.aux_lambda = ws_->aux_lambda;
  d.rotations = rotations_;
  ++counts_.predecompositions;
  const Eval e = matrix.prepare(*ws_);
  counts_.selectors += matrix.new_selectors();
  last_.evaluated = true;
  last_.t = t;
  last_.y.assign(y.begin(), y.end());
  last_.remainder = 0;
  if (const ConstraintSpace* rows = matrix.rows()) {
    if (rows->dense() && rows->rank() == layout_.m) last_.remainder = rows->smallest_remainder();
    if (rows->switched()) ++switches_;
    if (rows->dense()) ++counts_.rank_decisions;
    const std::string weak = weak_rows(*rows);
    if (!weak.empty()) (void)fail(Diagnosis::singular_position, weak);
  }
  if (e != Eval::ok) return fail(Diagnosis::accelerations_singular, singular_accelerations, e);
  return Eval::ok;
}

void Descriptor::carry(std::span<double> y) {
  system_.retract(past_.state.p, y.subspan(0, layout_.n), point_.p);
  chart_.difference(base_.state.p, point_.p, y);
  // What leads astray is not continued.
  if (last_.astray) std::ranges::copy(base_.state.w, y.begin() + layout_.aux());
}

Eval Descriptor::rebase(const State& state) {
  std::swap(past_.state.p, base_.state.p);
  base_.state = state;
  at_base_ = true;
  last_.astray = false;
  if (system_.sizes().multiplier_forces) base_.state.lambda.resize(layout_.m);
  if (before_.p.empty()) before_ = base_.state;  // its place: no step allocates later
  if (Eval e = choose_rows(base_.state, At::consistent); e != Eval::ok) return e;
  if (end_.is(base_.state) && end_rows_ == chosen_.active) {
    a_ = end_.a;
    lambda_ = end_.lambda;
    base_.b = end_.b;
  } else {
    // From the state alone, so that a run does not depend on what was looked at in between.
    std::fill(a_.begin(), a_.end(), 0.0);
    std::fill(lambda_.begin(), lambda_.end(), 0.0);
    if (system_.sizes().multiplier_forces) lambda_ = base_.state.lambda;
    if (Eval e = solve_accelerations(base_.state); e != Eval::ok) return e;
    base_.b = ws_->b;
  }
  point_ = base_.state;
  end_q_.assign(layout_.n, 0.0);
  watch_rank();
  if (form_.invariants && system_.sizes().e > 0) note_invariants();
  base_.a = a_;
  base_.lambda = lambda_;
  base_.place_freely();
  chosen_.rows.least_norm_multipliers(multiplier_weight_, base_.lambda);
  const DescriptorLayout& at = layout_;
  std::fill(y0_.begin(), y0_.end(), 0.0);
  std::fill(dy0_.begin(), dy0_.end(), 0.0);
  std::copy(base_.state.v.begin(), base_.state.v.end(), y0_.begin() + at.v());
  std::copy(base_.state.r.begin(), base_.state.r.end(), y0_.begin() + at.z());
  std::copy(a_.begin(), a_.end(), y0_.begin() + at.a());
  std::copy(lambda_.begin(), lambda_.end(), y0_.begin() + at.lambda());
  std::copy(base_.state.w.begin(), base_.state.w.end(), y0_.begin() + at.aux());
  std::copy(base_.state.v.begin(), base_.state.v.end(), dy0_.begin());
  std::copy(a_.begin(), a_.end(), dy0_.begin() + at.v());
  std::copy_n(base_.b.begin(), at.r, dy0_.begin() + at.z());
  return Eval::ok;
}

/// The state at local coordinates, with velocities; a_ and lambda_ start at those of the base.
Eval Descriptor::begin_at(double t, const Local& y, State& state) {
  state = base_.state;
  state.t = t;
  move_to(y.x, state);
  state.v = y.u;
  state.r = y.z;
  a_ = base_.a;
  lambda_ = base_.lambda;
  return follow_auxiliaries(state);
}

Eval Descriptor::finish(double t, const Local& y, State& state, ChartPoint& point) {
  if (Eval e = begin_at(t, y, state); e != Eval::ok) return e;
  // Where multipliers are in it, end and step need not have the same ones.
  if (!system_.sizes().multiplier_forces &&
      std::abs(last_.latest - t) <= 1e-12 * std::abs(t - base_.state.t) &&
      on_another_branch(last_.w, base_.state.w, state.w)) {
    last_.astray = true;
    return fail(Diagnosis::auxiliary_not_solved,
                "the auxiliary variables, which a step has found on another branch");
  }
  if (Eval e = form_.project ? close(state) : solve_accelerations(state); e != Eval::ok) return e;
  if (!form_.project && rank_ < layout_.m)
    if (Eval e = redundant_rows_hold(state); e != Eval::ok) return e;
  if (form_.select_dynamics && jumped(state))
    return fail(Diagnosis::branch_jump,
                "a singular position: the motion would jump to another branch");
  total_shift_ = moved_;
  if (form_.invariants && system_.sizes().e > 0)
    if (Eval e = keep_invariants(state); e != Eval::ok) return e;
  end_q_ = y.x;
  if (form_.project) {
    chart_.apply(rotation_rate_map_inverse, y.x, total_shift_, total_shift_);
    add_scaled(1, total_shift_, end_q_);
  }
  put_end(state, end_q_, a_, ws_->b, point);
  end_.keep(state, a_, lambda_, ws_->b);
  end_rows_ = chosen_.active;
  return Eval::ok;
}

void Descriptor::base_point(ChartPoint& point) const {
  base_.put(point);
}

void Descriptor::place(const Local& y, ChartPoint& point) {
  point.q = y.x;
  chart_.to_rates(y.x, y.u, point.dq);
  point.z = y.z;
}

/// Velocities are those of the equations, spins and not rates of the chart.
void Descriptor::locate(const State& state, Local& y) {
  y.resize(second_order(), first_order());
  chart_.difference(base_.state.p, state.p, y.x);
  y.u = state.v;
  y.z = state.r;
}

Eval Descriptor::state_at(const ChartPoint& point, Consistency consistency, State& state) {
  take(point, state);
  if (Eval e = follow_auxiliaries(state); e != Eval::ok) return e;
  a_ = base_.a;
  lambda_ = base_.lambda;
  // Ends of steps are on the positions' constraints: so are the points between them. Where velocities
  // are algebraic, of an index above 1, ends have them from differences of positions; between the
  // ends that leaves errors over the length of the step.
  const bool keeps = form_.project || form_.position;
  const bool closes = consistency == Consistency::projected && keeps;
  if (!closes && layout_.w == 0 && !system_.sizes().multiplier_forces) return Eval::ok;
  step_aside();
  const Eval e = closes ? close(state) : solve_accelerations(state);
  step_aside();
  return e;
}

/// Accelerations where the constraints need not hold, beside the step.
Eval Descriptor::rate(double t, const Local& y, LocalRate& out) {
  if (Eval e = begin_at(t, y, point_); e != Eval::ok) return e;
  step_aside();
  const Eval e = solve_accelerations(point_);
  step_aside();
  out.a = a_;
  out.b.assign(ws_->b.begin(), ws_->b.begin() + layout_.r);
  return e;
}

void Descriptor::step_aside() {
  if (!aside_) {
    aside_ = std::make_unique<Chosen>(nothing_chosen());
    aside_->active = chosen_.active;
    aside_->strong = chosen_.strong;
  }
  std::swap(chosen_, *aside_);
}

double Descriptor::error_norm(const Local& e, const State& state, const ErrorScale& scale) {
  look_ahead(state);
  return error_units_.norm(e, state, ahead_, scale);
}

void Descriptor::error_units(const State& state, const ErrorScale& scale, Local& units) {
  look_ahead(state);
  error_units_.units(state, ahead_, scale, units);
}

/// Where the step leads: a velocity that passes zero is as large as it is before and after.
void Descriptor::look_ahead(const State& state) {
  ahead_ = at_base_ ? base_.state.v : state.v;
  for (std::size_t j = 0; at_base_ && j < ahead_.size(); ++j)
    if (const double v = base_.state.v[j] + step_ * base_.a[j]; std::abs(v) > std::abs(ahead_[j]))
      ahead_[j] = v;
}

bool Descriptor::advance(const ChartPoint& point) {
  at_base_ = false;
  return chart_.largest_turn(point.q) <= chart_reach;
}

}  // namespace kardan
