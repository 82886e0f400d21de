#include "kardan/formulation/state_space_jacobian.h"

#include <algorithm>
#include <array>
#include <utility>

#include "kardan/base/rotation.h"
#include "kardan/base/stop.h"
#include "kardan/formulation/culprit.h"
#include "kardan/linalg/dense_lu.h"
#include "kardan/linalg/kernels.h"
#include "kardan/linalg/row_fours.h"

namespace kardan {
namespace {

/// A := columns [from, from + count) of B.
void copy_columns(const Matrix& B, int from, int count, Matrix& A) {
  A.resize(B.rows(), count);
  for (int i = 0; i < B.rows(); ++i) std::copy_n(B.row(i) + from, count, A.row(i));
}

/// A(row.., column..) := columns [from, from + count) of B.
void place_columns(const Matrix& B, int from, int count, int row, int column, Matrix& A) {
  for (int i = 0; i < B.rows(); ++i) std::copy_n(B.row(i) + from, count, A.row(row + i) + column);
}

}  // namespace

StateSpaceJacobian::StateSpaceJacobian(const System& system, const Chart& chart,
                                       const Parametrization& split, Workspace& ws)
    : system_(system), chart_(chart), split_(split), ws_(ws) {
  for (RowSegments* s : {&segments_.G, &segments_.rate_p, &segments_.accel_p, &segments_.accel_v})
    *s = RowSegments(*system.patterns().constraint);
  for (RowSegments* s : {&segments_.f_p, &segments_.f_v})
    *s = RowSegments(*system.patterns().force);
  segments_.M = RowSegments(*system.patterns().mass);
}

void StateSpaceJacobian::curve_base(const Vector& v, const Vector& a) {
  curvature_.resize(system_.bodies().size());
  for (const Chart::Turn& t : chart_.turns()) {
    const Vec3d w = three_at(v, t.v), alpha = three_at(a, t.v);
    curvature_[t.body] = {Mat3d::identity(), 0.5 * tilde(w),
                          0.5 * tilde(alpha) - (1.0 / 6) * tilde_tilde(w, w), Mat3d{}};
  }
}

void StateSpaceJacobian::curve_point(const EvaluatedPoint& at) {
  curvature_.resize(system_.bodies().size());
  for (const Chart::Turn& t : chart_.turns()) {
    const Vec3d theta = three_at(at.q, t.v), rate = three_at(at.dq, t.v),
                second = three_at(at.ddq, t.v);
    Curvature& c = curvature_[t.body];
    c.T = rotation_rate_map(theta);
    c.spin = rotation_rate_map_gradient(theta, rate);
    c.acceleration =
        rotation_rate_map_gradient(theta, second) + rotation_bias_gradient(theta, rate);
    c.acceleration_by_rate = c.spin + rotation_rate_map_rate(theta, rate);
  }
}

/// Of derivatives by (x, zeta, t) or by u: time counts where constraints move.
int StateSpaceJacobian::derivative_width(bool moving) const {
  return whole_fours(
      std::max({split_.free_positions() + (moving ? 1 : 0), split_.free_velocities(), 1}));
}

/// Which columns the rows of derivatives have: those that move the bodies a row belongs to, and the
/// column of time where there is one.
void StateSpaceJacobian::find_columns(const std::vector<std::vector<int>>& supports) {
  const int n = split_.free_positions();
  const auto& bodies = system_.bodies();
  body_columns_.assign(bodies.size(), {});
  std::vector<int> body_of(system_.sizes().v, 0);
  for (std::size_t b = 1; b < bodies.size(); ++b)
    std::fill_n(body_of.begin() + bodies[b].v, bodies[b].v_count, static_cast<int>(b));
  for (int c = 0; c < split_.free_velocities(); ++c) {
    int last = 0;
    for (int j : supports[c])
      if (body_of[j] != last) body_columns_[last = body_of[j]].push_back(c);
  }
  for (int moving = 0; moving < 2; ++moving) {
    std::vector<std::vector<int>> moved = body_columns_;
    for (auto& columns : moved) {
      for (int c = split_.free_velocities(); c < n; ++c) columns.push_back(c);
      if (moving) columns.push_back(n);
    }
    auto unite = [&](int row, const SparsePattern& p) {
      std::vector<int> columns;
      for (int k = p.row_start[row]; k < p.row_start[row + 1]; ++k) {
        if (k > p.row_start[row] && body_of[p.column[k]] == body_of[p.column[k - 1]]) continue;
        const auto& more = moved[body_of[p.column[k]]];
        columns.insert(columns.end(), more.begin(), more.end());
      }
      return columns;
    };
    std::vector<std::vector<int>> constraints, forces(bodies.size());
    for (int row : split_.rows) constraints.push_back(unite(row, *system_.patterns().constraint));
    std::vector<std::vector<int>> force_rows(system_.sizes().v);
    for (int j = 0; j < system_.sizes().v; ++j) {
      force_rows[j] = unite(j, *system_.patterns().force);
      const std::vector<int> inertial = unite(j, *system_.patterns().mass);
      force_rows[j].insert(force_rows[j].end(), inertial.begin(), inertial.end());
      auto& all = forces[body_of[j]];
      all.insert(all.end(), force_rows[j].begin(), force_rows[j].end());
    }
    const int width = derivative_width(moving != 0);
    columns_[moving] = {RowFours(moved, width), RowFours(constraints, width),
                        RowFours(force_rows, width), RowFours(forces, width)};
  }
  shape_derivatives(0);
}

/// Nothing outside of these columns is written: it stays zero while the shape does.
void StateSpaceJacobian::shape_derivatives(int width) {
  const int nv = system_.sizes().v;
  for (Matrix* A : {&Xq_, &X_, &Uq_, &MU_, &VU_, &AN_, &W1_}) {
    A->resize(nv, width * (A == &VU_ || A == &AN_ || A == &W1_ ? 2 : 1));
    A->set_zero();
  }
  width_ = width;
}

/// Y = E X, or Y += E X, per body: rotation rows of X times a 3 x 3 matrix.
void StateSpaceJacobian::add_curvature(Sum sum, Mat3d Curvature::*E, Strip X, int parts, int part,
                                       Matrix& Y) const {
  for (const Chart::Turn& t : chart_.turns())
    turn_rows(
        sum, &(curvature_[t.body].*E)[0][0], {X.data + std::ptrdiff_t{t.v} * X.stride, X.stride},
        columns_[moving_].bodies.of(t.body), parts, width_, Y.row(t.v) + part * width_, Y.cols());
}

/// Y = T X, or Y += T X: from chart coordinates to body tangents.
void StateSpaceJacobian::to_body(Sum sum, const Matrix& X, int parts, int part, Matrix& Y) const {
  const std::size_t count = static_cast<std::size_t>(parts) * width_;
  for (std::size_t b = 1; b < system_.bodies().size(); ++b) {
    const BodyLayout& body = system_.bodies()[b];
    const int plain = system_.dimension() == 2 ? body.v_count : std::min(body.v_count, 3);
    for (int k = body.v; k < body.v + plain; ++k) {
      double* y = Y.row(k) + part * width_;
      if (sum == Sum::begin)
        std::copy_n(X.row(k), count, y);
      else
        add_scaled(1, {X.row(k), count}, {y, count});
    }
  }
  add_curvature(sum, &Curvature::T, {X.data(), X.cols()}, parts, part, Y);
}

/// W3_ := what the dependent coordinates are, for rows that are W3_; Y += T D W3_. Yq = D W3_
/// where it is wanted: at the base T = I, and Y is enough.
void StateSpaceJacobian::close_dependent(Where where, Tangent& tangent, Matrix& Yq, Matrix& Y) {
  const bool wanted = split_.drift() > 0 || where != Where::base;
  const int width = W3_.cols(), parts = width / width_;
  if (wanted || split_.dependent_coordinates.empty()) {
    Yq.resize(Y.rows(), width);
    Yq.set_zero();
  }
  if (split_.rows.empty()) return;
  tangent.velocity->solve(W3_);
  if (!wanted && !split_.dependent_coordinates.empty()) {
    for (int k = 0; k < W3_.rows(); ++k)
      add_scaled(1, {W3_.row(k), static_cast<std::size_t>(width)},
                 {Y.row(split_.dependent_coordinates[k]), static_cast<std::size_t>(width)});
    return;
  }
  split_.add_dependent(W3_, Yq);
  to_body(Sum::go_on, Yq, parts, 0, Y);
}

/// W3_ = rows of independent constraints.
void StateSpaceJacobian::multiply_constraints(const RowProducts& products) {
  W3_.resize(static_cast<int>(split_.rows.size()), products.parts() * width_);
  W3_.set_zero();
  multiply_rows(products, columns_[moving_].constraints, width_, W3_);
}

/// What the derivatives are sums of, where elements have derivatives that are new, or the matrices
/// another shape.
void StateSpaceJacobian::compile_products() {
  Products& c = products_;
  const Segments& at = segments_;
  const Strip X{X_.data(), X_.cols()}, VU{VU_.data(), VU_.cols()}, AN{AN_.data(), AN_.cols()};
  const Strip U{VU_.data() + width_, VU_.cols()};
  std::vector<int>& all = c.every_row;
  all.resize(system_.sizes().v);
  for (int j = 0; j < system_.sizes().v; ++j) all[j] = j;
  c.velocities.compile(std::array{SparseTerm{Sign::minus, &at.rate_p, &ws_.rate_p, X, 1},
                                  SparseTerm{Sign::minus, &at.G, &ws_.G, VU, 1}},
                       split_.rows, width_);
  for (const bool based : {false, true})
    c.accelerations[based].compile(
        std::array{SparseTerm{Sign::minus, &at.accel_p, &ws_.accel_p, X, 1},
                   SparseTerm{Sign::minus, &at.accel_v, &ws_.accel_v, VU, 2},
                   SparseTerm{Sign::minus, &at.G, &ws_.G, AN, based ? 1 : 2}},
        split_.rows, width_);
  const SparseTerm forces[] = {{Sign::plus, &at.f_p, &ws_.f_p, X, 1},
                               {Sign::plus, &at.f_v, &ws_.f_v, VU, 2},
                               {Sign::minus, &at.M, &ws_.M, AN, 2}};
  c.forces[true].compile(forces, all, width_);
  c.forces[false].compile(std::span(forces).first(2), all, width_);
  c.mass.compile(std::array{SparseTerm{Sign::plus, &at.M, &ws_.M, U, 1}}, all, width_);
}

/// VU_: changes of the velocities by (x, zeta, t) and by u.
void StateSpaceJacobian::differentiate_velocities(const Place& at) {
  const int n = split_.free_positions(), nv = system_.sizes().v;
  const Matrix& U = at.tangent.velocities();
  const bool based = at.where == Where::base;
  Matrix& Uq = based ? VU_ : Uq_;
  const int shift = based ? width_ : 0;
  for (int j = 0; j < nv; ++j) {
    std::copy_n(U.row(j), split_.free_velocities(), Uq.row(j) + shift);
    std::fill_n(VU_.row(j), width_, 0.0);
  }
  if (!based) to_body(Sum::begin, Uq_, 1, 1, VU_);
  // The curvature, and dependent velocities from G V = -(rate_p X + rate_t).
  add_curvature(Sum::begin, &Curvature::spin, {Xq_.data(), Xq_.cols()}, 1, 0, VU_);
  multiply_constraints(products_.velocities);
  if (moving_)
    for (std::size_t i = 0; i < split_.rows.size(); ++i)
      W3_(static_cast<int>(i), n) -= ws_.rate_t[split_.rows[i]];
  close_dependent(at.where, at.tangent, Vq_, VU_);
}

/// AN_: changes of the accelerations by (x, zeta, t) and by u, with x'' held.
void StateSpaceJacobian::differentiate_accelerations(const Place& at) {
  const int n = split_.free_positions();
  const bool based = at.where == Where::base;
  for (int j = 0; j < AN_.rows(); ++j) std::fill_n(AN_.row(j), AN_.cols(), 0.0);
  add_curvature(Sum::begin, &Curvature::acceleration, {Xq_.data(), Xq_.cols()}, 1, 0, AN_);
  if (!based) {
    add_curvature(Sum::go_on, &Curvature::acceleration_by_rate, {Vq_.data(), Vq_.cols()}, 1, 0,
                  AN_);
    add_curvature(Sum::begin, &Curvature::acceleration_by_rate, {Uq_.data(), Uq_.cols()}, 1, 1,
                  AN_);
  }
  multiply_constraints(products_.accelerations[based]);
  if (moving_)
    for (std::size_t i = 0; i < split_.rows.size(); ++i)
      W3_(static_cast<int>(i), n) -= ws_.accel_t[split_.rows[i]];
  close_dependent(at.where, at.tangent, Nq_, AN_);
}

/// The reduced derivatives at a place whose evaluation the workspace holds.
Eval StateSpaceJacobian::reduce(const Place& at, Derivatives terms, LocalJacobian& out) {
  const bool exact = terms == Derivatives::exact;
  const std::span<const double> lambda = exact ? at.lambda : std::span<const double>();
  if (Eval e = system_.differentiate(at.state, at.a, lambda, ws_); e != Eval::ok) {
    culprit_ = derivatives_not_finite;
    return e;
  }
  const int n = split_.free_positions(), nv = system_.sizes().v;
  const bool moved = moving_;
  moving_ = system_.sizes().r + system_.sizes().w > 0;
  for (int row : split_.rows)
    moving_ = moving_ || ws_.g_t[row] != 0 || ws_.rate_t[row] != 0 || ws_.accel_t[row] != 0;
  const int width = derivative_width(moving_);
  bool changed = width != width_ || moving_ != moved;
  if (changed) shape_derivatives(width);
  Segments& seen = segments_;
  for (auto [segments, A] :
       {std::pair(&seen.G, &ws_.G), std::pair(&seen.rate_p, &ws_.rate_p),
        std::pair(&seen.accel_p, &ws_.accel_p), std::pair(&seen.accel_v, &ws_.accel_v),
        std::pair(&seen.f_p, &ws_.f_p), std::pair(&seen.f_v, &ws_.f_v), std::pair(&seen.M, &ws_.M)})
    changed = segments->learn(*A) || changed;
  if (changed) compile_products();
  // X = dp by (x, zeta, t); the last column is the motion of the constraints in time, if they move.
  for (int j = 0; j < nv; ++j) std::copy_n(at.tangent.B.row(j), n, Xq_.row(j));
  if (moving_) {
    by_time_.assign(nv, 0.0);
    split_.add_dependent(at.tangent.H_t, by_time_);
    for (int j = 0; j < nv; ++j) Xq_(j, n) = by_time_[j];
  }
  if (at.where == Where::base)
    std::copy_n(Xq_.data(), Xq_.size(), X_.data());
  else
    to_body(Sum::begin, Xq_, 1, 0, X_);
  differentiate_velocities(at);
  if (exact) differentiate_accelerations(at);
  resize_first_order(out);
  add_drift(at.tangent.velocities(), out);
  return reduce_forces(terms, out);
}

void StateSpaceJacobian::resize_first_order(LocalJacobian& out) const {
  const int n = split_.free_velocities(), nz = split_.drift() + system_.sizes().r;
  out.A_z.resize(n, nz);
  out.B_x.resize(nz, n);
  out.B_u.resize(nz, n);
  out.B_z.resize(nz, nz);
  out.B_z.set_zero();
  out.B_t.resize(nz);
}

/// zeta' by (x, zeta, t) and by u.
void StateSpaceJacobian::add_drift(const Matrix& U, LocalJacobian& out) {
  const int n = split_.free_velocities(), drift = split_.drift();
  if (drift == 0) return;
  split_.drift_of(Vq_, W4_);
  place_columns(W4_, 0, n, 0, 0, out.B_x);
  place_columns(W4_, n, drift, 0, 0, out.B_z);
  for (int i = 0; i < drift; ++i) out.B_t[i] = moving_ ? W4_(i, n + drift) : 0;
  split_.drift_of(U, W4_);
  place_columns(W4_, 0, n, 0, 0, out.B_u);
}

/// Forces by (x, zeta, t) and by u, less the accelerations' share, on the free directions.
Eval StateSpaceJacobian::reduce_forces(Derivatives terms, LocalJacobian& out) {
  const int n = split_.free_positions(), nv = system_.sizes().v;
  multiply_rows(products_.forces[terms == Derivatives::exact], columns_[moving_].forces, width_,
                W1_);
  if (moving_)
    for (int j = 0; j < nv; ++j) W1_(j, n) += ws_.f_t[j];
  if (system_.sizes().r + system_.sizes().w > 0)
    if (Eval e = add_auxiliary(out); e != Eval::ok) return e;
  multiply_rows(products_.mass, columns_[moving_].forces, width_, MU_);
  reduce_rows(W1_, 2, W4_);
  copy_columns(W4_, 0, split_.free_velocities(), out.A_x);
  place_columns(W4_, split_.free_velocities(), split_.drift(), 0, 0, out.A_z);
  copy_columns(W4_, width_, split_.free_velocities(), out.A_u);
  out.A_t.resize(split_.free_velocities());
  for (int i = 0; moving_ && i < split_.free_velocities(); ++i) out.A_t[i] = W4_(i, n);
  if (!moving_) reduce_vector(ws_.f_t, out.A_t);
  reduce_rows(MU_, 1, W4_);
  copy_columns(W4_, 0, split_.free_velocities(), out.M);
  for (int i = 0; i < split_.free_velocities(); ++i)
    for (int j = i + 1; j < split_.free_velocities(); ++j) out.M(i, j) = out.M(j, i);
  return Eval::ok;
}

/// Y = U' X, body by body.
void StateSpaceJacobian::reduce_rows(const Matrix& X, int parts, Matrix& Y) {
  Y.resize(split_.free_velocities(), parts * width_);
  Y.set_zero();
  for (std::size_t b = 1; b < system_.bodies().size(); ++b) {
    if (split_.free_velocities() >= long_loop) stop_point();
    const BodyLayout& body = system_.bodies()[b];
    add_transposed(body.v_count, body_columns_[b], {VU_.row(body.v) + width_, VU_.cols()},
                   {X.row(body.v), X.cols()}, columns_[moving_].body_forces.of(static_cast<int>(b)),
                   parts, width_, Y);
  }
}

/// y = U' x
void StateSpaceJacobian::reduce_vector(const Vector& x, Vector& y) const {
  std::fill(y.begin(), y.end(), 0.0);
  for (std::size_t j = 0; j < x.size(); ++j)
    if (x[j] != 0) add_scaled(x[j], {VU_.row(static_cast<int>(j)) + width_, y.size()}, y);
}

/// w by (x, zeta, t), u and r, and through them forces and b.
Eval StateSpaceJacobian::eliminate_auxiliary() {
  const int nr = system_.sizes().r, nw = system_.sizes().w, nv = system_.sizes().v;
  const int n = split_.free_positions(), nu = split_.free_velocities();
  auto& [part, by_x, by_u, own, w_x, w_u, w_r, d_w, f_aux, f_r, reduced, lu] = aux_;
  w_x.resize(nw, n + 1);
  w_u.resize(nw, nu);
  w_r.resize(nw, nr);
  d_w.resize(nw, nw);
  for (int i = 0; i < nw; ++i) {
    for (int j = 0; j < nw; ++j) d_w(i, j) = own(nr + i, nr + j);
    for (int j = 0; j <= n; ++j) w_x(i, j) = -by_x(nr + i, j);
    for (int j = 0; j < nu; ++j) w_u(i, j) = -by_u(nr + i, j);
    for (int j = 0; j < nr; ++j) w_r(i, j) = -own(nr + i, j);
  }
  if (nw > 0) {
    if (Eval e = lu.factor(d_w); e != Eval::ok) {
      culprit_ = auxiliary_not_determined;
      return e;
    }
    for (Matrix* X : {&w_x, &w_u, &w_r}) lu.solve(*X);
  }
  copy_to_dense(*ws_.force_aux.pattern, ws_.force_aux.values, f_aux);
  f_r.resize(nv, nr);
  for (int k = 0; k < nv; ++k) {
    for (int i = 0; i < nr; ++i) f_r(k, i) = f_aux(k, i);
    for (int i = 0; i < nw; ++i) {
      const double f = f_aux(k, nr + i);
      if (f == 0) continue;
      for (int j = 0; j <= n; ++j) W1_(k, j) += f * w_x(i, j);
      for (int j = 0; j < nu; ++j) W1_(k, width_ + j) += f * w_u(i, j);
      for (int j = 0; j < nr; ++j) f_r(k, j) += f * w_r(i, j);
    }
  }
  for (int i = 0; i < nr; ++i)
    for (int k = 0; k < nw; ++k) {
      const double b = own(i, nr + k);
      for (int j = 0; j <= n; ++j) by_x(i, j) += b * w_x(k, j);
      for (int j = 0; j < nu; ++j) by_u(i, j) += b * w_u(k, j);
      for (int j = 0; j < nr; ++j) own(i, j) += b * w_r(k, j);
    }
  return Eval::ok;
}

/// Dynamic and auxiliary variables: b and d by (x, zeta, t), u and r; w is eliminated through d =
/// 0.
Eval StateSpaceJacobian::add_auxiliary(LocalJacobian& out) {
  const int nr = system_.sizes().r, nw = system_.sizes().w, nv = system_.sizes().v;
  const int n = split_.free_positions(), nu = split_.free_velocities(), drift = split_.drift();
  auto& [part, by_x, by_u, own, w_x, w_u, w_r, d_w, f_aux, f_r, reduced, lu] = aux_;
  const auto zero = [](Matrix& A, int rows, int cols) {
    A.resize(rows, cols);
    A.set_zero();
  };
  zero(by_x, nr + nw, n + 1);
  zero(by_u, nr + nw, nu);
  copy_to_dense(*ws_.aux_aux.pattern, ws_.aux_aux.values, own);
  copy_columns(X_, 0, n + 1, part);
  add_products(1, ws_.aux_p, part, by_x);
  copy_columns(VU_, 0, n + 1, part);
  add_products(1, ws_.aux_v, part, by_x);
  copy_columns(VU_, width_, nu, part);
  add_products(1, ws_.aux_v, part, by_u);
  for (int i = 0; i < nr; ++i) by_x(i, n) += ws_.b_t[i];
  for (int i = 0; i < nw; ++i) by_x(nr + i, n) += ws_.d_t[i];
  if (Eval e = eliminate_auxiliary(); e != Eval::ok) return e;
  for (int i = 0; i < nr; ++i) {
    const int row = drift + i;
    std::copy_n(by_x.row(i), nu, out.B_x.row(row));
    std::copy_n(by_u.row(i), nu, out.B_u.row(row));
    std::copy_n(by_x.row(i) + nu, drift, out.B_z.row(row));
    std::copy_n(own.row(i), nr, out.B_z.row(row) + drift);
    out.B_t[row] = by_x(i, n);
  }
  Vector& column = by_time_;
  column.resize(nv);
  reduced.resize(nu);
  for (int j = 0; j < nr; ++j) {
    for (int k = 0; k < nv; ++k) column[k] = f_r(k, j);
    reduce_vector(column, reduced);
    for (int i = 0; i < nu; ++i) out.A_z(i, drift + j) = reduced[i];
  }
  return Eval::ok;
}

}  // namespace kardan
