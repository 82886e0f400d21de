#include "kardan/formulation/modes.h"

#include <cmath>
#include <limits>
#include <numbers>

#include "kardan/integrate/state_matrix.h"
#include "kardan/linalg/eigenvalues.h"

namespace kardan {
namespace {

/// A free direction is a double zero of A: rounding moves it by sqrt(epsilon |A|), or a few of
/// them.
double zero_size(const Matrix& A) {
  constexpr double few = 10;
  return few * std::sqrt(std::numeric_limits<double>::epsilon() * norm_infinity(A));
}

/// The eigenvector (x, u, zeta, r) in all coordinates, scaled so that its largest entry is 1.
std::vector<std::complex<double>> expand(const StateSpace& problem,
                                         const std::vector<std::complex<double>>& y) {
  const Matrix& B = problem.directions();
  const int n = problem.second(), drift = problem.parametrization().drift();
  std::vector<std::complex<double>> shape(B.rows());
  for (int j = 0; j < B.rows(); ++j) {
    for (int i = 0; i < n; ++i) shape[j] += B(j, i) * y[i];
    for (int i = 0; i < drift; ++i) shape[j] += B(j, n + i) * y[2 * n + i];
  }
  shape.insert(shape.end(), y.begin() + 2 * n + drift, y.end());
  std::complex<double> largest = 0;
  for (const auto& s : shape)
    if (std::abs(s) > std::abs(largest)) largest = s;
  if (largest != 0.0)
    for (auto& s : shape) s /= largest;
  return shape;
}

}  // namespace

Eval find_modes(StateSpace& problem, ModeShapes shapes, Modes& out) {
  LocalJacobian local;
  if (Eval e = problem.jacobian(local); e != Eval::ok) return e;
  if (Eval e = state_matrix(local, out.A); e != Eval::ok) return e;
  const std::vector<int>& free = problem.parametrization().free_coordinates;
  out.independent.assign(free.begin(), free.begin() + problem.second());
  out.drift.assign(free.begin() + problem.second(), free.end());
  out.modes.clear();
  EigenSystem system;
  const bool find = shapes == ModeShapes::find;
  if (Eval e = find_eigenvalues(out.A, find ? EigenOutput::values_and_vectors : EigenOutput::values,
                                system);
      e != Eval::ok)
    return e;
  const double zero = zero_size(out.A);
  for (std::size_t k = 0; k < system.values.size(); ++k) {
    Mode mode;
    mode.value = system.values[k];
    mode.frequency = std::abs(mode.value.imag()) / (2 * std::numbers::pi);
    mode.zero = std::abs(mode.value) <= zero;
    mode.damping_ratio = mode.zero ? std::numeric_limits<double>::quiet_NaN()
                                   : -mode.value.real() / std::abs(mode.value);
    if (find) mode.shape = expand(problem, system.vectors[k]);
    out.modes.push_back(std::move(mode));
  }
  return Eval::ok;
}

}  // namespace kardan
