#pragma once
#include "kardan/integrate/problem.h"

namespace kardan {

/// The first-order Jacobian of (x, u, z):
///
///   [ 0         I         0        ]
///   [ M^-1 A_x  M^-1 A_u  M^-1 A_z ]
///   [ B_x       B_u       B_z      ]
///
/// recoverable when M is singular.
[[nodiscard]] Eval state_matrix(const LocalJacobian& local, Matrix& out);

}  // namespace kardan
