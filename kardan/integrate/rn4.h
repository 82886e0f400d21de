#pragma once
#include "kardan/integrate/method.h"
#include "kardan/integrate/rosenbrock.h"

namespace kardan {

/// L-stable Rosenbrock-Nystrom method of order 4(3), 4 stages, 3 evaluations: Sandu, Negrut, Haug,
/// Potra, Sandu, "A Rosenbrock-Nystrom state space implicit approach for the dynamic analysis of
/// mechanical systems" (2001), with gamma exact (1/gamma a root of the Laguerre polynomial L4) and
/// the signs of the printed table corrected so that the order conditions hold.
const RosenbrockTableau& rn4_tableau();
Method rn4();

}  // namespace kardan
