#include "kardan/linalg/eigenvalues.h"

#include <gtest/gtest.h>

#include <limits>

#include "linalg/random_matrices.h"

namespace kardan {
namespace {

using Complex = std::complex<double>;

TEST(Eigenvalues, OfARandomMatrixSatisfyTheirEquation) {
  test::Random random(71);
  for (const int n : {1, 2, 7, 30}) {
    const Matrix A = test::random_matrix(n, n, random);
    EigenSystem system;
    ASSERT_EQ(find_eigenvalues(A, EigenOutput::values_and_vectors, system), Eval::ok);
    ASSERT_EQ(static_cast<int>(system.values.size()), n);
    for (int k = 0; k < n; ++k) {
      double norm = 0.0;
      for (int i = 0; i < n; ++i) {
        Complex residual = -system.values[k] * system.vectors[k][i];
        for (int j = 0; j < n; ++j) residual += A(i, j) * system.vectors[k][j];
        EXPECT_LT(std::abs(residual), 1e-12);
        norm += std::norm(system.vectors[k][i]);
      }
      EXPECT_NEAR(norm, 1.0, 1e-12);
    }
  }
}

TEST(Eigenvalues, OfADampedOscillatorAreTheKnownPair) {
  // x'' + 2 d x' + x = 0 has -d +- i sqrt(1 - d^2).
  const double d = 0.1;
  Matrix A(2, 2);
  A(0, 1) = 1.0, A(1, 0) = -1.0, A(1, 1) = -2.0 * d;
  EigenSystem system;
  ASSERT_EQ(find_eigenvalues(A, EigenOutput::values, system), Eval::ok);
  EXPECT_NEAR(std::abs(system.values[0] - Complex(-d, -std::sqrt(1 - d * d))), 0.0, 1e-14);
  EXPECT_EQ(system.values[1], std::conj(system.values[0]));
  EXPECT_TRUE(system.vectors.empty());
}

TEST(Eigenvalues, AreSortedByRealPart) {
  Matrix A(4, 4);
  A(0, 0) = 3.0, A(1, 1) = -2.0, A(2, 2) = 7.0, A(3, 3) = 0.0;
  EigenSystem system;
  ASSERT_EQ(find_eigenvalues(A, EigenOutput::values, system), Eval::ok);
  EXPECT_EQ(system.values, (std::vector<Complex>{-2.0, 0.0, 3.0, 7.0}));
}

TEST(Eigenvalues, OfNonFiniteMatricesAreRecoverableAndOfEmptyOnesNone) {
  Matrix A(3, 3);
  A(1, 1) = std::numeric_limits<double>::quiet_NaN();
  EigenSystem system;
  EXPECT_EQ(find_eigenvalues(A, EigenOutput::values, system), Eval::recoverable);
  EXPECT_TRUE(system.values.empty());
  EXPECT_EQ(find_eigenvalues(Matrix(0, 0), EigenOutput::values, system), Eval::ok);
  EXPECT_TRUE(system.values.empty());
}

}  // namespace
}  // namespace kardan
