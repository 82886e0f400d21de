#pragma once
/// A = Q R for square dense A, real or complex, by Householder reflections: without pivoting, and
/// backward stable whatever A is.

#include <cmath>
#include <complex>
#include <span>
#include <vector>

#include "kardan/base/eval.h"
#include "kardan/base/stop.h"

namespace kardan {

/// Storage is reused: no call allocates once a matrix of that size has been factored.
template <class Scalar>
class SquareQr {
 public:
  /// `values` row by row. recoverable when A is singular to rounding or not finite.
  [[nodiscard]] Eval factor(int size, std::span<const Scalar> values) {
    size_ = size;
    // Column by column.
    a_.resize(values.size());
    beta_.resize(size);
    diagonal_.resize(size);
    double largest = 0;
    for (int i = 0; i < size; ++i)
      for (int j = 0; j < size; ++j) {
        const Scalar value = values[static_cast<std::size_t>(i) * size + j];
        if (!std::isfinite(std::abs(value))) return Eval::recoverable;
        largest = std::max(largest, std::abs(value));
        at(i, j) = value;
      }
    for (int k = 0; k < size; ++k) {
      if (size >= long_loop) stop_point();
      double square = 0;
      for (int i = k; i < size; ++i) square += std::norm(at(i, k));
      const double norm = std::sqrt(square);
      if (!(norm > largest * size * 1e-16)) return Eval::recoverable;
      // The reflection takes the column to -phase norm, with phase that of its first entry.
      const double head = std::abs(at(k, k));
      const Scalar phase = head > 0 ? at(k, k) / head : Scalar(1);
      diagonal_[k] = -phase * norm;
      at(k, k) += phase * norm;
      beta_[k] = 1 / (norm * (norm + head));
      for (int j = k + 1; j < size; ++j) reflect(k, [&](int i) -> Scalar& { return at(i, j); });
    }
    return Eval::ok;
  }
  /// x := A^-1 x
  void solve(std::span<Scalar> x) {
    for (int k = 0; k < size_; ++k) reflect(k, [&](int i) -> Scalar& { return x[i]; });
    for (int i = size_ - 1; i >= 0; --i) {
      for (int j = i + 1; j < size_; ++j) x[i] -= at(i, j) * x[j];
      x[i] /= diagonal_[i];
    }
  }

 private:
  static double conjugate(double x) { return x; }
  static std::complex<double> conjugate(const std::complex<double>& x) { return std::conj(x); }
  Scalar& at(int i, int j) { return a_[static_cast<std::size_t>(j) * size_ + i]; }
  template <class Entry>
  void reflect(int k, Entry&& y) {
    Scalar product(0);
    for (int i = k; i < size_; ++i) product += conjugate(at(i, k)) * y(i);
    product *= beta_[k];
    for (int i = k; i < size_; ++i) y(i) -= product * at(i, k);
  }

  int size_ = 0;
  std::vector<Scalar> a_, diagonal_;  // reflections below and on the diagonal, R above it
  std::vector<double> beta_;
};

}  // namespace kardan
