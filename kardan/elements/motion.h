#pragma once
/// What an element sees of a body: its frame and how it moves. The same words in the plane (D = 2)
/// and in space (D = 3):
///
///   p_WP = x + R s            a point s fixed to the body
///   d(p_WP) = dx + d(R s),    tangent (dx in the world frame, dtheta in the body frame),
///                             d(R s) = -R s~ dtheta in space, perp(R s) dtheta in the plane.
///
/// A body has `dofs<D>` tangent columns, translation first, so that a point mass is the prefix of
/// a rigid body and the ground is the empty prefix.

#include "kardan/base/vec.h"

namespace kardan {

template <int D>
inline constexpr int spins = D == 2 ? 1 : 3;
template <int D>
inline constexpr int dofs = D + spins<D>;

namespace detail {
template <int D, class T>
struct SpaceTypes;
template <class T>
struct SpaceTypes<2, T> {
  using Vec = Vec2<T>;
  using Spin = T;
  struct Rotation {
    T c{1}, s{0};
  };
};
template <class T>
struct SpaceTypes<3, T> {
  using Vec = Vec3<T>;
  using Spin = Vec3<T>;
  using Rotation = Mat3<T>;
};
}  // namespace detail

template <int D, class T = double>
using VecOf = typename detail::SpaceTypes<D, T>::Vec;
/// Angular velocity: a number in the plane, a body-frame vector in space.
template <int D, class T = double>
using SpinOf = typename detail::SpaceTypes<D, T>::Spin;
template <int D, class T = double>
using RotationOf = typename detail::SpaceTypes<D, T>::Rotation;

template <class T>
using Rot2 = typename detail::SpaceTypes<2, T>::Rotation;
using Rot2d = Rot2<double>;

inline Vec2d operator*(const Rot2d& R, const Vec2d& s) {
  return {R.c * s.x - R.s * s.y, R.s * s.x + R.c * s.y};
}
inline Vec2d transposed_times(const Rot2d& R, const Vec2d& a) {
  return {R.c * a.x + R.s * a.y, -R.s * a.x + R.c * a.y};
}
inline Rot2d operator*(const Rot2d& A, const Rot2d& B) {
  return {A.c * B.c - A.s * B.s, A.s * B.c + A.c * B.s};
}

/// Pose, velocity and acceleration of a body. `angle` is the continuous angle in the plane.
template <int D>
struct BodyMotion {
  VecOf<D> x{};       // [m]     position of the centre of mass, world
  RotationOf<D> R{};  //         body axes in the world
  double angle = 0;   // [rad]   plane only
  VecOf<D> v{};       // [m/s]   world
  SpinOf<D> w{};      // [rad/s] body frame
  VecOf<D> a{};       // [m/s^2] world
  SpinOf<D> alpha{};  // [rad/s^2] body frame
};

/// A vector s fixed to a body, followed to second order: u0 = s, u1 = w x s,
/// u2 = alpha x s + w x (w x s) in the body frame; U0, U1, U2 the same in the world, so that
/// U1 = d/dt U0 and U2 = d^2/dt^2 U0.
template <int D>
struct FixedVector;

template <>
struct FixedVector<3> {
  const BodyMotion<3>* body;
  Vec3d u0, u1, u2, U0, U1, U2;
  /// Those that do not move have u0 and U0 alone.
  FixedVector(const BodyMotion<3>& b, const Vec3d& s, bool moves = true) : body(&b), u0(s) {
    U0 = b.R * u0;
    if (!moves) return;
    u1 = cross(b.w, u0);
    u2 = cross(b.alpha, u0) + cross(b.w, u1);
    U1 = b.R * u1;
    U2 = b.R * u2;
  }
  Vec3d local(const Vec3d& W) const { return transposed_times(body->R, W); }
  // Rows over theta of W.U0, W.U1, W.U2 with W held fixed (W given in this body's frame as x).
  Vec3d d0(const Vec3d& x) const { return cross(u0, x); }
  Vec3d d1(const Vec3d& x) const { return cross(u1, x); }
  Vec3d d2(const Vec3d& x) const { return cross(u2, x); }
  /// Row over w of W.U2 (that of W.U1 over w is d0).
  Vec3d e2(const Vec3d& x) const { return cross(u1, x) + cross(u0, cross(x, body->w)); }
};

template <>
struct FixedVector<2> {
  const BodyMotion<2>* body;
  Vec2d U0, U1, U2;
  FixedVector(const BodyMotion<2>& b, const Vec2d& s, bool moves = true) : body(&b) {
    U0 = b.R * s;
    if (!moves) return;
    const Vec2d n = perp(U0);
    U1 = b.w * n;
    U2 = b.alpha * n - (b.w * b.w) * U0;
  }
  Vec2d local(const Vec2d& W) const { return W; }  // plane: rows are taken in the world frame
  double d0(const Vec2d& x) const { return dot(x, perp(U0)); }
  double d1(const Vec2d& x) const { return dot(x, perp(U1)); }
  double d2(const Vec2d& x) const { return dot(x, perp(U2)); }
  double e2(const Vec2d& x) const { return -2 * body->w * dot(x, U0); }
};

/// The two bodies an element joins.
template <int D>
struct Pair {
  const BodyMotion<D>& A;
  const BodyMotion<D>& B;
};

}  // namespace kardan
