#pragma once

#include "kardan/integrate/explicit_runge_kutta.h"
#include "kardan/integrate/method.h"

namespace kardan {

/// Explicit, order 4(3), 6 stages. Oscillations are stable up to omega h = 7.06, farther a stage
/// than with any Runge-Kutta method (below 1): for long chains, whose waves bound the steps.
Method nystrom4();

/// Its coefficients.
const ExplicitTableau& nystrom4_tableau();

}  // namespace kardan
