#include "kardan/linalg/constraint_space.h"

#include <algorithm>
#include <cmath>
#include <memory>

#include "kardan/base/stop.h"
#include "kardan/linalg/svd.h"

namespace kardan {
namespace {

/// Rows and columns together above which sparse factors are cheaper; about where QR of chains of
/// bodies and the sparse LU take the same time.
constexpr int dense_limit = 160;
/// The sparse path needs all rows this far from dependent: well above what closing a step calls
/// weak.
constexpr double smallest_safe_remainder = 0.004;
/// What Gram and Schmidt must leave of the projection of a free coordinate.
constexpr double smallest_projection = 1e-2;
/// Larger null spaces are not worth a projection each.
constexpr int most_free = 64;
constexpr int inverse_iterations = 4;

}  // namespace

/// Singular values of rows of unit length: of all of them for the rank, then of the independent
/// ones, which RowSpace tells apart, for solutions.
class SingularRows {
 public:
  /// How many singular values are above `tolerance` times the largest. recoverable when they cannot
  /// be told.
  [[nodiscard]] Eval rank(const Matrix& A, double tolerance, int& out) {
    const int n = A.cols();
    rows_.resize(A.rows(), n);
    for (int i = 0; i < A.rows(); ++i) copy_unit(A, i, i);
    if (Eval e = svd_.factor(rows_, Svd::Output::values); e != Eval::ok) return e;
    const Vector& values = svd_.singular_values();
    const auto small = [&](double s) { return !(s > tolerance * values[0]); };
    out = static_cast<int>(std::ranges::find_if(values, small) - values.begin());
    return Eval::ok;
  }
  [[nodiscard]] Eval factor(const Matrix& A, const RowSpace& rows) {
    const int rank = rows.rank();
    rows_.resize(rank, A.cols());
    place_.assign(rows.row_permutation().begin(), rows.row_permutation().begin() + rank);
    length_.resize(rank);
    for (int k = 0; k < rank; ++k) length_[k] = copy_unit(A, place_[k], k);
    return svd_.factor(rows_);
  }
  void solve(std::span<const double> b, std::span<double> x) const {
    const Vector& values = svd_.singular_values();
    std::fill(x.begin(), x.end(), 0.0);
    for (int s = 0; s < static_cast<int>(values.size()); ++s) {
      double sum = 0;
      for (std::size_t k = 0; k < place_.size(); ++k)
        sum += svd_.U()(static_cast<int>(k), s) * b[place_[k]] / length_[k];
      sum /= values[s];
      for (std::size_t j = 0; j < x.size(); ++j) x[j] += sum * svd_.V()(static_cast<int>(j), s);
    }
  }

 private:
  /// Row i of A as row k, of unit length; its length.
  double copy_unit(const Matrix& A, int i, int k) {
    const double length = norm_two({A.row(i), static_cast<std::size_t>(A.cols())});
    for (int j = 0; j < A.cols(); ++j) rows_(k, j) = length > 0 ? A.row(i)[j] / length : 0;
    return length;
  }

  Matrix rows_;
  Svd svd_;
  Vector length_;
  std::vector<int> place_;
};

ConstraintSpace::~ConstraintSpace() = default;
ConstraintSpace::ConstraintSpace(ConstraintSpace&&) noexcept = default;
ConstraintSpace& ConstraintSpace::operator=(ConstraintSpace&&) noexcept = default;

ConstraintSpace::ConstraintSpace(std::shared_ptr<const SparsePattern> pattern, int rows,
                                 Vector column_unit, RowDecomposition decomposition)
    : pattern_(std::move(pattern)),
      rows_(rows),
      unit_(std::move(column_unit)),
      decomposition_(decomposition) {
  cols_ = static_cast<int>(unit_.size());
  scaled_.resize(rows_, cols_);
  if (decomposition_ == RowDecomposition::svd) svd_ = std::make_unique<SingularRows>();
  const bool small = rows_ + cols_ <= dense_limit;
  if (rows_ == 0 || decomposition_ == RowDecomposition::qr ||
      decomposition_ == RowDecomposition::svd ||
      (small && decomposition_ == RowDecomposition::automatic))
    return;
  PatternBuilder builder(cols_ + rows_, cols_ + rows_);
  for (int i = 0; i < cols_ + rows_; ++i) builder.add(i, i);
  for (int i = 0; i < rows_; ++i)
    for (int k = pattern_->row_start[i]; k < pattern_->row_start[i + 1]; ++k) {
      builder.add(cols_ + i, pattern_->column[k]);
      builder.add(pattern_->column[k], cols_ + i);
    }
  augmented_.pattern = builder.build();
  for (int i = 0; i < cols_ + rows_; ++i)
    augmented_.diagonal.push_back(augmented_.pattern->find(i, i));
  for (int i = 0; i < rows_; ++i)
    for (int k = pattern_->row_start[i]; k < pattern_->row_start[i + 1]; ++k) {
      augmented_.lower.push_back(augmented_.pattern->find(cols_ + i, pattern_->column[k]));
      augmented_.upper.push_back(augmented_.pattern->find(pattern_->column[k], cols_ + i));
    }
  augmented_.values.resize(augmented_.pattern->nonzeros());
  augmented_.length.resize(rows_);
  augmented_.x.resize(cols_ + rows_);
  augmented_.solver = std::make_unique<LinearSolver>(augmented_.pattern);
}

Eval ConstraintSpace::factor(const SparseMatrix& G, double tolerance, int max_rank,
                             const RowChoice& choice) {
  sparse_ = switched_ = false;
  if (augmented_.solver && choice.known && factor_sparse(G, tolerance, choice)) return Eval::ok;
  switched_ = augmented_.solver && choice.known;
  scaled_.resize(rows_, cols_);
  scaled_.set_zero();
  for (int i = 0; i < rows_; ++i)
    for (int k = pattern_->row_start[i]; k < pattern_->row_start[i + 1]; ++k)
      scaled_(i, pattern_->column[k]) = G.values[k] * unit_[pattern_->column[k]];
  if (!svd_) return dense_.factor(scaled_, tolerance, max_rank);
  if (!all_finite(scaled_.values())) return Eval::recoverable;
  // Pivoting finds which rows are independent, singular values have decided how many.
  int rank = 0;
  if (Eval e = svd_->rank(scaled_, tolerance, rank); e != Eval::ok) return e;
  if (Eval e = dense_.factor(scaled_, 0, std::min(max_rank, rank)); e != Eval::ok) return e;
  return svd_->factor(scaled_, dense_);
}

/// The augmented matrix of these rows, factored.
Eval ConstraintSpace::load(const SparseMatrix& G, const std::vector<char>& independent) {
  const std::size_t n = augmented_.lower.size();
  std::fill(augmented_.values.begin(), augmented_.values.end(), 0.0);
  for (int i = 0; i < cols_; ++i) augmented_.values[augmented_.diagonal[i]] = 1;
  for (int i = 0; i < rows_; ++i) {
    double sum = 0;
    const int begin = pattern_->row_start[i], end = pattern_->row_start[i + 1];
    for (int k = begin; k < end; ++k) {
      const double value = G.values[k] * unit_[pattern_->column[k]];
      sum += value * value;
    }
    augmented_.length[i] = std::sqrt(sum);
    if (!independent[i]) {
      augmented_.values[augmented_.diagonal[cols_ + i]] = 1;
      continue;
    }
    if (!(augmented_.length[i] > 0) || !std::isfinite(augmented_.length[i]))
      return Eval::recoverable;
    for (int k = begin; k < end && static_cast<std::size_t>(k) < n; ++k)
      augmented_.values[augmented_.lower[k]] = augmented_.values[augmented_.upper[k]] =
          G.values[k] * unit_[pattern_->column[k]] / augmented_.length[i];
  }
  return augmented_.solver->factor(augmented_.values);
}

/// By inverse iteration with (B B')^-1, from one vector always.
double ConstraintSpace::smallest_singular_value() {
  constexpr double golden = 0.6180339887498949;
  const auto n = static_cast<std::size_t>(cols_);
  double growth = 0;
  std::fill(augmented_.x.begin(), augmented_.x.end(), 0.0);
  for (int i = 0; i < rows_; ++i)
    if (independent_[i]) augmented_.x[n + i] = std::fmod((i + 1) * golden, 1.0) - 0.5;
  const std::span<double> y = std::span<double>(augmented_.x).subspan(n);
  for (int k = 0; k < inverse_iterations; ++k) {
    const double before = norm_two(y);
    if (!(before > 0)) return 1;
    for (double& value : y) value /= before;
    std::fill_n(augmented_.x.begin(), n, 0.0);
    augmented_.solver->solve(augmented_.x);
    for (int i = 0; i < rows_; ++i)
      if (!independent_[i]) y[i] = 0;
    growth = norm_two(y);
  }
  return growth > 0 ? 1 / std::sqrt(growth) : 1;
}

/// Projections of unit vectors, made orthonormal.
bool ConstraintSpace::find_null_space(const std::vector<int>& free) {
  const int width = static_cast<int>(free.size());
  N_.resize(cols_, width);
  for (int c = 0; c < width; ++c) {
    if (cols_ >= long_loop) stop_point();
    std::fill(augmented_.x.begin(), augmented_.x.end(), 0.0);
    augmented_.x[free[c]] = 1;
    augmented_.solver->solve(augmented_.x);
    double norm = 0;
    for (int sweep = 0; sweep < 2; ++sweep) {
      for (int other = 0; other < c; ++other) {
        double product = 0;
        for (int j = 0; j < cols_; ++j) product += N_(j, other) * augmented_.x[j];
        for (int j = 0; j < cols_; ++j) augmented_.x[j] -= product * N_(j, other);
      }
      norm = norm_two({augmented_.x.data(), static_cast<std::size_t>(cols_)});
      if (!(norm > smallest_projection) && sweep == 0) return false;
      for (int j = 0; j < cols_; ++j) augmented_.x[j] /= norm;
    }
    for (int j = 0; j < cols_; ++j) N_(j, c) = augmented_.x[j];
  }
  return true;
}

/// The rows left out in terms of the others; false where they are no longer dependent.
bool ConstraintSpace::find_combinations(const SparseMatrix& G, double tolerance) {
  dependent_.clear();
  for (int i = 0; i < rows_; ++i)
    if (!independent_[i]) dependent_.push_back(i);
  const int count = static_cast<int>(dependent_.size());
  if (count > most_free) return false;
  combinations_.resize(rows_, count);
  combinations_.set_zero();
  for (int c = 0; c < count; ++c) {
    if (rows_ >= long_loop) stop_point();
    const int i = dependent_[c];
    combinations_(i, c) = 1;
    if (!(augmented_.length[i] > 0)) continue;
    std::fill(augmented_.x.begin(), augmented_.x.end(), 0.0);
    for (int k = pattern_->row_start[i]; k < pattern_->row_start[i + 1]; ++k)
      augmented_.x[pattern_->column[k]] =
          G.values[k] * unit_[pattern_->column[k]] / augmented_.length[i];
    augmented_.solver->solve(augmented_.x);
    if (!(norm_two({augmented_.x.data(), static_cast<std::size_t>(cols_)}) <= tolerance))
      return false;
    for (int j = 0; j < rows_; ++j)
      if (independent_[j])
        combinations_(j, c) =
            -augmented_.x[cols_ + j] * augmented_.length[i] / augmented_.length[j];
  }
  return true;
}

bool ConstraintSpace::factor_sparse(const SparseMatrix& G, double tolerance,
                                    const RowChoice& choice) {
  if (static_cast<int>(choice.free.size()) > most_free) return false;
  if (load(G, choice.independent) != Eval::ok) return false;
  independent_ = choice.independent;
  const double ratio = smallest_singular_value() / choice.singular_value;
  smallest_ = std::min(1.0, choice.remainder * ratio);
  if (!(smallest_ >= smallest_safe_remainder)) return false;
  if (!find_combinations(G, tolerance) || !find_null_space(choice.free)) return false;
  rank_ = cols_ - static_cast<int>(choice.free.size());
  sparse_ = true;
  return true;
}

void ConstraintSpace::keep(const SparseMatrix& G, RowChoice& choice) {
  if (!augmented_.solver || sparse_ || dense_.smallest_remainder() < smallest_safe_remainder)
    return;
  const int width = cols_ - dense_.rank();
  if (width > most_free) return;
  choice.known = false;
  choice.independent.assign(rows_, 0);
  for (int i = 0; i < rows_; ++i) choice.independent[i] = dense_.is_independent(i) ? 1 : 0;
  if (load(G, choice.independent) != Eval::ok) return;
  independent_ = choice.independent;
  choice.remainder = dense_.smallest_remainder();
  choice.singular_value = smallest_singular_value();
  // Coordinates by the largest row of the basis, less what the ones before have of it.
  dense_.null_space(N_);
  choice.free.clear();
  for (int c = 0; c < width; ++c) {
    if (cols_ >= long_loop) stop_point();
    int best = 0;
    double largest = -1;
    for (int j = 0; j < cols_; ++j) {
      const double size = norm_two({N_.row(j), static_cast<std::size_t>(width)});
      if (size > largest) largest = size, best = j;
    }
    choice.free.push_back(best);
    if (!(largest > 0)) return;
    coefficients_.assign(N_.row(best), N_.row(best) + width);
    for (double& value : coefficients_) value /= largest;
    for (int j = 0; j < cols_; ++j) {
      const std::span<double> row{N_.row(j), static_cast<std::size_t>(width)};
      add_scaled(-dot(row, coefficients_), coefficients_, row);
    }
  }
  choice.known = true;
}

void ConstraintSpace::null_space(Matrix& N) {
  if (sparse_)
    N = N_;
  else
    dense_.null_space(N);
}

void ConstraintSpace::solve(std::span<const double> b, std::span<double> x) {
  if (svd_) return svd_->solve(b, x);
  if (!sparse_) return dense_.solve(b, x);
  std::fill_n(augmented_.x.begin(), cols_, 0.0);
  for (int i = 0; i < rows_; ++i)
    augmented_.x[cols_ + i] = independent_[i] ? b[i] / augmented_.length[i] : 0.0;
  augmented_.solver->solve(augmented_.x);
  std::copy_n(augmented_.x.begin(), cols_, x.begin());
}

void ConstraintSpace::solve_lanes(const Matrix& B, Matrix& X) {
  if (!sparse_ && !svd_) return dense_.solve_lanes(B, X);
  lane_b_.resize(rows_);
  lane_x_.resize(cols_);
  for (int lane = 0; lane < B.cols(); ++lane) {
    for (int i = 0; i < rows_; ++i) lane_b_[i] = B(i, lane);
    solve(lane_b_, lane_x_);
    for (int j = 0; j < cols_; ++j) X(j, lane) = lane_x_[j];
  }
}

/// y + Z t for the combinations Z that leave A'y alone, with W (y + Z t) of least length.
void ConstraintSpace::least_norm_multipliers(std::span<const double> weight, std::span<double> y) {
  if (!sparse_) return dense_.least_norm_multipliers(weight, y);
  const int count = static_cast<int>(dependent_.size());
  if (count == 0) return;
  normal_.resize(count, count);
  normal_.set_zero();
  coefficients_.assign(count, 0.0);
  for (int i = 0; i < rows_; ++i) {
    const double square = weight[i] * weight[i];
    for (int c = 0; c < count; ++c) {
      coefficients_[c] -= square * combinations_(i, c) * y[i];
      for (int d = 0; d < count; ++d)
        normal_(c, d) += square * combinations_(i, c) * combinations_(i, d);
    }
  }
  if (lu_.factor(normal_) != Eval::ok) return;
  lu_.solve(coefficients_);
  for (int i = 0; i < rows_; ++i)
    y[i] += dot({combinations_.row(i), static_cast<std::size_t>(count)}, coefficients_);
}

}  // namespace kardan
