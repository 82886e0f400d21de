#include "kardan/linalg/motion/mass_elimination.h"

#include <gtest/gtest.h>

#include "kardan/linalg/dense_lu.h"
#include "linalg/random_matrices.h"

namespace kardan {
namespace {

using namespace test;

/// Blocks of sizes 1, 3, 6, 2, ... along the diagonal, positive definite; the last block's members
/// lie apart.
Matrix block_mass(int size, Random& random) {
  Matrix M(size, size);
  const int sizes[] = {1, 3, 6, 2};
  for (int first = 0, k = 0; first < size; ++k) {
    const int count = std::min(sizes[k % 4], size - first);
    for (int i = 0; i < count; ++i) {
      for (int j = 0; j < i; ++j)
        M(first + i, first + j) = M(first + j, first + i) = 0.3 * random.value();
      M(first + i, first + i) = 3 + random.value();
    }
    first += count;
  }
  M(0, size - 1) = M(size - 1, 0) = 0.2;
  return M;
}

/// [M G'; G 0] of a solution and its right side: the backward error.
double saddle_error(const Matrix& M, const Matrix& G, const Vector& f, const Vector& c,
                    const Vector& a, const Vector& y) {
  const int n = M.rows(), m = G.rows();
  Matrix K(n + m, n + m);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) K(i, j) = M(i, j);
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < n; ++j) K(n + i, j) = K(j, n + i) = G(i, j);
  Vector x = a, b = f;
  x.insert(x.end(), y.begin(), y.end());
  b.insert(b.end(), c.begin(), c.end());
  return backward_error(K, x, b);
}

TEST(MassElimination, SolvesTheSaddlePointEquations) {
  for (const int bodies : {2, 4, 15}) {
    Random random(bodies);
    const SparseMatrix G = chain_jacobian(bodies, 3, random);
    const int n = G.cols(), m = G.rows();
    const Matrix M = block_mass(n, random), dense = G.to_dense();
    const SparseMatrix sparse = sparse_copy(M);
    MassElimination solver(sparse.pattern, G.pattern);
    ASSERT_EQ(solver.factor_mass(sparse.values), Eval::ok);
    ASSERT_EQ(solver.factor(G.values), Eval::ok);
    EXPECT_GT(solver.pivot_ratio(), 0);
    const Vector f = random_vector(n, random), c = random_vector(m, random);
    Vector a = f, y = c;
    solver.solve(a, y);
    EXPECT_LT(saddle_error(M, dense, f, c, a, y), 1e-14);
  }
}

TEST(MassElimination, NamesADependentRowAndAColumnWithoutMass) {
  Random random(3);
  SparseMatrix G = chain_jacobian(5, 3, random);
  SparseMatrix M = sparse_copy(block_mass(G.cols(), random));
  MassElimination solver(M.pattern, G.pattern);
  ASSERT_EQ(solver.factor_mass(M.values), Eval::ok);
  for (int k = 0; k < 12; ++k)
    G.values[G.pattern->row_start[7] + k] = -2 * G.values[G.pattern->row_start[8] + k];
  EXPECT_EQ(solver.factor(G.values), Eval::recoverable);
  EXPECT_TRUE(solver.failed_row() == 7 || solver.failed_row() == 8);
  M.values[M.pattern->find(4, 4)] = 0;
  EXPECT_EQ(solver.factor_mass(M.values), Eval::recoverable);
  EXPECT_EQ(solver.failed_column(), 4);
}

/// A hub of six columns and legs of two bodies each, with `rows` rows per leg on all three.
struct Star {
  Matrix M, G;
  Star(int legs, int rows, Random& random)
      : M(6 + 12 * legs, 6 + 12 * legs), G(legs * rows, M.rows()) {
    for (int first = 0; first < M.rows(); first += 6)
      for (int i = 0; i < 6; ++i) {
        for (int j = 0; j < i; ++j)
          M(first + i, first + j) = M(first + j, first + i) = 0.2 * random.value();
        M(first + i, first + i) = 3 + random.value();
      }
    for (int leg = 0; leg < legs; ++leg)
      for (int i = 0; i < rows; ++i) {
        for (int j = 0; j < 6; ++j) G(leg * rows + i, j) = random.value();
        for (int j = 0; j < 12; ++j) G(leg * rows + i, 6 + 12 * leg + j) = random.value();
      }
  }
};

/// A solver with a hub, factored and held to the saddle-point equations; whether the hub served.
bool serves_with_hub(const Star& star, Random& random) {
  const SparseMatrix M = sparse_copy(star.M), G = sparse_copy(star.G);
  MassElimination solver(M.pattern, G.pattern);
  EXPECT_TRUE(solver.has_hub());
  EXPECT_LT(solver.work(), 0.6 * 45 * 45 * 45 / 6);
  EXPECT_EQ(solver.factor_mass(M.values), Eval::ok);
  EXPECT_EQ(solver.factor(G.values), Eval::ok);
  const Vector f = random_vector(G.cols(), random), c = random_vector(G.rows(), random);
  Vector a = f, y = c;
  solver.solve(a, y);
  EXPECT_LT(saddle_error(star.M, star.G, f, c, a, y), 1e-14);
  return solver.used_hub();
}

TEST(MassElimination, KeepsAHubForTheEnd) {
  Random random(8);
  EXPECT_TRUE(serves_with_hub(Star(5, 9, random), random));
}

TEST(MassElimination, EliminatesTheHubWhereItAloneTellsRowsApart) {
  Random random(9);
  Star star(5, 9, random);
  for (int j = 6; j < star.G.cols(); ++j) star.G(3, j) = 0.5 * star.G(4, j);
  EXPECT_FALSE(serves_with_hub(star, random));
}

TEST(MassElimination, WorksWithoutConstraints) {
  Random random(4);
  const Matrix M = block_mass(9, random);
  const SparseMatrix sparse = sparse_copy(M);
  MassElimination solver(sparse.pattern, PatternBuilder(0, 9).build());
  ASSERT_EQ(solver.factor_mass(sparse.values), Eval::ok);
  ASSERT_EQ(solver.factor({}), Eval::ok);
  const Vector f = random_vector(9, random);
  Vector a = f;
  solver.solve(a, {});
  EXPECT_LT(backward_error(M, a, f), 1e-15);
}

}  // namespace
}  // namespace kardan
