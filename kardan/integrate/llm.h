#pragma once
/// Local linearization: G. Gil, R. G. Sanfelice, P. E. Nikravesh, Local Linearization Method in the
/// Integration of Multibody Equations (2013). A step follows the exact solution of the equations
/// linearized at its start,
///
///   y' = f + f_y (y - y_0) + f_t (t - t_0)                                        Eqs. (1)-(6)
///
/// so that linear problems are solved exactly at any step; order 2 otherwise. What the
/// linearization leaves out at the end of the step, r = f(y_1) - g(y_1), grows with the square of
/// the time, and
///
///   l = int_0^h e^(f_y (h - u)) r (u/h)^2 du                                    Eqs. (30)-(33)
///
/// estimates the error of every component, asymptotically exactly. The same exponential serves
/// both. The solution inside the step is the flow itself, Eq. (18).

#include "kardan/integrate/method.h"

namespace kardan {

Method llm();

}  // namespace kardan
