#pragma once
/// Multistep methods through CVODE of SUNDIALS: A. C. Hindmarsh et al., SUNDIALS: suite of
/// nonlinear and differential/algebraic equation solvers, ACM Trans. Math. Softw. 31 (2005)
/// 363-396.
///
/// CVODE takes the steps on (x, u, z) in one chart, until the problem says that the chart ends or
/// an event is met; then the base moves there and the method starts again with order one. All else
/// is the driver's: tolerances, observer, events, counters, reasons to stop. CVODE measures errors
/// in a mean square; the weights are such that no coordinate's error exceeds its tolerance.

#include "kardan/integrate/method.h"

namespace kardan {

/// Adams-Moulton methods of order 1 to 12 with functional iteration: nonstiff problems.
Method adams();
/// BDF of order 1 to 5 with Newton's method and the exact Jacobian: stiff problems.
Method bdf();

}  // namespace kardan
