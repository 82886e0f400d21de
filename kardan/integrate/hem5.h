#pragma once
/// Partitioned half-explicit Runge-Kutta method of order 5 for constrained motion with its
/// constraints on velocities (index 2):
///
///   x' = T(x)^-1 v,   M v' = f - G' lambda,   0 = G v + g_t.
///
/// Stage i is explicit, with M, f and G' at X_i = h sum_j<i a_ij x'_j, V_i alike. Its multipliers
/// follow from the constraints at another point, Y_i = h sum_j<=i b_ij x'_j:
///
///   [ M(X_i)  G(X_i)' ] [ v'_i   ]   [ f(X_i, V_i) ]
///   [ G(Y_i)  0       ] [ lambda ] = [ c           ],   so that v + h sum_j<=i b_ij v'_j fits Y_i.
///
/// The last Y and its velocities are the end of the step: velocities satisfy their constraints
/// exactly, positions to order 5; `projection` of the formulation puts them back.

#include "kardan/integrate/method.h"

namespace kardan {

/// a: stages, those of Dormand and Prince; b: points of the constraints; their nodes; error weights
/// of the stages and of the end.
struct Hem5Tableau {
  static constexpr int stages = 6;
  double a[stages][stages], b[stages][stages];
  double a_node[stages], b_node[stages];
  double error[stages + 1];
};
const Hem5Tableau& hem5_tableau();

Method hem5();

}  // namespace kardan
