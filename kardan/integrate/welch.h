#pragma once
/// The parameter-free predictor-corrector of Welch, Hong, Trapp, Choi (2007), Eqs. (43), (44): the
/// constraints at the end of the step, expanded to the order of the method, replace the multipliers
/// of the differential equations. Every stage solves M a + G' lambda = f, G a = c:
///
///   predictor at t:         c = -(g + h rate)/h^2,
///                           v_p = v + h a,   x_p = h v_p
///   corrector at t + h/2:   c = -2 (g(t+h, x_p) + h G (v - v_p))/h^2,
///                           v_1 = v + h a,   x_1 = h (v + v_1)/2
///
/// where the corrector's G and f are taken at x_p/2 and (v + v_p)/2. Nonholonomic rows, expanded in
/// the same way: c = gamma - rate/h, and c = -(rate(t+h, x_p, v_p) + H (v - v_p))/h.
///
/// The predicted velocity is off by O(h) along the constraints, so that forces which depend on it
/// (gyroscopic ones in space among them) make the printed scheme one of order 1. The method solves
/// the corrector once more with f at (v + v_1)/2, on the same factors; `welch2_printed` does not.
///
/// Positions satisfy the constraints to O(h^3) per step, velocities to O(h^2). The multipliers of
/// the corrector belong to the middle of the step. Error estimate: corrector minus predictor, the
/// velocities' freed of its part along the constraints; it has order 1.

#include "kardan/integrate/method.h"

namespace kardan {

Method welch2();
Method welch2_printed();
/// The predictor alone, of order 1.
Method welch1();

}  // namespace kardan
