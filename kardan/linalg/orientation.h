#pragma once
/// The sign of a determinant. Of the Jacobian of equations F(theta, x) = 0 by x it stays the same on
/// a branch of solutions x(theta), however near another branch comes: there it has the other sign.

#include <cmath>
#include <utility>

#include "kardan/linalg/matrix.h"

namespace kardan {

/// 1, -1, or 0 where A is singular; A is overwritten.
inline int orientation(Matrix& A) {
  int side = 1;
  const int n = A.rows();
  for (int k = 0; k < n; ++k) {
    int largest = k;
    for (int i = k + 1; i < n; ++i)
      if (std::abs(A(i, k)) > std::abs(A(largest, k))) largest = i;
    if (largest != k) {
      for (int j = k; j < n; ++j) std::swap(A(k, j), A(largest, j));
      side = -side;
    }
    const double pivot = A(k, k);
    if (!(pivot != 0)) return 0;
    if (pivot < 0) side = -side;
    for (int i = k + 1; i < n; ++i) {
      const double share = A(i, k) / pivot;
      for (int j = k; j < n; ++j) A(i, j) -= share * A(k, j);
    }
  }
  return side;
}

}  // namespace kardan
