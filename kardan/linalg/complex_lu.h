#pragma once
/// P D A = L U for square dense complex A, with partial pivoting; D scales rows by powers of two.

#include <complex>
#include <span>
#include <vector>

#include "kardan/base/eval.h"

namespace kardan {

using Complex = std::complex<double>;

/// Row-major dense complex matrix, just enough to be filled and factored.
struct ComplexMatrix {
  int size = 0;
  std::vector<Complex> values;
  void resize(int n) {
    size = n;
    values.resize(static_cast<std::size_t>(n) * static_cast<std::size_t>(n));
  }
  Complex& operator()(int i, int j) { return row(i)[j]; }
  Complex* row(int i) {
    return values.data() + static_cast<std::size_t>(i) * static_cast<std::size_t>(size);
  }
  const Complex* row(int i) const {
    return values.data() + static_cast<std::size_t>(i) * static_cast<std::size_t>(size);
  }
};

/// Storage is reused: no call allocates once a matrix of that size has been factored.
class ComplexLu {
 public:
  /// recoverable when A is exactly singular or not finite; then no solve may follow.
  [[nodiscard]] Eval factor(const ComplexMatrix& A);
  /// x := A^-1 x
  void solve(std::span<Complex> x) const;

 private:
  ComplexMatrix lu_;
  std::vector<int> pivot_;
  std::vector<double> scale_;
};

}  // namespace kardan
