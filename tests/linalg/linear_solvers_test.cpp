/// What every linear solver promises, claimed once and run over all of them.

#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "kardan/linalg/dense_lu.h"
#include "kardan/linalg/linear_solver.h"
#include "kardan/linalg/sparse_lu.h"
#include "linalg/random_matrices.h"

namespace kardan {
namespace {

using test::Random;
using test::random_vector;
using test::sparse_copy;

/// The common face of the solvers under test.
struct Solver {
  std::function<Eval(const SparseMatrix&)> factor;
  std::function<void(std::span<double>)> solve;
  std::function<void(Matrix&)> solve_block;
  std::function<void(std::span<double>)> solve_transposed;
  std::function<double()> rcond;
};

template <class S>
Solver face(std::shared_ptr<S> s, std::function<Eval(const SparseMatrix&)> factor) {
  return {std::move(factor), [s](std::span<double> x) { s->solve(x); },
          [s](Matrix& X) { s->solve(X); }, [s](std::span<double> x) { s->solve_transposed(x); },
          [s] { return s->rcond(); }};
}

Solver dense_lu() {
  auto s = std::make_shared<DenseLu>();
  return face(s, [s](const SparseMatrix& A) { return s->factor(A.to_dense()); });
}

Solver sparse_lu() {
  auto s = std::make_shared<SparseLu>();
  return face(s, [s](const SparseMatrix& A) {
    const Eval analyzed = s->analyze(A.pattern);
    return analyzed == Eval::ok ? s->factor(A.values) : analyzed;
  });
}

/// Factors other values of the same pattern first, so that pivots are reused.
Solver sparse_lu_refactored() {
  auto s = std::make_shared<SparseLu>();
  return face(s, [s](const SparseMatrix& A) {
    if (const Eval analyzed = s->analyze(A.pattern); analyzed != Eval::ok) return analyzed;
    Random random(77);
    Vector other(A.values.size());
    for (double& value : other) value = random.value();
    if (s->factor(other) == Eval::fatal) return Eval::fatal;
    return s->refactor(A.values);
  });
}

Solver linear_solver(LinearSolverOptions options) {
  // A LinearSolver belongs to a pattern: made anew for every matrix.
  auto s = std::make_shared<std::unique_ptr<LinearSolver>>();
  return {[s, options](const SparseMatrix& A) {
            *s = std::make_unique<LinearSolver>(A.pattern, options);
            return (*s)->factor(A.values);
          },
          [s](std::span<double> x) { (*s)->solve(x); }, [s](Matrix& X) { (*s)->solve(X); },
          [s](std::span<double> x) { (*s)->solve_transposed(x); }, [s] { return (*s)->rcond(); }};
}

struct SolverCase {
  std::string name;
  std::function<Solver()> make;
};

class EveryLinearSolver : public testing::TestWithParam<SolverCase> {
 protected:
  Solver solver = GetParam().make();
};

std::vector<SparseMatrix> regular_matrices() {
  std::vector<SparseMatrix> result;
  Random random(31);
  for (const int n : {1, 2, 3, 4, 5, 7, 8, 13, 40, 101}) {
    result.push_back(sparse_copy(test::random_matrix(n, n, random)));
  }
  for (const int bodies : {1, 2, 5, 30}) result.push_back(test::chain_saddle_point(bodies, random));
  // Unsymmetric pattern without a diagonal: a permuted upper bidiagonal matrix.
  Matrix permuted(20, 20);
  for (int i = 0; i < 20; ++i) {
    permuted(i, (i + 7) % 20) = 2.0 + random.value();
    if (i > 0) permuted(i, (i + 6) % 20) = random.value();
  }
  result.push_back(sparse_copy(permuted));
  return result;
}

// Growth of partial pivoting stays far below this for random and saddle-point matrices.
constexpr double stable = 1e-13;

TEST_P(EveryLinearSolver, SolvesWithABackwardErrorOfRounding) {
  Random random(32);
  for (const SparseMatrix& A : regular_matrices()) {
    const Vector b = random_vector(A.rows(), random);
    Vector x = b;
    ASSERT_EQ(solver.factor(A), Eval::ok) << A.rows();
    solver.solve(x);
    EXPECT_LT(test::backward_error(A.to_dense(), x, b), stable) << A.rows();
  }
}

TEST_P(EveryLinearSolver, SolvesTheTransposedSystem) {
  Random random(33);
  for (const SparseMatrix& A : regular_matrices()) {
    const Vector b = random_vector(A.rows(), random);
    Vector x = b;
    ASSERT_EQ(solver.factor(A), Eval::ok);
    solver.solve_transposed(x);
    EXPECT_LT(test::backward_error(transposed(A.to_dense()), x, b), stable) << A.rows();
  }
}

TEST_P(EveryLinearSolver, SolvesForSeveralRightHandSidesAtOnce) {
  Random random(34);
  for (const SparseMatrix& A : regular_matrices()) {
    const Matrix B = test::random_matrix(A.rows(), 6, random);
    Matrix X = B;
    ASSERT_EQ(solver.factor(A), Eval::ok);
    solver.solve_block(X);
    for (int j = 0; j < B.cols(); ++j) {
      Vector x(A.rows()), b(A.rows());
      for (int i = 0; i < A.rows(); ++i) x[i] = X(i, j), b[i] = B(i, j);
      EXPECT_LT(test::backward_error(A.to_dense(), x, b), stable);
    }
  }
}

TEST_P(EveryLinearSolver, EstimatesTheConditionOfADiagonalAfterRowScalingAsOne) {
  Matrix A(12, 12);
  for (int i = 0; i < 12; ++i) A(i, i) = std::ldexp(1.0, 5 * i - 20);
  ASSERT_EQ(solver.factor(sparse_copy(A)), Eval::ok);
  EXPECT_DOUBLE_EQ(solver.rcond(), 1.0);
}

TEST_P(EveryLinearSolver, EstimatesTheConditionWithinAFactorOfThree) {
  for (const SparseMatrix& A : regular_matrices()) {
    const int n = A.rows();
    Matrix scaled = A.to_dense();
    for (int i = 0; i < n; ++i) {
      const double largest = norm_max({scaled.row(i), static_cast<std::size_t>(n)});
      const double scale = std::ldexp(1.0, -std::ilogb(largest));
      for (int j = 0; j < n; ++j) scaled(i, j) *= scale;
    }
    Matrix inverse = Matrix::identity(n);
    ASSERT_EQ(solver.factor(sparse_copy(scaled)), Eval::ok);
    solver.solve_block(inverse);
    const double exact = 1.0 / (norm_infinity(scaled) * norm_infinity(inverse));
    ASSERT_EQ(solver.factor(A), Eval::ok);
    EXPECT_GT(solver.rcond(), 0.99 * exact);
    EXPECT_LT(solver.rcond(), 3.0 * exact) << n;
  }
}

TEST_P(EveryLinearSolver, ReportsANearlySingularMatrixInTheCondition) {
  Random random(35);
  Matrix A = test::random_matrix(20, 20, random);
  for (int j = 0; j < 20; ++j) A(7, j) = A(3, j) - 2.0 * A(11, j) + 1e-12 * random.value();
  ASSERT_EQ(solver.factor(sparse_copy(A)), Eval::ok);
  EXPECT_LT(solver.rcond(), 1e-11);
  EXPECT_GT(solver.rcond(), 1e-17);
}

TEST_P(EveryLinearSolver, CallsAnExactlySingularMatrixRecoverable) {
  Random random(36);
  PatternBuilder builder(8, 8);
  builder.add_block(0, 0, 8, 8);
  SparseMatrix A(builder.build());
  EXPECT_EQ(solver.factor(A), Eval::recoverable);  // zero matrix
  for (int i = 0; i < 8; ++i) A.values[A.pattern->find(i, i)] = 1.0;
  A.values[A.pattern->find(5, 5)] = 0.0;
  EXPECT_EQ(solver.factor(A), Eval::recoverable);  // zero row and column
  for (int j = 0; j < 8; ++j) {
    A.values[A.pattern->find(5, j)] = A.values[A.pattern->find(2, j)] = 1.0 + j;
  }
  EXPECT_EQ(solver.factor(A), Eval::recoverable);  // two equal rows
}

TEST_P(EveryLinearSolver, CallsAStructurallySingularMatrixRecoverable) {
  PatternBuilder builder(3, 3);
  builder.add_block(0, 0, 3, 1);
  builder.add(0, 1);
  builder.add(0, 2);
  SparseMatrix A(builder.build());
  for (double& value : A.values) value = 1.0;
  EXPECT_EQ(solver.factor(A), Eval::recoverable);
}

TEST_P(EveryLinearSolver, CallsNonFiniteValuesRecoverableAndWorksAfterwards) {
  Random random(37);
  const SparseMatrix A = test::chain_saddle_point(6, random);
  for (const double bad :
       {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    for (const std::size_t place : {std::size_t{0}, A.values.size() / 2, A.values.size() - 1}) {
      SparseMatrix broken = A;
      broken.values[place] = bad;
      EXPECT_EQ(solver.factor(broken), Eval::recoverable);
    }
  }
  const Vector b(A.rows(), 1.0);
  Vector x = b;
  ASSERT_EQ(solver.factor(A), Eval::ok);
  solver.solve(x);
  EXPECT_LT(test::backward_error(A.to_dense(), x, b), stable);
}

TEST_P(EveryLinearSolver, KeepsSmallEquationsAccurateBesideLargeOnes) {
  Random random(38);
  SparseMatrix A = test::chain_saddle_point(8, random);
  Vector solution = random_vector(A.rows(), random), b(A.rows());
  for (int i = 0; i < A.rows(); ++i) {
    const double factor = std::pow(10.0, i % 3 == 0 ? -9.0 : i % 3 == 1 ? 0.0 : 9.0);
    for (int k = A.pattern->row_start[i]; k < A.pattern->row_start[i + 1]; ++k) {
      A.values[k] *= factor;
    }
  }
  A.multiply(solution, b);
  ASSERT_EQ(solver.factor(A), Eval::ok);
  const double rcond = solver.rcond();
  solver.solve(b);
  for (int i = 0; i < A.rows(); ++i) EXPECT_NEAR(b[i], solution[i], 1e-15 / rcond);
}

TEST_P(EveryLinearSolver, GivesTheSameBitsTwice) {
  Random random(39);
  const SparseMatrix A = test::chain_saddle_point(12, random);
  const Vector b = random_vector(A.rows(), random);
  Vector first = b, second = b;
  ASSERT_EQ(solver.factor(A), Eval::ok);
  solver.solve(first);
  const double rcond = solver.rcond();
  Solver another = GetParam().make();
  ASSERT_EQ(another.factor(A), Eval::ok);
  another.solve(second);
  EXPECT_EQ(first, second);
  EXPECT_EQ(rcond, another.rcond());
}

TEST_P(EveryLinearSolver, AcceptsAnEmptySystem) {
  ASSERT_EQ(solver.factor(SparseMatrix(PatternBuilder(0, 0).build())), Eval::ok);
  Vector x;
  solver.solve(x);
  EXPECT_EQ(solver.rcond(), 1.0);
}

INSTANTIATE_TEST_SUITE_P(
    Linalg, EveryLinearSolver,
    testing::Values(
        SolverCase{"dense_lu", dense_lu}, SolverCase{"sparse_lu", sparse_lu},
        SolverCase{"sparse_lu_refactored", sparse_lu_refactored},
        SolverCase{"linear_solver", [] { return linear_solver({}); }},
        SolverCase{"linear_solver_dense", [] { return linear_solver({.dense_limit = 1 << 30}); }},
        SolverCase{"linear_solver_sparse",
                   [] { return linear_solver({.dense_limit = -1, .dense_fill = 2.0}); }}),
    [](const auto& parameter) { return parameter.param.name; });

}  // namespace
}  // namespace kardan
