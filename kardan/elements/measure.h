#pragma once
/// Scalar measures y(p) of two bodies, followed to second order along the motion and differentiated
/// analytically. Joints set measures to zero or to a function of time, springs and motors act on
/// them, sensors show them. For a measure y and the motion (p, v, a):
///
///   value   = y                     G       = dy/dp            (row over the tangents of A, B)
///   rate    = y'  = G v             rate_p  = d(y')/dp  = (G v)_p
///   accel   = y'' = G a + (G v)_p v accel_p = d(y'')/dp = (G a - gamma)_p
///                                   accel_v = d(y'')/dv = -gamma_v
///   curvature[i][j] = d(G_i)/dp_j,  so that (G' lambda)_p = lambda * curvature
///
/// With a = 0, accel = -gamma. All derivatives are by the body-frame tangent of motion.h.

#include <cstring>

#include "kardan/elements/motion.h"

namespace kardan {

/// How much of a record is wanted.
enum class Depth {
  value,     ///< value only
  gradient,  ///< value, G
  rates,     ///< value, rate, accel
  first,     ///< all of these
  second,    ///< everything
};

template <int D>
struct Measure {
  static constexpr int n = 2 * dofs<D>;
  static constexpr int xA = 0, qA = D, xB = dofs<D>, qB = dofs<D> + D;  // first columns
  double value = 0, rate = 0, accel = 0;
  double G[n], rate_p[n], accel_p[n], accel_v[n];
  double curvature[n][n];

  void clear(Depth depth) {
    if (depth == Depth::value || depth == Depth::rates) return;
    std::memset(G, 0, sizeof G);
    if (depth != Depth::second) return;
    std::memset(rate_p, 0, sizeof rate_p);
    std::memset(accel_p, 0, sizeof accel_p);
    std::memset(accel_v, 0, sizeof accel_v);
    std::memset(curvature, 0, sizeof curvature);
  }
};

/// dU0/dtheta of a body-fixed vector: D rows, one column per spin.
template <int D>
struct VectorBlock {
  double m[D][spins<D>];
  explicit VectorBlock(const FixedVector<D>& u) {
    if constexpr (D == 3) {
      const Mat3d P = times_tilde(u.body->R, u.u0);
      for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) m[i][j] = -P[i][j];
    } else {
      m[0][0] = -u.U0.y;
      m[1][0] = u.U0.x;
    }
  }
};

inline void add(double* row, int column, double s, const Vec3d& a) {
  row[column] += s * a.x;
  row[column + 1] += s * a.y;
  row[column + 2] += s * a.z;
}
inline void add(double* row, int column, double s, const Vec2d& a) {
  row[column] += s * a.x;
  row[column + 1] += s * a.y;
}
inline void add(double* row, int column, double s, double a) {
  row[column] += s * a;
}

/// curvature += s * (theta, theta) block of W.U0 with W held fixed, W in the world.
template <int D>
void add_self_curvature(Measure<D>& y, int q, double s, const FixedVector<D>& u,
                        const VecOf<D>& W) {
  if constexpr (D == 3) {
    const Mat3d C = tilde_tilde(u.u0, u.local(W));
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) y.curvature[q + i][q + j] += s * C[i][j];
  } else {
    y.curvature[q][q] -= s * dot(W, u.U0);
  }
}
/// curvature += s * P_u' P_w in the (theta_u, theta_w) block.
template <int D>
void add_cross_curvature(Measure<D>& y, int qu, int qw, double s, const VectorBlock<D>& U,
                         const VectorBlock<D>& W) {
  for (int i = 0; i < spins<D>; ++i)
    for (int j = 0; j < spins<D>; ++j) {
      double c = 0;
      for (int k = 0; k < D; ++k) c += U.m[k][i] * W.m[k][j];
      y.curvature[qu + i][qw + j] += s * c;
    }
}
/// curvature += s * P_u in the (x, theta_u) block and s * P_u' in the (theta_u, x) block.
template <int D>
void add_translation_curvature(Measure<D>& y, int x, int qu, double s, const VectorBlock<D>& U) {
  for (int k = 0; k < D; ++k)
    for (int i = 0; i < spins<D>; ++i) {
      y.curvature[x + k][qu + i] += s * U.m[k][i];
      y.curvature[qu + i][x + k] += s * U.m[k][i];
    }
}

/// dot-1: y = a.b, a fixed to A and b fixed to B.
template <int D>
struct Dot1 {
  VecOf<D> a, b;
  void evaluate(const Pair<D>& bodies, Depth depth, Measure<D>& y) const;
};

/// dot-2: y = a.d, d = p_WB - p_WA from point sA on A to point sB on B, a fixed to A.
template <int D>
struct Dot2 {
  VecOf<D> a, sA, sB;
  void evaluate(const Pair<D>& bodies, Depth depth, Measure<D>& y) const;
};

/// y = d.d / 2, d as in dot-2. Distance and length are functions of it.
template <int D>
struct HalfSquare {
  VecOf<D> sA, sB;
  void evaluate(const Pair<D>& bodies, Depth depth, Measure<D>& y) const;
};

/// Distance constraint in the unit of a length: y = (d.d - l^2) / (2 l), l > 0.
template <int D>
struct Distance {
  VecOf<D> sA, sB;
  double length;  // [m]
  void evaluate(const Pair<D>& bodies, Depth depth, Measure<D>& y) const;
};

/// y = |d|. Not differentiable where the points coincide: `value` stays right, the rest is NaN.
template <int D>
struct Length {
  VecOf<D> sA, sB;
  void evaluate(const Pair<D>& bodies, Depth depth, Measure<D>& y) const;
};

/// Angle of B's reference direction b about A's axis, from x_A towards y_A:
/// y = atan2(y_A.b, x_A.b) in (-pi, pi] in space, theta_B - theta_A + const in the plane (where it
/// is continuous by itself). Full turns are counted outside, in the State.
template <int D>
struct Angle;

template <>
struct Angle<3> {
  Vec3d xA, yA, b;
  void evaluate(const Pair<3>& bodies, Depth depth, Measure<3>& y) const;
};

template <>
struct Angle<2> {
  double offset;  // [rad] marker angle on B minus marker angle on A
  void evaluate(const Pair<2>& bodies, Depth depth, Measure<2>& y) const;
};

/// Partial derivatives of F(y1, y2) to the third order; index = number of derivatives by y2.
struct FunctionOfTwo {
  double F, F1[2], F2[3], F3[4];
};

/// y = F(y1, y2) by the chain rule, to the depth of its arguments.
template <int D>
void compose(const FunctionOfTwo& F, const Measure<D>& y1, const Measure<D>& y2, Depth depth,
             Measure<D>& y);

}  // namespace kardan
