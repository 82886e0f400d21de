#include "kardan/integrate/growth.h"

#include <algorithm>
#include <cmath>

#include "kardan/base/stop.h"

namespace kardan {
namespace {

/// A look serves steps that are longer by this, and so many of them; where the test fails though
/// nothing grows, more of them. Explicit methods have no Jacobian at hand: they look less often.
constexpr double ahead = 1.5, far_ahead = 10;
constexpr int steps_between = 4, steps_after_alarm = 32;
/// Oscillations that are fast are looked at again after so many steps; in models with more variables
/// than `usual_state` after more, as the work of eigenvalues grows, and in the largest not at all:
/// one look would take longer than many runs.
constexpr int steps_between_modes = 32, most_between_modes = 256, usual_state = 200,
              largest_state = 800;
int between_modes(int variables) {
  const double larger = std::max(1.0, static_cast<double>(variables) / usual_state);
  return static_cast<int>(steps_between_modes * larger * larger);
}
/// What a method may miss of the rate at which an oscillation grows.
constexpr double missed_share = 0.2;
/// Of |lambda|, that explicit methods may miss of alpha where nothing is looked at.
constexpr double least_missed = 1e-5;
/// Of the size of the matrix: rates that rounding may make.
constexpr double rounding_of_rates = 1e-10;

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

/// A bound of |y* (h T_1 + h^2 T_2) y| for |y| = 1, scaled: the mean of the largest sums of rows
/// and of columns.
double NoGrowthTest::largest_part(const LocalJacobian& J, double h) {
  const int n = J.M.rows(), first = J.B_z.rows();
  columns_.assign(n + first, 0.0);
  double rows = 0;
  for (int k = 0; k < n + first; ++k) {
    double sum = 0;
    for (int j = 0; j < n + first; ++j) {
      const bool u = j < n;
      double term = 0;
      if (k < n)
        term = u ? std::abs(J.A_u(k, j)) + h * std::abs(J.A_x(k, j)) : std::abs(J.A_z(k, j - n));
      else
        term = u ? std::abs(J.B_u(k - n, j)) + h * std::abs(J.B_x(k - n, j))
                 : std::abs(J.B_z(k - n, j - n));
      term *= h * scale_[k] * (j < n ? scale_[j] : 1 / scale_[j]);
      sum += term;
      columns_[j] += term;
    }
    rows = std::max(rows, sum);
  }
  return 0.5 * (rows + *std::ranges::max_element(columns_));
}

bool NoGrowthTest::all_slow(const LocalJacobian& J, double h) {
  const int n = J.M.rows(), first = J.B_z.rows();
  P_.resize(n + first, n + first);
  scale(J, h);
  const double part = largest_part(J, h);
  if (!(part < 1)) return false;
  for (int k = 0; k < n; ++k) {
    for (int j = 0; j <= k; ++j)
      P_(k, j) = 0.5 * (J.M(k, j) + J.M(j, k)) * scale_[k] * scale_[j] - (j == k ? part : 0);
    if (!eliminate_row(P_, k)) return false;
  }
  return true;
}

const LocalJacobian* jacobian_in(ChartProblem& free_form, const State& state, LocalJacobian& out) {
  return free_form.rebase(state) == Eval::ok && free_form.jacobian(out) == Eval::ok ? &out
                                                                                    : nullptr;
}

Eval find_modes(const LocalJacobian& J, GrowingModes& modes, ModeScratch& scratch) {
  auto& [A, masses, all] = scratch;
  modes.clear();
  if (Eval e = state_matrix(J, A, masses); e != Eval::ok) return e;
  // In units of time in which positions and velocities are alike.
  const int n = J.M.rows();
  double stiffness = 0;
  for (int i = n; i < 2 * n; ++i)
    for (int j = 0; j < n; ++j) stiffness = std::max(stiffness, std::abs(A(i, j)));
  const double rate = stiffness > 0 ? std::exp2(std::round(0.5 * std::log2(stiffness))) : 1;
  for (int i = 0; i < A.rows(); ++i)
    for (int j = 0; j < A.cols(); ++j)
      if ((i < n) != (j < n)) A(i, j) *= i < n ? rate : 1 / rate;
  if (Eval e = find_eigenvalues(A, EigenOutput::values, all); e != Eval::ok) return e;
  // A double zero is moved by the root of the rounding.
  const double size = norm_infinity(A);
  const double zero = 10 * std::sqrt(std::numeric_limits<double>::epsilon() * size);
  for (const auto& mode : all.values) {
    if (mode.imag() == 0 && mode.real() > zero) modes.real = std::max(modes.real, mode.real());
    if (mode.imag() > 0 && mode.real() > rounding_of_rates * size)
      modes.oscillations.push_back(mode);
  }
  return Eval::ok;
}

/// Steps that look later allocate nothing.
void GrowthWatch::make_room(const LocalJacobian& J) {
  const int variables = 2 * J.M.rows() + J.B_z.rows();
  if (scratch_.all.work || variables > largest_state) return;
  kardan::make_room(variables, scratch_.all);
  modes_.oscillations.reserve(static_cast<std::size_t>(variables));
  (void)state_matrix(J, scratch_.A, scratch_.masses);  // what fails here fails again where it matters
}

/// Of an oscillation a step misses this share of |lambda|, by (h |lambda|)^order: explicit methods
/// the first term of the exponential series that they do not have.
double GrowthWatch::series() const {
  return unseen_ == Unseen::oscillations ? std::tgamma(order_ + 2.0) : 1.0;
}

/// h |lambda| from which on a step may miss what grows.
double GrowthWatch::resolved() const {
  if (unseen_ == Unseen::all_that_grows) return 1;
  return std::pow(least_missed * series(), 1.0 / order_);
}

/// The longest step that follows the oscillations which grow, of those that one of h would not
/// resolve.
double GrowthWatch::following(double h) const {
  double longest = std::numeric_limits<double>::infinity();
  for (const auto& mode : modes_.oscillations) {
    const double speed = std::abs(mode);
    if ((follows_ || speed * h > resolved()) && mode.real() * span_ > 1)
      longest = std::min(
          longest, std::pow(missed_share * series() * mode.real() / speed, 1.0 / order_) / speed);
  }
  return longest;
}

void GrowthWatch::look(double h, const Jacobian& jacobian) {
  since_ = 0;
  patience_ = steps_between;
  known_to_ = ahead * h;
  longest_ = std::numeric_limits<double>::infinity();
  const LocalJacobian* J = jacobian();
  const int size = J ? J->M.rows() + J->B_z.rows() : 0;
  if (size == 0) return;
  make_room(*J);
  const bool creeps = test_.passes(*J, known_to_);
  const int variables = J->M.rows() + size;
  const bool due = modes_age_ >= between_modes(variables) && variables <= largest_state &&
                   (follows_ || !test_.all_slow(*J, known_to_));
  if (due || !creeps) {
    if (find_modes(*J, modes_, scratch_) == Eval::ok) {
      modes_age_ = 0;
    } else {
      modes_.clear();
      patience_ = steps_after_alarm;
    }
  }
  if (!creeps) {
    if (modes_.real * known_to_ > 1)
      longest_ = 1 / modes_.real;
    else
      patience_ = steps_after_alarm;
  }
  follow(known_to_);
}

/// What explicit steps would damp. They have no Jacobian at hand, and look the less often the
/// longer nothing grows.
void GrowthWatch::look_for_oscillations(double h, const Jacobian& jacobian) {
  since_ = 0;
  patience_ = follows_ ? steps_between_modes
                       : std::clamp(2 * patience_, steps_between_modes, most_between_modes);
  known_to_ = far_ahead * h;
  modes_.clear();
  const LocalJacobian* J = jacobian();
  const int size = J ? J->M.rows() + J->B_z.rows() : 0;
  if (size == 0) return;
  make_room(*J);
  patience_ = std::max(patience_, between_modes(J->M.rows() + size));
  if (J->M.rows() + size > largest_state) {
    patience_ = std::numeric_limits<int>::max();
    known_to_ = std::numeric_limits<double>::infinity();
    return;
  }
  if (follows_ || !test_.all_slow(*J, known_to_ / resolved()))
    if (find_modes(*J, modes_, scratch_) != Eval::ok) modes_.clear();
}

/// Bounds steps of h by the oscillations that grow.
void GrowthWatch::follow(double h) {
  const double followed = following(h);
  follows_ = std::isfinite(followed);
  longest_ = std::min(longest_, followed);
}

double GrowthWatch::limit(double h, const Jacobian& jacobian) {
  const bool due = h > known_to_ || since_ >= patience_;
  if (unseen_ == Unseen::oscillations) {
    if (due) look_for_oscillations(h, jacobian);
    longest_ = std::numeric_limits<double>::infinity();
    follow(h);
  } else if (due) {
    look(h, jacobian);
  }
  return std::min(h, longest_);
}

void GrowthWatch::forget() {
  *this = GrowthWatch(order_, span_, unseen_);
}

}  // namespace kardan
