#include "kardan/elements/twist.h"

#include "kardan/base/rotation.h"

namespace kardan {
namespace {

Quaternion pure(const Vec3d& u) {
  return {0, u.x, u.y, u.z};
}
Quaternion operator*(double s, const Quaternion& q) {
  return {s * q.w, s * q.x, s * q.y, s * q.z};
}
Quaternion operator+(const Quaternion& a, const Quaternion& b) {
  return {a.w + b.w, a.x + b.x, a.y + b.y, a.z + b.z};
}
Quaternion operator-(const Quaternion& a, const Quaternion& b) {
  return {a.w - b.w, a.x - b.x, a.y - b.y, a.z - b.z};
}

/// What 2 q_z and its derivatives are made of.
struct Twist {
  Quaternion q, q1;         // of B seen from A, and its rate
  Quaternion a, b;          // spins in the frames' axes
  Quaternion a1, b1;        // their rates
  Quaternion eA[3], eB[3];  // unit spins of the bodies in the frames' axes

  Twist(const TwistRows::Item& i, const Context<3>& at) {
    const BodyMotion<3>&A = at.bodies[i.slots.A.body], &B = at.bodies[i.slots.B.body];
    q = quaternion_from_matrix(relative_rotation(A.R, i.RA, B.R, i.RB));
    if (i.counter >= 0 && at.turns[i.counter] % 2 != 0) q = -1.0 * q;
    a = pure(transposed_times(i.RA, A.w));
    b = pure(transposed_times(i.RB, B.w));
    a1 = pure(transposed_times(i.RA, A.alpha));
    b1 = pure(transposed_times(i.RB, B.alpha));
    q1 = rate(q);
    for (int k = 0; k < 3; ++k) {
      eA[k] = pure(transposed(i.RA).column(k));
      eB[k] = pure(transposed(i.RB).column(k));
    }
  }

  /// (x b - a x)/2, linear in x.
  Quaternion rate(const Quaternion& x) const { return 0.5 * (x * b - a * x); }
  /// The second derivative of a quaternion x with the rate x1 = rate(x).
  Quaternion second_rate(const Quaternion& x, const Quaternion& x1) const {
    return 0.5 * (x1 * b + x * b1 - a * x1 - a1 * x);
  }
  /// Derivatives of q by the turns of A and B.
  Quaternion by_A(int k) const { return -0.5 * (eA[k] * q); }
  Quaternion by_B(int k) const { return 0.5 * (q * eB[k]); }

  /// 2 q_z, to `depth`; other columns than those of the turns stay zero.
  void measure(Depth depth, Measure<3>& y) const {
    using M = Measure<3>;
    y.value = 2 * q.z;
    if (depth == Depth::value) return;
    if (depth != Depth::gradient) {
      y.rate = 2 * q1.z;
      y.accel = 2 * second_rate(q, q1).z;
    }
    if (depth == Depth::rates) return;
    y.clear(depth);
    for (int k = 0; k < 3; ++k) {
      y.G[M::qA + k] = 2 * by_A(k).z;
      y.G[M::qB + k] = 2 * by_B(k).z;
    }
    if (depth != Depth::second) return;
    for (int k = 0; k < 3; ++k) {
      derivatives(by_A(k), M::qA + k, y);
      derivatives(by_B(k), M::qB + k, y);
      // By the spins: q1 changes by by_A, by_B, and a, b by the unit spins.
      y.accel_v[M::qA + k] = 2 * (rate(by_A(k)) - 0.5 * (eA[k] * q1)).z;
      y.accel_v[M::qB + k] = 2 * (rate(by_B(k)) + 0.5 * (q1 * eB[k])).z;
      for (int j = 0; j < 3; ++j) {
        y.curvature[M::qA + k][M::qA + j] = 0.5 * (eA[k] * eA[j] * q).z;
        y.curvature[M::qB + k][M::qB + j] = 0.5 * (q * eB[j] * eB[k]).z;
        y.curvature[M::qA + k][M::qB + j] = -0.5 * (eA[k] * q * eB[j]).z;
        y.curvature[M::qB + k][M::qA + j] = -0.5 * (eA[j] * q * eB[k]).z;
      }
    }
  }

 private:
  /// Of the rates, where q changes by dq.
  void derivatives(const Quaternion& dq, int column, Measure<3>& y) const {
    const Quaternion dq1 = rate(dq);
    y.rate_p[column] = 2 * dq1.z;
    y.accel_p[column] = 2 * second_rate(dq, dq1).z;
  }
};

}  // namespace

void TwistRows::evaluate(const Context<3>& at, Depth depth, const ConstraintValues& out) const {
  Measure<3> y;
  for (const Item& i : items) {
    Twist(i, at).measure(depth, y);
    add_row(y, i.slots, 1, depth, out);
  }
}

void TwistRows::differentiate(const Context<3>& at, std::span<const PairSlots> pairs,
                              const ConstraintValues& out, const ForceValues& forces) const {
  Measure<3> y;
  for (const Item& i : items) {
    Twist(i, at).measure(Depth::second, y);
    add_row_derivatives(y, i.slots, 1, pairs, out, forces);
  }
}

}  // namespace kardan
