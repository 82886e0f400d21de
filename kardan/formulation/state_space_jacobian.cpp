/// The exact Jacobian of the state-space form, at the base of the chart and away from it (see
/// state_space.h).

#include <algorithm>

#include "kardan/base/rotation.h"
#include "kardan/formulation/state_space.h"
#include "kardan/linalg/dense_lu.h"
#include "kardan/linalg/kernels.h"

namespace kardan {
namespace {

/// Y = U' X for a U whose columns have the given supports.
void transposed_product(const std::vector<std::vector<int>>& supports, const Matrix& U,
                        const Matrix& X, Matrix& Y) {
  Y.resize(U.cols(), X.cols());
  Y.set_zero();
  for (int i = 0; i < U.cols(); ++i) {
    RowSum sum(X.cols(), Y.row(i));
    for (int k : supports[i]) sum.add(U(k, i), X.row(k));
  }
}

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

/// At theta = 0, where T = I.
void StateSpace::curve_base() {
  if (system_.dimension() == 2) return;
  curvature_.resize(system_.bodies().size());
  for (std::size_t b = 1; b < system_.bodies().size(); ++b) {
    if (system_.bodies()[b].v_count <= 3) continue;
    const int i = system_.bodies()[b].v + 3;
    const Vec3d w{base_.v[i], base_.v[i + 1], base_.v[i + 2]};
    const Vec3d alpha{base_a_[i], base_a_[i + 1], base_a_[i + 2]};
    curvature_[b] = {Mat3d::identity(), 0.5 * tilde(w),
                     0.5 * tilde(alpha) - (1.0 / 6) * tilde_tilde(w, w), Mat3d{}};
  }
}

/// At the point evaluated last.
void StateSpace::curve_point() {
  if (system_.dimension() == 2) return;
  curvature_.resize(system_.bodies().size());
  for (std::size_t b = 1; b < system_.bodies().size(); ++b) {
    if (system_.bodies()[b].v_count <= 3) continue;
    const int i = system_.bodies()[b].v + 3;
    const Vec3d theta{q_[i], q_[i + 1], q_[i + 2]}, rate{dq_[i], dq_[i + 1], dq_[i + 2]};
    const Vec3d second{ddq_[i], ddq_[i + 1], ddq_[i + 2]};
    Curvature& c = curvature_[b];
    c.T = rotation_rate_map(theta);
    c.spin = rotation_rate_map_gradient(theta, rate);
    c.acceleration =
        rotation_rate_map_gradient(theta, second) + rotation_bias_gradient(theta, rate);
    c.acceleration_by_rate = c.spin + rotation_rate_map_rate(theta, rate);
  }
}

/// Y += E X, per body: rotation rows of X times a 3 x 3 matrix, from a column of Y on.
void StateSpace::add_curvature(Mat3d Curvature::*E, const Matrix& X, Matrix& Y, int column) const {
  if (system_.dimension() == 2) return;
  const auto width = static_cast<std::size_t>(X.cols());
  for (std::size_t b = 1; b < system_.bodies().size(); ++b) {
    if (system_.bodies()[b].v_count <= 3) continue;
    const int i = system_.bodies()[b].v + 3;
    for (int r = 0; r < 3; ++r)
      for (int c = 0; c < 3; ++c)
        if (const double e = (curvature_[b].*E)[r][c]; e != 0)
          add_scaled(e, {X.row(i + c), width}, {Y.row(i + r) + column, width});
  }
}

/// Y += T X: from chart coordinates to body tangents.
void StateSpace::add_to_body(const Matrix& X, Matrix& Y) const {
  const auto width = static_cast<std::size_t>(X.cols());
  for (std::size_t b = 1; b < system_.bodies().size(); ++b) {
    const BodyLayout& body = system_.bodies()[b];
    const int plain = system_.dimension() == 2 ? body.v_count : std::min(body.v_count, 3);
    for (int k = body.v; k < body.v + plain; ++k)
      add_scaled(1, {X.row(k), width}, {Y.row(k), width});
  }
  add_curvature(&Curvature::T, X, Y);
}

Eval StateSpace::jacobian(LocalJacobian& out) {
  if (!at_base_values_) {
    at_point_values_ = false;
    if (Eval e = system_.evaluate(base_, Request::all(), *ws_); e != Eval::ok) return e;
  }
  curve_base();
  return reduce({base_, base_a_, base_lambda_, at_base_}, Derivatives::exact, out);
}

Eval StateSpace::jacobian_at(double t, const Local& y, Derivatives terms, LocalJacobian& out) {
  end_rate_.resize(second(), first());
  if (Eval e = evaluate(t, y, end_rate_); e != Eval::ok) return e;
  curve_point();
  if (reduced_)
    reduced_multipliers(at_point_);
  else
    expand(at_point_);
  return reduce({point_, a_, lambda_, at_point_}, terms, out);
}

/// Y += T Yq with the rows of dependent coordinates in Yq such that G Y = W3_.
void StateSpace::close_dependent(LinearSolver& dependent, Matrix& Yq, Matrix& Y) {
  Yq.resize(Y.rows(), Y.cols());
  Yq.set_zero();
  if (rows_.empty()) return;
  add_products(-1, ws_->G, rows_, Y, W3_);
  dependent.solve(W3_);
  split_.add_held(W3_, Yq);
  add_to_body(Yq, Y);
}

/// AN_: changes of the accelerations by (x, zeta, t) and by u, with x'' held.
void StateSpace::differentiate_accelerations(const Place& at) {
  const int n = split_.free_positions(), m = static_cast<int>(rows_.size());
  add_curvature(&Curvature::acceleration, Xq_, AN_);
  add_curvature(&Curvature::acceleration_by_rate, Vq_, AN_);
  add_curvature(&Curvature::acceleration_by_rate, at.tangent.velocities(), AN_, Xq_.cols());
  W3_.resize(m, AN_.cols());
  W3_.set_zero();
  add_products(-1, ws_->accel_p, rows_, X_, W3_);
  add_products(-1, ws_->accel_v, rows_, VU_, W3_);
  if (moving_)
    for (int i = 0; i < m; ++i) W3_(i, n) -= ws_->accel_t[rows_[i]];
  close_dependent(*at.tangent.velocity, W1_, AN_);
}

/// The reduced derivatives at a place whose evaluation the workspace holds.
Eval StateSpace::reduce(const Place& at, Derivatives terms, LocalJacobian& out) {
  const bool exact = terms == Derivatives::exact;
  const std::span<const double> lambda = exact ? at.lambda : std::span<const double>();
  if (Eval e = system_.differentiate(at.state, at.a, lambda, *ws_); e != Eval::ok) {
    culprit_ = "derivatives that are not finite";
    return e;
  }
  const int n = split_.free_positions(), m = static_cast<int>(rows_.size());
  const int nv = system_.sizes().v;
  moving_ = system_.sizes().r + system_.sizes().w > 0;
  for (int row : rows_)
    moving_ = moving_ || ws_->g_t[row] != 0 || ws_->rate_t[row] != 0 || ws_->accel_t[row] != 0;
  const int width = n + (moving_ ? 1 : 0);
  body_U_.resize(nv, second());
  body_U_.set_zero();
  add_to_body(at.tangent.velocities(), body_U_);
  // X = dp by (x, zeta, t); the last column is the motion of the constraints in time, if they move.
  Xq_.resize(nv, width);
  for (int j = 0; j < nv; ++j) std::copy_n(at.tangent.B.row(j), n, Xq_.row(j));
  if (moving_) {
    by_time_.assign(nv, 0.0);
    split_.add_held(at.tangent.H_t, by_time_);
    for (int j = 0; j < nv; ++j) Xq_(j, n) = by_time_[j];
  }
  for (Matrix* Y : {&X_, &V_}) {
    Y->resize(nv, width);
    Y->set_zero();
  }
  add_to_body(Xq_, X_);
  // V = dv by (x, zeta, t): the curvature, and dependent velocities from G V = -(rate_p X +
  // rate_t).
  add_curvature(&Curvature::spin, Xq_, V_);
  W3_.resize(m, width);
  W3_.set_zero();
  add_products(-1, ws_->rate_p, rows_, X_, W3_);
  if (moving_)
    for (int i = 0; i < m; ++i) W3_(i, n) -= ws_->rate_t[rows_[i]];
  close_dependent(*at.tangent.velocity, Vq_, V_);
  VU_.resize(nv, width + second());
  for (int j = 0; j < nv; ++j) {
    std::copy_n(V_.row(j), width, VU_.row(j));
    std::copy_n(body_U_.row(j), second(), VU_.row(j) + width);
  }
  AN_.resize(nv, width + second());
  AN_.set_zero();
  if (exact) differentiate_accelerations(at);
  resize_first_order(out);
  add_drift(at.tangent.velocities(), out);
  return reduce_forces(out);
}

void StateSpace::resize_first_order(LocalJacobian& out) const {
  const int n = second(), nz = first();
  out.A_z.resize(n, nz);
  out.B_x.resize(nz, n);
  out.B_u.resize(nz, n);
  out.B_z.resize(nz, nz);
  out.B_z.set_zero();
  out.B_t.resize(nz);
}

/// zeta' by (x, zeta, t) and by u.
void StateSpace::add_drift(const Matrix& U, LocalJacobian& out) {
  const int n = second(), drift = split_.drift();
  if (drift == 0) return;
  split_.drift_of(Vq_, W4_);
  place_columns(W4_, 0, n, 0, 0, out.B_x);
  place_columns(W4_, n, drift, 0, 0, out.B_z);
  for (int i = 0; i < drift; ++i) out.B_t[i] = moving_ ? W4_(i, n + drift) : 0;
  split_.drift_of(U, W4_);
  place_columns(W4_, 0, n, 0, 0, out.B_u);
}

/// Forces by (x, zeta, t) and by u, less the accelerations' share, on the free directions.
Eval StateSpace::reduce_forces(LocalJacobian& out) {
  const int n = split_.free_positions(), nv = system_.sizes().v;
  const int width = X_.cols();
  W1_.resize(nv, VU_.cols());
  W1_.set_zero();
  add_products(1, ws_->f_p, X_, W1_);
  add_products(1, ws_->f_v, VU_, W1_);
  add_products(-1, ws_->M, AN_, W1_);
  if (moving_)
    for (int j = 0; j < nv; ++j) W1_(j, n) += ws_->f_t[j];
  if (system_.sizes().r + system_.sizes().w > 0)
    if (Eval e = add_auxiliary(out); e != Eval::ok) return e;
  transposed_product(supports_, body_U_, W1_, W4_);
  copy_columns(W4_, 0, second(), out.A_x);
  place_columns(W4_, second(), split_.drift(), 0, 0, out.A_z);
  out.A_t.resize(second());
  if (moving_)
    for (int i = 0; i < second(); ++i) out.A_t[i] = W4_(i, n);
  else
    multiply_transposed(body_U_, ws_->f_t, out.A_t);
  copy_columns(W4_, width, second(), out.A_u);
  reduce_mass(body_U_, out.M);
  return Eval::ok;
}

/// Dynamic and auxiliary variables: b and d by (x, zeta, t), u and r; w is eliminated through d =
/// 0.
Eval StateSpace::add_auxiliary(LocalJacobian& out) {
  const int nr = system_.sizes().r, nw = system_.sizes().w, nv = system_.sizes().v;
  const int n = split_.free_positions(), nu = second(), drift = split_.drift();
  auto& [by_x, by_u, own, w_x, w_u, w_r, d_w, f_aux, f_r, A_r, lu] = aux_;
  auto zero = [](Matrix& A, int rows, int cols) {
    A.resize(rows, cols);
    A.set_zero();
  };
  zero(by_x, nr + nw, n + 1);
  zero(by_u, nr + nw, nu);
  copy_to_dense(*ws_->aux_aux.pattern, ws_->aux_aux.values, own);
  add_products(1, ws_->aux_p, X_, by_x);
  add_products(1, ws_->aux_v, V_, by_x);
  add_products(1, ws_->aux_v, body_U_, by_u);
  for (int i = 0; i < nr; ++i) by_x(i, n) += ws_->b_t[i];
  for (int i = 0; i < nw; ++i) by_x(nr + i, n) += ws_->d_t[i];
  // w by (x, zeta, t), u, r.
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
      culprit_ = "the auxiliary variables, which are not determined";
      return e;
    }
    for (Matrix* X : {&w_x, &w_u, &w_r}) lu.solve(*X);
  }
  copy_to_dense(*ws_->force_aux.pattern, ws_->force_aux.values, f_aux);
  f_r.resize(nv, nr);
  for (int k = 0; k < nv; ++k) {
    for (int i = 0; i < nr; ++i) f_r(k, i) = f_aux(k, i);
    for (int i = 0; i < nw; ++i) {
      const double f = f_aux(k, nr + i);
      if (f == 0) continue;
      for (int j = 0; j <= n; ++j) W1_(k, j) += f * w_x(i, j);
      for (int j = 0; j < nu; ++j) W1_(k, n + 1 + j) += f * w_u(i, j);
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
  for (int i = 0; i < nr; ++i) {
    const int row = drift + i;
    std::copy_n(by_x.row(i), nu, out.B_x.row(row));
    std::copy_n(by_u.row(i), nu, out.B_u.row(row));
    std::copy_n(by_x.row(i) + nu, drift, out.B_z.row(row));
    std::copy_n(own.row(i), nr, out.B_z.row(row) + drift);
    out.B_t[row] = by_x(i, n);
  }
  transposed_product(supports_, body_U_, f_r, A_r);
  place_columns(A_r, 0, nr, 0, drift, out.A_z);
  return Eval::ok;
}

}  // namespace kardan
