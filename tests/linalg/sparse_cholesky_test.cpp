#include "kardan/linalg/sparse_cholesky.h"

#include <gtest/gtest.h>

#include <limits>

#include "linalg/random_matrices.h"

namespace kardan {
namespace {

using namespace test;

constexpr double never_dense = 2, always_dense = 0;  // share of the entries from which on

/// S = G G' + shift for the constraint matrix of a chain, both triangles.
SparseMatrix chain_schur(int bodies, unsigned seed, double shift = 0) {
  Random random(seed);
  const Matrix G = chain_jacobian(bodies, 3, random).to_dense();
  Matrix S;
  multiply(G, transposed(G), S);
  for (int i = 0; i < S.rows(); ++i) S(i, i) += shift;
  return sparse_copy(S);
}

/// Random symmetric pattern with a dominant diagonal.
SparseMatrix unstructured(int size, int percent, unsigned seed) {
  Random random(seed);
  Matrix A(size, size);
  for (int i = 0; i < size; ++i) {
    for (int j = 0; j < i; ++j)
      if (random.index(100) < percent) A(i, j) = A(j, i) = random.value();
    A(i, i) = size;
  }
  return sparse_copy(A);
}

class Cholesky : public testing::TestWithParam<double> {};

TEST_P(Cholesky, SolvesToRounding) {
  for (const SparseMatrix& A :
       {chain_schur(2, 1), chain_schur(9, 2), chain_schur(40, 3), unstructured(1, 0, 4),
        unstructured(30, 20, 5), unstructured(60, 60, 6)}) {
    SparseCholesky cholesky(A.pattern, GetParam());
    ASSERT_EQ(cholesky.factor(A.values), Eval::ok);
    Random random(7);
    const Vector b = random_vector(A.rows(), random);
    Vector x = b;
    cholesky.solve(x);
    EXPECT_LT(backward_error(A.to_dense(), x, b), 1e-15) << A.rows();
    EXPECT_EQ(cholesky.failed_row(), -1);
    EXPECT_GT(cholesky.pivot_ratio(), 0);
  }
}

TEST_P(Cholesky, ReadsTheLowerTriangleOnly) {
  const SparseMatrix A = chain_schur(12, 8);
  SparseMatrix half = A;
  for (int i = 0; i < A.rows(); ++i)
    for (int k = A.pattern->row_start[i]; k < A.pattern->row_start[i + 1]; ++k)
      if (A.pattern->column[k] > i) half.values[k] = std::numeric_limits<double>::quiet_NaN();
  SparseCholesky whole(A.pattern, GetParam()), lower(A.pattern, GetParam());
  ASSERT_EQ(whole.factor(A.values), Eval::ok);
  ASSERT_EQ(lower.factor(half.values), Eval::ok);
  Vector x(A.rows(), 1.0), y = x;
  whole.solve(x);
  lower.solve(y);
  EXPECT_EQ(x, y);
}

TEST_P(Cholesky, GivesTheSameBitsWhateverWasFactoredBefore) {
  const SparseMatrix A = chain_schur(12, 9);
  SparseCholesky fresh(A.pattern, GetParam()), used(A.pattern, GetParam());
  Vector other = A.values;
  for (double& value : other) value = -value;
  EXPECT_EQ(used.factor(other), Eval::recoverable);
  EXPECT_EQ(used.factor(chain_schur(12, 10).values), Eval::ok);
  ASSERT_EQ(used.factor(A.values), Eval::ok);
  ASSERT_EQ(fresh.factor(A.values), Eval::ok);
  Vector x(A.rows(), 1.0), y = x;
  fresh.solve(x);
  used.solve(y);
  EXPECT_EQ(x, y);
}

TEST_P(Cholesky, NamesTheRowOfAPivotThatIsNotPositive) {
  SparseMatrix A = unstructured(40, 10, 11);
  A.values[A.pattern->find(17, 17)] = -3;
  SparseCholesky cholesky(A.pattern, GetParam());
  EXPECT_EQ(cholesky.factor(A.values), Eval::recoverable);
  EXPECT_EQ(cholesky.failed_row(), 17);
}

TEST_P(Cholesky, RefusesASemidefiniteMatrixAndOneThatIsNotFinite) {
  // Row 2 of G is the sum of rows 0 and 1: G G' has rank 2.
  Matrix G(3, 4), S;
  for (int j = 0; j < 4; ++j) {
    G(0, j) = j + 1;
    G(1, j) = j * j - 0.3;
    G(2, j) = G(0, j) + G(1, j);
  }
  multiply(G, transposed(G), S);
  SparseMatrix A = sparse_copy(S);
  SparseCholesky cholesky(A.pattern, GetParam());
  EXPECT_EQ(cholesky.factor(A.values), Eval::recoverable);
  EXPECT_GE(cholesky.failed_row(), 0);
  EXPECT_EQ(cholesky.pivot_ratio(), 0);
  A.values[0] = std::numeric_limits<double>::infinity();
  EXPECT_EQ(cholesky.factor(A.values), Eval::recoverable);
  A.values[0] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(cholesky.factor(A.values), Eval::recoverable);
}

TEST_P(Cholesky, TellsHowMuchOfARowIsLeft) {
  // The second row differs from the first by 1e-3 across it: 1e-6 of its square is left.
  Matrix G(2, 2), S;
  G(0, 0) = G(1, 0) = 1;
  G(1, 1) = 1e-3;
  multiply(G, transposed(G), S);
  const SparseMatrix A = sparse_copy(S);
  SparseCholesky cholesky(A.pattern, GetParam());
  ASSERT_EQ(cholesky.factor(A.values), Eval::ok);
  EXPECT_NEAR(cholesky.pivot_ratio(), 1e-6, 1e-11);
  EXPECT_EQ(cholesky.weakest_row(), cholesky.order()[1]);
}

INSTANTIATE_TEST_SUITE_P(Kinds, Cholesky, testing::Values(never_dense, always_dense),
                         [](const auto& of) { return of.param > 0 ? "sparse" : "dense"; });

TEST(SparseCholesky, FillsAChainLinearly) {
  const auto fill = [](int bodies) {
    Random random(12);
    const SparseMatrix G = chain_jacobian(bodies, 3, random);
    PatternBuilder builder(G.rows(), G.rows());
    for (int k = 0; k + 1 < bodies; ++k)
      for (int other = std::max(0, k - 1); other <= k; ++other)
        builder.add_block(3 * k, 3 * other, 3, 3);
    return static_cast<double>(SparseCholesky(builder.build()).factor_nonzeros()) / bodies;
  };
  EXPECT_NEAR(fill(5000) / fill(500), 1, 0.01);
}

}  // namespace
}  // namespace kardan
