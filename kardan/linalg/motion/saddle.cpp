#include "kardan/linalg/motion/saddle.h"

#include <algorithm>
#include <cmath>

namespace kardan {
namespace {

std::shared_ptr<const SparsePattern> saddle_pattern(const SparsePattern& W, const SparsePattern& C,
                                                    const std::vector<std::vector<int>>& extra) {
  const int n = W.rows, m = C.rows, total = n + m + static_cast<int>(extra.size());
  PatternBuilder builder(total, total);
  for (int i = 0; i < n; ++i)
    for (int k = W.row_start[i]; k < W.row_start[i + 1]; ++k) builder.add(i, W.column[k]);
  for (int i = 0; i < m; ++i)
    for (int k = C.row_start[i]; k < C.row_start[i + 1]; ++k) {
      builder.add(n + i, C.column[k]);
      builder.add(C.column[k], n + i);
    }
  for (std::size_t i = 0; i < extra.size(); ++i)
    for (int j : extra[i]) {
      builder.add(n + m + static_cast<int>(i), j);
      builder.add(j, n + m + static_cast<int>(i));
    }
  for (int i = 0; i < total; ++i) builder.add(i, i);
  return builder.build();
}

/// Refinement stops at this many sweeps; each gains a factor of about mu.
constexpr int max_refinements = 6;
/// Residuals below this share of their terms are not worth further directions.
constexpr double saddle_round_off = 1e-12;

}  // namespace

Saddle::Saddle(std::shared_ptr<const SparsePattern> W, std::shared_ptr<const SparsePattern> C,
               std::vector<std::vector<int>> extra)
    : n_(W->rows),
      m_(C->rows),
      W_(std::move(W)),
      C_(std::move(C)),
      extra_(std::move(extra)),
      pattern_(saddle_pattern(*W_, *C_, extra_)),
      solver_(pattern_),
      values_(pattern_->nonzeros(), 0.0),
      scale_(rows(), 1.0),
      rhs_(n_ + rows(), 0.0),
      solution_(n_ + rows(), 0.0),
      correction_(n_ + rows(), 0.0),
      before_(n_ + rows(), 0.0) {
  W_slot_.reserve(W_->nonzeros());
  C_slot_.reserve(C_->nonzeros());
  Ct_slot_.reserve(C_->nonzeros());
  W_diagonal_.reserve(n_);
  diagonal_slot_.reserve(rows());
  for (int i = 0; i < n_; ++i)
    for (int k = W_->row_start[i]; k < W_->row_start[i + 1]; ++k)
      W_slot_.push_back(pattern_->find(i, W_->column[k]));
  for (int i = 0; i < m_; ++i)
    for (int k = C_->row_start[i]; k < C_->row_start[i + 1]; ++k) {
      C_slot_.push_back(pattern_->find(n_ + i, C_->column[k]));
      Ct_slot_.push_back(pattern_->find(C_->column[k], n_ + i));
    }
  for (std::size_t i = 0; i < extra_.size(); ++i) {
    extra_slot_.emplace_back();
    extra_t_slot_.emplace_back();
    const int row = n_ + m_ + static_cast<int>(i);
    for (int j : extra_[i]) {
      extra_slot_.back().push_back(pattern_->find(row, j));
      extra_t_slot_.back().push_back(pattern_->find(j, row));
    }
  }
  for (int i = 0; i < n_; ++i) W_diagonal_.push_back(pattern_->find(i, i));
  for (int i = 0; i < rows(); ++i) diagonal_slot_.push_back(pattern_->find(n_ + i, n_ + i));
}

Eval Saddle::factor(std::span<const double> W, std::span<const double> C, const Matrix& extra_rows,
                    double diagonal, double regularization) {
  std::fill(values_.begin(), values_.end(), 0.0);
  for (std::size_t k = 0; k < W_slot_.size(); ++k) values_[W_slot_[k]] = W[k];
  auto weight = [&](int j) {
    const double w = std::abs(values_[W_diagonal_[j]]);
    return w > 0 ? w : diagonal;
  };
  auto scale_of = [](double square) { return square > 0 ? 1 / std::sqrt(square) : 1.0; };
  for (int i = 0; i < m_; ++i) {
    double square = 0;
    for (int k = C_->row_start[i]; k < C_->row_start[i + 1]; ++k)
      square += C[k] * C[k] / weight(C_->column[k]);
    scale_[i] = scale_of(square);
    for (int k = C_->row_start[i]; k < C_->row_start[i + 1]; ++k)
      values_[C_slot_[k]] = values_[Ct_slot_[k]] = scale_[i] * C[k];
  }
  for (std::size_t i = 0; i < extra_.size(); ++i) {
    const double* row = extra_rows.row(static_cast<int>(i));
    double square = 0;
    for (int j : extra_[i]) square += row[j] * row[j] / weight(j);
    const double s = scale_[m_ + i] = scale_of(square);
    for (std::size_t k = 0; k < extra_[i].size(); ++k)
      values_[extra_slot_[i][k]] = values_[extra_t_slot_[i][k]] = s * row[extra_[i][k]];
  }
  mu_ = regularization;
  for (int slot : diagonal_slot_) values_[slot] = -mu_;
  return solver_.factor(values_);
}

/// out = K xy without the regularization.
void Saddle::multiply(std::span<const double> xy, std::span<double> out) const {
  kardan::multiply(*pattern_, values_, xy, out);
  for (int i = 0; i < rows(); ++i) out[n_ + i] += mu_ * xy[n_ + i];
}

/// correction_ = rhs_ - K solution_; the largest of the constraint equations.
double Saddle::residual() {
  multiply(solution_, correction_);
  for (std::size_t i = 0; i < rhs_.size(); ++i) correction_[i] = rhs_[i] - correction_[i];
  return norm_max(constraint_part(correction_));
}

double Saddle::solve(std::span<double> x, std::span<double> y) {
  load(x, y);
  const double size = norm_max(rhs_);
  double best = 0;
  for (int sweep = 0; sweep < max_refinements; ++sweep) {
    const double left = residual();
    // Stop when nothing is gained: converged, a weak direction, or a contradiction.
    if (sweep > 0 && left > 0.5 * best) {
      best = std::min(best, left);
      if (sweep > 1) break;
    }
    best = left;
    solver_.solve(correction_);
    add_scaled(1, correction_, solution_);
    if (left <= 1e-16 * size) break;
  }
  if (best > saddle_round_off * constraint_terms()) best = solve_weak_directions(best);
  store(x, y);
  return best;
}

/// Near a singular position rows that are independent leave only a small s^2 of C W^-1 C', and a
/// sweep of refinement gains no more than s^2 / (s^2 + mu) of what is missing there. Steps of which
/// each is the best along all directions tried so far (GCR: Eisenstat, Elman & Schultz, SIAM J.
/// Numer. Anal. 20, 1983) need about one for each such direction. What they cannot remove either is
/// a contradiction.
double Saddle::solve_weak_directions(double best) {
  for (int k = 0; k < max_directions; ++k) {
    Vector& p = direction_[k];
    Vector& q = change_[k];
    residual();
    p = correction_;
    q.resize(p.size());
    solver_.solve(p);
    multiply(p, q);
    for (int j = 0; j < k; ++j) {
      const double c = dot(constraint_part(q), constraint_part(change_[j]));
      add_scaled(-c, change_[j], q);
      add_scaled(-c, direction_[j], p);
    }
    const double norm = norm_two(constraint_part(q));
    if (!(norm > 0)) break;
    for (double& value : p) value /= norm;
    for (double& value : q) value /= norm;
    const double step = dot(constraint_part(correction_), constraint_part(q));
    before_ = solution_;
    add_scaled(step, p, solution_);
    const double left = residual();
    if (!(left < 0.5 * best)) {  // rounding, or a contradiction
      solution_ = before_;
      break;
    }
    best = left;
  }
  return best;
}

/// Size of the terms of the constraint equations, in which residuals are rounding.
double Saddle::constraint_terms() const {
  double largest = 0;
  for (int i = n_; i < n_ + rows(); ++i) {
    double sum = std::abs(rhs_[i]);
    for (int k = pattern_->row_start[i]; k < pattern_->row_start[i + 1]; ++k)
      if (pattern_->column[k] < n_) sum += std::abs(values_[k] * solution_[pattern_->column[k]]);
    largest = std::max(largest, sum);
  }
  return largest;
}

void Saddle::solve_damped(std::span<double> x, std::span<double> y) {
  load(x, y);
  store(x, y);
}

void Saddle::load(std::span<const double> x, std::span<const double> y) {
  std::copy(x.begin(), x.end(), rhs_.begin());
  for (int i = 0; i < rows(); ++i) rhs_[n_ + i] = scale_[i] * y[i];
  solution_ = rhs_;
  solver_.solve(solution_);
}

void Saddle::store(std::span<double> x, std::span<double> y) const {
  std::copy_n(solution_.begin(), n_, x.begin());
  for (int i = 0; i < rows(); ++i) y[i] = scale_[i] * solution_[n_ + i];
}

}  // namespace kardan
