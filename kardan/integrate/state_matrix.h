#pragma once
#include "kardan/integrate/problem.h"
#include "kardan/linalg/dense_lu.h"

namespace kardan {

/// The first-order Jacobian of (x, u, z):
///
///   [ 0         I         0        ]
///   [ M^-1 A_x  M^-1 A_u  M^-1 A_z ]
///   [ B_x       B_u       B_z      ]
///
/// recoverable when M is singular.
[[nodiscard]] Eval state_matrix(const LocalJacobian& local, Matrix& out);
/// The same, which allocates nothing but the first time.
struct StateMatrixScratch {
  DenseLu mass;
  Matrix block;
};
[[nodiscard]] Eval state_matrix(const LocalJacobian& local, Matrix& out,
                                StateMatrixScratch& scratch);
/// The column of an input: with a slope of one it has changed the partial time derivatives from
/// those of `still` to those of `moving`. recoverable when M is singular.
[[nodiscard]] Eval input_column(const LocalJacobian& still, const LocalJacobian& moving,
                                Vector& out);

}  // namespace kardan
