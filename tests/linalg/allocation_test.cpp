/// Counts every allocation of this test program: operator new, and malloc and its relatives, since
/// KLU uses those.

#include <gtest/gtest.h>

#include <cstddef>

#include "kardan/linalg/dense_lu.h"
#include "kardan/linalg/linear_solver.h"
#include "kardan/linalg/motion/mass_elimination.h"
#include "kardan/linalg/sparse_lu.h"
#include "linalg/random_matrices.h"
#include "support/count_allocations.h"

namespace kardan {
namespace {

class Allocation : public testing::Test {
 protected:
  void SetUp() override {
    if (!KARDAN_COUNTS_ALLOCATIONS) GTEST_SKIP() << "malloc cannot be replaced in this build";
  }
};

TEST_F(Allocation, IsCounted) {
  const long before = allocations;
  auto* vector = new Vector(10);
  EXPECT_EQ(allocations - before, 2);
  delete vector;
}

template <class Solver, class Factor>
void expect_no_allocation(Solver& solver, Factor factor, int size) {
  Vector x(size, 1.0);
  Matrix X(size, 5);
  ASSERT_EQ(factor(), Eval::ok);
  solver.rcond();
  const long before = allocations;
  for (int k = 0; k < 3; ++k) {
    const bool factored = factor() == Eval::ok;
    solver.solve(x);
    solver.solve(X);
    solver.solve_transposed(x);
    const double rcond = solver.rcond();
    if (!factored || !(rcond > 0.0)) break;
  }
  const long count = allocations - before;
  EXPECT_EQ(count, 0);
}

TEST_F(Allocation, DoesNotHappenInDenseLuOnceTheSizeIsKnown) {
  test::Random random(81);
  const Matrix A = test::random_matrix(37, 37, random);
  DenseLu lu;
  expect_no_allocation(
      lu, [&] { return lu.factor(A); }, 37);
}

TEST_F(Allocation, DoesNotHappenInSparseLuWhilePivotsAreReused) {
  test::Random random(82);
  const SparseMatrix A = test::chain_saddle_point(40, random);
  SparseLu lu;
  ASSERT_EQ(lu.analyze(A.pattern), Eval::ok);
  expect_no_allocation(
      lu, [&] { return lu.refactor(A.values); }, A.rows());
}

TEST_F(Allocation, DoesNotHappenInLinearSolverAfterTheFirstFactorization) {
  test::Random random(83);
  for (const int bodies : {3, 40}) {
    const SparseMatrix A = test::chain_saddle_point(bodies, random);
    LinearSolver solver(A.pattern);
    expect_no_allocation(
        solver, [&] { return solver.factor(A.values); }, A.rows());
  }
}

TEST_F(Allocation, DoesNotHappenInMassEliminationAfterTheMassesAreFactored) {
  test::Random random(84);
  for (const int bodies : {3, 40}) {
    const SparseMatrix G = test::chain_jacobian(bodies, 3, random);
    const SparseMatrix M = test::sparse_copy(Matrix::identity(G.cols()));
    MassElimination solver(M.pattern, G.pattern);
    ASSERT_EQ(solver.factor_mass(M.values), Eval::ok);
    Vector a(G.cols(), 1.0), y(G.rows(), 1.0);
    const long before = allocations;
    const Eval factored = solver.factor(G.values);
    if (factored == Eval::ok) solver.solve(a, y);
    const long count = allocations - before;
    EXPECT_EQ(factored, Eval::ok);
    EXPECT_EQ(count, 0);
  }
}

TEST_F(Allocation, DoesNotHappenInMatrixResizeWithinCapacity) {
  Matrix A(20, 30);
  const long before = allocations;
  A.resize(5, 5);
  A.resize(30, 20);
  A.set_zero();
  const long count = allocations - before;
  EXPECT_EQ(count, 0);
}

}  // namespace
}  // namespace kardan
