#include "kardan/linalg/krylov_action.h"

#include <algorithm>
#include <cmath>

namespace kardan {
namespace {

/// A remainder of Arnoldi's process below this share of the matrix ends it: the space is invariant.
constexpr double breakdown = 1e-15;
constexpr double safety = 0.9;
constexpr int most_substeps = 100'000, most_attempts = 30;

}  // namespace

/// y = [A c; 0 K] x, K the shift: x_(n+i)' = x_(n+i+1).
void KrylovAction::product(const Matrix& A, std::span<const double> x, std::span<double> y) {
  ++products_;
  multiply(A, x.first(n_), y.first(n_));
  for (int i = 0; i < p_; ++i) add_scaled(x[n_ + i], loads_[i], y.first(n_));
  for (int i = 0; i < p_; ++i) y[n_ + i] = i + 1 < p_ ? x[n_ + i + 1] : 0.0;
}

/// The loads seen from the start of the substep: what is left of w' = A w + ... with w = w_0 + dw.
/// They are scaled by a power of two so that they weigh like A itself.
void KrylovAction::load(const Matrix& A, std::span<const Vector* const> loads,
                        const Substep& step) {
  loads_.resize(p_);
  double size = 0;
  for (int i = 0; i < p_; ++i) {
    loads_[i].assign(n_, 0.0);
    double factor = 1;  // start^(i-j)/(i-j)!
    for (int j = i; j >= 0; --j) {
      add_scaled(factor, *loads[j], loads_[i]);
      factor *= step.start / (i - j + 1);
    }
  }
  for (int r = 0; r < n_; ++r)
    loads_[p_ - 1][r] += dot({A.row(r), static_cast<std::size_t>(n_)}, step.w);
  for (const Vector& c : loads_) size = std::max(size, norm_max(c));
  scale_ = size > 0 ? std::exp2(-std::round(std::log2(size))) : 1;
  for (Vector& c : loads_)
    for (double& x : c) x *= scale_;
}

/// Basis and small matrix; the number of columns, and |A v_next| for the error.
int KrylovAction::arnoldi(const Matrix& A, Substep& s, double& next_size) {
  const int size = n_ + p_, m = std::min(dimension, size);
  s.V.resize(m + 1, size);
  s.H.resize(m + 2, m + 2);
  s.H.set_zero();
  std::fill_n(s.V.row(0), size, 0.0);
  s.V(0, size - 1) = 1;
  s.beta = 1 / scale_;
  next_.resize(size);
  const auto width = static_cast<std::size_t>(size);
  for (int j = 0; j < m; ++j) {
    product(A, {s.V.row(j), width}, next_);
    const double before = norm_two(next_);
    for (int sweep = 0; sweep < 2; ++sweep)  // twice is enough
      for (int i = 0; i <= j; ++i) {
        const double h = dot({s.V.row(i), width}, next_);
        s.H(i, j) += h;
        add_scaled(-h, {s.V.row(i), width}, next_);
      }
    const double rest = norm_two(next_);
    if (rest <= breakdown * before || !std::isfinite(rest)) return std::isfinite(rest) ? j + 1 : -1;
    s.H(j + 1, j) = rest;
    for (int k = 0; k < size; ++k) s.V(j + 1, k) = next_[k] / rest;
  }
  product(A, {s.V.row(m), width}, next_);
  next_size = norm_two(next_);
  return -1 - m;  // no breakdown: the corrected scheme has one column more
}

/// The change of w at t after the start of the substep, added to `w`.
void KrylovAction::combine(const Substep& s, double t, Vector& w) {
  const int size = s.H.rows();
  small_.resize(size, size);
  for (std::size_t i = 0; i < small_.size(); ++i) small_.data()[i] = t * s.H.data()[i];
  first_column_.assign(size, 0.0);
  if (exponential_.compute(small_, small_exp_) != Eval::ok) {
    first_column_.assign(size, std::nan(""));
  } else {
    for (int i = 0; i < size; ++i) first_column_[i] = small_exp_(i, 0);
  }
  for (int j = 0; j < s.columns; ++j)
    add_scaled(s.beta * first_column_[j], {s.V.row(j), static_cast<std::size_t>(n_)}, w);
}

Eval KrylovAction::prepare(const Matrix& A, std::span<const Vector* const> loads, double h,
                           double tolerance) {
  n_ = A.rows();
  p_ = static_cast<int>(loads.size());
  used_ = 0;
  double t = 0, tau = h, largest = 0;
  w_end_.assign(n_, 0.0);
  while (t < h) {
    if (used_ == most_substeps) return Eval::recoverable;
    if (static_cast<int>(steps_.size()) == used_) steps_.emplace_back();
    Substep& s = steps_[used_++];
    s.start = t;
    s.w = w_end_;
    load(A, loads, s);
    double next_size = 0;
    const int found = arnoldi(A, s, next_size);
    if (found == -1) return Eval::recoverable;
    const bool invariant = found > 0;
    const int m = invariant ? found : -1 - found;
    s.columns = invariant ? m : m + 1;
    if (invariant) {
      // The leading block is all there is.
      small_ = s.H;
      s.H.resize(m, m);
      for (int i = 0; i < m; ++i)
        for (int j = 0; j < m; ++j) s.H(i, j) = small_(i, j);
    } else {
      s.H(m + 1, m) = 1;
    }
    tau = invariant ? h - t : std::min(tau, h - t);
    for (int attempt = 0;; ++attempt) {
      if (attempt == most_attempts) return Eval::recoverable;
      w_end_ = s.w;
      combine(s, tau, w_end_);
      if (!all_finite(w_end_)) {
        tau *= 0.25;
        continue;
      }
      if (invariant) break;
      // Sidje's estimates: of the plain scheme, and of the corrected one.
      const double p1 = std::abs(s.beta * first_column_[m]);
      const double p2 = std::abs(s.beta * first_column_[m + 1]) * next_size;
      const double error = p1 > 10 * p2 ? p2 : p1 > p2 ? p1 * p2 / (p1 - p2) : p1;
      const double allowed = tolerance * std::max(norm_max(w_end_), largest) * tau / h + 1e-300;
      const double factor = safety * std::pow(allowed / std::max(error, 1e-300), 1.0 / m);
      const double reached = tau;
      if (error <= 1.2 * allowed) {
        s.length = reached;
        tau = reached * std::clamp(factor, 0.5, 4.0);
        break;
      }
      tau = reached * std::clamp(factor, 0.1, 0.9);
    }
    if (invariant) s.length = tau;
    largest = std::max(largest, norm_max(w_end_));
    t = h - t - s.length <= 1e-15 * h ? h : t + s.length;
  }
  return Eval::ok;
}

void KrylovAction::at(double t, Vector& w) {
  int k = used_ - 1;
  while (k > 0 && steps_[k].start > t) --k;
  w = steps_[k].w;
  combine(steps_[k], t - steps_[k].start, w);
}

}  // namespace kardan
