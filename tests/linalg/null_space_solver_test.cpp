#include "kardan/linalg/motion/null_space_solver.h"

#include <gtest/gtest.h>

#include <random>

namespace kardan {
namespace {

/// [M G'; G 0] with a random positive M; of a system of every size that is served.
struct Problem {
  Problem(int n, int m) {
    std::mt19937 random(100 * n + m);
    std::uniform_real_distribution<double> spread(-1, 1);
    Matrix A(n, n);
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j) A(i, j) = spread(random);
    M = Matrix(n, n);
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j)
        M(i, j) = dot({A.row(i), std::size_t(n)}, {A.row(j), std::size_t(n)});
    G = Matrix(m, n);
    for (int i = 0; i < m; ++i)
      for (int j = 0; j < n; ++j) G(i, j) = spread(random);
    whole = Matrix(n + m, n + m);
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j) whole(i, j) = M(i, j);
    for (int i = 0; i < m; ++i)
      for (int j = 0; j < n; ++j) whole(n + i, j) = whole(j, n + i) = G(i, j);
    for (int i = 0; i < n + m; ++i) right.push_back(spread(random));
  }
  Matrix M, G, whole;
  Vector right;
};

TEST(NullSpaceSolver, SolvesAsLuOfTheWholeMatrixDoes) {
  int solved = 0;
  for (int n = 1; n <= NullSpaceSolver::most_columns; ++n)
    for (int m = 1; m <= n; ++m) {
      if (!NullSpaceSolver::serves(n, m)) continue;
      const Problem p(n, m);
      NullSpaceSolver solver(n, m);
      if (solver.factor(p.M.values(), p.G.values()) != Eval::ok) continue;
      ++solved;
      for (const int width : {1, 3, 4, 6}) {
        Matrix X(n + m, width);
        for (int i = 0; i < n + m; ++i)
          for (int c = 0; c < width; ++c) X(i, c) = p.right[i] * (c + 1);
        solver.solve(X);
        for (int c = 0; c < width; ++c) {
          // What is left of the equations, beside their terms.
          for (int i = 0; i < n + m; ++i) {
            double left = -p.right[i] * (c + 1), size = std::abs(left);
            for (int j = 0; j < n + m; ++j) {
              left += p.whole(i, j) * X(j, c);
              size += std::abs(p.whole(i, j) * X(j, c));
            }
            EXPECT_LE(std::abs(left), 1e-11 * size) << n << ' ' << m << ' ' << i;
          }
        }
        Vector x = p.right;
        solver.solve(x);
        for (int i = 0; i < n + m; ++i) EXPECT_EQ(x[i], X(i, 0));
      }
    }
  EXPECT_GE(solved, 50);
}

TEST(NullSpaceSolver, StandsAMassMatrixThatIsSingularAlongConstraints) {
  NullSpaceSolver solver(2, 1);
  const Vector M{1, 0, 0, 0}, G{0, 2};
  ASSERT_EQ(solver.factor(M, G), Eval::ok);
  Vector x{3, 5, 4};
  solver.solve(x);
  EXPECT_DOUBLE_EQ(x[0], 3);
  EXPECT_DOUBLE_EQ(x[1], 2);
  EXPECT_DOUBLE_EQ(x[2], 2.5);
  EXPECT_EQ(solver.factor(Vector{0, 0, 0, 1}, G), Eval::recoverable);
}

TEST(NullSpaceSolver, RefusesRowsThatNearlyDependOnEachOther) {
  NullSpaceSolver solver(3, 2);
  const Vector M{1, 0, 0, 0, 1, 0, 0, 0, 1};
  EXPECT_EQ(solver.factor(M, Vector{1, 2, 3, 1, 2, 3.1}), Eval::ok);
  EXPECT_EQ(solver.factor(M, Vector{1, 2, 3, 1, 2, 3.0001}), Eval::recoverable);
  EXPECT_EQ(solver.factor(M, Vector{1, 2, 3, 1, 2, std::nan("")}), Eval::recoverable);
}

TEST(NullSpaceSolver, ServesSmallSystemsWithFewFreeDirections) {
  EXPECT_TRUE(NullSpaceSolver::serves(7, 6));
  EXPECT_FALSE(NullSpaceSolver::serves(7, 0));
  EXPECT_FALSE(NullSpaceSolver::serves(7, 8));
  EXPECT_FALSE(NullSpaceSolver::serves(7, 2));
  EXPECT_FALSE(NullSpaceSolver::serves(17, 16));
}

}  // namespace
}  // namespace kardan
