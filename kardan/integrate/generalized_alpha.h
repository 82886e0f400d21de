#pragma once
/// Generalized-alpha methods on the equations with their constraints: the unknowns are v', lambda
/// at the end of the step, with positions on the group (rotations by the exponential map),
///
///   (1 - alpha_m) a_1 + alpha_m a_0 = (1 - alpha_f) v'_1 + alpha_f v'_0
///   x_1 = h v_0 + h^2 ((1/2 - beta) a_0 + beta a_1)      v_1 = v_0 + h ((1 - gamma) a_0 + gamma
///   a_1) M v'_1 + G' lambda_1 = f(t_1, x_1, v_1, z_1)          z by the trapezoidal rule
///
/// with g = 0 at x_1 (index 3), or g = 0 and G v + g_t = 0 at x_1, v_1, the positions moved by
/// M^-1 G' eta (the stabilized index 2 form of Gear, Gupta, Leimkuhler). Nonholonomic rows hold at
/// v_1 in both. Order 2:
///
///   generalized_alpha   alpha_m = (2 rho - 1)/(rho + 1), alpha_f = rho/(rho + 1); `rho` is what is
///                       left of the fastest modes in a step      (Chung, Hulbert 1993; Arnold,
///                                                                 Bruels 2007)
///   hht                 alpha_m = 0, alpha_f = -alpha             (Hilber, Hughes, Taylor 1977)
///   gamma = 1/2 + alpha_f - alpha_m,  beta = (gamma + 1/2)^2/4
///
/// a is the method's memory: it stands for v' at t + (alpha_m - alpha_f) h. When the step changes,
/// it moves with it in the free directions, while velocities and accelerations along the
/// constraints begin from what the equations say: what index 3 leaves there fits equal steps only.
/// Newton's method begins with the derivatives at the predicted point and takes new ones when it
/// contracts slowly.
///
/// Error estimate from the change of a (Negrut, Rampalli, Ottarsson, Sajdak 2007):
/// (beta + (alpha_m - alpha_f)/2 - 1/6) h^2 (a_1 - a_0) is the leading error of the positions; of
/// the velocities h/2 (a_1 - a_0), of order 1, is taken, so that the error reached, of order 2,
/// follows the tolerance itself and not its power 2/3. The change is freed of its part along the
/// constraints (which in index 3 corrects velocity residuals and grows when the step shrinks) and
/// of stiff modes with the factors of Newton's method.

#include "kardan/integrate/method.h"

namespace kardan {

Method generalized_alpha();
Method hht();

}  // namespace kardan
