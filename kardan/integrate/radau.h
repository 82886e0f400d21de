#pragma once
/// Radau IIA with s stages, order 2s - 1, on implicit problems 0 = F(t, y, y').
///
/// The stages y0 + Z_i satisfy F(t + c_i h, y0 + Z_i, (1/h) sum_j (A^-1)_ij Z_j) = 0. Simplified
/// Newton in the variables W = (T^-1 x I) Z, in which A^-1 = T Lambda T^-1 falls apart into one
/// real system and (s - 1) / 2 complex ones. The last stage is the end of the step.

#include "kardan/integrate/method.h"

namespace kardan {

Method radau5();
Method radau9();

}  // namespace kardan
