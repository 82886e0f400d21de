#pragma once
/// How bodies answer to torques.

#include <cmath>

#include "kardan/base/vec.h"

namespace kardan {

/// A bound of |J^-1|: how fast a unit torque turns a body up. Of one without inertia about some
/// axis, which joints must hold, that of the others.
template <int D>
double most_turning(const Mat3d& inertia) {
  const double trace = inertia[0][0] + inertia[1][1] + inertia[2][2];
  if (!(trace > 0)) return 0;
  if constexpr (D == 2) {
    return 1 / inertia[2][2];
  } else {
    const Vec3d c[3] = {inertia.column(0), inertia.column(1), inertia.column(2)};
    const double determinant = dot(c[0], cross(c[1], c[2]));
    if (!(determinant > 1e-9 * trace * trace * trace)) return 3 / trace;
    double sum = 0;
    for (int k = 0; k < 3; ++k) {
      const Vec3d row = cross(c[(k + 1) % 3], c[(k + 2) % 3]);
      sum += dot(row, row);
    }
    return std::sqrt(sum) / determinant;
  }
}

}  // namespace kardan
