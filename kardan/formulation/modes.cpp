#include "kardan/formulation/modes.h"

#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>

#include "kardan/integrate/state_matrix.h"
#include "kardan/linalg/eigenvalues.h"
#include "kardan/linalg/rank.h"

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
  const int n = problem.second_order(), drift = problem.parametrization().drift();
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

/// Positions are taken out before velocities where either would do.
constexpr double velocities_last = 1e-3;

/// A - DK on what is left of y without the displacements W along the symmetries: with as many
/// variables P as W has independent columns, eta = y_K - W_K W_P^-1 y_P does not see them, and
/// eta' = (A_KK - W_K W_P^-1 A_PK) eta.
Eval leave_out(const SteadyMotion& steady, int n, Modes& out) {
  Matrix& A = out.A;
  for (int i = 0; i < A.rows(); ++i)
    for (int k = 0; k < A.cols(); ++k) A(i, k) -= steady.generator(i, k);
  Matrix W = steady.orbit;
  for (int i = n; i < 2 * n; ++i)
    for (int c = 0; c < W.cols(); ++c) W(i, c) *= velocities_last;
  FullPivotLu lu;
  if (Eval e = lu.factor(W, {.tolerance = 1e-8}); e != Eval::ok) return e;
  const int rank = lu.rank(), left = W.rows() - rank;
  const std::vector<int>& row = lu.row_permutation();
  const Matrix C = lu.dependent_rows();  // W_K = C W_P, in scaled variables
  std::vector<int> place(W.rows(), -1);  // among the dependent rows
  for (int i = 0; i < left; ++i) place[row[rank + i]] = i;
  out.kept.clear();
  for (int i = 0; i < W.rows(); ++i)
    if (place[i] >= 0) out.kept.push_back(i);
  const auto unit = [n](int i) { return i >= n && i < 2 * n ? velocities_last : 1.0; };
  Matrix reduced(left, left);
  for (int i = 0; i < left; ++i)
    for (int k = 0; k < left; ++k) {
      const int to = out.kept[i], from = out.kept[k];
      double sum = A(to, from);
      for (int p = 0; p < rank; ++p)
        sum -= C(place[to], p) * unit(row[p]) / unit(to) * A(row[p], from);
      reduced(i, k) = sum;
    }
  A = reduced;
  return Eval::ok;
}

}  // namespace

Eval find_modes(const System& system, StateSpace& problem, ModesOf of, ModeShapes shapes,
                SteadyMotion& steady, Modes& out) {
  LocalJacobian local;
  if (Eval e = problem.jacobian(local); e != Eval::ok) return e;
  if (Eval e = state_matrix(local, out.A); e != Eval::ok) return e;
  const std::vector<int>& free = problem.parametrization().free_coordinates;
  out.independent.assign(free.begin(), free.begin() + problem.second_order());
  out.drift.assign(free.begin() + problem.second_order(), free.end());
  out.modes.clear();
  const int all = out.A.rows();
  out.kept.resize(all);
  std::iota(out.kept.begin(), out.kept.end(), 0);
  if (of == ModesOf::motion) {
    steady = find_steady_motion(system, problem);
    if (!steady.steady) return Eval::recoverable;
    if (steady.generator.rows() > 0)
      if (Eval e = leave_out(steady, problem.second_order(), out); e != Eval::ok) return e;
  }
  EigenSystem found;
  const bool find = shapes == ModeShapes::find;
  if (Eval e = find_eigenvalues(out.A, find ? EigenOutput::values_and_vectors : EigenOutput::values,
                                found);
      e != Eval::ok)
    return e;
  const double zero = zero_size(out.A);
  std::vector<std::complex<double>> y(all);
  for (std::size_t k = 0; k < found.values.size(); ++k) {
    Mode mode;
    mode.value = found.values[k];
    mode.frequency = std::abs(mode.value.imag()) / (2 * std::numbers::pi);
    mode.zero = std::abs(mode.value) <= zero;
    mode.damping_ratio = mode.zero ? std::numeric_limits<double>::quiet_NaN()
                                   : -mode.value.real() / std::abs(mode.value);
    if (find) {
      for (std::size_t i = 0; i < out.kept.size(); ++i) y[out.kept[i]] = found.vectors[k][i];
      mode.shape = expand(problem, y);
    }
    out.modes.push_back(std::move(mode));
  }
  return Eval::ok;
}

}  // namespace kardan
