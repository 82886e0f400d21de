/// The exact Jacobian of the state-space form, at the base of the chart and away from it (see
/// state_space.h).

#include <algorithm>

#include "kardan/base/rotation.h"
#include "kardan/formulation/state_space.h"
#include "kardan/linalg/dense_lu.h"
#include "kardan/linalg/kernels.h"

namespace kardan {
namespace {

/// Y(0..rows) += factor * A(rows) X for a sparse A; `rows` picks rows of A (all when null).
void multiply_add(double factor, const SparseMatrix& A, const std::vector<int>* rows,
                  const Matrix& X, Matrix& Y) {
  const SparsePattern& p = *A.pattern;
  const int count = rows ? static_cast<int>(rows->size()) : p.rows;
  for (int i = 0; i < count; ++i) {
    const int row = rows ? (*rows)[i] : i;
    RowSum sum(X.cols(), Y.row(i));
    for (int k = p.row_start[row]; k < p.row_start[row + 1]; ++k)
      if (A.values[k] != 0) sum.add(factor * A.values[k], X.row(p.column[k]));
  }
}

/// Y = B' X
void transposed_product(const Matrix& B, const Matrix& X, Matrix& Y) {
  Y.resize(B.cols(), X.cols());
  Y.set_zero();
  for (int i = 0; i < B.cols(); ++i) {
    RowSum sum(X.cols(), Y.row(i));
    for (int k = 0; k < B.rows(); ++k)
      if (B(k, i) != 0) sum.add(B(k, i), X.row(k));
  }
}

/// Splits the last column, the derivative by time, from the others.
void split(const Matrix& all, Matrix& by_x, Vector& by_t) {
  const int n = all.cols() - 1;
  by_x.resize(all.rows(), n);
  by_t.resize(all.rows());
  for (int i = 0; i < all.rows(); ++i) {
    std::copy_n(all.row(i), n, by_x.row(i));
    by_t[i] = all(i, n);
  }
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

/// Y += E X, per body: rotation rows of X times a 3 x 3 matrix.
void StateSpace::add_curvature(Mat3d Curvature::*E, const Matrix& X, Matrix& Y) const {
  if (system_.dimension() == 2) return;
  const auto width = static_cast<std::size_t>(X.cols());
  for (std::size_t b = 1; b < system_.bodies().size(); ++b) {
    if (system_.bodies()[b].v_count <= 3) continue;
    const int i = system_.bodies()[b].v + 3;
    for (int r = 0; r < 3; ++r)
      for (int c = 0; c < 3; ++c)
        if (const double e = (curvature_[b].*E)[r][c]; e != 0)
          add_scaled(e, {X.row(i + c), width}, {Y.row(i + r), width});
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
  return reduce({base_, base_a_, base_lambda_, B_, H_t_, *at_base_}, Derivatives::exact, out);
}

Eval StateSpace::jacobian_at(double t, const Local& y, Derivatives terms, LocalJacobian& out) {
  const bool here =
      at_point_values_ && point_.t == t && last_y_.x == y.x && last_y_.u == y.u && last_y_.z == y.z;
  if (!here) {
    end_rate_.resize(second(), first());
    if (Eval e = evaluate(t, y, end_rate_); e != Eval::ok) return e;
  }
  curve_point();
  if (reduced_)
    reduced_multipliers(*at_point_);
  else
    expand(*at_point_, point_B_, point_H_t_);
  return reduce({point_, a_, lambda_, point_B_, point_H_t_, *at_point_}, terms, out);
}

/// Y += T Yq with the rows of dependent coordinates in Yq such that G Y = W3_.
void StateSpace::close_dependent(LinearSolver& dependent, Matrix& Yq, Matrix& Y) {
  const int m = static_cast<int>(rows_.size());
  Yq.resize(Y.rows(), Y.cols());
  Yq.set_zero();
  if (m == 0) return;
  multiply_add(-1, ws_->G, &rows_, Y, W3_);
  dependent.solve(W3_);
  for (int k = 0; k < m; ++k) std::copy_n(W3_.row(k), Y.cols(), Yq.row(dependent_[k]));
  add_to_body(Yq, Y);
}

/// A_ and N_: changes of the accelerations by (x, t) and by u, with x'' held.
void StateSpace::differentiate_accelerations(const Place& at) {
  const int n = second(), m = static_cast<int>(rows_.size());
  add_curvature(&Curvature::acceleration, Xq_, A_);
  add_curvature(&Curvature::acceleration_by_rate, Vq_, A_);
  W3_.resize(m, n + 1);
  W3_.set_zero();
  multiply_add(-1, ws_->accel_p, &rows_, X_, W3_);
  multiply_add(-1, ws_->accel_v, &rows_, V_, W3_);
  for (int i = 0; i < m; ++i) W3_(i, n) -= ws_->accel_t[rows_[i]];
  close_dependent(at.dependent, W1_, A_);
  add_curvature(&Curvature::acceleration_by_rate, at.chart_B, N_);
  W3_.resize(m, n);
  W3_.set_zero();
  multiply_add(-1, ws_->accel_v, &rows_, body_B_, W3_);
  close_dependent(at.dependent, W1_, N_);
}

/// The reduced derivatives at a place whose evaluation the workspace holds.
Eval StateSpace::reduce(const Place& at, Derivatives terms, LocalJacobian& out) {
  const bool exact = terms == Derivatives::exact;
  const std::span<const double> lambda = exact ? at.lambda : std::span<const double>();
  if (Eval e = system_.differentiate(at.state, at.a, lambda, *ws_); e != Eval::ok) {
    culprit_ = "derivatives that are not finite";
    return e;
  }
  const int n = second(), m = static_cast<int>(rows_.size()), nv = system_.sizes().v;
  body_B_.resize(nv, n);
  body_B_.set_zero();
  add_to_body(at.chart_B, body_B_);
  // X = dp by (x, t); the last column is the motion of the constraints in time.
  Xq_.resize(nv, n + 1);
  for (int j = 0; j < nv; ++j) {
    std::copy_n(at.chart_B.row(j), n, Xq_.row(j));
    Xq_(j, n) = 0;
  }
  for (int k = 0; k < m; ++k) Xq_(dependent_[k], n) = at.H_t[k];
  for (Matrix* Y : {&X_, &V_, &A_}) {
    Y->resize(nv, n + 1);
    Y->set_zero();
  }
  add_to_body(Xq_, X_);
  // V = dv by (x, t): the curvature, and dependent velocities from G V = -(rate_p X + rate_t).
  add_curvature(&Curvature::spin, Xq_, V_);
  W3_.resize(m, n + 1);
  W3_.set_zero();
  multiply_add(-1, ws_->rate_p, &rows_, X_, W3_);
  for (int i = 0; i < m; ++i) W3_(i, n) -= ws_->rate_t[rows_[i]];
  close_dependent(at.dependent, Vq_, V_);
  N_.resize(nv, n);
  N_.set_zero();
  if (exact) differentiate_accelerations(at);
  return reduce_forces(out);
}

/// Forces by (x, t) and by u, less the accelerations' share, on the free directions.
Eval StateSpace::reduce_forces(LocalJacobian& out) {
  const int n = second(), nv = system_.sizes().v;
  W1_.resize(nv, n + 1);
  W1_.set_zero();
  multiply_add(1, ws_->f_p, nullptr, X_, W1_);
  multiply_add(1, ws_->f_v, nullptr, V_, W1_);
  multiply_add(-1, ws_->M, nullptr, A_, W1_);
  for (int j = 0; j < nv; ++j) W1_(j, n) += ws_->f_t[j];
  W2_.resize(nv, n);
  W2_.set_zero();
  multiply_add(1, ws_->f_v, nullptr, body_B_, W2_);
  multiply_add(-1, ws_->M, nullptr, N_, W2_);
  if (system_.sizes().r + system_.sizes().w > 0) {
    if (Eval e = add_auxiliary(out); e != Eval::ok) return e;
  } else {
    for (Matrix* empty : {&out.A_z, &out.B_x, &out.B_u, &out.B_z}) empty->resize(0, 0);
  }
  transposed_product(body_B_, W1_, W4_);
  split(W4_, out.A_x, out.A_t);
  transposed_product(body_B_, W2_, out.A_u);
  W3_.resize(nv, n);
  W3_.set_zero();
  multiply_add(1, ws_->M, nullptr, body_B_, W3_);
  transposed_product(body_B_, W3_, out.M);
  return Eval::ok;
}

/// Dynamic and auxiliary variables: b and d by (x, t), u and r; w is eliminated through d = 0.
Eval StateSpace::add_auxiliary(LocalJacobian& out) {
  const int nr = system_.sizes().r, nw = system_.sizes().w, n = second();
  auto& [by_x, by_u, own, w_x, w_u, w_r, d_w, f_aux, f_r, b_x, lu] = aux_;
  auto zero = [](Matrix& A, int rows, int cols) {
    A.resize(rows, cols);
    A.set_zero();
  };
  zero(by_x, nr + nw, n + 1);
  zero(by_u, nr + nw, n);
  copy_to_dense(*ws_->aux_aux.pattern, ws_->aux_aux.values, own);
  multiply_add(1, ws_->aux_p, nullptr, X_, by_x);
  multiply_add(1, ws_->aux_v, nullptr, V_, by_x);
  multiply_add(1, ws_->aux_v, nullptr, body_B_, by_u);
  for (int i = 0; i < nr; ++i) by_x(i, n) += ws_->b_t[i];
  for (int i = 0; i < nw; ++i) by_x(nr + i, n) += ws_->d_t[i];
  // w by (x, t), u, r.
  w_x.resize(nw, n + 1);
  w_u.resize(nw, n);
  w_r.resize(nw, nr);
  d_w.resize(nw, nw);
  for (int i = 0; i < nw; ++i) {
    for (int j = 0; j < nw; ++j) d_w(i, j) = own(nr + i, nr + j);
    for (int j = 0; j <= n; ++j) w_x(i, j) = -by_x(nr + i, j);
    for (int j = 0; j < n; ++j) w_u(i, j) = -by_u(nr + i, j);
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
  const int nv = system_.sizes().v;
  f_r.resize(nv, nr);
  for (int k = 0; k < nv; ++k) {
    for (int i = 0; i < nr; ++i) f_r(k, i) = f_aux(k, i);
    for (int i = 0; i < nw; ++i) {
      const double f = f_aux(k, nr + i);
      if (f == 0) continue;
      for (int j = 0; j <= n; ++j) W1_(k, j) += f * w_x(i, j);
      for (int j = 0; j < n; ++j) W2_(k, j) += f * w_u(i, j);
      for (int j = 0; j < nr; ++j) f_r(k, j) += f * w_r(i, j);
    }
  }
  transposed_product(body_B_, f_r, out.A_z);
  b_x.resize(nr, n + 1);
  out.B_u.resize(nr, n);
  out.B_z.resize(nr, nr);
  for (int i = 0; i < nr; ++i) {
    for (int j = 0; j <= n; ++j) b_x(i, j) = by_x(i, j);
    for (int j = 0; j < n; ++j) out.B_u(i, j) = by_u(i, j);
    for (int j = 0; j < nr; ++j) out.B_z(i, j) = own(i, j);
    for (int k = 0; k < nw; ++k) {
      const double b = own(i, nr + k);
      for (int j = 0; j <= n; ++j) b_x(i, j) += b * w_x(k, j);
      for (int j = 0; j < n; ++j) out.B_u(i, j) += b * w_u(k, j);
      for (int j = 0; j < nr; ++j) out.B_z(i, j) += b * w_r(k, j);
    }
  }
  split(b_x, out.B_x, out.B_t);
  return Eval::ok;
}

}  // namespace kardan
