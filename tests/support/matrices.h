#pragma once
/// How far matrices are apart.

#include <cmath>

#include "kardan/base/vec.h"

namespace kardan::test {

/// The largest difference of two entries.
inline double distance(const Mat3d& A, const Mat3d& B) {
  double largest = 0;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) largest = std::fmax(largest, std::abs(A[i][j] - B[i][j]));
  return largest;
}

}  // namespace kardan::test
