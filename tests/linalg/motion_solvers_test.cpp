/// What the table of motion_solver.h promises: the solvers of M a + G' lambda = f, G a = c give one
/// motion, and each serves where the table says so.

#include <gtest/gtest.h>

#include "kardan/linalg/motion/motion_matrix.h"
#include "kardan/linalg/motion/motion_solver.h"
#include "kardan/linalg/motion/two_point_solver.h"
#include "linalg/random_matrices.h"

namespace kardan {
namespace {

using test::Random;

SparseMatrix full(const Matrix& A) {
  PatternBuilder builder(A.rows(), A.cols());
  builder.add_block(0, 0, A.rows(), A.cols());
  SparseMatrix S(builder.build());
  S.values.assign(A.values().begin(), A.values().end());
  return S;
}

/// A A' + 1, or of its first columns alone where `rank` is smaller.
Matrix positive(int n, int rank, Random& random) {
  const Matrix A = test::random_matrix(n, rank, random);
  Matrix M(n, n);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) {
      for (int k = 0; k < rank; ++k) M(i, j) += A(i, k) * A(j, k);
      if (i == j && rank == n) M(i, j) += 1;
    }
  return M;
}

struct Motion {
  Motion(Matrix mass, Matrix rows, Random& random)
      : M(full(mass)), G(full(rows)), f(test::random_vector(M.rows(), random)) {
    c = test::random_vector(G.rows(), random);
  }
  /// What is left of both equations.
  double residual(const Vector& a, const Vector& lambda) const {
    Vector left = f, missed = c;
    M.multiply_add(-1, a, left);
    G.multiply_transposed_add(-1, lambda, left);
    G.multiply_add(-1, a, missed);
    return std::max(norm_max(left), norm_max(missed));
  }
  double size(const Vector& a, const Vector& lambda) const {
    return 1 + norm_max(a) + norm_max(lambda);
  }
  SparseMatrix M, G;
  Vector f, c;
};

MotionPatterns patterns_of(const Motion& p) {
  MotionPatterns out;
  out.M = p.M.pattern, out.G = p.G.pattern;
  return out;
}

std::vector<char> all_rows(const Motion& p) {
  return std::vector<char>(static_cast<std::size_t>(p.G.rows()), 1);
}

/// (a, lambda) of a solver that takes both in one vector.
template <class Solver>
void solve_whole(Solver& solver, Vector& a, Vector& lambda) {
  Vector x = a;
  x.insert(x.end(), lambda.begin(), lambda.end());
  solver.solve(x);
  std::copy_n(x.begin(), a.size(), a.begin());
  std::copy_n(x.begin() + static_cast<std::ptrdiff_t>(a.size()), lambda.size(), lambda.begin());
}

Eval by_matrix(const Motion& p, const std::vector<char>& active, Vector& a, Vector& lambda) {
  MotionMatrix solver(patterns_of(p));
  MotionValues values;
  values.M = p.M.values, values.G = p.G.values;
  if (Eval e = solver.factor(values, active); e != Eval::ok) return e;
  a = p.f, lambda = p.c;
  for (std::size_t i = 0; i < active.size(); ++i)
    if (!active[i]) lambda[i] = 0;
  solve_whole(solver, a, lambda);
  return Eval::ok;
}

Eval by_saddle(const Motion& p, Vector& a, Vector& lambda) {
  Saddle solver(p.M.pattern, p.G.pattern);
  if (Eval e = solver.factor(p.M.values, p.G.values, Matrix(), 1.0); e != Eval::ok) return e;
  a = p.f, lambda = p.c;
  solver.solve(a, lambda);
  return Eval::ok;
}

TEST(MotionSolvers, GiveOneMotion) {
  for (const auto& [n, m] : {std::pair{2, 1}, {6, 3}, {12, 10}, {12, 3}, {15, 15}, {24, 10}}) {
    Random random(static_cast<unsigned long long>(100 * n + m));
    const Motion p(positive(n, n, random), test::random_matrix(m, n, random), random);
    const auto check = [&](const char* solver, const Vector& a, const Vector& lambda) {
      EXPECT_LE(p.residual(a, lambda), 1e-11 * p.size(a, lambda))
          << solver << " of " << n << " and " << m;
    };
    Vector a = p.f, lambda = p.c;
    MotionSolver best(p.M, p.G.pattern);
    ASSERT_EQ(best.factor(p.M, p.G), Eval::ok);
    best.solve(a, lambda);
    check("MotionSolver", a, lambda);

    MassElimination elimination(p.M.pattern, p.G.pattern);
    ASSERT_EQ(elimination.factor_mass(p.M.values), Eval::ok);
    ASSERT_EQ(elimination.factor(p.G.values), Eval::ok);
    a = p.f, lambda = p.c;
    elimination.solve(a, lambda);
    check("MassElimination", a, lambda);

    if (NullSpaceSolver::serves(n, m)) {
      NullSpaceSolver free(n, m);
      if (free.factor(p.M.values, p.G.values) == Eval::ok) {
        a = p.f, lambda = p.c;
        free.solve(a, lambda);
        check("NullSpaceSolver", a, lambda);
      }
    }
    ASSERT_EQ(by_matrix(p, all_rows(p), a, lambda), Eval::ok);
    check("MotionMatrix", a, lambda);
    ASSERT_EQ(by_saddle(p, a, lambda), Eval::ok);
    check("Saddle", a, lambda);

    TwoPointSolver two;
    two.prepare(p.M, p.G);
    two.load(p.M, p.G);
    ASSERT_EQ(two.factor(p.G), Eval::ok);
    a = p.f, lambda = p.c;
    solve_whole(two, a, lambda);
    check("TwoPointSolver", a, lambda);
  }
}

TEST(MotionSolvers, WithoutMassAlongConstraintsNeedNoElimination) {
  Random random(7);
  const Motion p(positive(6, 4, random), test::random_matrix(3, 6, random), random);
  MassElimination elimination(p.M.pattern, p.G.pattern);
  EXPECT_EQ(elimination.factor_mass(p.M.values), Eval::recoverable);
  Vector a = p.f, lambda = p.c;
  MotionSolver best(p.M, p.G.pattern);
  ASSERT_EQ(best.factor(p.M, p.G), Eval::ok);
  best.solve(a, lambda);
  EXPECT_LE(p.residual(a, lambda), 1e-10 * p.size(a, lambda));
  ASSERT_EQ(by_matrix(p, all_rows(p), a, lambda), Eval::ok);
  EXPECT_LE(p.residual(a, lambda), 1e-10 * p.size(a, lambda));
  ASSERT_EQ(by_saddle(p, a, lambda), Eval::ok);
  EXPECT_LE(p.residual(a, lambda), 1e-10 * p.size(a, lambda));
}

/// Row 2 is the sum of rows 0 and 1, and asks for what these give.
TEST(MotionSolvers, OfRedundantRowsGiveTheSameAccelerations) {
  Random random(8);
  Matrix rows = test::random_matrix(3, 6, random);
  for (int j = 0; j < 6; ++j) rows(2, j) = rows(0, j) + rows(1, j);
  Motion p(positive(6, 6, random), rows, random);
  p.c[2] = p.c[0] + p.c[1];

  MassElimination elimination(p.M.pattern, p.G.pattern);
  ASSERT_EQ(elimination.factor_mass(p.M.values), Eval::ok);
  EXPECT_EQ(elimination.factor(p.G.values), Eval::recoverable);
  EXPECT_GE(elimination.failed_row(), 0);
  NullSpaceSolver free(6, 3);
  EXPECT_EQ(free.factor(p.M.values, p.G.values), Eval::recoverable);

  Vector a, lambda, without, fewer;
  ASSERT_EQ(by_saddle(p, a, lambda), Eval::ok);
  ASSERT_EQ(by_matrix(p, {1, 1, 0}, without, fewer), Eval::ok);
  EXPECT_EQ(fewer[2], 0);
  EXPECT_LE(p.residual(a, lambda), 1e-10 * p.size(a, lambda));
  EXPECT_LE(p.residual(without, fewer), 1e-10 * p.size(without, fewer));
  for (std::size_t i = 0; i < a.size(); ++i) EXPECT_NEAR(a[i], without[i], 1e-10);
}

TEST(MotionMatrix, HoldsForcesOfAuxiliaryUnknownsAndMultipliers) {
  Random random(9);
  constexpr int n = 4, m = 2, r = 2, w = 3;
  const Motion p(positive(n, n, random), test::random_matrix(m, n, random), random);
  // Columns and rows of r come first, and do not belong to it.
  const Matrix f_w = test::random_matrix(n, r + w, random),
               d_w = test::random_matrix(r + w, r + w, random),
               f_lambda = test::random_matrix(n, m, random),
               d_lambda = test::random_matrix(r + w, m, random);
  const SparseMatrix blocks[] = {full(f_w), full(d_w), full(f_lambda), full(d_lambda)};
  MotionMatrix solver({p.M.pattern, p.G.pattern, blocks[0].pattern, blocks[1].pattern,
                       blocks[2].pattern, blocks[3].pattern, w, r});
  ASSERT_EQ(solver.size(), n + m + w);
  ASSERT_EQ(solver.factor({p.M.values, p.G.values, blocks[0].values, blocks[1].values,
                           blocks[2].values, blocks[3].values},
                          all_rows(p)),
            Eval::ok);
  const Vector right = test::random_vector(n + m + w, random);
  Vector x = right;
  solver.solve(x);
  const Matrix M = p.M.to_dense(), G = p.G.to_dense();
  Matrix K(n + m + w, n + m + w);
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) K(i, j) = M(i, j);
    for (int j = 0; j < m; ++j) K(i, n + j) = G(j, i) - f_lambda(i, j);
    for (int j = 0; j < w; ++j) K(i, n + m + j) = -f_w(i, r + j);
  }
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < n; ++j) K(n + i, j) = G(i, j);
  for (int i = 0; i < w; ++i) {
    for (int j = 0; j < m; ++j) K(n + m + i, n + j) = d_lambda(r + i, j);
    for (int j = 0; j < w; ++j) K(n + m + i, n + m + j) = d_w(r + i, r + j);
  }
  EXPECT_LE(test::backward_error(K, x, right), 1e-14);
}

TEST(TwoPointSolver, TakesForcesAtOnePositionAndAccelerationsAtAnother) {
  Random random(10);
  const Motion p(positive(6, 6, random), test::random_matrix(3, 6, random), random);
  SparseMatrix H = p.G;
  H.values = test::random_vector(static_cast<int>(H.values.size()), random);
  TwoPointSolver solver;
  solver.prepare(p.M, p.G);
  for (int time = 0; time < 2; ++time) {  // the second does not remember the first
    solver.load(p.M, p.G);
    ASSERT_EQ(solver.factor(time == 0 ? p.G : H), Eval::ok);
  }
  Vector a = p.f, lambda = p.c;
  solve_whole(solver, a, lambda);
  Vector left = p.f, missed = p.c;
  p.M.multiply_add(-1, a, left);
  p.G.multiply_transposed_add(-1, lambda, left);
  H.multiply_add(-1, a, missed);
  EXPECT_LE(std::max(norm_max(left), norm_max(missed)), 1e-12 * p.size(a, lambda));
}

}  // namespace
}  // namespace kardan
