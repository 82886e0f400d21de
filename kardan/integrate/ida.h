#pragma once
/// IDA of SUNDIALS on implicit problems 0 = F(t, y, y') with as many equations as unknowns:
/// backward differentiation of variable order, the successor of DASSL. Algebraic unknowns
/// (accelerations, multipliers) are left out of the error test: in problems of index 2 their errors
/// are large by nature.

#include "kardan/integrate/method.h"

namespace kardan {

Method ida();

}  // namespace kardan
