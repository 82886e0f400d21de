#include "kardan/elements/forces/point_force.h"

namespace kardan {
namespace {

/// dU1/dtheta: -R u1~ in space, perp(U1) in the plane.
void rate_block(const FixedVector<3>& s, double (&block)[3][3]) {
  const Mat3d P = times_tilde(s.body->R, s.u1);
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) block[i][j] = -P[i][j];
}
void rate_block(const FixedVector<2>& s, double (&block)[2][1]) {
  block[0][0] = -s.U1.y;
  block[1][0] = s.U1.x;
}

/// (S0'F)_theta at fixed F.
void add_bend(const FixedVector<3>& s, const Vec3d& F, double (&Q_p)[12][12]) {
  const Mat3d C = tilde_tilde(s.u0, s.local(F));
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) Q_p[9 + i][9 + j] += C[i][j];
}
void add_bend(const FixedVector<2>& s, const Vec2d& F, double (&Q_p)[6][6]) {
  Q_p[5][5] -= dot(F, s.U0);
}

/// Adds [dF; S0' dF] for one column dF.
template <int D>
void add_transported(const VectorBlock<D>& S, const double* dF, double* column, int stride) {
  for (int k = 0; k < D; ++k) {
    column[k * stride] += dF[k];
    for (int i = 0; i < spins<D>; ++i) column[(D + i) * stride] += S.m[k][i] * dF[k];
  }
}

}  // namespace

template <int D>
void add_point_force(const FixedVector<D>& arm, const PointForce<D>& f, Depth depth,
                     Force<D>& out) {
  constexpr int n = Force<D>::n, x = Measure<D>::xB, q = Measure<D>::qB;
  const VectorBlock<D> S0(arm);
  double dF[D];
  for (int k = 0; k < D; ++k) dF[k] = f.F[k];
  add_transported(S0, dF, out.Q + x, 1);
  if (depth != Depth::second) return;

  double S1[D][spins<D>];
  rate_block(arm, S1);
  for (int j = 0; j < D; ++j) {
    for (int k = 0; k < D; ++k) dF[k] = f.F_P[k][j];
    add_transported(S0, dF, &out.Q_p[x][x + j], n);
    for (int k = 0; k < D; ++k) dF[k] = f.F_V[k][j];
    add_transported(S0, dF, &out.Q_v[x][x + j], n);
  }
  for (int j = 0; j < spins<D>; ++j) {
    double dF_v[D];
    for (int k = 0; k < D; ++k) {
      dF[k] = dF_v[k] = 0;
      for (int l = 0; l < D; ++l) {
        dF[k] += f.F_P[k][l] * S0.m[l][j] + f.F_V[k][l] * S1[l][j];
        dF_v[k] += f.F_V[k][l] * S0.m[l][j];
      }
    }
    add_transported(S0, dF, &out.Q_p[x][q + j], n);
    add_transported(S0, dF_v, &out.Q_v[x][q + j], n);
  }
  add_bend(arm, f.F, out.Q_p);
  for (int k = 0; k < D; ++k) dF[k] = f.F_t[k];
  add_transported(S0, dF, out.Q_t + x, 1);
}

template void add_point_force<2>(const FixedVector<2>&, const PointForce<2>&, Depth, Force<2>&);
template void add_point_force<3>(const FixedVector<3>&, const PointForce<3>&, Depth, Force<3>&);

}  // namespace kardan
