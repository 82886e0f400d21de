#pragma once
/// Rotations in space: unit quaternions (Euler parameters) for storage, matrices for evaluation,
/// rotation vectors for the chart of a step (R = R0 exp(theta~)).
///
///   w = T(theta) theta',  T = I - (1-cos phi)/phi^2 theta~ + (phi - sin phi)/phi^3 theta~^2
///
/// with w the body-frame angular velocity and phi = |theta|.

#include <cmath>

#include "kardan/base/vec.h"

namespace kardan {

/// Unit quaternion (w, x, y, z), scalar first.
struct Quaternion {
  double w = 1, x = 0, y = 0, z = 0;
};

inline Quaternion operator*(const Quaternion& a, const Quaternion& b) {
  return {
      a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z, a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
      a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x, a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w};
}

inline Quaternion normalized(const Quaternion& q) {
  const double square = q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z;
  // Mostly q has unit length but for round-off; then the root's tangent is exact to round-off.
  const double s = std::abs(square - 1) < 1e-8 ? 1.5 - 0.5 * square : 1 / std::sqrt(square);
  return {s * q.w, s * q.x, s * q.y, s * q.z};
}

/// Of a unit quaternion.
inline Mat3d rotation_matrix(const Quaternion& q) {
  const double xx = q.x * q.x, yy = q.y * q.y, zz = q.z * q.z;
  const double xy = q.x * q.y, xz = q.x * q.z, yz = q.y * q.z;
  const double wx = q.w * q.x, wy = q.w * q.y, wz = q.w * q.z;
  return {{{1 - 2 * (yy + zz), 2 * (xy - wz), 2 * (xz + wy)},
           {2 * (xy + wz), 1 - 2 * (xx + zz), 2 * (yz - wx)},
           {2 * (xz - wy), 2 * (yz + wx), 1 - 2 * (xx + yy)}}};
}

/// The one with w >= 0.
Quaternion quaternion_from_matrix(const Mat3d& R);
/// Frame RB on body B seen from frame RA on body A, the bodies' axes being R_WA and R_WB. Half a
/// turn apart rounding decides which way: who follows turns and who uses them must ask this alike.
inline Mat3d relative_rotation(const Mat3d& R_WA, const Mat3d& RA, const Mat3d& R_WB,
                               const Mat3d& RB) {
  return transposed_times(RA, transposed_times(R_WA, R_WB)) * RB;
}
/// exp(theta/2) as a quaternion: the rotation by |theta| about theta.
Quaternion quaternion_exp(const Vec3d& theta);

/// exp(theta~).
Mat3d rotation_exp(const Vec3d& theta);
/// The rotation vector of R with |theta| <= pi.
Vec3d rotation_log(const Mat3d& R);
/// T(theta) of the header comment (right Jacobian of the exponential).
Mat3d rotation_rate_map(const Vec3d& theta);
/// d/dt T(theta) for a theta that moves with theta_rate.
Mat3d rotation_rate_map_rate(const Vec3d& theta, const Vec3d& theta_rate);
/// d(T(theta) y)/dtheta, y held.
Mat3d rotation_rate_map_gradient(const Vec3d& theta, const Vec3d& y);
/// d(T'(theta, theta') theta')/dtheta, theta' held: of the part of w' = T theta'' + T' theta' that
/// is quadratic in theta'. (Its derivative by theta' is T'(theta, theta') + d(T theta')/dtheta.)
Mat3d rotation_bias_gradient(const Vec3d& theta, const Vec3d& theta_rate);
/// T(theta)^-1, for |theta| < 2 pi.
Mat3d rotation_rate_map_inverse(const Vec3d& theta);

/// A right-handed orthonormal matrix whose column z is `axis`; x is `x_hint` made perpendicular,
/// or any direction when the hint is zero or parallel.
Mat3d axes_from_z(const Vec3d& axis, const Vec3d& x_hint);

}  // namespace kardan
