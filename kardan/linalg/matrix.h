#pragma once
/// Dense vectors and matrices: contiguous doubles, row-major, with a size that may change
/// within the reserved capacity without allocating.

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

namespace kardan {

using Vector = std::vector<double>;

/// Row-major dense matrix: A(i, j) is data()[i * cols() + j].
class Matrix {
 public:
  Matrix() = default;
  Matrix(int rows, int cols) { resize(rows, cols), set_zero(); }

  static Matrix identity(int size) {
    Matrix result(size, size);
    for (int i = 0; i < size; ++i) result(i, i) = 1.0;
    return result;
  }

  /// Changes the shape; the entries are unspecified afterwards. Allocates only when rows * cols
  /// exceeds every earlier size.
  void resize(int rows, int cols) {
    assert(rows >= 0 && cols >= 0);
    values_.resize(static_cast<std::size_t>(rows) * static_cast<std::size_t>(cols));
    rows_ = rows;
    cols_ = cols;
  }

  int rows() const { return rows_; }
  int cols() const { return cols_; }
  std::size_t size() const { return values_.size(); }

  double& operator()(int i, int j) { return row(i)[j]; }
  double operator()(int i, int j) const { return row(i)[j]; }
  double* row(int i) { return values_.data() + offset(i); }
  const double* row(int i) const { return values_.data() + offset(i); }
  double* data() { return values_.data(); }
  const double* data() const { return values_.data(); }
  std::span<const double> values() const { return values_; }

  void set_zero() { std::fill(values_.begin(), values_.end(), 0.0); }

  bool operator==(const Matrix&) const = default;

 private:
  std::size_t offset(int i) const {
    assert(i >= 0 && i <= rows_);
    return static_cast<std::size_t>(i) * static_cast<std::size_t>(cols_);
  }

  int rows_ = 0;
  int cols_ = 0;
  std::vector<double> values_;
};

inline double dot(std::span<const double> x, std::span<const double> y) {
  assert(x.size() == y.size());
  double sum = 0.0;
  for (std::size_t i = 0; i < x.size(); ++i) sum += x[i] * y[i];
  return sum;
}

/// y += alpha x
inline void add_scaled(double alpha, std::span<const double> x, std::span<double> y) {
  assert(x.size() == y.size());
  for (std::size_t i = 0; i < x.size(); ++i) y[i] += alpha * x[i];
}

/// y = A x;  x and y must not overlap.
inline void multiply(const Matrix& A, std::span<const double> x, std::span<double> y) {
  assert(static_cast<int>(x.size()) == A.cols() && static_cast<int>(y.size()) == A.rows());
  for (int i = 0; i < A.rows(); ++i) y[i] = dot({A.row(i), x.size()}, x);
}

/// y = A' x;  x and y must not overlap.
inline void multiply_transposed(const Matrix& A, std::span<const double> x, std::span<double> y) {
  assert(static_cast<int>(x.size()) == A.rows() && static_cast<int>(y.size()) == A.cols());
  std::fill(y.begin(), y.end(), 0.0);
  for (int i = 0; i < A.rows(); ++i) add_scaled(x[i], {A.row(i), y.size()}, y);
}

/// C = A B;  C is resized and must be neither A nor B.
inline void multiply(const Matrix& A, const Matrix& B, Matrix& C) {
  assert(A.cols() == B.rows() && &C != &A && &C != &B);
  C.resize(A.rows(), B.cols());
  C.set_zero();
  const auto width = static_cast<std::size_t>(B.cols());
  for (int i = 0; i < A.rows(); ++i) {
    for (int k = 0; k < A.cols(); ++k) {
      add_scaled(A(i, k), {B.row(k), width}, {C.row(i), width});
    }
  }
}

inline Matrix transposed(const Matrix& A) {
  Matrix result(A.cols(), A.rows());
  for (int i = 0; i < A.rows(); ++i) {
    for (int j = 0; j < A.cols(); ++j) result(j, i) = A(i, j);
  }
  return result;
}

/// Euclidean norm of a vector.
inline double norm_two(std::span<const double> x) {
  return std::sqrt(dot(x, x));
}

/// Largest absolute entry of a vector; 0 when empty. Ignores NaN: ask all_finite first.
inline double norm_max(std::span<const double> x) {
  double largest = 0.0;
  for (const double value : x) largest = std::max(largest, std::abs(value));
  return largest;
}

inline double norm_frobenius(const Matrix& A) {
  return norm_two(A.values());
}

/// Largest absolute row sum.
inline double norm_infinity(const Matrix& A) {
  double largest = 0.0;
  for (int i = 0; i < A.rows(); ++i) {
    double sum = 0.0;
    for (int j = 0; j < A.cols(); ++j) sum += std::abs(A(i, j));
    largest = std::max(largest, sum);
  }
  return largest;
}

/// Largest absolute column sum.
inline double norm_one(const Matrix& A) {
  double largest = 0.0;
  for (int j = 0; j < A.cols(); ++j) {
    double sum = 0.0;
    for (int i = 0; i < A.rows(); ++i) sum += std::abs(A(i, j));
    largest = std::max(largest, sum);
  }
  return largest;
}

/// True when no entry is infinite or NaN.
inline bool all_finite(std::span<const double> x) {
  // x * 0 is 0 for a finite x and NaN otherwise; the sum keeps any NaN. No branch in the loop.
  double sum = 0.0;
  for (const double value : x) sum += value * 0.0;
  return sum == 0.0;
}

}  // namespace kardan
