#pragma once
/// Newmark's method on the state-space form (Haug, Negrut, Iancu 1997): the independent
/// accelerations at the end of the step are the unknowns,
///
///   x_1 = x_0 + h u_0 + h^2 ((1/2 - beta) a_0 + beta a_1),
///   u_1 = u_0 + h ((1 - gamma) a_0 + gamma a_1),
///
/// everything dependent follows from the full equations in every iteration. First-order variables
/// use the trapezoidal rule. Newton's matrix M - gamma h A_u - beta h^2 A_x is taken at the
/// predicted point (a_1 = a_0) and kept while it contracts.
///
/// Order 2 for gamma = 1/2, else 1. The error estimate is the leading error of Euler's method,
/// h/2 (f_1 - f_0), freed of stiffness with the iteration matrix: it has order 1, as in an embedded
/// pair, so that steps shrink with the root of the tolerance and the error reached, of order 2,
/// with the tolerance. (The classical (beta - 1/6) h^2 (a_1 - a_0) has order 2, sees no velocity,
/// and leaves an error that shrinks only with the power 2/3 of the tolerance.)

#include "kardan/integrate/implicit_stage.h"

namespace kardan {

struct NewmarkOptions {
  double beta = 0.25, gamma = 0.5;  ///< the trapezoidal rule; damped for gamma > 1/2
  Derivatives matrix = Derivatives::exact;
  Newton newton = Newton::simplified;
  double newton_factor = 0.01;  ///< share of the tolerance that the iteration may leave
};

/// gamma > 0, beta >= 0; unconditionally stable for 2 beta >= gamma >= 1/2.
Method newmark(const NewmarkOptions& options = {});
/// With the matrix of Fisette and Vaneghem (1996), which leaves terms out.
Method newmark_fv();

}  // namespace kardan
