#pragma once
/// Explicit Runge-Kutta methods on the state-space form, from their coefficients: stages, error
/// estimate and, where the method brings one, its own dense output.

#include <memory>
#include <vector>

#include "kardan/integrate/method.h"

namespace kardan {

struct ExplicitTableau {
  /// One row a stage, the first empty; rows may leave out zeros at their end.
  std::vector<std::vector<double>> A = {};
  std::vector<double> c = {};
  std::vector<double> b = {};      ///< of the end; empty: it is the point of the last stage
  std::vector<double> error = {};  ///< b - b^
  /// A second estimate, of lower order, which takes the first down to the power of both:
  /// |error|^2 / sqrt(|error|^2 + weight |coarse|^2). Empty: none.
  std::vector<double> coarse = {};
  double coarse_weight = 0;
  /// Nystrom methods take positions from accelerations, x_i = x + c_i h u + h^2 sum A_x(i, j) a_j:
  /// the same for positions. Empty: the first ones serve for both.
  std::vector<std::vector<double>> A_x = {};
  std::vector<double> b_x = {}, error_x = {};
  /// Another estimate of velocities, of accelerations of all stages and, last, that at the end: the
  /// estimate is the root of the sum of both squares. Empty: none.
  std::vector<double> end_error = {};

  /// Dense output: after the stages comes the rate at the end, then these stages, evaluated only
  /// where values inside a step are asked for. With dy = y1 - y0 and the rates k of all,
  ///
  ///   y(theta) = y0 + theta (dy + (1 - theta) (f2 + theta (f3 + (1 - theta) (f4 + ... ))))
  ///
  /// f2 = h k_first - dy, f3 = dy - h k_end - f2, f4... = h D k.
  std::vector<std::vector<double>> dense_A = {}, D = {};
  std::vector<double> dense_c = {};
};

/// The tableau must outlive the stepper.
std::unique_ptr<Stepper> make_explicit_stepper(const ExplicitTableau& tableau);

}  // namespace kardan
