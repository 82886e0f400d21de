#pragma once
/// Reproducible test matrices. Random ones come from std::mt19937_64, whose sequence the C++
/// standard fixes; distributions are our own, because the standard leaves theirs open.

#include <cmath>
#include <memory>
#include <random>
#include <vector>

#include "kardan/linalg/matrix.h"
#include "kardan/linalg/sparse.h"

namespace kardan::test {

class Random {
 public:
  explicit Random(unsigned long long seed) : engine_(seed) {}
  /// Uniform in [-1, 1).
  double value() { return std::ldexp(static_cast<double>(engine_() >> 11), -52) - 1.0; }
  int index(int bound) { return static_cast<int>(engine_() % static_cast<unsigned>(bound)); }

 private:
  std::mt19937_64 engine_;
};

inline Vector random_vector(int size, Random& random) {
  Vector x(size);
  for (double& value : x) value = random.value();
  return x;
}

inline Matrix random_matrix(int rows, int cols, Random& random) {
  Matrix A(rows, cols);
  for (int i = 0; i < rows; ++i) {
    for (int j = 0; j < cols; ++j) A(i, j) = random.value();
  }
  return A;
}

/// Product of a rows x rank and a rank x cols random matrix.
inline Matrix random_matrix_of_rank(int rows, int cols, int rank, Random& random) {
  Matrix A;
  multiply(random_matrix(rows, rank, random), random_matrix(rank, cols, random), A);
  return A;
}

inline SparseMatrix sparse_copy(const Matrix& A) {
  PatternBuilder builder(A.rows(), A.cols());
  for (int i = 0; i < A.rows(); ++i) {
    for (int j = 0; j < A.cols(); ++j) {
      if (A(i, j) != 0.0) builder.add(i, j);
    }
  }
  SparseMatrix S(builder.build());
  for (int i = 0; i < A.rows(); ++i) {
    for (int j = 0; j < A.cols(); ++j) {
      if (A(i, j) != 0.0) S.values[S.pattern->find(i, j)] = A(i, j);
    }
  }
  return S;
}

/// Constraint Jacobian of a chain: joint k has `joint_rows` rows over the six columns of body k
/// and the six of body k+1.
inline SparseMatrix chain_jacobian(int bodies, int joint_rows, Random& random) {
  const int joints = bodies - 1;
  PatternBuilder builder(joints * joint_rows, 6 * bodies);
  for (int k = 0; k < joints; ++k) builder.add_block(k * joint_rows, 6 * k, joint_rows, 12);
  SparseMatrix G(builder.build());
  for (double& value : G.values) value = random.value();
  return G;
}

/// Saddle-point matrix [M G'; G 0] of a chain of free bodies with ball joints (3 rows), the
/// unknowns of body k and of the joint behind it next to each other.
inline SparseMatrix chain_saddle_point(int bodies, Random& random) {
  constexpr int stride = 9;
  const int size = stride * bodies - 3;
  PatternBuilder builder(size, size);
  for (int k = 0; k < bodies; ++k) {
    builder.add_block(stride * k, stride * k, 6, 6);
    if (k + 1 == bodies) break;
    const int joint = stride * k + 6;
    for (const int body : {stride * k, stride * (k + 1)}) {
      builder.add_block(joint, body, 3, 6);
      builder.add_block(body, joint, 6, 3);
    }
  }
  SparseMatrix A(builder.build());
  for (int i = 0; i < size; ++i) {
    for (int k = A.pattern->row_start[i]; k < A.pattern->row_start[i + 1]; ++k) {
      const int j = A.pattern->column[k];
      if (j > i) continue;
      const double value = i == j ? 4.0 + random.value() : 0.5 * random.value();
      A.values[k] = value;
      A.values[A.pattern->find(j, i)] = value;
    }
  }
  return A;
}

/// ||A x - b|| / (||A|| ||x|| + ||b||) in the maximum norm: the normwise backward error.
inline double backward_error(const Matrix& A, const Vector& x, const Vector& b) {
  Vector r(b.size());
  multiply(A, x, r);
  add_scaled(-1.0, b, r);
  return norm_max(r) / (norm_infinity(A) * norm_max(x) + norm_max(b));
}

}  // namespace kardan::test
