#include "kardan/linalg/complex_lu.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "kardan/base/stop.h"
#include "kardan/linalg/condition.h"

namespace kardan {
namespace {

/// |re| + |im|: within a factor of sqrt(2) of the absolute value, and cheap.
double size_of(const Complex& z) {
  return std::abs(z.real()) + std::abs(z.imag());
}

/// y -= a x, without the checks for infinities of the library's product.
void subtract_scaled(const Complex& a, const Complex* x, Complex* y, int count) {
  const double ar = a.real(), ai = a.imag();
  for (int j = 0; j < count; ++j)
    y[j] = {y[j].real() - (ar * x[j].real() - ai * x[j].imag()),
            y[j].imag() - (ar * x[j].imag() + ai * x[j].real())};
}

Complex product(const Complex& a, const Complex& b) {
  return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
}

}  // namespace

Eval ComplexLu::factor(const ComplexMatrix& A) {
  const int n = A.size;
  lu_ = A;
  pivot_.resize(n);
  scale_.resize(n);
  for (int i = 0; i < n; ++i) {
    double largest = 0;
    for (int j = 0; j < n; ++j) {
      if (!std::isfinite(size_of(lu_(i, j)))) return Eval::recoverable;
      largest = std::max(largest, size_of(lu_(i, j)));
    }
    if (largest == 0) return Eval::recoverable;
    scale_[i] = power_of_two_scale(largest);
    for (int j = 0; j < n; ++j) lu_(i, j) *= scale_[i];
  }
  for (int k = 0; k < n; ++k) {
    if (n >= long_loop) stop_point();
    int pivot = k;
    for (int i = k + 1; i < n; ++i)
      if (size_of(lu_(i, k)) > size_of(lu_(pivot, k))) pivot = i;
    if (!(size_of(lu_(pivot, k)) > 0)) return Eval::recoverable;
    pivot_[k] = pivot;
    if (pivot != k) std::swap_ranges(lu_.row(k), lu_.row(k) + n, lu_.row(pivot));
    const Complex inverse = 1.0 / lu_(k, k);
    for (int i = k + 1; i < n; ++i) {
      Complex& l = lu_(i, k);
      if (l == 0.0) continue;
      l = product(l, inverse);
      subtract_scaled(l, lu_.row(k) + k + 1, lu_.row(i) + k + 1, n - k - 1);
    }
    lu_(k, k) = inverse;
  }
  return Eval::ok;
}

void ComplexLu::solve(std::span<Complex> x) const {
  const int n = lu_.size;
  for (int i = 0; i < n; ++i) x[i] *= scale_[i];
  // Row exchanges were made on whole rows, those of L included.
  for (int k = 0; k < n; ++k) std::swap(x[k], x[pivot_[k]]);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < i; ++j) x[i] -= product(lu_.row(i)[j], x[j]);
  for (int i = n - 1; i >= 0; --i) {
    for (int j = i + 1; j < n; ++j) x[i] -= product(lu_.row(i)[j], x[j]);
    x[i] = product(x[i], lu_.row(i)[i]);
  }
}

}  // namespace kardan
