#include "kardan/formulation/nearby_system.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "kardan/base/rotation.h"
#include "kardan/base/rotation_rates.h"

namespace kardan {
namespace {

/// Of redundant rows this share of their own stiffness keeps the matrix regular.
constexpr double softness = 1e-9;
/// [rad] Differences are taken between rotations so far apart.
constexpr double apart = 1e-5;

}  // namespace

NearbySystem::NearbySystem(const System& system)
    : system_(system),
      chart_(system),
      ws_(system.make_workspace()),
      coupled_(system),
      motion_(system) {
  a_.resize(second_order());
  lambda_.resize(system.sizes().constraints());
  open_.resize(lambda_.size());
  across_.resize(a_.size());
  near_base_.resize(second_order(), first_order());
}

void NearbySystem::rebase(const State& base) {
  base_ = base;
  point_ = base;
}

void NearbySystem::place(const State& state, const Vector& a, const Vector& b, Local& y,
                         LocalRate& rate) const {
  chart_.difference(base_.p, state.p, y.x);
  chart_.to_rates(y.x, state.v, y.u);
  chart_.to_second_rates(y.x, y.u, a, rate.a);
  y.z = state.r;
  rate.b = b;
}

void NearbySystem::state_at(const Local& y, State& state) {
  system_.retract(base_.p, y.x, state.p);
  chart_.to_velocities(y.x, y.u, state.v);
  state.r = y.z;
  if (system_.sizes().turns > 0 || system_.sizes().s > 0)
    system_.follow_turns(base_, y.x, state, *ws_);
}

double NearbySystem::turned(const Local& y) const {
  if (!system_.has_bodies()) return std::numeric_limits<double>::infinity();
  double most = chart_.largest_turn(y.x);
  if (system_.dimension() == 2)
    for (const auto& body : system_.bodies())
      if (body.v_count >= 3) most = std::max(most, std::abs(y.x[body.v + 2]));
  return most;
}

/// a_ and lambda_ at point_.
Eval NearbySystem::accelerate() {
  if (system_.sizes().multiplier_forces) return coupled_.solve(point_, a_, lambda_, *ws_);
  if (Eval e = auxiliaries_.follow(system_, base_, point_, *ws_); e != Eval::ok) return e;
  if (Eval e = system_.evaluate(point_, Request::all(), *ws_); e != Eval::ok) return e;
  if (Eval e = motion_.factor(point_, *ws_); e != Eval::ok) return e;
  a_ = ws_->f;
  lambda_ = ws_->gamma;
  motion_.solve(a_, lambda_);
  return all_finite(a_) ? Eval::ok : Eval::recoverable;
}

Eval NearbySystem::rate(double t, const Local& y, LocalRate& out) {
  point_.t = t;
  state_at(y, point_);
  if (Eval e = accelerate(); e != Eval::ok) return e;
  chart_.to_second_rates(y.x, y.u, a_, out.a);
  out.b = ws_->b;
  return all_finite(out.b) ? Eval::ok : Eval::recoverable;
}

Eval NearbySystem::evaluate(const State& state, Vector& a, Vector& b) {
  moved_ = base_;
  rebase(state);
  const Eval e = accelerate();
  rebase(moved_);
  a = a_;
  b = ws_->b;
  return e;
}

void NearbySystem::make_pattern() {
  const Patterns& p = system_.patterns();
  const int n = second_order(), m = system_.sizes().constraints(), k = first_order();
  PatternBuilder builder(n + m + k, n + m + k);
  const auto each = [](const SparsePattern& pattern, int rows, int columns, auto what) {
    for (int i = 0; i < std::min(rows, pattern.rows); ++i)
      for (int at = pattern.row_start[i]; at < pattern.row_start[i + 1]; ++at)
        if (pattern.column[at] < columns) what(i, pattern.column[at], at);
  };
  const auto add = [&](const SparsePattern& pattern, int rows, int columns, int row, int column) {
    each(pattern, rows, columns, [&](int i, int j, int) { builder.add(row + i, column + j); });
  };
  add(*p.mass, n, n, 0, 0);
  add(*p.force, n, n, 0, 0);
  add(*p.constraint, m, n, n, 0);
  each(*p.constraint, m, n, [&](int i, int j, int) { builder.add(j, n + i); });
  if (k > 0) {
    add(*p.force_aux, n, k, 0, n + m);
    add(*p.aux, k, n, n + m, 0);
    add(*p.aux_aux, k, k, n + m, n + m);
  }
  for (int i = 0; i < n + m + k; ++i) builder.add(i, i);
  matrix_.pattern = builder.build();
  const auto places = [&](const SparsePattern& pattern, int rows, int columns, int row,
                          int column) {
    std::vector<int> out(pattern.nonzeros(), -1);
    each(pattern, rows, columns,
         [&](int i, int j, int at) { out[at] = matrix_.pattern->find(row + i, column + j); });
    return out;
  };
  matrix_.M = places(*p.mass, n, n, 0, 0);
  matrix_.f_p = matrix_.f_v = places(*p.force, n, n, 0, 0);
  matrix_.G = places(*p.constraint, m, n, n, 0);
  matrix_.Gt.assign(p.constraint->nonzeros(), -1);
  each(*p.constraint, m, n,
       [&](int i, int j, int at) { matrix_.Gt[at] = matrix_.pattern->find(j, n + i); });
  if (k > 0) {
    matrix_.f_z = places(*p.force_aux, n, k, 0, n + m);
    matrix_.b_p = matrix_.b_v = places(*p.aux, k, n, n + m, 0);
    matrix_.b_z = places(*p.aux_aux, k, k, n + m, n + m);
  }
  matrix_.diagonal.resize(n + m + k);
  for (int i = 0; i < n + m + k; ++i) matrix_.diagonal[i] = matrix_.pattern->find(i, i);
  matrix_.values.resize(matrix_.pattern->nonzeros());
  matrix_.right.resize(n + m + k);
  matrix_.solver = std::make_unique<LinearSolver>(matrix_.pattern);
}

Eval NearbySystem::factor(double c) {
  if (system_.sizes().w > 0) return Eval::fatal;  // their share of J is not eliminated
  if (!matrix_.solver) make_pattern();
  if (Eval e = system_.differentiate(point_, a_, lambda_, *ws_); e != Eval::ok) return e;
  matrix_.c = c;
  matrix_.mass = ws_->M;
  matrix_.constraint = ws_->G;
  matrix_.stiffness = ws_->f_p;
  matrix_.from_positions = ws_->aux_p;
  Vector& values = matrix_.values;
  std::ranges::fill(values, 0.0);
  const auto add = [&values](double factor, const Vector& from, const std::vector<int>& places) {
    for (std::size_t k = 0; k < places.size(); ++k)
      if (places[k] >= 0) values[places[k]] += factor * from[k];
  };
  add(1, ws_->M.values, matrix_.M);
  add(-c * c, ws_->f_p.values, matrix_.f_p);
  add(-c, ws_->f_v.values, matrix_.f_v);
  add(1, ws_->G.values, matrix_.G);
  add(1, ws_->G.values, matrix_.Gt);
  const int n = second_order(), m = system_.sizes().constraints();
  const SparsePattern& rows = *ws_->G.pattern;
  for (int i = 0; i < m; ++i) {
    double square = 0;
    for (int k = rows.row_start[i]; k < rows.row_start[i + 1]; ++k)
      square += ws_->G.values[k] * ws_->G.values[k];
    values[matrix_.diagonal[n + i]] -= softness * square / system_.scales().mass;
  }
  if (first_order() > 0) {
    add(-c, ws_->force_aux.values, matrix_.f_z);
    add(-c * c, ws_->aux_p.values, matrix_.b_p);
    add(-c, ws_->aux_v.values, matrix_.b_v);
    add(-c, ws_->aux_aux.values, matrix_.b_z);
    for (int i = 0; i < first_order(); ++i) values[matrix_.diagonal[n + m + i]] += 1;
  }
  return matrix_.solver->factor(values);
}

void NearbySystem::filter(Local& e) {
  const double c = matrix_.c;
  const int n = second_order(), m = system_.sizes().constraints(), k = first_order();
  Vector& right = matrix_.right;
  const std::span<double> forces{right.data(), static_cast<std::size_t>(n)};
  matrix_.mass.multiply(e.u, forces);
  matrix_.stiffness.multiply_add(c, e.x, forces);
  matrix_.constraint.multiply(e.u, {right.data() + n, static_cast<std::size_t>(m)});
  for (int i = 0; i < k; ++i) {
    double sum = e.z[i];
    const SparsePattern& rows = *matrix_.from_positions.pattern;
    for (int at = rows.row_start[i]; at < rows.row_start[i + 1]; ++at)
      sum += c * matrix_.from_positions.values[at] * e.x[rows.column[at]];
    right[n + m + i] = sum;
  }
  matrix_.solver->solve(right);
  for (int i = 0; i < n; ++i) {
    e.u[i] = right[i];
    e.x[i] += c * right[i];
  }
  for (int i = 0; i < k; ++i) e.z[i] = right[n + m + i];
}

/// Displacements stay what they are; rotations and their rates are those of the two points seen
/// from the new base, larger than they are where they are small, so that rounding is none.
void NearbySystem::turn(const Local& at, Local& e) const {
  for (const Chart::Turn& turn : chart_.turns()) {
    const Vec3d x = three_at(at.x, turn.v), u = three_at(at.u, turn.v);
    const Vec3d dx = three_at(e.x, turn.v), du = three_at(e.u, turn.v);
    const double size = std::sqrt(dot(dx, dx)), speed = std::sqrt(dot(u, u)),
                 rate = speed > 0 ? std::sqrt(dot(du, du)) / speed : 0;
    const double largest = std::max(size, rate);
    const double s = largest > 0 ? std::max(1.0, apart / largest) : 1;
    const Vec3d near = x - s * dx;
    const Mat3d R = rotation_exp(x), R_near = rotation_exp(near);
    const Vec3d w = rotation_rate(x, u), w_near = rotation_rate(near, u - s * du);
    const Vec3d x_near = rotation_log(transposed(R) * R_near);
    put_three((-1 / s) * x_near, turn.v, e.x);
    put_three((1 / s) * (w - rotation_rate_inverse(x_near, w_near)), turn.v, e.u);
  }
}

Eval NearbySystem::carry(const Local& at, const State& base, Local& e) {
  turn(at, e);
  rebase(base);
  return system_.sizes().constraints() > 0 ? close(e) : Eval::ok;
}

/// With the factors of the last node, which lies near the base.
Eval NearbySystem::close(Local& e) {
  if (system_.sizes().multiplier_forces)
    if (Eval done = motion_.factor(point_, *ws_); done != Eval::ok) return done;
  for (std::size_t i = 0; i < e.x.size(); ++i) {
    near_base_.x[i] = -e.x[i];
    near_base_.u[i] = base_.v[i] - e.u[i];
  }
  for (std::size_t i = 0; i < e.z.size(); ++i) near_base_.z[i] = base_.r[i] - e.z[i];
  state_at(near_base_, point_);
  if (Eval done = system_.evaluate(point_, {.position = true, .velocity = true}, *ws_);
      done != Eval::ok)
    return done;
  for (const auto& [residual, part] : {std::pair(&ws_->g, &e.x), std::pair(&ws_->rate, &e.u)}) {
    std::ranges::fill(across_, 0.0);
    open_ = *residual;
    motion_.solve(across_, open_);
    add_scaled(1, across_, *part);
  }
  return Eval::ok;
}

}  // namespace kardan
