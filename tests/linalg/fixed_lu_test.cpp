/// Factors along fixed lists, on matrices that fall into blocks, and the sums of rows their
/// solutions are made of.

#include "kardan/linalg/fixed_lu.h"

#include <gtest/gtest.h>

#include "kardan/linalg/dense_lu.h"
#include "kardan/linalg/kernels.h"
#include "kardan/linalg/linear_solver.h"
#include "linalg/random_matrices.h"

namespace kardan {
namespace {

using test::Random;
using test::random_vector;

/// Blocks of the given sizes on the diagonal and something left of them, rows and columns shuffled.
SparseMatrix shuffled_blocks(const std::vector<int>& sizes, Random& random) {
  int n = 0;
  for (int s : sizes) n += s;
  Matrix A(n, n);
  int first = 0;
  for (int s : sizes) {
    for (int i = first; i < first + s; ++i) {
      for (int j = first; j < first + s; ++j) A(i, j) = random.value();
      A(i, i) += 2;
      if (first > 0) A(i, (i * 7) % first) = random.value();
    }
    first += s;
  }
  Matrix out(n, n);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) out((i * 11) % n, (j * 5 + 3) % n) = A(i, j);
  return test::sparse_copy(out);
}

TEST(FixedLu, LeavesWhatIsLeftOfItsBlocksUnfactored) {
  Random random(1);
  const SparseMatrix A = shuffled_blocks({3, 6, 1, 12, 2}, random);  // 24: 11 and 5 are units
  SparseLu lu;
  ASSERT_EQ(lu.analyze(A.pattern), Eval::ok);
  ASSERT_EQ(lu.factor(A.values), Eval::ok);
  EXPECT_EQ(lu.factor_nonzeros(), A.pattern->nonzeros());
}

TEST(FixedLu, SolvesAsTheDenseFactorizationDoes) {
  Random random(2);
  SparseMatrix A = shuffled_blocks({3, 6, 1, 12, 2}, random);
  SparseLu sparse;
  DenseLu dense;
  ASSERT_EQ(sparse.analyze(A.pattern), Eval::ok);
  ASSERT_EQ(sparse.factor(A.values), Eval::ok);
  for (double& value : A.values) value *= 1 + 0.01 * random.value();
  ASSERT_EQ(sparse.refactor(A.values), Eval::ok);
  ASSERT_EQ(sparse.pivots(), Pivots::reused);
  ASSERT_EQ(dense.factor(A.to_dense()), Eval::ok);
  const Vector b = random_vector(A.rows(), random);
  Vector x = b, y = b;
  sparse.solve(x);
  dense.solve(y);
  for (int i = 0; i < A.rows(); ++i) EXPECT_NEAR(x[i], y[i], 1e-12);
  x = y = b;
  sparse.solve_transposed(x);
  dense.solve_transposed(y);
  for (int i = 0; i < A.rows(); ++i) EXPECT_NEAR(x[i], y[i], 1e-12);
  for (int columns : {1, 2, 3, 7, 18, 35}) {
    const Matrix B = test::random_matrix(A.rows(), columns, random);
    Matrix X = B, Y = B;
    sparse.solve(X);
    dense.solve(Y);
    for (int i = 0; i < A.rows(); ++i)
      for (int j = 0; j < columns; ++j) EXPECT_NEAR(X(i, j), Y(i, j), 1e-12);
  }
  EXPECT_NEAR(sparse.rcond() / dense.rcond(), 1, 0.5);
}

TEST(FixedLu, KnowsHowFarItsPivotsAreFromTheLargest) {
  PatternBuilder full(2, 2);
  full.add_block(0, 0, 2, 2);
  SparseMatrix A(full.build());
  A.values = {2, 1, 1, 4};
  FixedLu lu;
  lu.compile(*A.pattern, {.row = {0, 1}, .column = {0, 1}, .block_start = {0, 2}}, A.values);
  ASSERT_TRUE(lu.factor(A.values));
  EXPECT_DOUBLE_EQ(lu.growth(), 0.25);  // columns scaled by 1/2 and 1/4
  ASSERT_TRUE(lu.factor(Vector{0.002, 1, 1, 4}));
  EXPECT_DOUBLE_EQ(lu.growth(), 250);
  EXPECT_FALSE(lu.factor(Vector{0, 1, 1, 4}));
}

TEST(LinearSolver, DoesNotDependOnItsPastWithPivotsOfAnother) {
  Random random(5);
  const SparseMatrix A = shuffled_blocks({3, 6, 1, 12, 2}, random);
  LinearSolver base(A.pattern), used(A.pattern), fresh(A.pattern);
  ASSERT_EQ(base.kind(), LinearSolver::Kind::sparse);
  ASSERT_EQ(base.factor(A.values), Eval::ok);
  ASSERT_EQ(used.factor(random_vector(A.pattern->nonzeros(), random)), Eval::ok);
  Vector nearby = A.values;
  for (double& value : nearby) value *= 1 + 0.01 * random.value();
  Vector x(A.rows(), 1.0), y = x;
  for (auto [solver, solution] : {std::pair{&used, &x}, std::pair{&fresh, &y}}) {
    solver->adopt_pivots(base);
    ASSERT_EQ(solver->factor(nearby), Eval::ok);
    EXPECT_EQ(solver->pivots(), Pivots::reused);
    solver->solve(*solution);
  }
  EXPECT_EQ(x, y);
}

TEST(FixedLu, CallsASingularBlockRecoverable) {
  Random random(3);
  SparseMatrix A = shuffled_blocks({4, 4, 4}, random);
  SparseLu lu;
  ASSERT_EQ(lu.analyze(A.pattern), Eval::ok);
  ASSERT_EQ(lu.factor(A.values), Eval::ok);
  const SparsePattern& p = *A.pattern;
  for (int k = p.row_start[5]; k < p.row_start[6]; ++k) A.values[k] = 0;
  EXPECT_EQ(lu.refactor(A.values), Eval::recoverable);
}

TEST(Kernels, AddCombinationIsTheSumOfItsTermsInOrder) {
  Random random(4);
  for (int width : {1, 2, 3, 4, 5, 7, 8, 15, 16, 19, 33})
    for (int count : {0, 1, 2, 5, 48, 100}) {
      const Matrix X = test::random_matrix(count, width, random);
      const Vector c = random_vector(count, random);
      Vector y = random_vector(width, random), expected = y, gathered = y;
      std::vector<const double*> rows(count);
      for (int k = 0; k < count; ++k) {
        rows[k] = X.row(k);
        for (int j = 0; j < width; ++j) expected[j] += c[k] * X(k, j);
      }
      add_combination(count, c.data(), rows.data(), width, y.data());
      EXPECT_EQ(y, expected) << width << " x " << count;
      {
        RowSum sum(width, gathered.data());
        for (int k = 0; k < count; ++k) sum.add(c[k], X.row(k));
      }
      EXPECT_EQ(gathered, expected) << width << " x " << count;
    }
}

}  // namespace
}  // namespace kardan
