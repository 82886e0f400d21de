/// Derivatives of the accelerations in all coordinates, at the base. With the changes dv = du + E1
/// dx and dv' = dx'' + E2 dx of the chart,
///
///   M da + G' dlambda = (f - M a - G' lambda)_p dx + f_v dv + f_z dz + f_w dw + f_t dt
///   G da = -(G a - gamma)_p dx + gamma_v dv - ... - 2 alpha d(rate) - beta^2 dg
///
/// where w follows from d = 0.

#include <algorithm>

#include "kardan/base/vec.h"
#include "kardan/formulation/all_coordinates.h"
#include "kardan/formulation/culprit.h"

namespace kardan {
namespace {

/// D(row + i, column + j) += factor A(i, j)
void scatter(double factor, const SparseMatrix& A, int row, int column, Matrix& D) {
  const SparsePattern& p = *A.pattern;
  for (int i = 0; i < p.rows; ++i)
    for (int k = p.row_start[i]; k < p.row_start[i + 1]; ++k)
      D(row + i, column + p.column[k]) += factor * A.values[k];
}

void copy(const Matrix& from, int row, int column, int rows, int columns, Matrix& to) {
  to.resize(rows, columns);
  for (int i = 0; i < rows; ++i) std::copy_n(from.row(row + i) + column, columns, to.row(i));
}

}  // namespace

/// (f; c; b; d) by (x, u, z, t, w), dense, with the chart's E1.
Eval AllCoordinates::differentiate_base() {
  const int n = second_order(), m = rows(), nr = first_order(), nw = auxiliary();
  point_ = base_.state;
  if (Eval e = evaluate_at(*base_at_, What::all); e != Eval::ok) return e;
  if (Eval e = system_.differentiate(base_.state, base_.a, base_.lambda, *ws_); e != Eval::ok) {
    culprit_ = derivatives_not_finite;
    return e;
  }
  Matrix& D = all_;
  D.resize(n + m + nr + nw, 2 * n + nr + 1 + nw);
  D.set_zero();
  const int z = 2 * n, t = z + nr;
  scatter(1, ws_->f_p, 0, 0, D);
  scatter(1, ws_->f_v, 0, n, D);
  const SparsePattern& p = *ws_->G.pattern;
  for (int i = 0; i < m; ++i) {
    const int row = rows_.independent[i];
    const double feedback = i < rows_.holonomic ? gains_.beta * gains_.beta : 0;
    for (int k = p.row_start[row]; k < p.row_start[row + 1]; ++k) {
      const int j = p.column[k];
      const double G = ws_->G.values[k];
      D(n + i, j) =
          -ws_->accel_p.values[k] - 2 * gains_.alpha * ws_->rate_p.values[k] - feedback * G;
      D(n + i, n + j) = -ws_->accel_v.values[k] - 2 * gains_.alpha * G;
    }
    D(n + i, t) =
        -ws_->accel_t[row] - 2 * gains_.alpha * ws_->rate_t[row] - feedback * ws_->g_t[row];
  }
  scatter(1, ws_->aux_p, n + m, 0, D);
  scatter(1, ws_->aux_v, n + m, n, D);
  for (int i = 0; i < n; ++i) D(i, t) = ws_->f_t[i];
  for (int i = 0; i < nr; ++i) D(n + m + i, t) = ws_->b_t[i];
  for (int i = 0; i < nw; ++i) D(n + m + nr + i, t) = ws_->d_t[i];
  // z and w stand together in the equations, apart here: t is between them.
  auto by_aux = [&](const SparseMatrix& A, int row) {
    const SparsePattern& q = *A.pattern;
    for (int i = 0; i < q.rows; ++i)
      for (int k = q.row_start[i]; k < q.row_start[i + 1]; ++k)
        D(row + i, z + q.column[k] + (q.column[k] < nr ? 0 : 1)) += A.values[k];
  };
  by_aux(ws_->force_aux, 0);
  by_aux(ws_->aux_aux, n + m);
  for (const Chart::Turn& turn : chart_.turns()) {
    const int spin = turn.v;
    const Mat3d E1 = 0.5 * tilde(three_at(base_.state.v, spin));
    for (int i = 0; i < D.rows(); ++i)
      for (int k = 0; k < 3; ++k)
        for (int c = 0; c < 3; ++c) D(i, spin + k) += D(i, n + spin + c) * E1[c][k];
  }
  return Eval::ok;
}

/// Takes w out of the first rows of D through its last ones.
Eval AllCoordinates::eliminate_auxiliaries() {
  const int nw = auxiliary(), top = all_.rows() - nw, others = all_.cols() - nw;
  if (nw == 0) return Eval::ok;
  auto& [d_w, by_others, lu] = scratch_.aux;
  copy(all_, top, others, nw, nw, d_w);
  copy(all_, top, 0, nw, others, by_others);
  if (Eval e = lu.factor(d_w); e != Eval::ok) {
    culprit_ = auxiliary_not_determined;
    return e;
  }
  lu.solve(by_others);
  for (int i = 0; i < top; ++i)
    for (int k = 0; k < nw; ++k) {
      const double by_w = all_(i, others + k);
      if (by_w == 0) continue;
      for (int j = 0; j < others; ++j) all_(i, j) -= by_w * by_others(k, j);
    }
  return Eval::ok;
}

Eval AllCoordinates::jacobian(LocalJacobian& out) {
  if (Eval e = differentiate_base(); e != Eval::ok) return e;
  if (Eval e = eliminate_auxiliaries(); e != Eval::ok) return e;
  const int n = second_order(), m = rows(), nr = first_order();
  const int columns = 2 * n + nr + 1;
  scratch_.a.resize(n);
  scratch_.c.resize(m);
  for (int j = 0; j < columns; ++j) {
    for (int i = 0; i < n; ++i) scratch_.a[i] = all_(i, j);
    for (int i = 0; i < m; ++i) scratch_.c[i] = all_(n + i, j);
    base_at_->solver->solve(scratch_.a, scratch_.c);
    for (int i = 0; i < n; ++i) all_(i, j) = scratch_.a[i];
  }
  for (const Chart::Turn& turn : chart_.turns()) {
    const int spin = turn.v;
    const Vec3d w = three_at(base_.state.v, spin);
    const Mat3d E2 = 0.5 * tilde(three_at(base_.a, spin)) - (1.0 / 6) * tilde_tilde(w, w);
    for (int i = 0; i < 3; ++i)
      for (int k = 0; k < 3; ++k) all_(spin + i, spin + k) -= E2[i][k];
  }
  out.M.resize(n, n);
  out.M.set_zero();
  for (int i = 0; i < n; ++i) out.M(i, i) = 1;
  copy(all_, 0, 0, n, n, out.A_x);
  copy(all_, 0, n, n, n, out.A_u);
  copy(all_, 0, 2 * n, n, nr, out.A_z);
  copy(all_, n + m, 0, nr, n, out.B_x);
  copy(all_, n + m, n, nr, n, out.B_u);
  copy(all_, n + m, 2 * n, nr, nr, out.B_z);
  out.A_t.resize(n);
  out.B_t.resize(nr);
  for (int i = 0; i < n; ++i) out.A_t[i] = all_(i, columns - 1);
  for (int i = 0; i < nr; ++i) out.B_t[i] = all_(n + m + i, columns - 1);
  return Eval::ok;
}

}  // namespace kardan
