#include "kardan/linalg/row_space.h"

#include <gtest/gtest.h>

#include "kardan/linalg/complex_lu.h"
#include "linalg/random_matrices.h"

namespace kardan {
namespace {

using test::Random;
using test::random_matrix;

TEST(RowSpace, FindsRankNullSpaceAndLeastSolution) {
  Random random(7);
  const int m = 6, n = 10;
  Matrix A = random_matrix(m, n, random);
  for (int j = 0; j < n; ++j) A(4, j) = 2 * A(1, j) - A(3, j);  // redundant
  RowSpace space;
  ASSERT_EQ(space.factor(A, 1e-10, m), Eval::ok);
  EXPECT_EQ(space.rank(), 5);
  Matrix N, product;
  space.null_space(N);
  ASSERT_EQ(N.cols(), 5);
  multiply(A, N, product);
  EXPECT_LE(norm_max(product.values()), 1e-14);
  multiply(transposed(N), N, product);
  for (int i = 0; i < 5; ++i)
    for (int j = 0; j < 5; ++j) EXPECT_NEAR(product(i, j), i == j ? 1 : 0, 1e-14);
  Vector b(m), x(n), back(m), along(5);
  multiply(A, test::random_vector(n, random), b);
  space.solve(b, x);
  multiply(A, x, back);
  for (int i = 0; i < m; ++i) EXPECT_NEAR(back[i], b[i], 1e-13);
  multiply_transposed(N, x, along);
  EXPECT_LE(norm_max(along), 1e-13);  // nothing along the null space: least norm
}

/// Rows of a chain: few neighbouring columns each, one row redundant. Columns are swapped on the
/// way, which must not be seen.
TEST(RowSpace, TreatsLargeSparseMatricesAlike) {
  Random random(11);
  const int m = 120, n = 150;
  Matrix A(m, n);
  const Matrix values = random_matrix(m, 6, random);
  for (int i = 0; i < m; ++i)
    for (int k = 0; k < 6; ++k) A(i, (5 * i / 4 * 7 + k) % n) = values(i, k);
  for (int j = 0; j < n; ++j) A(50, j) = 2 * A(10, j) - A(90, j);
  RowSpace space;
  ASSERT_EQ(space.factor(A, 1e-10, m), Eval::ok);
  const int rank = space.rank(), width = n - rank;
  EXPECT_EQ(rank, m - 1);
  Matrix N, product;
  space.null_space(N);
  ASSERT_EQ(N.cols(), width);
  multiply(A, N, product);
  EXPECT_LE(norm_max(product.values()), 1e-13);
  multiply(transposed(N), N, product);
  for (int i = 0; i < width; ++i)
    for (int j = 0; j < width; ++j) EXPECT_NEAR(product(i, j), i == j ? 1 : 0, 1e-13);
  Vector b(m), x(n), along(width);
  const Vector some = test::random_vector(n, random);
  multiply(A, some, b);
  space.solve(b, x);
  // What differs from the vector the right-hand side was made of lies in the null space, and the
  // solution has nothing of it.
  Vector off = x, back(m);
  add_scaled(-1, some, off);
  multiply(A, off, back);
  EXPECT_LE(norm_max(back), 1e-10);
  multiply_transposed(N, x, along);
  EXPECT_LE(norm_max(along), 1e-10);
  Matrix B(m, 4), X(n, 4);
  for (int i = 0; i < m; ++i)
    for (int lane = 0; lane < 4; ++lane) B(i, lane) = (lane + 1) * b[i];
  space.solve_lanes(B, X);
  for (int j = 0; j < n; ++j)
    for (int lane = 0; lane < 4; ++lane)
      EXPECT_NEAR(X(j, lane), (lane + 1) * x[j], 1e-11 * (1 + std::abs(x[j])));
}

TEST(RowSpace, StopsAtTheLargestRankAllowed) {
  Random random(8);
  const Matrix A = random_matrix(5, 8, random);
  RowSpace space;
  ASSERT_EQ(space.factor(A, 1e-10, 3), Eval::ok);
  EXPECT_EQ(space.rank(), 3);
}

TEST(RowSpace, GivesMultipliersOfLeastNorm) {
  Random random(9);
  Matrix A = random_matrix(4, 6, random);
  for (int j = 0; j < 6; ++j) A(3, j) = A(0, j);
  RowSpace space;
  ASSERT_EQ(space.factor(A, 1e-10, 4), Eval::ok);
  Vector y = test::random_vector(4, random), before(6), after(6);
  multiply_transposed(A, y, before);
  const double sum = y[0] + y[3];
  space.least_norm_multipliers(Vector(4, 1.0), y);
  multiply_transposed(A, y, after);
  for (int j = 0; j < 6; ++j) EXPECT_NEAR(after[j], before[j], 1e-13);
  EXPECT_NEAR(y[0], 0.5 * sum, 1e-13);
  EXPECT_NEAR(y[3], 0.5 * sum, 1e-13);
}

TEST(ComplexLu, SolvesWhatItFactored) {
  Random random(10);
  const int n = 17;
  const Matrix re = random_matrix(n, n, random), im = random_matrix(n, n, random);
  ComplexMatrix A;
  A.resize(n);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) A(i, j) = {re(i, j), im(i, j)};
  std::vector<Complex> x(n), b(n);
  for (int i = 0; i < n; ++i) x[i] = {1.0 + i, 2.0 - i};
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) b[i] += A(i, j) * x[j];
  ComplexLu lu;
  ASSERT_EQ(lu.factor(A), Eval::ok);
  lu.solve(b);
  for (int i = 0; i < n; ++i) EXPECT_LE(std::abs(b[i] - x[i]), 1e-11);
}

TEST(ComplexLu, RefusesASingularMatrix) {
  ComplexMatrix A;
  A.resize(2);
  A(0, 0) = A(0, 1) = A(1, 0) = A(1, 1) = {1, 1};
  ComplexLu lu;
  EXPECT_EQ(lu.factor(A), Eval::recoverable);
}

}  // namespace
}  // namespace kardan
