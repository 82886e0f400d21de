#include "kardan/linalg/rank.h"

#define EIGEN_MPL2_ONLY
#include <Eigen/Dense>
#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>
#include <numeric>

#include "kardan/base/stop.h"

namespace kardan {

namespace {

using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

Eigen::Map<const RowMajor> view(const Matrix& A) {
  return {A.data(), A.rows(), A.cols()};
}

void copy(const Eigen::MatrixXd& from, Matrix& to) {
  to.resize(static_cast<int>(from.rows()), static_cast<int>(from.cols()));
  Eigen::Map<RowMajor>(to.data(), to.rows(), to.cols()) = from;
}

/// A P = Q R by Householder reflections, the longest remaining column first (Golub & Van
/// Loan, 5.4.2; lengths are updated as by Drmac & Bujanovic, LAPACK Working Note 176). Looks for a
/// stop between columns.
class ColumnQr {
 public:
  void factor(const Matrix& A, double tolerance) {
    qr_ = view(A);
    const Eigen::Index rows = qr_.rows(), cols = qr_.cols(), size = std::min(rows, cols);
    coefficients_.resize(size);
    order_.resize(cols);
    std::iota(order_.begin(), order_.end(), 0);
    length_.resize(cols);
    for (Eigen::Index j = 0; j < cols; ++j) length_[j] = qr_.col(j).norm();
    computed_ = length_;
    scratch_.resize(cols);
    const double rounding = length_.maxCoeff() * epsilon;
    const double least = rounding * rounding / static_cast<double>(rows);
    Eigen::Index nonzero = size;
    double largest = 0;
    for (Eigen::Index k = 0; k < size; ++k) {
      if (std::max(rows, cols) >= long_loop) stop_point();
      Eigen::Index best = 0;
      const double longest = length_.tail(cols - k).maxCoeff(&best);
      if (nonzero == size && longest * longest < least * static_cast<double>(rows - k)) nonzero = k;
      exchange(k, k + best);
      double beta = 0;
      qr_.col(k).tail(rows - k).makeHouseholderInPlace(coefficients_[k], beta);
      qr_(k, k) = beta;
      largest = std::max(largest, std::abs(beta));
      qr_.bottomRightCorner(rows - k, cols - k - 1)
          .applyHouseholderOnTheLeft(qr_.col(k).tail(rows - k - 1), coefficients_[k],
                                     scratch_.data() + k + 1);
      for (Eigen::Index j = k + 1; j < cols; ++j) shorten(k, j);
    }
    rank_ = 0;
    for (Eigen::Index k = 0; k < nonzero; ++k)
      if (std::abs(qr_(k, k)) > tolerance * largest) ++rank_;
  }

  int rank() const { return rank_; }
  const std::vector<int>& order() const { return order_; }
  const Eigen::MatrixXd& matrixR() const { return qr_; }
  auto householderQ() const { return Eigen::householderSequence(qr_, coefficients_); }

 private:
  static constexpr double epsilon = std::numeric_limits<double>::epsilon();

  void exchange(Eigen::Index k, Eigen::Index other) {
    if (k == other) return;
    qr_.col(k).swap(qr_.col(other));
    std::swap(length_[k], length_[other]);
    std::swap(computed_[k], computed_[other]);
    std::swap(order_[k], order_[other]);
  }

  /// The length of what remains of column j below row k; computed anew where differences have left
  /// few digits of it.
  void shorten(Eigen::Index k, Eigen::Index j) {
    if (length_[j] == 0) return;
    const double share = std::abs(qr_(k, j)) / length_[j];
    const double left = std::max((1 + share) * (1 - share), 0.0), ratio = length_[j] / computed_[j];
    if (left * (ratio * ratio) <= std::sqrt(epsilon))
      length_[j] = computed_[j] = qr_.col(j).tail(qr_.rows() - k - 1).norm();
    else
      length_[j] *= std::sqrt(left);
  }

  Eigen::MatrixXd qr_;
  Eigen::VectorXd coefficients_, length_, computed_, scratch_;
  std::vector<int> order_;
  int rank_ = 0;
};

}  // namespace

class PivotedQr::Implementation {
  auto leading_triangle() const {
    return qr_.matrixR().topLeftCorner(rank_, rank_).template triangularView<Eigen::Upper>();
  }

  /// [R11 R12]' = Z [T' 0]'
  void complete() {
    if (completed_ || rank_ == 0 || rank_ == cols_) return;
    const Eigen::MatrixXd top =
        qr_.matrixR().topRows(rank_).template triangularView<Eigen::Upper>();
    completion_.compute(top.transpose());
    completed_ = true;
  }

 public:
  void factor(const Matrix& A, RankOptions options) {
    rows_ = A.rows();
    cols_ = A.cols();
    rank_ = 0;
    completed_ = false;
    permutation_.resize(cols_);
    std::iota(permutation_.begin(), permutation_.end(), 0);
    if (rows_ == 0 || cols_ == 0) return;
    qr_.factor(A, options.tolerance);
    rank_ = qr_.rank();
    permutation_ = qr_.order();
  }

  void solve(std::span<const double> b, std::span<double> x) {
    std::fill(x.begin(), x.end(), 0.0);
    if (rank_ == 0) return;
    complete();
    work_ = Eigen::Map<const Eigen::VectorXd>(b.data(), rows());
    work_.applyOnTheLeft(qr_.householderQ().setLength(rank_).adjoint());
    ordered_.setZero(cols());
    ordered_.head(rank_) = work_.head(rank_);
    auto head = ordered_.head(rank_);
    if (rank_ == cols()) {
      leading_triangle().solveInPlace(head);
    } else {
      completion_.matrixQR()
          .topLeftCorner(rank_, rank_)
          .template triangularView<Eigen::Upper>()
          .transpose()
          .solveInPlace(head);
      ordered_.applyOnTheLeft(completion_.householderQ());
    }
    for (int k = 0; k < cols(); ++k) x[permutation_[k]] = ordered_[k];
  }

  Matrix null_space() {
    complete();
    const int nullity = cols() - rank_;
    Matrix result(cols(), nullity);
    if (nullity == 0) return result;
    Eigen::MatrixXd basis = Eigen::MatrixXd::Zero(cols(), nullity);
    basis.bottomRows(nullity).setIdentity();
    if (rank_ > 0) basis.applyOnTheLeft(completion_.householderQ());
    for (int k = 0; k < cols(); ++k) {
      for (int j = 0; j < nullity; ++j) result(permutation_[k], j) = basis(k, j);
    }
    return result;
  }

  Matrix dependent_columns() const {
    Matrix result(rank_, cols() - rank_);
    if (result.size() == 0) return result;
    Eigen::MatrixXd C = qr_.matrixR().topRightCorner(rank_, cols() - rank_);
    leading_triangle().solveInPlace(C);
    copy(C, result);
    return result;
  }

  double pivot_ratio() const {
    if (rank_ == 0) return 1.0;
    return std::abs(qr_.matrixR()(0, 0) / qr_.matrixR()(rank_ - 1, rank_ - 1));
  }

  Matrix triangle_transposed() const {
    Matrix result(rank_, rank_);
    for (int i = 0; i < rank_; ++i)
      for (int j = 0; j <= i; ++j) result(i, j) = qr_.matrixR()(j, i);
    return result;
  }

  int rows() const { return rows_; }
  int cols() const { return cols_; }
  int rank() const { return rank_; }
  const std::vector<int>& permutation() const { return permutation_; }

 private:
  ColumnQr qr_;
  Eigen::HouseholderQR<Eigen::MatrixXd> completion_;  // once it is needed
  bool completed_ = false;
  std::vector<int> permutation_;
  Eigen::VectorXd work_, ordered_;
  int rows_ = 0;
  int cols_ = 0;
  int rank_ = 0;
};

PivotedQr::PivotedQr() : implementation_(std::make_unique<Implementation>()) {}
PivotedQr::~PivotedQr() = default;
PivotedQr::PivotedQr(PivotedQr&&) noexcept = default;
PivotedQr& PivotedQr::operator=(PivotedQr&&) noexcept = default;

Eval PivotedQr::factor(const Matrix& A, RankOptions options) {
  if (!all_finite(A.values())) return Eval::recoverable;
  implementation_->factor(A, options);
  return Eval::ok;
}

int PivotedQr::rows() const {
  return implementation_->rows();
}

int PivotedQr::cols() const {
  return implementation_->cols();
}

int PivotedQr::rank() const {
  return implementation_->rank();
}

const std::vector<int>& PivotedQr::column_permutation() const {
  return implementation_->permutation();
}

double PivotedQr::pivot_ratio() const {
  return implementation_->pivot_ratio();
}

Matrix PivotedQr::triangle_transposed() const {
  return implementation_->triangle_transposed();
}

void PivotedQr::solve(std::span<const double> b, std::span<double> x) {
  assert(static_cast<int>(b.size()) == rows() && static_cast<int>(x.size()) == cols());
  implementation_->solve(b, x);
}

Matrix PivotedQr::null_space() {
  return implementation_->null_space();
}

Matrix PivotedQr::dependent_columns() const {
  return implementation_->dependent_columns();
}

Eval FullPivotLu::factor(const Matrix& A, RankOptions options) {
  const int rows = A.rows();
  const int cols = A.cols();
  rank_ = 0;
  if (!all_finite(A.values())) return Eval::recoverable;
  lu_ = A;
  row_.resize(rows);
  column_.resize(cols);
  std::iota(row_.begin(), row_.end(), 0);
  std::iota(column_.begin(), column_.end(), 0);
  double first_pivot = 0.0;
  for (int k = 0; k < std::min(rows, cols); ++k) {
    if (std::max(rows, cols) >= long_loop) stop_point();
    double largest = 0.0;
    int pivot_row = k, pivot_column = k;
    for (int i = k; i < rows; ++i) {
      for (int j = k; j < cols; ++j) {
        if (std::abs(lu_(i, j)) > largest) {
          largest = std::abs(lu_(i, j)), pivot_row = i, pivot_column = j;
        }
      }
    }
    if (k == 0) first_pivot = largest;
    if (!(largest > options.tolerance * first_pivot)) break;
    ++rank_;
    std::swap(row_[k], row_[pivot_row]);
    std::swap(column_[k], column_[pivot_column]);
    if (pivot_row != k) std::swap_ranges(lu_.row(k), lu_.row(k) + cols, lu_.row(pivot_row));
    for (int i = 0; i < rows; ++i) std::swap(lu_(i, k), lu_(i, pivot_column));
    const double pivot = lu_(k, k);
    for (int i = k + 1; i < rows; ++i) {
      const double factor = lu_(i, k) /= pivot;
      const double* from = lu_.row(k);
      double* to = lu_.row(i);
      for (int j = k + 1; j < cols; ++j) to[j] -= factor * from[j];
    }
  }
  return Eval::ok;
}

double FullPivotLu::pivot_ratio() const {
  return rank_ == 0 ? 1.0 : std::abs(lu_(0, 0) / lu_(rank_ - 1, rank_ - 1));
}

void FullPivotLu::solve(std::span<double> x) const {
  assert(static_cast<int>(x.size()) == rank_);
  for (int i = 0; i < rank_; ++i) {
    for (int j = 0; j < i; ++j) x[i] -= lu_(i, j) * x[j];
  }
  for (int i = rank_ - 1; i >= 0; --i) {
    for (int j = i + 1; j < rank_; ++j) x[i] -= lu_(i, j) * x[j];
    x[i] /= lu_(i, i);
  }
}

void FullPivotLu::solve_transposed(std::span<double> x) const {
  assert(static_cast<int>(x.size()) == rank_);
  for (int i = 0; i < rank_; ++i) {
    x[i] /= lu_(i, i);
    for (int j = i + 1; j < rank_; ++j) x[j] -= lu_(i, j) * x[i];
  }
  for (int i = rank_ - 1; i >= 0; --i) {
    for (int j = 0; j < i; ++j) x[j] -= lu_(i, j) * x[i];
  }
}

Matrix FullPivotLu::dependent_rows() const {
  // With L = [L11; L21], the rows below are L21 U = (L21 L11^-1) (L11 U).
  const int count = lu_.rows() - rank_;
  Matrix C(count, rank_);
  for (int i = 0; i < count; ++i) {
    double* c = C.row(i);
    std::copy_n(lu_.row(rank_ + i), rank_, c);
    for (int k = rank_ - 1; k >= 0; --k) {
      for (int j = 0; j < k; ++j) c[j] -= c[k] * lu_(k, j);
    }
  }
  return C;
}

}  // namespace kardan
