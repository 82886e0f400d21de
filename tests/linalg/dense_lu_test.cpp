#include "kardan/linalg/dense_lu.h"

#include <gtest/gtest.h>

#include "kardan/linalg/sparse_lu.h"
#include "linalg/random_matrices.h"

namespace kardan {
namespace {

using test::Random;
using test::random_matrix;

TEST(DenseLu, GivesTheSameSolutionBitsWhenRowsAreScaledByPowersOfTwo) {
  Random random(21);
  const int n = 23;
  const Matrix A = random_matrix(n, n, random);
  const Vector b = test::random_vector(n, random);
  Matrix scaled = A;
  Vector x = b, y = b;
  for (int i = 0; i < n; ++i) {
    const double factor = std::ldexp(1.0, 40 * (i % 5) - 80);
    for (int j = 0; j < n; ++j) scaled(i, j) *= factor;
    y[i] *= factor;
  }
  DenseLu lu, lu_scaled;
  ASSERT_EQ(lu.factor(A), Eval::ok);
  ASSERT_EQ(lu_scaled.factor(scaled), Eval::ok);
  lu.solve(x);
  lu_scaled.solve(y);
  EXPECT_EQ(x, y);
  EXPECT_EQ(lu.rcond(), lu_scaled.rcond());
}

TEST(DenseLu, ExchangesRowsForAPermutationMatrix) {
  const int n = 9;
  Matrix A(n, n);
  Vector x(n), expected(n);
  for (int i = 0; i < n; ++i) {
    A(i, (i + 4) % n) = 1.0;
    x[i] = i;
    expected[(i + 4) % n] = i;
  }
  DenseLu lu;
  ASSERT_EQ(lu.factor(A), Eval::ok);
  lu.solve(x);
  EXPECT_EQ(x, expected);
  EXPECT_DOUBLE_EQ(lu.rcond(), 1.0);
}

TEST(DenseLu, EstimatesTheConditionOfTheHilbertMatrixWithinAFactorOfTen) {
  // The 1-norm condition numbers of the Hilbert matrices of size 3 and 6 are 748 and 2.907e7
  // (Higham, Accuracy and Stability, Table 28.1); row scaling changes them by little.
  for (const auto& [n, condition] : {std::pair{3, 748.0}, {6, 2.907e7}}) {
    Matrix A(n, n);
    for (int i = 0; i < n; ++i) {
      for (int j = 0; j < n; ++j) A(i, j) = 1.0 / (i + j + 1);
    }
    DenseLu lu;
    ASSERT_EQ(lu.factor(A), Eval::ok);
    EXPECT_GT(lu.rcond() * condition, 0.1);
    EXPECT_LT(lu.rcond() * condition, 10.0);
  }
}

TEST(DenseLu, HasAPivotAsSmallAsItIsFarFromSingular) {
  for (const double distance : {1.0, 1e-4, 1e-9}) {
    Matrix A(3, 3);
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) A(i, j) = i == j ? 8 + i : 1;
    for (int j = 0; j < 3; ++j) A(2, j) = A(0, j) + A(1, j);
    A(2, 2) += distance;
    DenseLu lu;
    ASSERT_EQ(lu.factor(A), Eval::ok);
    EXPECT_GT(lu.pivot_ratio(), 0.03 * distance);
    EXPECT_LT(lu.pivot_ratio(), distance);
    SparseMatrix B = test::sparse_copy(A);
    SparseLu sparse;
    ASSERT_EQ(sparse.analyze(B.pattern), Eval::ok);
    ASSERT_EQ(sparse.factor(B.values), Eval::ok);
    EXPECT_NEAR(sparse.pivot_ratio() / lu.pivot_ratio(), 1, 0.9) << distance;
  }
}

TEST(DenseLu, SurvivesEntriesNearTheLimitsOfDouble) {
  Matrix A(2, 2);
  A(0, 0) = 1e-310, A(0, 1) = 0.0, A(1, 0) = 1e300, A(1, 1) = 1e308;
  DenseLu lu;
  ASSERT_EQ(lu.factor(A), Eval::ok);
  Vector x = {1e-310, 1e308};
  lu.solve(x);
  EXPECT_NEAR(x[0], 1.0, 1e-13);
  EXPECT_NEAR(x[1], 1.0, 1e-7);  // 1e300 x0 is 1e-8 of the right-hand side
}

}  // namespace
}  // namespace kardan
