#pragma once
/// Singly diagonally implicit Runge-Kutta methods on second-order problems. A stage is that of
/// implicit_stage.h with c_u = gamma h, c_x = (gamma h)^2, so that all stages share one matrix of
/// half size, taken at the base of the chart.

#include <vector>

#include "kardan/integrate/method.h"

namespace kardan {

/// Stiffly accurate: the last row of a holds the weights b.
struct SdirkTableau {
  int stages = 0;
  double gamma = 0;                    // diagonal of a
  std::vector<std::vector<double>> a;  // strictly lower, row i has i entries
  std::vector<double> b_hat;           // embedded
  /// Earlier stages through which (with the start) the guess of a stage interpolates.
  std::vector<std::vector<int>> guess_from;
};

/// L-stable, order 4(3), 5 stages, gamma = 1/4: E. Hairer, G. Wanner, Solving Ordinary Differential
/// Equations II, 2nd ed., Table IV.6.5.
const SdirkTableau& sdirk4_tableau();
Method sdirk4();

}  // namespace kardan
