#include "kardan/linalg/motion/gram_cholesky.h"

#include <gtest/gtest.h>

#include <limits>

#include "kardan/linalg/lanes.h"
#include "linalg/random_matrices.h"

namespace kardan {
namespace {

using namespace test;

/// Nodes of rows and the tiles of Y, with random values.
struct Gram {
  std::vector<int> sizes;
  std::vector<GramGroup> groups;
  std::vector<GramTile> tiles;
  Vector Y;

  void add_group(int columns, const std::vector<int>& nodes, Random& random) {
    groups.push_back({columns, static_cast<int>(tiles.size()), static_cast<int>(nodes.size())});
    for (const int node : nodes) {
      tiles.push_back({node, static_cast<int>(Y.size())});
      for (int k = 0; k < columns; ++k)
        for (int i = 0; i < lanes; ++i) Y.push_back(i < sizes[node] ? random.value() : 0);
    }
  }
  std::shared_ptr<const GramPlan> plan(int without = -1) const {
    return std::make_shared<const GramPlan>(sizes, groups, tiles, without);
  }
  int rows() const { return lanes * static_cast<int>(sizes.size()); }

  /// Y Y', four rows a node; those without a row have a one on the diagonal.
  Matrix S(int without = -1) const {
    Matrix S(rows(), rows());
    for (int g = 0; g < static_cast<int>(groups.size()); ++g)
      for (int s = 0; g != without && s < groups[g].tiles; ++s)
        for (int t = 0; t < groups[g].tiles; ++t) {
          const GramTile &a = tiles[groups[g].first_tile + s], &b = tiles[groups[g].first_tile + t];
          for (int i = 0; i < lanes; ++i)
            for (int j = 0; j < lanes; ++j)
              for (int k = 0; k < groups[g].columns; ++k)
                S(lanes * a.node + i, lanes * b.node + j) +=
                    Y[a.values + lanes * k + i] * Y[b.values + lanes * k + j];
        }
    for (int i = 0; i < rows(); ++i)
      if (i % lanes >= sizes[i / lanes]) S(i, i) = 1;
    return S;
  }
  Vector right_side(Random& random) const {
    Vector b = random_vector(rows(), random);
    for (int i = 0; i < rows(); ++i)
      if (i % lanes >= sizes[i / lanes]) b[i] = 0;
    return b;
  }
};

/// Joints of `rows` rows between bodies of six columns.
Gram chain_of(int bodies, int rows, unsigned seed) {
  Random random(seed);
  Gram out;
  out.sizes.assign(bodies - 1, rows);
  for (int b = 0; b < bodies; ++b) {
    std::vector<int> nodes;
    if (b > 0) nodes.push_back(b - 1);
    if (b + 1 < bodies) nodes.push_back(b);
    out.add_group(6, nodes, random);
  }
  return out;
}

/// Nodes of all sizes, of which so many in a hundred pairs meet.
Gram unstructured(int nodes, int percent, unsigned seed) {
  Random random(seed);
  Gram out;
  for (int n = 0; n < nodes; ++n) out.sizes.push_back(1 + n % lanes);
  for (int n = 0; n < nodes; ++n) {
    out.add_group(7, {n}, random);
    for (int other = 0; other < n; ++other)
      if (random.index(100) < percent) out.add_group(1 + random.index(3), {n, other}, random);
  }
  return out;
}

void solve(const GramCholesky& cholesky, Vector& x) {
  cholesky.solve_lower(x);
  cholesky.scale(x);
  cholesky.solve_upper(x);
}

TEST(GramCholesky, SolvesToRounding) {
  for (const Gram& gram : {chain_of(2, 3, 1), chain_of(9, 3, 2), chain_of(40, 3, 3),
                           chain_of(12, 4, 4), chain_of(12, 1, 5), unstructured(1, 0, 6),
                           unstructured(20, 15, 7), unstructured(25, 70, 8)}) {
    GramCholesky cholesky(gram.plan());
    ASSERT_EQ(cholesky.factor(gram.Y), Eval::ok);
    Random random(9);
    const Vector b = gram.right_side(random);
    Vector x = b;
    solve(cholesky, x);
    EXPECT_LT(backward_error(gram.S(), x, b), 1e-15) << gram.rows();
    EXPECT_EQ(cholesky.failed_row(), -1);
    EXPECT_GT(cholesky.pivot_ratio(), 0);
  }
}

TEST(GramCholesky, LeavesAGroupOut) {
  const Gram gram = unstructured(15, 30, 10);
  int without = 0;  // one of those that two nodes share
  while (gram.groups[without].tiles < 2) ++without;
  GramCholesky cholesky(gram.plan(without));
  ASSERT_EQ(cholesky.factor(gram.Y), Eval::ok);
  Random random(11);
  const Vector b = gram.right_side(random);
  Vector x = b;
  solve(cholesky, x);
  EXPECT_LT(backward_error(gram.S(without), x, b), 1e-15);
}

TEST(GramCholesky, SolvesForManyRightSidesAsForOne) {
  const Gram gram = unstructured(14, 30, 12);
  const auto plan = gram.plan();
  GramCholesky cholesky(plan);
  ASSERT_EQ(cholesky.factor(gram.Y), Eval::ok);
  Random random(13);
  Matrix X(plan->first.back(), 8);
  std::vector<Vector> sides;
  for (int j = 0; j < X.cols(); ++j) {
    sides.push_back(gram.right_side(random));
    for (int n = 0; n < plan->nodes(); ++n)
      for (int i = 0; i < plan->size[n]; ++i) X(plan->first[n] + i, j) = sides[j][lanes * n + i];
    cholesky.solve_lower(sides[j]);
  }
  cholesky.solve_lower(X);
  for (int j = 0; j < X.cols(); ++j)
    for (int n = 0; n < plan->nodes(); ++n)
      for (int i = 0; i < plan->size[n]; ++i)
        EXPECT_NEAR(X(plan->first[n] + i, j), sides[j][lanes * n + i], 1e-13);
}

TEST(GramCholesky, GivesTheSameBitsWhateverWasFactoredBefore) {
  const Gram gram = chain_of(12, 3, 14), other = chain_of(12, 3, 15);
  GramCholesky fresh(gram.plan()), used(gram.plan());
  EXPECT_EQ(used.factor(Vector(gram.Y.size(), 0.0)), Eval::recoverable);
  EXPECT_EQ(used.factor(Vector(gram.Y.size(), std::numeric_limits<double>::quiet_NaN())),
            Eval::recoverable);
  EXPECT_EQ(used.factor(other.Y), Eval::ok);
  ASSERT_EQ(used.factor(gram.Y), Eval::ok);
  ASSERT_EQ(fresh.factor(gram.Y), Eval::ok);
  Random random(16);
  Vector x = gram.right_side(random), y = x;
  solve(fresh, x);
  solve(used, y);
  EXPECT_EQ(x, y);
}

TEST(GramCholesky, NamesTheRowThatIsNotThere) {
  Gram gram = unstructured(20, 20, 17);
  for (const GramGroup& g : gram.groups)
    for (int t = g.first_tile; t < g.first_tile + g.tiles; ++t)
      for (int k = 0; gram.tiles[t].node == 6 && k < g.columns; ++k)
        gram.Y[gram.tiles[t].values + lanes * k + 2] = 0;
  GramCholesky cholesky(gram.plan());
  EXPECT_EQ(cholesky.factor(gram.Y), Eval::recoverable);
  EXPECT_EQ(cholesky.failed_row(), lanes * 6 + 2);
}

TEST(GramCholesky, RefusesDependentRowsAndValuesThatAreNotFinite) {
  // The last row is the sum of the first two.
  Gram gram;
  gram.sizes = {3};
  Random random(18);
  gram.add_group(4, {0}, random);
  for (int k = 0; k < 4; ++k) gram.Y[lanes * k + 2] = gram.Y[lanes * k] + gram.Y[lanes * k + 1];
  GramCholesky cholesky(gram.plan());
  EXPECT_EQ(cholesky.factor(gram.Y), Eval::recoverable);
  EXPECT_GE(cholesky.failed_row(), 0);
  EXPECT_EQ(cholesky.pivot_ratio(), 0);
  gram.Y[0] = std::numeric_limits<double>::infinity();
  EXPECT_EQ(cholesky.factor(gram.Y), Eval::recoverable);
  gram.Y[0] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(cholesky.factor(gram.Y), Eval::recoverable);
}

TEST(GramCholesky, TellsHowMuchOfARowIsLeft) {
  // The second row differs from the first by 1e-3 across it: 1e-6 of its square is left.
  Gram gram;
  gram.sizes = {2};
  Random random(19);
  gram.add_group(2, {0}, random);
  gram.Y = {1, 1, 0, 0, 0, 1e-3, 0, 0};
  GramCholesky cholesky(gram.plan());
  ASSERT_EQ(cholesky.factor(gram.Y), Eval::ok);
  EXPECT_NEAR(cholesky.pivot_ratio(), 1e-6, 1e-11);
  EXPECT_EQ(cholesky.weakest_row(), 1);
}

TEST(GramCholesky, FillsAChainLinearly) {
  const auto fill = [](int bodies) {
    return chain_of(bodies, 3, 20).plan()->factor_nonzeros() / bodies;
  };
  EXPECT_NEAR(fill(5000) / fill(500), 1, 0.01);
}

}  // namespace
}  // namespace kardan
