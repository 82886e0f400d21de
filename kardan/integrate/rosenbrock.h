#pragma once
/// Rosenbrock methods on second-order problems, the matrix of half size:
///
///   X_i = h g (V_i + s_i),   s_i = U_i + sum_j c_ij/h X_j
///   [M/(h g) - A_u - h g A_x] V_i
///       = M (a_i + sum_j c_ij/h V_j) + h g A_x s_i + g_i h A_t + (A_z Z-terms)
///
/// (g = gamma), which is the Rosenbrock method on (x, u)' = (u, a) after eliminating X_i.
/// First-order variables z are solved with it as one block.

#include <vector>

#include "kardan/integrate/method.h"

namespace kardan {

/// alpha_ij, gamma_ij (with gamma_ii = gamma), b and the embedded b^; everything else follows.
struct RosenbrockTableau {
  int stages = 0;
  double gamma = 0;
  std::vector<std::vector<double>> alpha;     // strictly lower, row i has i entries
  std::vector<std::vector<double>> gamma_ij;  // strictly lower
  std::vector<double> b, b_hat;
};

/// The tableau in the variables that avoid products with the Jacobian (Hairer & Wanner II, IV.7):
/// C = diag(1/gamma) - Gamma^-1, A = alpha Gamma^-1, m = b' Gamma^-1.
struct RosenbrockCoefficients {
  explicit RosenbrockCoefficients(const RosenbrockTableau& tableau);
  int stages;
  double gamma;
  Matrix a, c;                   // strictly lower
  Vector m, e;                   // new value and error weights
  Vector alpha, gamma_i;         // sums of alpha_ij and of gamma_ij
  std::vector<bool> same_point;  // stage i evaluates where stage i-1 did
};

std::unique_ptr<Stepper> make_rosenbrock(const RosenbrockTableau& tableau);

}  // namespace kardan
