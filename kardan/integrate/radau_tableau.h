#pragma once
/// Coefficients of Radau IIA with an odd number s of stages, found from their definition.
///
///   c        zeros of P_s - P_(s-1) on [0, 1] (Legendre): the last one is 1
///   A^-1     (A^-1)_ij = l_j'(c_i), l_j the Lagrange polynomials on 0, c_1, ..., c_s
///   Lambda   eigenvalues of A^-1: zeros of the denominator of the stability function, the Pade
///            approximation (s-1, s) of exp (Hairer, Wanner, Solving Ordinary Differential
///            Equations II, IV.3 and IV.5)
///   A^-1 = T Lambda T^-1, Lambda = diag(gamma, [alpha -beta; beta alpha], ...)
///   e        -l_j'(0): y0' + sum e_j Z_j / h is the defect of the collocation polynomial at the
///            start, an error of order s (the estimate of RADAU5 and RADAU, there IV.8)

#include <complex>
#include <vector>

#include "kardan/linalg/matrix.h"

namespace kardan {

struct RadauTableau {
  int stages = 0;
  Vector c;
  Matrix A, A_inverse, T, T_inverse;
  double gamma = 0;
  std::vector<std::complex<double>> pairs;  ///< alpha + i beta, beta > 0
  Vector e;
};

RadauTableau make_radau_tableau(int stages);

}  // namespace kardan
