#include "kardan/formulation/descriptor.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "kardan/base/rotation.h"
#include "kardan/formulation/analysis.h"
#include "kardan/formulation/descriptor_matrix.h"
#include "kardan/formulation/residuals.h"

namespace kardan {
namespace {

/// A chart ends where a body has turned by this [rad]; its rotation vector is good up to pi.
constexpr double chart_reach = 1;

Vec3d part(std::span<const double> x, int i) {
  return {x[i], x[i + 1], x[i + 2]};
}
void set_part(std::span<double> x, int i, const Vec3d& value) {
  for (int c = 0; c < 3; ++c) x[i + c] = value[c];
}

Mat3d orientation(std::span<const double> p, const BodyLayout& body) {
  const double* q = p.data() + body.p + 3;
  return rotation_matrix(Quaternion{q[0], q[1], q[2], q[3]});
}

Vector column_scales(const System& system) {
  Vector out;
  for (int j = 0; j < system.sizes().v; ++j) out.push_back(column_scale(system, j));
  return out;
}

}  // namespace

Descriptor::Descriptor(const System& system, const DescriptorForm& form)
    : system_(system),
      form_(form),
      ws_(system.make_workspace()),
      events_(system, *ws_),
      acceleration_(motion_patterns(system)),
      rows_(system.patterns().constraint, system.sizes().constraints(), column_scales(system),
            form.algebraic),
      position_rows_(system.patterns().constraint, system.sizes().lambda, column_scales(system),
                     form.algebraic),
      column_scale_(column_scales(system)),
      error_units_(system) {
  const Sizes& s = system.sizes();
  layout_ = {.n = s.v,
             .r = s.r,
             .m = s.constraints(),
             .holonomic = s.lambda,
             .w = s.w,
             .eta = form.ggl ? s.lambda : 0};
  follows_ = s.turns > 0 || s.s > 0;
  active_.assign(layout_.m, 1);
  strong_.assign(layout_.m, 1);
  if (system.dimension() == 3)
    for (const BodyLayout& body : system.bodies())
      if (body.v_count > 3) turning_.push_back(body);
  rotations_.resize(turning_.size());
  for (std::size_t b = 0; b < turning_.size(); ++b) rotations_[b].v = turning_[b].v + 3;
  for (const RowInfo& row : system.rows())
    multiplier_weight_.push_back(row.unit == RowUnit::length ? 1.0 : 1 / system.scales().length);
  // That of bodies is constant, and made with the workspace.
  if (system.has_bodies()) counts_.mass_evaluations = 1;
  y0_.resize(layout_.unknowns());
  dy0_.resize(layout_.unknowns());
  a_.resize(s.v);
  lambda_.resize(layout_.m);
  rhs_.resize(acceleration_.size());
  moved_.resize(s.v);
  pushed_.resize(s.v);
  tangent_.resize(s.v);
}

/// Rotation charts at q for velocities v.
void Descriptor::rotate(std::span<const double> q, std::span<const double> v) {
  for (RotationChart& c : rotations_) {
    const Vec3d theta = part(q, c.v);
    c.T = rotation_rate_map(theta);
    c.T_inverse = rotation_rate_map_inverse(theta);
    c.gradient = rotation_rate_map_gradient(theta, c.T_inverse * part(v, c.v));
  }
}

Eval Descriptor::follow(const Vector& q, State& state) {
  if (follows_) system_.follow_turns(base_, q, state, *ws_);
  if (layout_.w == 0) return Eval::ok;
  last_.evaluated = false;
  if (auxiliaries_.follow(system_, base_, state, *ws_) == Eval::ok) return Eval::ok;
  return fail(Diagnosis::auxiliary_not_solved,
              "the auxiliary variables, which could not be followed from the last state");
}

/// The state at unknowns y.
void Descriptor::place(double t, std::span<const double> y) {
  point_.t = t;
  const auto n = static_cast<std::size_t>(layout_.n);
  system_.retract(base_.p, y.subspan(0, n), point_.p);
  if (follows_) system_.follow_turns(base_, y.subspan(0, n), point_, *ws_);
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
  for (std::size_t j = 0; j < n; ++j) F[j] = dy[j] - tangent_[j];
  for (const RotationChart& c : rotations_) {
    const Vec3d rate = rotation_rate_map_inverse(part(y, c.v)) * part(tangent_, c.v);
    set_part(F, c.v, part(dy, c.v) - rate);
  }
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
    return fail(Diagnosis::not_finite, "derivatives that are not finite", e);
  rotate(y.subspan(0, layout_.n), point_.v);
  matrix.max_rank = rank_;
  matrix.max_position_rank = position_rank_;
  matrix.known_rows = rows_t_ == t && rows_p_ == point_.p ? rows_.dense() : nullptr;
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
  State& moved = point_;
  system_.retract(past_p_, y.subspan(0, layout_.n), moved.p);
  const std::vector<BodyLayout>& bodies = system_.bodies();
  const bool in_space = system_.dimension() == 3;
  for (std::size_t b = 1; b < bodies.size(); ++b) {
    const BodyLayout& body = bodies[b];
    const bool turns = in_space && body.v_count > 3;
    for (int k = 0; k < (turns ? 3 : body.v_count); ++k)
      y[body.v + k] = moved.p[body.p + k] - base_.p[body.p + k];
    if (turns)
      set_part(y, body.v + 3,
               rotation_log(transposed(orientation(base_.p, body)) * orientation(moved.p, body)));
  }
}

Eval Descriptor::rebase(const State& state) {
  std::swap(past_p_, base_.p);
  base_ = state;
  at_base_ = true;
  if (system_.sizes().multiplier_forces) base_.lambda.resize(layout_.m);
  if (before_.p.empty()) before_ = base_;  // its place: no step allocates later
  if (Eval e = choose_rows(base_, At::consistent); e != Eval::ok) return e;
  if (finished_.is(base_) && finished_.active == active_) {
    a_ = finished_.a;
    lambda_ = finished_.lambda;
    b_ = finished_.b;
  } else {
    // From the state alone, so that a run does not depend on what was looked at in between.
    std::fill(a_.begin(), a_.end(), 0.0);
    std::fill(lambda_.begin(), lambda_.end(), 0.0);
    if (system_.sizes().multiplier_forces) lambda_ = base_.lambda;
    if (Eval e = solve_accelerations(base_); e != Eval::ok) return e;
    b_ = ws_->b;
  }
  point_ = base_;
  end_q_.assign(layout_.n, 0.0);
  watch_rank();
  if (form_.invariants && system_.sizes().e > 0) note_invariants();
  base_a_ = a_;
  base_lambda_ = lambda_;
  rows_.least_norm_multipliers(multiplier_weight_, base_lambda_);
  const DescriptorLayout& at = layout_;
  std::fill(y0_.begin(), y0_.end(), 0.0);
  std::fill(dy0_.begin(), dy0_.end(), 0.0);
  std::copy(base_.v.begin(), base_.v.end(), y0_.begin() + at.v());
  std::copy(base_.r.begin(), base_.r.end(), y0_.begin() + at.z());
  std::copy(a_.begin(), a_.end(), y0_.begin() + at.a());
  std::copy(lambda_.begin(), lambda_.end(), y0_.begin() + at.lambda());
  std::copy(base_.w.begin(), base_.w.end(), y0_.begin() + at.aux());
  std::copy(base_.v.begin(), base_.v.end(), dy0_.begin());
  std::copy(a_.begin(), a_.end(), dy0_.begin() + at.v());
  std::copy_n(b_.begin(), at.r, dy0_.begin() + at.z());
  base_y_.resize(at.n, at.r);
  base_rate_.resize(at.n, at.r);
  std::fill(base_y_.x.begin(), base_y_.x.end(), 0.0);
  base_y_.u = base_.v;
  base_y_.z = base_.r;
  base_rate_.a = a_;
  std::copy_n(b_.begin(), at.r, base_rate_.b.begin());
  return Eval::ok;
}

void Descriptor::to_chart(std::span<const double> q, const Vector& v, const Vector& a, Vector& dq,
                          Vector& ddq) const {
  dq = v;
  ddq = a;
  for (const RotationChart& c : rotations_) {
    const Vec3d theta = part(q, c.v);
    const Mat3d inverse = rotation_rate_map_inverse(theta);
    const Vec3d rate = inverse * part(v, c.v);
    set_part(dq, c.v, rate);
    set_part(ddq, c.v, inverse * (part(a, c.v) - rotation_rate_map_rate(theta, rate) * rate));
  }
}

Eval Descriptor::finish(double t, const Local& y, State& state, ChartPoint& point) {
  state = base_;
  state.t = t;
  system_.retract(base_.p, y.x, state.p);
  state.v = y.u;
  state.r = y.z;
  if (Eval e = follow(y.x, state); e != Eval::ok) return e;
  a_ = base_a_;
  lambda_ = base_lambda_;
  if (Eval e = form_.project ? close(state) : solve_accelerations(state); e != Eval::ok) return e;
  if (!form_.project && rank_ < layout_.m)
    if (Eval e = redundant_rows_hold(state); e != Eval::ok) return e;
  if (form_.select_dynamics && jumped(state))
    return fail(Diagnosis::branch_jump,
                "a singular position: the motion would jump to another branch");
  total_shift_ = moved_;
  if (form_.invariants && system_.sizes().e > 0)
    if (Eval e = keep_invariants(state); e != Eval::ok) return e;
  point.t = t;
  point.q = y.x;
  if (form_.project) {
    for (const RotationChart& c : rotations_)
      set_part(total_shift_, c.v,
               rotation_rate_map_inverse(part(y.x, c.v)) * part(total_shift_, c.v));
    add_scaled(1, total_shift_, point.q);
  }
  to_chart(point.q, state.v, a_, point.dq, point.ddq);
  point.z = state.r;
  point.dz.assign(ws_->b.begin(), ws_->b.end());
  finished_.keep(state, active_, a_, lambda_, ws_->b);
  end_q_ = point.q;
  return Eval::ok;
}

void Descriptor::base_point(ChartPoint& point) const {
  point.t = base_.t;
  point.q.assign(layout_.n, 0.0);
  point.dq = base_.v;
  point.ddq = base_a_;  // at the base T = I and its rate does not act on q'
  point.z = base_.r;
  point.dz = base_rate_.b;
}

void Descriptor::place(const Local& y, ChartPoint& point) {
  point.q = y.x;
  point.dq = y.u;
  for (const RotationChart& c : rotations_)
    set_part(point.dq, c.v, rotation_rate_map_inverse(part(y.x, c.v)) * part(y.u, c.v));
  point.z = y.z;
}

Eval Descriptor::state_at(const ChartPoint& point, Consistency consistency, State& state) {
  state = base_;
  state.t = point.t;
  state.r = point.z;
  system_.retract(base_.p, point.q, state.p);
  state.v = point.dq;
  for (const RotationChart& c : rotations_)
    set_part(state.v, c.v, rotation_rate_map(part(point.q, c.v)) * part(point.dq, c.v));
  if (Eval e = follow(point.q, state); e != Eval::ok) return e;
  a_ = base_a_;
  lambda_ = base_lambda_;
  const bool closes = consistency == Consistency::projected && form_.project;
  if (!closes && layout_.w == 0 && !system_.sizes().multiplier_forces) return Eval::ok;
  step_aside();
  const Eval e = closes ? close(state) : solve_accelerations(state);
  step_aside();
  return e;
}

/// Accelerations where the constraints need not hold, beside the step.
Eval Descriptor::rate(double t, const Local& y, LocalRate& out) {
  point_ = base_;
  point_.t = t;
  system_.retract(base_.p, y.x, point_.p);
  point_.v = y.u;
  point_.r = y.z;
  if (Eval e = follow(y.x, point_); e != Eval::ok) return e;
  a_ = base_a_;
  lambda_ = base_lambda_;
  step_aside();
  const Eval e = solve_accelerations(point_);
  step_aside();
  out.a = a_;
  out.b.assign(ws_->b.begin(), ws_->b.begin() + layout_.r);
  return e;
}

void Descriptor::step_aside() {
  if (!aside_)
    aside_ = std::make_unique<Aside>(Aside{
        MotionMatrix(motion_patterns(system_)), active_, strong_,
        ConstraintSpace(system_.patterns().constraint, layout_.m, column_scale_, form_.algebraic)});
  std::swap(acceleration_, aside_->acceleration);
  std::swap(active_, aside_->active);
  std::swap(strong_, aside_->strong);
  std::swap(rows_, aside_->rows);
  std::swap(rows_t_, aside_->t);
  std::swap(rows_p_, aside_->p);
  std::swap(remainder_, aside_->remainder);
  std::swap(rows_are_old_, aside_->old);
  std::swap(partitions_, aside_->partitions);
}

double Descriptor::error_norm(const Local& e, const State& state, const ErrorScale& scale) {
  error_units(state, scale, error_unit_);
  return size_in(error_unit_, e);
}

void Descriptor::error_units(const State& state, const ErrorScale& scale, Local& units) {
  // Where the step leads: a velocity that passes zero is as large as it is before and after.
  ahead_ = at_base_ ? base_.v : state.v;
  for (std::size_t j = 0; at_base_ && j < ahead_.size(); ++j)
    if (const double v = base_.v[j] + step_ * base_a_[j]; std::abs(v) > std::abs(ahead_[j]))
      ahead_[j] = v;
  error_units_.units(state, ahead_, scale, units);
}

double Descriptor::largest_turn(const Vector& q) const {
  double largest = 0;
  for (const RotationChart& c : rotations_) largest = std::max(largest, norm(part(q, c.v)));
  return largest;
}

bool Descriptor::advance(const ChartPoint& point) {
  at_base_ = false;
  return largest_turn(point.q) <= chart_reach;
}

}  // namespace kardan
