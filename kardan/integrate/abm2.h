#pragma once
#include "kardan/integrate/method.h"

namespace kardan {

/// Adams-Bashforth-Moulton of order 2, predict - evaluate - correct - evaluate:
///
///   y* = y_n + h ((1 + r/2) f_n - r/2 f_n-1),   r = h_n / h_n-1
///   y_n+1 = y_n + h/2 (f_n + f(y*))
///
/// The remembered rate f_n-1 is that of the former base, which the problem shows in the chart of
/// the present one whatever its partition. At the start and after an event there is none: y* is
/// Euler's and the step Heun's. Error estimate: Milne's, (y_n+1 - y*) / (3 (1 + 1/r)).
Method abm2();

}  // namespace kardan
