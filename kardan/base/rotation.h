#pragma once
/// Rotations in space: unit quaternions (Euler parameters) for storage, matrices for evaluation,
/// rotation vectors for the chart of a step (R = R0 exp(theta~)).
///
///   w = T(theta) theta',  T = I - (1-cos phi)/phi^2 theta~ + (phi - sin phi)/phi^3 theta~^2
///
/// with w the body-frame angular velocity and phi = |theta|.

#include "kardan/base/vec.h"

namespace kardan {

/// Unit quaternion (w, x, y, z), scalar first.
struct Quaternion {
  double w = 1, x = 0, y = 0, z = 0;
};

Quaternion operator*(const Quaternion& a, const Quaternion& b);
Quaternion normalized(const Quaternion& q);
Mat3d rotation_matrix(const Quaternion& q);
Quaternion quaternion_from_matrix(const Mat3d& R);
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
