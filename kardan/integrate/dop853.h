#pragma once

#include "kardan/integrate/explicit_runge_kutta.h"
#include "kardan/integrate/method.h"

namespace kardan {

/// Explicit, order 8 with estimates of orders 5 and 3 and dense output of order 7: for smooth,
/// non-stiff motion to many digits.
Method dop853();

/// Its coefficients.
const ExplicitTableau& dop853_tableau();

}  // namespace kardan
