/// The exact Jacobian of the state-space form at the base of the chart (see state_space.h).

#include <algorithm>

#include "kardan/formulation/state_space.h"
#include "kardan/linalg/dense_lu.h"

namespace kardan {
namespace {

/// Y(0..rows) += factor * A(rows) X for a sparse A; `rows` picks rows of A (all when null).
void multiply_add(double factor, const SparseMatrix& A, const std::vector<int>* rows,
                  const Matrix& X, Matrix& Y) {
  const SparsePattern& p = *A.pattern;
  const int count = rows ? static_cast<int>(rows->size()) : p.rows;
  const auto width = static_cast<std::size_t>(X.cols());
  for (int i = 0; i < count; ++i) {
    const int row = rows ? (*rows)[i] : i;
    for (int k = p.row_start[row]; k < p.row_start[row + 1]; ++k)
      if (A.values[k] != 0)
        add_scaled(factor * A.values[k], {X.row(p.column[k]), width}, {Y.row(i), width});
  }
}

/// Y = B' X
void transposed_product(const Matrix& B, const Matrix& X, Matrix& Y) {
  Y.resize(B.cols(), X.cols());
  Y.set_zero();
  const auto width = static_cast<std::size_t>(X.cols());
  for (int k = 0; k < B.rows(); ++k)
    for (int i = 0; i < B.cols(); ++i)
      if (B(k, i) != 0) add_scaled(B(k, i), {X.row(k), width}, {Y.row(i), width});
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

/// Y += E X for the curvature of the chart, per body: rotation rows of X times a 3 x 3 matrix.
void StateSpace::add_chart_curvature(CurvatureOf level, const Matrix& X, Matrix& Y) const {
  if (system_.dimension() == 2) return;
  const int width = X.cols();
  for (std::size_t b = 1; b < system_.bodies().size(); ++b) {
    if (system_.bodies()[b].v_count <= 3) continue;
    const int i = system_.bodies()[b].v + 3;
    const Vec3d w{base_.v[i], base_.v[i + 1], base_.v[i + 2]};
    Mat3d E = 0.5 * tilde(w);
    if (level == CurvatureOf::acceleration) {
      const Vec3d alpha{base_a_[i], base_a_[i + 1], base_a_[i + 2]};
      E = 0.5 * tilde(alpha) - (1.0 / 6) * tilde_tilde(w, w);
    }
    for (int r = 0; r < 3; ++r)
      for (int c = 0; c < 3; ++c) {
        const double e = E[r][c];
        if (e == 0) continue;
        double* y = Y.row(i + r);
        const double* x = X.row(i + c);
        for (int k = 0; k < width; ++k) y[k] += e * x[k];
      }
  }
}

Eval StateSpace::jacobian(LocalJacobian& out) {
  if (!at_base_values_)
    if (Eval e = system_.evaluate(base_, Request::all(), *ws_); e != Eval::ok) return e;
  if (Eval e = system_.differentiate(base_, base_a_, base_lambda_, *ws_); e != Eval::ok) {
    culprit_ = "derivatives that are not finite";
    return e;
  }
  const int n = second(), m = static_cast<int>(rows_.size()), nv = system_.sizes().v;
  // X = dq by (x, t); the last column is the motion of the constraints in time.
  X_.resize(nv, n + 1);
  for (int j = 0; j < nv; ++j) {
    std::copy_n(B_.row(j), n, X_.row(j));
    X_(j, n) = 0;
  }
  for (int k = 0; k < m; ++k) X_(dependent_[k], n) = H_t_[k];

  // V = dv by (x, t): E1 X, and the dependent rows from G V = -(rate_p X + rate_t).
  V_.resize(nv, n + 1);
  V_.set_zero();
  add_chart_curvature(CurvatureOf::velocity, X_, V_);
  close_dependent(ws_->rate_p, X_, nullptr, ws_->rate_t, V_);
  // A = da by (x, t) with x'' held: E2 X, and the dependent rows from the acceleration constraint.
  A_.resize(nv, n + 1);
  A_.set_zero();
  add_chart_curvature(CurvatureOf::acceleration, X_, A_);
  close_dependent(ws_->accel_p, X_, &V_, ws_->accel_t, A_);
  // N = da by u with x'' held.
  N_.resize(nv, n);
  N_.set_zero();
  if (m > 0) {
    W3_.resize(m, n);
    W3_.set_zero();
    multiply_add(-1, ws_->accel_v, &rows_, B_, W3_);
    at_base_->solve(W3_);
    for (int k = 0; k < m; ++k) std::copy_n(W3_.row(k), n, N_.row(dependent_[k]));
  }

  // Forces by (x, t) and by u, then reduced.
  W1_.resize(nv, n + 1);
  W1_.set_zero();
  multiply_add(1, ws_->f_p, nullptr, X_, W1_);
  multiply_add(1, ws_->f_v, nullptr, V_, W1_);
  multiply_add(-1, ws_->M, nullptr, A_, W1_);
  for (int j = 0; j < nv; ++j) W1_(j, n) += ws_->f_t[j];
  W2_.resize(nv, n);
  W2_.set_zero();
  multiply_add(1, ws_->f_v, nullptr, B_, W2_);
  multiply_add(-1, ws_->M, nullptr, N_, W2_);
  if (system_.sizes().r + system_.sizes().w > 0) {
    if (Eval e = add_auxiliary(out); e != Eval::ok) return e;
  } else {
    for (Matrix* empty : {&out.A_z, &out.B_x, &out.B_u, &out.B_z}) empty->resize(0, 0);
  }
  transposed_product(B_, W1_, W4_);
  split(W4_, out.A_x, out.A_t);
  transposed_product(B_, W2_, out.A_u);
  W3_.resize(nv, n);
  W3_.set_zero();
  multiply_add(1, ws_->M, nullptr, B_, W3_);
  transposed_product(B_, W3_, out.M);
  return Eval::ok;
}

/// Rows of dependent coordinates of Y from  G Y + R X + accel_v V + r_t = 0.
void StateSpace::close_dependent(const SparseMatrix& R, const Matrix& X, const Matrix* V,
                                 const Vector& by_t, Matrix& Y) {
  const int m = static_cast<int>(rows_.size()), n = second();
  if (m == 0) return;
  W3_.resize(m, n + 1);
  W3_.set_zero();
  multiply_add(-1, ws_->G, &rows_, Y, W3_);
  multiply_add(-1, R, &rows_, X, W3_);
  if (V) multiply_add(-1, ws_->accel_v, &rows_, *V, W3_);
  for (int i = 0; i < m; ++i) W3_(i, n) -= by_t[rows_[i]];
  at_base_->solve(W3_);
  for (int k = 0; k < m; ++k)
    add_scaled(1, {W3_.row(k), static_cast<std::size_t>(n + 1)},
               {Y.row(dependent_[k]), static_cast<std::size_t>(n + 1)});
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
  multiply_add(1, ws_->aux_v, nullptr, B_, by_u);
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
  transposed_product(B_, f_r, out.A_z);
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
