#pragma once
#include "kardan/integrate/method.h"

namespace kardan {

/// Dormand & Prince (J. Comput. Appl. Math. 6, 1980): explicit, order 5(4), 7 stages, the last one
/// at the end of the step.
Method dopri5();

}  // namespace kardan
