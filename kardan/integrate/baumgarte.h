#pragma once
/// The two integrators Baumgarte's stabilization is compared with in Welch, Hong, Trapp, Choi
/// (2007), section IV, by default on that formulation:
///
///   baumgarte1      v_1 = v + h a,   x_1 = x + h v_1,   z_1 = z + h b           order 1
///   baumgarte_rk2   Heun's method                                               order 2
///
/// Both estimate their error by half a step times the change of the rates: the leading error of
/// Euler's method, of order 1.

#include "kardan/integrate/method.h"

namespace kardan {

Method baumgarte1();
Method baumgarte_rk2();

}  // namespace kardan
