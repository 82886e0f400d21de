#include "kardan/linalg/sparse_lu.h"

#include <gtest/gtest.h>

#include <limits>

#include "kardan/linalg/linear_solver.h"
#include "linalg/random_matrices.h"

namespace kardan {
namespace {

using test::Random;

TEST(SparseLu, ReusesPivotsForNearbyValues) {
  Random random(41);
  SparseMatrix A = test::chain_saddle_point(50, random);
  SparseLu lu;
  ASSERT_EQ(lu.analyze(A.pattern), Eval::ok);
  EXPECT_EQ(lu.pivots(), Pivots::none);
  ASSERT_EQ(lu.refactor(A.values), Eval::ok);
  EXPECT_EQ(lu.pivots(), Pivots::fresh);
  for (double& value : A.values) value *= 1.0 + 0.01 * random.value();
  ASSERT_EQ(lu.refactor(A.values), Eval::ok);
  EXPECT_EQ(lu.pivots(), Pivots::reused);
  EXPECT_LT(lu.backward_error(), 1e-14);
}

SparseMatrix two_by_two(double a, double b, double c, double d) {
  PatternBuilder builder(2, 2);
  builder.add_block(0, 0, 2, 2);
  SparseMatrix A(builder.build());
  A.values = {a, b, c, d};
  return A;
}

TEST(SparseLu, ChoosesFreshPivotsWhenTheOldOnesVanishOrShrink) {
  for (const double small : {0.0, 1e-17, 1e-9}) {
    SparseMatrix A = two_by_two(1.0, 0.5, 0.5, 1.0);
    SparseLu lu;
    ASSERT_EQ(lu.analyze(A.pattern), Eval::ok);
    ASSERT_EQ(lu.factor(A.values), Eval::ok);
    A.values = {small, 1.0, 1.0, small};
    ASSERT_EQ(lu.refactor(A.values), Eval::ok);
    EXPECT_EQ(lu.pivots(), Pivots::fresh) << small;
    Vector x = {small + 2.0, 1.0 + 2.0 * small};
    lu.solve(x);
    EXPECT_NEAR(x[0], 1.0, 1e-15);
    EXPECT_NEAR(x[1], 2.0, 1e-15);
  }
}

TEST(SparseLu, ForgetsThePivotsOfAFailedFactorization) {
  SparseMatrix A = two_by_two(1.0, 0.5, 0.5, 1.0);
  SparseLu lu;
  ASSERT_EQ(lu.analyze(A.pattern), Eval::ok);
  ASSERT_EQ(lu.factor(A.values), Eval::ok);
  EXPECT_EQ(lu.refactor(Vector{1.0, 1.0, 1.0, 1.0}), Eval::recoverable);
  EXPECT_EQ(lu.pivots(), Pivots::none);
  ASSERT_EQ(lu.refactor(A.values), Eval::ok);
  EXPECT_EQ(lu.pivots(), Pivots::fresh);
  EXPECT_EQ(lu.refactor(Vector{1.0, std::numeric_limits<double>::quiet_NaN(), 1.0, 1.0}),
            Eval::recoverable);
  EXPECT_EQ(lu.pivots(), Pivots::none);
}

TEST(SparseLu, RefusesAPatternThatIsNotSquare) {
  SparseLu lu;
  EXPECT_EQ(lu.analyze(PatternBuilder(2, 3).build()), Eval::fatal);
  LinearSolver solver(PatternBuilder(2, 3).build());
  EXPECT_EQ(solver.factor({}), Eval::fatal);
}

TEST(SparseLu, KnowsTheStructuralRank) {
  PatternBuilder builder(4, 4);
  builder.add_block(0, 0, 4, 1);
  builder.add_block(0, 0, 1, 4);
  SparseLu lu;
  ASSERT_EQ(lu.analyze(builder.build()), Eval::ok);
  EXPECT_EQ(lu.structural_rank(), 2);
}

TEST(SparseLu, FillGrowsLinearlyWithTheLengthOfAChain) {
  Random random(42);
  long fill[2];
  for (const int k : {0, 1}) {
    const SparseMatrix A = test::chain_saddle_point(k == 0 ? 300 : 3000, random);
    SparseLu lu;
    ASSERT_EQ(lu.analyze(A.pattern), Eval::ok);
    ASSERT_EQ(lu.factor(A.values), Eval::ok);
    fill[k] = lu.factor_nonzeros();
  }
  EXPECT_LT(fill[1], 10.5 * fill[0]);
}

TEST(LinearSolver, IsDenseForSmallAndForFilledMatricesAndSparseForChains) {
  Random random(43);
  EXPECT_EQ(LinearSolver(test::chain_saddle_point(1, random).pattern).kind(),
            LinearSolver::Kind::dense);
  EXPECT_EQ(LinearSolver(test::chain_saddle_point(20, random).pattern).kind(),
            LinearSolver::Kind::sparse);
  PatternBuilder full(100, 100);
  full.add_block(0, 0, 100, 100);
  EXPECT_EQ(LinearSolver(full.build()).kind(), LinearSolver::Kind::dense);
}

TEST(LinearSolver, DoesNotDependOnTheHistoryOnceItsPivotsAreForgotten) {
  Random random(44);
  const SparseMatrix A = test::chain_saddle_point(40, random);
  Vector other = A.values;
  for (double& value : other) value *= 1.0 + 0.5 * random.value();
  LinearSolver with_history(A.pattern), without(A.pattern);
  ASSERT_EQ(with_history.factor(other), Eval::ok);
  with_history.forget_pivots();
  ASSERT_EQ(with_history.factor(A.values), Eval::ok);
  ASSERT_EQ(without.factor(A.values), Eval::ok);
  Vector x(A.rows(), 1.0), y(A.rows(), 1.0);
  with_history.solve(x);
  without.solve(y);
  EXPECT_EQ(x, y);
}

}  // namespace
}  // namespace kardan
