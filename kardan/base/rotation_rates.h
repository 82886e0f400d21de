#pragma once
/// Products with T(theta) of rotation.h without its matrix, for the chart of every stage:
///
///   w = T theta',   w' = T theta'' + T' theta'

#include "kardan/base/vec.h"

namespace kardan {

/// T(theta) y
Vec3d rotation_rate(const Vec3d& theta, const Vec3d& y);
/// T(theta)^-1 y, for |theta| < 2 pi
Vec3d rotation_rate_inverse(const Vec3d& theta, const Vec3d& y);
/// T(theta)^-1 (angular_acceleration - T'(theta, theta') theta'), which is theta''
Vec3d rotation_second_rate(const Vec3d& theta, const Vec3d& theta_rate,
                           const Vec3d& angular_acceleration);

}  // namespace kardan
