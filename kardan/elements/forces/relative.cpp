#include "kardan/elements/forces/relative.h"

namespace kardan {
namespace {

/// values[i0.., j0..] += s * block
void add_block(double* values, int stride, int i0, int j0, double s, const Mat3d& block) {
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) values[(i0 + i) * stride + j0 + j] += s * block[i][j];
}
void add_column(double* values, int stride, int i0, int j, double s, const Vec2d& a) {
  values[i0 * stride + j] += s * a.x;
  values[(i0 + 1) * stride + j] += s * a.y;
}
void add_rotation(double* values, int stride, int i0, int j0, double s, const Rot2d& R) {
  add_column(values, stride, i0, j0, s, {R.c, R.s});
  add_column(values, stride, i0, j0 + 1, s, {-R.s, R.c});
}

/// z_p; z_v has the rows (rho, phi) of z_p in its rows (rho', omega) and is zero else.
void relative_derivatives(const Pair<3>& bodies, const RelativeMotion<3>& z, const Vec3d& sB,
                          double (&z_p)[12][12]) {
  using M = Measure<3>;
  const BodyMotion<3>&A = bodies.A, &B = bodies.B;
  double* v = &z_p[0][0];
  const Mat3d RA = transposed(A.R);
  const Mat3d Cs = times_tilde(z.C, sB);
  add_block(v, 12, 0, M::xA, -1, RA);
  add_block(v, 12, 0, M::qA, 1, tilde(z.rho));
  add_block(v, 12, 0, M::xB, 1, RA);
  add_block(v, 12, 0, M::qB, -1, Cs);
  add_block(v, 12, 3, M::qA, -1, Mat3d::identity());
  add_block(v, 12, 3, M::qB, 1, z.C);
  // rho' = u - w_A x rho, u = R_A'(velocity of P relative to that of x_A)
  const Vec3d arm_rate = cross(B.w, sB);
  const Vec3d u = transposed_times(A.R, B.v - A.v) + z.C * arm_rate;
  const Mat3d wA = tilde(A.w), wR = wA * RA;
  add_block(v, 12, 6, M::xA, 1, wR);
  add_block(v, 12, 6, M::qA, 1, tilde(u) - tilde_tilde(A.w, z.rho));
  add_block(v, 12, 6, M::xB, -1, wR);
  add_block(v, 12, 6, M::qB, 1, wA * Cs - times_tilde(z.C, arm_rate));
  add_block(v, 12, 9, M::qA, 1, tilde(z.C * B.w));
  add_block(v, 12, 9, M::qB, -1, times_tilde(z.C, B.w));
}

void relative_derivatives(const Pair<2>& bodies, const RelativeMotion<2>& z, const Vec2d& sB,
                          double (&z_p)[6][6]) {
  using M = Measure<2>;
  const BodyMotion<2>&A = bodies.A, &B = bodies.B;
  double* v = &z_p[0][0];
  const Rot2d RA{A.R.c, -A.R.s}, quarter{0, 1};
  const Vec2d c = z.C * sB;
  add_rotation(v, 6, 0, M::xA, -1, RA);
  add_column(v, 6, 0, M::qA, -1, perp(z.rho));
  add_rotation(v, 6, 0, M::xB, 1, RA);
  add_column(v, 6, 0, M::qB, 1, perp(c));
  z_p[2][M::qA] = -1;
  z_p[2][M::qB] = 1;
  // rho' = y - w_A perp(rho) + w_B perp(c), y = R_A'(v_B - v_A), c = C s_B
  const Vec2d y = transposed_times(A.R, B.v - A.v);
  const Rot2d quarter_RA = quarter * RA;
  add_rotation(v, 6, 3, M::xA, A.w, quarter_RA);
  add_column(v, 6, 3, M::qA, 1, B.w * c - perp(y) - A.w * z.rho);
  add_rotation(v, 6, 3, M::xB, -A.w, quarter_RA);
  add_column(v, 6, 3, M::qB, 1, (A.w - B.w) * c);
}

/// S(p) of Q = S W.
void transport(const Pair<3>& bodies, const RelativeMotion<3>& z, const Vec3d& sB,
               double (&S)[12][6]) {
  using M = Measure<3>;
  double* v = &S[0][0];
  const Mat3d Ct = transposed(z.C);
  add_block(v, 6, M::xA, 0, -1, bodies.A.R);
  add_block(v, 6, M::qA, 0, -1, tilde(z.rho));
  add_block(v, 6, M::qA, 3, -1, Mat3d::identity());
  add_block(v, 6, M::xB, 0, 1, bodies.A.R);
  add_block(v, 6, M::qB, 0, 1, tilde(sB) * Ct);
  add_block(v, 6, M::qB, 3, 1, Ct);
}
void transport(const Pair<2>& bodies, const RelativeMotion<2>& z, const Vec2d& sB,
               double (&S)[6][3]) {
  using M = Measure<2>;
  double* v = &S[0][0];
  const Vec2d c = z.C * sB;
  add_rotation(v, 3, M::xA, 0, -1, bodies.A.R);
  add(S[M::qA], 0, -1, Vec3d{-z.rho.y, z.rho.x, 1});
  add_rotation(v, 3, M::xB, 0, 1, bodies.A.R);
  add(S[M::qB], 0, 1, Vec3d{-c.y, c.x, 1});
}

}  // namespace

template <>
RelativeMotion<3> relative_motion(const Pair<3>& bodies, const Vec3d& sB) {
  const BodyMotion<3>&A = bodies.A, &B = bodies.B;
  RelativeMotion<3> z;
  z.C = transposed_times(A.R, B.R);
  z.rho = transposed_times(A.R, B.x - A.x) + z.C * sB;
  z.rho1 = transposed_times(A.R, B.v - A.v) + z.C * cross(B.w, sB) - cross(A.w, z.rho);
  z.omega = z.C * B.w - A.w;
  return z;
}

template <>
RelativeMotion<2> relative_motion(const Pair<2>& bodies, const Vec2d& sB) {
  const BodyMotion<2>&A = bodies.A, &B = bodies.B;
  RelativeMotion<2> z;
  z.C = Rot2d{A.R.c, -A.R.s} * B.R;
  const Vec2d c = z.C * sB;
  z.rho = transposed_times(A.R, B.x - A.x) + c;
  z.rho1 = transposed_times(A.R, B.v - A.v) - A.w * perp(z.rho) + B.w * perp(c);
  z.angle = B.angle - A.angle;
  z.omega = B.w - A.w;
  return z;
}

namespace {

/// W_p = W_z z_p and W_v, whose z_v repeats the upper half of z_p.
template <int D>
void chain(const RelativeWrench<D>& W, const double (&z_p)[2 * dofs<D>][2 * dofs<D>],
           double (&W_p)[dofs<D>][2 * dofs<D>], double (&W_v)[dofs<D>][2 * dofs<D>]) {
  constexpr int m = dofs<D>, n = 2 * m;
  for (int i = 0; i < m; ++i) {
    for (int j = 0; j < n; ++j) W_p[i][j] = W_v[i][j] = 0;
    for (int k = 0; k < n; ++k) {
      const double w = W.W_z[i][k];
      if (w == 0) continue;  // most laws leave out whole blocks
      for (int j = 0; j < n; ++j) W_p[i][j] += w * z_p[k][j];
      if (k < m) continue;
      for (int j = 0; j < n; ++j) W_v[i][j] += w * z_p[k - m][j];
    }
  }
}

/// Q += S W without forming S.
void add_value(const Pair<3>& bodies, const RelativeMotion<3>& z, const Vec3d& sB,
               const double (&W)[6], double* Q) {
  using M = Measure<3>;
  const Vec3d f{W[0], W[1], W[2]}, m{W[3], W[4], W[5]};
  const Vec3d F = bodies.A.R * f;
  add(Q, M::xA, -1, F);
  add(Q, M::qA, -1, cross(z.rho, f) + m);
  add(Q, M::xB, 1, F);
  add(Q, M::qB, 1, cross(sB, transposed_times(z.C, f)) + transposed_times(z.C, m));
}
void add_value(const Pair<2>& bodies, const RelativeMotion<2>& z, const Vec2d& sB,
               const double (&W)[3], double* Q) {
  using M = Measure<2>;
  const Vec2d f{W[0], W[1]}, F = bodies.A.R * f;
  add(Q, M::xA, -1, F);
  add(Q, M::qA, -1, cross(z.rho, f) + W[2]);
  add(Q, M::xB, 1, F);
  add(Q, M::qB, 1, cross(z.C * sB, f) + W[2]);
}

/// Change of Q by the turning frames at fixed (f, m): R_A f, rho x f, C'f and C'm.
void add_turning(const Pair<3>& bodies, const RelativeMotion<3>& z, const Vec3d& sB, const Vec3d& f,
                 const Vec3d& m, const double (&z_p)[12][12], Force<3>& F) {
  using M = Measure<3>;
  double* Q_p = &F.Q_p[0][0];
  const Mat3d Rf = times_tilde(bodies.A.R, f);
  add_block(Q_p, 12, M::xA, M::qA, 1, Rf);
  add_block(Q_p, 12, M::xB, M::qA, -1, Rf);
  const Mat3d f_tilde = tilde(f);
  for (int i = 0; i < 3; ++i)
    for (int k = 0; k < 3; ++k)
      for (int j = 0; j < 12; ++j) F.Q_p[M::qA + i][j] += f_tilde[i][k] * z_p[k][j];
  const Mat3d Ct = transposed(z.C);
  const Vec3d fB = Ct * f, mB = Ct * m;
  add_block(Q_p, 12, M::qB, M::qA, -1, tilde(sB) * times_tilde(Ct, f) + times_tilde(Ct, m));
  add_block(Q_p, 12, M::qB, M::qB, 1, tilde_tilde(sB, fB) + tilde(mB));
}

void add_turning(const Pair<2>& bodies, const RelativeMotion<2>& z, const Vec2d& sB, const Vec2d& f,
                 double, const double (&z_p)[6][6], Force<2>& F) {
  using M = Measure<2>;
  const Vec2d Rf = bodies.A.R * perp(f);
  add_column(&F.Q_p[0][0], 6, M::xA, M::qA, -1, Rf);
  add_column(&F.Q_p[0][0], 6, M::xB, M::qA, 1, Rf);
  for (int j = 0; j < 6; ++j) F.Q_p[M::qA][j] -= z_p[0][j] * f.y - z_p[1][j] * f.x;
  const double bend = dot(z.C * sB, f);
  F.Q_p[M::qB][M::qA] += bend;
  F.Q_p[M::qB][M::qB] -= bend;
}

}  // namespace

template <int D>
void add_relative_wrench(const Pair<D>& bodies, const RelativeMotion<D>& z, const VecOf<D>& sB,
                         const RelativeWrench<D>& W, Depth depth, Force<D>& F) {
  constexpr int m = dofs<D>, n = 2 * m;
  if (depth != Depth::second) return add_value(bodies, z, sB, W.W, F.Q);
  double S[n][m] = {};
  transport(bodies, z, sB, S);
  double z_p[n][n] = {}, W_p[m][n], W_v[m][n];
  relative_derivatives(bodies, z, sB, z_p);
  chain<D>(W, z_p, W_p, W_v);
  for (int i = 0; i < n; ++i)
    for (int k = 0; k < m; ++k) {
      const double s = S[i][k];
      if (s == 0) continue;  // a third of S is zero for every pose
      F.Q[i] += s * W.W[k];
      F.Q_t[i] += s * W.W_t[k];
      for (int j = 0; j < n; ++j) F.Q_p[i][j] += s * W_p[k][j];
      for (int j = 0; j < n; ++j) F.Q_v[i][j] += s * W_v[k][j];
    }
  if constexpr (D == 3) {
    add_turning(bodies, z, sB, {W.W[0], W.W[1], W.W[2]}, {W.W[3], W.W[4], W.W[5]}, z_p, F);
  } else {
    add_turning(bodies, z, sB, {W.W[0], W.W[1]}, W.W[2], z_p, F);
  }
}

template void add_relative_wrench<2>(const Pair<2>&, const RelativeMotion<2>&, const Vec2d&,
                                     const RelativeWrench<2>&, Depth, Force<2>&);
template void add_relative_wrench<3>(const Pair<3>&, const RelativeMotion<3>&, const Vec3d&,
                                     const RelativeWrench<3>&, Depth, Force<3>&);

}  // namespace kardan
