#pragma once
#include "kardan/integrate/method.h"
#include "kardan/integrate/rosenbrock.h"

namespace kardan {

/// RODASP: stiffly accurate, L-stable, order 4(3), 6 stages, with the further conditions that avoid
/// order reduction on linear parabolic problems. G. Steinebach, Order-reduction of ROW-methods for
/// DAEs and method of lines applications, Preprint 1741, TH Darmstadt, 1995.
const RosenbrockTableau& rodasp_tableau();
Method rodasp();

}  // namespace kardan
