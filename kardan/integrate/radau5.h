#pragma once
/// Radau IIA with 3 stages, order 5, on implicit problems 0 = F(t, y, y').
///
/// The stages y0 + Z_i satisfy F(t + c_i h, y0 + Z_i, (1/h) sum_j (A^-1)_ij Z_j) = 0. Simplified
/// Newton in the variables W = (T^-1 x I) Z, in which A^-1 = T Lambda T^-1 falls apart into one
/// real and one complex system. The last stage is the end of the step.

#include "kardan/integrate/method.h"

namespace kardan {

/// Coefficients, with A^-1 = T Lambda T^-1, Lambda = [gamma 0 0; 0 alpha -beta; 0 beta alpha].
struct Radau5Tableau {
  double c[3], A[3][3], A_inverse[3][3], T[3][3], T_inverse[3][3];
  double gamma, alpha, beta;
  double e[3];  // error estimate: weights of Z, to be divided by h
};
const Radau5Tableau& radau5_tableau();

Method radau5();

}  // namespace kardan
