#include "kardan/integrate/growth.h"

#include <algorithm>
#include <cmath>

#include "kardan/base/stop.h"
#include "kardan/integrate/state_matrix.h"
#include "kardan/linalg/eigenvalues.h"

namespace kardan {
namespace {

/// A look serves steps that are longer by this, and so many of them; where the test fails though
/// nothing grows, more of them.
constexpr double ahead = 1.5;
constexpr int steps_between = 4, steps_after_alarm = 32;

/// Row k of the symmetric P becomes that of its Cholesky factor; false: it is not positive.
bool eliminate_row(Matrix& P, int k) {
  double* row = P.row(k);
  for (int j = 0; j <= k; ++j) {
    const double* other = P.row(j);
    double sum = row[j];
    for (int i = 0; i < j; ++i) sum -= row[i] * other[i];
    if (j < k) {
      row[j] = sum / other[j];
    } else {
      if (!(sum > 0)) return false;
      row[k] = std::sqrt(sum);
    }
  }
  return true;
}

}  // namespace

/// Congruent to T: rows and columns of u by 1/sqrt(M_ii); those of z such that what couples them
/// with u weighs as much both ways, and little where it is one way only.
void NoGrowthTest::scale(const LocalJacobian& J, double h) {
  const int n = J.M.rows(), first = J.B_z.rows();
  scale_.assign(n + first, 1.0);
  for (int i = 0; i < n; ++i)
    if (J.M(i, i) > 0) scale_[i] = 1 / std::sqrt(J.M(i, i));
  for (int k = 0; k < first; ++k) {
    double to = 0, from = 0;
    for (int i = 0; i < n; ++i) {
      to += std::abs(h * J.A_z(i, k) * scale_[i]);
      from += std::abs(h * (J.B_u(k, i) + h * J.B_x(k, i)) * scale_[i]);
    }
    const double weight = to > 0 && from > 0 ? std::sqrt(to / from)
                          : to > 0           ? 2 * to
                          : from > 0         ? 0.5 / from
                                             : 1.0;
    if (std::isfinite(weight) && weight > 0) scale_[n + k] = weight;
  }
}

/// The symmetric part of T_0 + h T_1 + positions h^2 T_2; its rows of z are multiplied by the
/// squares of their scales, columns by the scales: a congruence of diag(I, W^2) T.
bool NoGrowthTest::positive(const LocalJacobian& J, double h, double positions) {
  const int n = J.M.rows(), first = J.B_z.rows();
  const double h2 = positions * h * h;
  for (int k = 0; k < n; ++k) {
    if (n >= long_loop) stop_point();
    const double *M = J.M.row(k), *A_u = J.A_u.row(k), *A_x = J.A_x.row(k);
    for (int j = 0; j <= k; ++j) {
      const double sum =
          M[j] + J.M(j, k) - h * (A_u[j] + J.A_u(j, k)) - h2 * (A_x[j] + J.A_x(j, k));
      P_(k, j) = 0.5 * sum * scale_[k] * scale_[j];
    }
    if (!eliminate_row(P_, k)) return false;
  }
  for (int k = 0; k < first; ++k) {
    if (first >= long_loop) stop_point();
    const double w = scale_[n + k];
    for (int j = 0; j < n; ++j) {
      const double from = w * (h * J.B_u(k, j) + h2 * J.B_x(k, j)), to = h * J.A_z(j, k) / w;
      P_(n + k, j) = -0.5 * (from + to) * scale_[j];
    }
    for (int j = 0; j <= k; ++j) {
      const double v = scale_[n + j];
      const double both = h * (J.B_z(k, j) * w / v + J.B_z(j, k) * v / w);
      P_(n + k, n + j) = (j == k ? 1.0 : 0.0) - 0.5 * both;
    }
    if (!eliminate_row(P_, n + k)) return false;
  }
  return true;
}

bool NoGrowthTest::passes(const LocalJacobian& J, double h) {
  const int size = J.M.rows() + J.B_z.rows();
  P_.resize(size, size);
  scale(J, h);
  return positive(J, h, 1) && positive(J, h, 0);
}

const LocalJacobian* jacobian_in(ChartProblem& free_form, const State& state, LocalJacobian& out) {
  return free_form.rebase(state) == Eval::ok && free_form.jacobian(out) == Eval::ok ? &out
                                                                                    : nullptr;
}

Eval fastest_growth(const LocalJacobian& J, double& rate) {
  Matrix A;
  EigenSystem modes;
  rate = 0;
  if (Eval e = state_matrix(J, A); e != Eval::ok) return e;
  if (Eval e = find_eigenvalues(A, EigenOutput::values, modes); e != Eval::ok) return e;
  for (const auto& mode : modes.values)
    if (mode.imag() == 0) rate = std::max(rate, mode.real());
  // A double zero is moved by the root of the rounding.
  const double zero = 10 * std::sqrt(std::numeric_limits<double>::epsilon() * norm_infinity(A));
  if (rate <= zero) rate = 0;
  return Eval::ok;
}

void GrowthWatch::look(double h, const Jacobian& jacobian) {
  since_ = 0;
  patience_ = steps_between;
  known_to_ = ahead * h;
  longest_ = std::numeric_limits<double>::infinity();
  const LocalJacobian* J = jacobian();
  if (!J || J->M.rows() + J->B_z.rows() == 0 || test_.passes(*J, known_to_)) return;
  double rate = 0;
  if (fastest_growth(*J, rate) != Eval::ok || !(rate * known_to_ > 1)) {
    patience_ = steps_after_alarm;
    return;
  }
  longest_ = 1 / rate;
}

double GrowthWatch::limit(double h, const Jacobian& jacobian) {
  if (h > known_to_ || since_ >= patience_) look(h, jacobian);
  return std::min(h, longest_);
}

}  // namespace kardan
