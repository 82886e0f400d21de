#include "kardan/linalg/sparse_lu.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "kardan/linalg/condition.h"
#include "kardan/linalg/fixed_lu.h"
#include "kardan/linalg/pivot_search.h"

namespace kardan {

/// Pivots and the order of unknowns are searched by others (pivot_search.h); everything else goes
/// along the lists made of them.
class SparseLu::Implementation {
 public:
  Eval analyze(std::shared_ptr<const SparsePattern> pattern);
  Eval factor(std::span<const double> values);
  Eval refactor(std::span<const double> values);
  void adopt_pivots(const Implementation& other);
  FixedLu& factors() { return factors_; }
  double rcond();
  double pivot_ratio() const { return size() == 0 ? 1.0 : factors_.pivot_ratio(values_); }
  double backward_error();

  int size() const { return pattern_ ? pattern_->rows : 0; }
  int structural_rank() const { return structural_rank_; }
  long factor_nonzeros() const { return pivots_ == Pivots::none ? 0L : factors_.nonzeros(); }
  double predicted_nonzeros() const { return search_.predicted_nonzeros(); }
  Pivots pivots() const { return pivots_; }

 private:
  Eval choose_pivots(std::span<const double> values);
  bool scale_rows();

  std::shared_ptr<const SparsePattern> pattern_;
  PivotSearch search_;
  int structural_rank_ = 0;
  Pivots pivots_ = Pivots::none;
  FixedLu factors_;
  Vector values_;                      // of A
  double fresh_backward_error_ = 0.0;  // when the pivots in use were chosen
  double norm_ = 0.0;                  // ||DA||, infinity norm
  Vector row_scale_;                   // D
  Vector x_;
  Vector signs_;
};

Eval SparseLu::Implementation::analyze(std::shared_ptr<const SparsePattern> pattern) {
  pivots_ = Pivots::none;
  structural_rank_ = 0;
  search_ = PivotSearch();
  if (!pattern || pattern->rows != pattern->cols) return Eval::fatal;
  pattern_ = std::move(pattern);
  const auto n = static_cast<std::size_t>(size());
  row_scale_.resize(n);
  x_.resize(n);
  signs_.resize(n);
  if (n == 0) return Eval::ok;
  const Eval e = search_.analyze(pattern_);
  if (e == Eval::ok) structural_rank_ = search_.structural_rank();
  return e;
}

/// D and ||DA||; false when a row is zero.
bool SparseLu::Implementation::scale_rows() {
  norm_ = 0.0;
  for (int i = 0; i < size(); ++i) {
    double largest = 0.0, sum = 0.0;
    for (int k = pattern_->row_start[i]; k < pattern_->row_start[i + 1]; ++k) {
      largest = std::max(largest, std::abs(values_[k]));
      sum += std::abs(values_[k]);
    }
    if (largest == 0.0) return false;
    row_scale_[i] = power_of_two_scale(largest);
    norm_ = std::max(norm_, row_scale_[i] * sum);
  }
  return true;
}

/// Solves A x = b for a fixed b of entries of the size of their rows, with signs that are no
/// pattern of A, and returns max_i |A x - b|_i / (||A_i|| ||x|| + |b_i|); infinite when x is not
/// finite. Unlike the pivot growth this sees L as well as U.
double SparseLu::Implementation::backward_error() {
  if (size() == 0) return 0.0;
  if (!scale_rows()) return std::numeric_limits<double>::infinity();
  constexpr double golden_ratio = 0.6180339887498949;  // equidistributed multiples
  const auto right_side = [this](int i) {
    const double fraction = std::fmod(golden_ratio * (i + 1), 1.0);
    return (fraction < 0.5 ? 0.5 + fraction : -fraction) / row_scale_[i];
  };
  for (int i = 0; i < size(); ++i) x_[i] = right_side(i);
  factors_.solve(x_);
  if (!all_finite(x_)) return std::numeric_limits<double>::infinity();
  const double x_norm = norm_max(x_);
  double worst = 0.0;
  for (int i = 0; i < size(); ++i) {
    double residual = right_side(i), sum = 0.0;
    const double b = std::abs(residual);
    for (int k = pattern_->row_start[i]; k < pattern_->row_start[i + 1]; ++k) {
      residual -= values_[k] * x_[pattern_->column[k]];
      sum += std::abs(values_[k]);
    }
    worst = std::max(worst, std::abs(residual) / (sum * x_norm + b));
  }
  return worst;
}

Eval SparseLu::Implementation::choose_pivots(std::span<const double> values) {
  PivotOrder order;
  if (const Eval e = search_.choose(values, order); e != Eval::ok) return e;
  factors_.compile(*pattern_, std::move(order), values);
  return Eval::ok;
}

Eval SparseLu::Implementation::factor(std::span<const double> values) {
  assert(static_cast<int>(values.size()) == pattern_->nonzeros());
  pivots_ = Pivots::none;
  if (size() == 0) return pivots_ = Pivots::fresh, Eval::ok;
  values_.assign(values.begin(), values.end());
  if (structural_rank_ < size() || !all_finite(values)) return Eval::recoverable;
  if (Eval e = choose_pivots(values); e != Eval::ok) return e;
  if (!factors_.factor(values)) return Eval::recoverable;
  fresh_backward_error_ = backward_error();
  if (!std::isfinite(fresh_backward_error_)) return Eval::recoverable;
  pivots_ = Pivots::fresh;
  return Eval::ok;
}

Eval SparseLu::Implementation::refactor(std::span<const double> values) {
  assert(static_cast<int>(values.size()) == pattern_->nonzeros());
  if (size() == 0 || pivots_ == Pivots::none) return factor(values);
  pivots_ = Pivots::none;
  values_.assign(values.begin(), values.end());
  if (!all_finite(values)) return Eval::recoverable;
  if (!factors_.factor(values)) return factor(values);
  // As good as fresh ones promise to be, or as a residual shows them to be.
  if (!(factors_.growth() <= 1.0 / PivotSearch::diagonal_preference) &&
      !(backward_error() <= std::max(rounding_level, reuse_loss * fresh_backward_error_)))
    return factor(values);
  pivots_ = Pivots::reused;
  return Eval::ok;
}

void SparseLu::Implementation::adopt_pivots(const Implementation& other) {
  if (size() == 0 || other.pivots_ == Pivots::none) return;
  factors_.adopt(other.factors_);
  fresh_backward_error_ = other.fresh_backward_error_;
  pivots_ = Pivots::reused;
}

double SparseLu::Implementation::rcond() {
  if (size() == 0) return 1.0;
  if (!scale_rows()) return 0.0;
  return row_scaled_rcond(
      norm_, row_scale_, [this](std::span<double> x) { factors_.solve(x); },
      [this](std::span<double> x) { factors_.solve_transposed(x); }, x_, signs_);
}

SparseLu::SparseLu() : implementation_(std::make_unique<Implementation>()) {}
SparseLu::~SparseLu() = default;
SparseLu::SparseLu(SparseLu&&) noexcept = default;
SparseLu& SparseLu::operator=(SparseLu&&) noexcept = default;

Eval SparseLu::analyze(std::shared_ptr<const SparsePattern> pattern) {
  return implementation_->analyze(std::move(pattern));
}

Eval SparseLu::factor(std::span<const double> values) {
  return implementation_->factor(values);
}

Eval SparseLu::refactor(std::span<const double> values) {
  return implementation_->refactor(values);
}

void SparseLu::adopt_pivots(const SparseLu& other) {
  implementation_->adopt_pivots(*other.implementation_);
}

Pivots SparseLu::pivots() const {
  return implementation_->pivots();
}

int SparseLu::size() const {
  return implementation_->size();
}

int SparseLu::structural_rank() const {
  return implementation_->structural_rank();
}

double SparseLu::predicted_nonzeros() const {
  return implementation_->predicted_nonzeros();
}

long SparseLu::factor_nonzeros() const {
  return implementation_->factor_nonzeros();
}

double SparseLu::backward_error() {
  return implementation_->backward_error();
}

void SparseLu::solve(std::span<double> x) {
  assert(pivots() != Pivots::none && static_cast<int>(x.size()) == size());
  if (size() > 0) implementation_->factors().solve(x);
}

void SparseLu::solve(Matrix& X) {
  assert(pivots() != Pivots::none && X.rows() == size());
  if (size() > 0) implementation_->factors().solve(X);
}

void SparseLu::solve_transposed(std::span<double> x) {
  assert(pivots() != Pivots::none && static_cast<int>(x.size()) == size());
  if (size() > 0) implementation_->factors().solve_transposed(x);
}

double SparseLu::pivot_ratio() const {
  assert(pivots() != Pivots::none);
  return implementation_->pivot_ratio();
}

double SparseLu::rcond() {
  assert(pivots() != Pivots::none);
  return implementation_->rcond();
}

}  // namespace kardan
