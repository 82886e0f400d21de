#include "kardan/elements/constraint_bank.h"

namespace kardan {
namespace {

/// Adds +-d(p_WP)/dp of one end to the D rows of a point constraint: [I, block].
template <int D>
void add_point_columns(double* values, int stride, int count, double sign,
                       const double (&block)[D][spins<D>]) {
  for (int k = 0; k < D; ++k) {
    double* row = values + k * stride;
    if (count >= D) row[k] += sign;
    if (count > D)
      for (int j = 0; j < spins<D>; ++j) row[D + j] += sign * block[k][j];
  }
}

/// Adds sign * block to the rotation columns only.
template <int D>
void add_spin_columns(double* values, int stride, int count, double sign,
                      const double (&block)[D][spins<D>]) {
  if (count <= D) return;
  for (int k = 0; k < D; ++k)
    for (int j = 0; j < spins<D>; ++j) values[k * stride + D + j] += sign * block[k][j];
}

/// d(R u)/dtheta for a body-frame vector u (space) or its world image U (plane).
void turn_block(const FixedVector<3>& s, const Vec3d& u, double (&block)[3][3]) {
  const Mat3d P = times_tilde(s.body->R, u);
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) block[i][j] = -P[i][j];
}
void turn_block(const FixedVector<2>&, const Vec2d& U, double (&block)[2][1]) {
  block[0][0] = -U.y;
  block[1][0] = U.x;
}
const Vec3d& level(const FixedVector<3>& s, int k) {
  return k == 0 ? s.u0 : (k == 1 ? s.u1 : s.u2);
}
const Vec2d& level(const FixedVector<2>& s, int k) {
  return k == 0 ? s.U0 : (k == 1 ? s.U1 : s.U2);
}

/// d(U2)/dw: -R (u1~ + w~ s~) in space, -2 w U0 in the plane.
void spin_rate_block(const FixedVector<3>& s, double (&block)[3][3]) {
  const Mat3d E = s.body->R * (tilde(s.u1) + tilde_tilde(s.body->w, s.u0));
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) block[i][j] = -E[i][j];
}
void spin_rate_block(const FixedVector<2>& s, double (&block)[2][1]) {
  block[0][0] = -2 * s.body->w * s.U0.x;
  block[1][0] = -2 * s.body->w * s.U0.y;
}

/// (P' F)_theta for a force F on the point: s~ (R'F)~ in space, -F.U0 in the plane.
void add_bend(const FixedVector<3>& s, const Vec3d& F, double* values, int stride) {
  const Mat3d C = tilde_tilde(s.u0, s.local(F));
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) values[(3 + i) * stride + 3 + j] += C[i][j];
}
void add_bend(const FixedVector<2>& s, const Vec2d& F, double* values, int stride) {
  values[2 * stride + 2] -= dot(F, s.U0);
}

}  // namespace

template <int D>
void PointRows<D>::evaluate(const Context<D>& at, Depth depth, const ConstraintValues& out) const {
  if (depth == Depth::value) {
    for (const Item& i : items) {
      const BodyMotion<D>&A = at.bodies[i.slots.A.body], &B = at.bodies[i.slots.B.body];
      const VecOf<D> d = B.x + B.R * i.sB - A.x - A.R * i.sA;
      for (int k = 0; k < D; ++k) out.g[i.slots.row + k] += d[k];
    }
    return;
  }
  const bool moves = depth != Depth::gradient;
  double block[D][spins<D>];
  for (const Item& i : items) {
    const BodyMotion<D>&A = at.bodies[i.slots.A.body], &B = at.bodies[i.slots.B.body];
    const FixedVector<D> a(A, i.sA, moves), b(B, i.sB, moves);
    const VecOf<D> d0 = B.x + b.U0 - A.x - a.U0;
    const int row = i.slots.row;
    for (int k = 0; k < D; ++k) out.g[row + k] += d0[k];
    if (moves) {
      const VecOf<D> d1 = B.v + b.U1 - A.v - a.U1, d2 = B.a + b.U2 - A.a - a.U2;
      for (int k = 0; k < D; ++k) {
        out.rate[row + k] += d1[k];
        out.accel[row + k] += d2[k];
      }
    }
    if (depth == Depth::rates) continue;
    turn_block(a, level(a, 0), block);
    add_point_columns<D>(out.G + i.slots.value_A, i.slots.stride, i.slots.A.count, -1, block);
    turn_block(b, level(b, 0), block);
    add_point_columns<D>(out.G + i.slots.value_B, i.slots.stride, i.slots.B.count, 1, block);
  }
}

template <int D>
void PointRows<D>::differentiate(const Context<D>& at, std::span<const PairSlots> pairs,
                                 const ConstraintValues& out, const ForceValues& forces) const {
  double block[D][spins<D>];
  for (const Item& i : items) {
    const FixedVector<D> ends[2] = {{at.bodies[i.slots.A.body], i.sA},
                                    {at.bodies[i.slots.B.body], i.sB}};
    const PairSlots& pair = pairs[i.slots.pairs];
    for (int e = 0; e < 2; ++e) {
      const double sign = e == 0 ? -1 : 1;
      const int count = e == 0 ? i.slots.A.count : i.slots.B.count;
      const int first = e == 0 ? i.slots.value_A : i.slots.value_B;
      if (count <= D) continue;
      turn_block(ends[e], level(ends[e], 1), block);
      add_spin_columns<D>(out.rate_p + first, i.slots.stride, count, sign, block);
      turn_block(ends[e], level(ends[e], 2), block);
      add_spin_columns<D>(out.accel_p + first, i.slots.stride, count, sign, block);
      spin_rate_block(ends[e], block);
      add_spin_columns<D>(out.accel_v + first, i.slots.stride, count, sign, block);
      if (!forces.lambda) continue;
      // f_p receives -(G' lambda)_p: the bend of -sign*lambda.
      VecOf<D> F;
      for (int k = 0; k < D; ++k) F[k] = -sign * forces.lambda[i.slots.row + k];
      if (e == 0) {
        add_bend(ends[e], F, forces.f_p + pair.AA, pair.stride_A);
      } else {
        add_bend(ends[e], F, forces.f_p + pair.BB, pair.stride_B);
      }
    }
  }
}

template class PointRows<2>;
template class PointRows<3>;

}  // namespace kardan
