#include "kardan/linalg/sparse.h"

#include <gtest/gtest.h>

#include "linalg/random_matrices.h"

namespace kardan {
namespace {

using test::Random;
using test::random_vector;

SparseMatrix random_sparse(int rows, int cols, int entries, unsigned long long seed) {
  Random random(seed);
  PatternBuilder builder(rows, cols);
  for (int k = 0; k < entries; ++k) builder.add(random.index(rows), random.index(cols));
  SparseMatrix A(builder.build());
  for (double& value : A.values) value = random.value();
  return A;
}

TEST(PatternBuilder, SortsAndMergesEntriesGivenInAnyOrder) {
  PatternBuilder builder(3, 4);
  builder.add(2, 3);
  builder.add(0, 2);
  builder.add(2, 0);
  builder.add(0, 2);
  const auto pattern = builder.build();
  EXPECT_EQ(pattern->row_start, (std::vector<int>{0, 1, 1, 3}));
  EXPECT_EQ(pattern->column, (std::vector<int>{2, 0, 3}));
}

TEST(PatternBuilder, DoesNotDependOnTheOrderOfEntries) {
  Random random(5);
  std::vector<std::pair<int, int>> entries;
  for (int k = 0; k < 500; ++k) entries.emplace_back(random.index(40), random.index(30));
  PatternBuilder forward(40, 30), backward(40, 30);
  for (auto it = entries.begin(); it != entries.end(); ++it) forward.add(it->first, it->second);
  for (auto it = entries.rbegin(); it != entries.rend(); ++it) backward.add(it->first, it->second);
  EXPECT_EQ(*forward.build(), *backward.build());
}

TEST(PatternBuilder, AddsDenseBlocksByCornerAndByIndex) {
  PatternBuilder corner(5, 6), indexed(5, 6);
  corner.add_block(1, 2, 2, 3);
  indexed.add_block(std::vector<int>{2, 1}, std::vector<int>{4, 2, 3});
  EXPECT_EQ(*corner.build(), *indexed.build());
  EXPECT_EQ(corner.build()->nonzeros(), 6);
}

TEST(PatternBuilder, OfNothingIsAnEmptyPattern) {
  const auto pattern = PatternBuilder(3, 2).build();
  EXPECT_EQ(pattern->nonzeros(), 0);
  EXPECT_EQ(pattern->row_start.size(), 4u);
  EXPECT_EQ(PatternBuilder(0, 0).build()->row_start.size(), 1u);
}

TEST(SparsePattern, FindsExactlyItsEntries) {
  const SparseMatrix A = random_sparse(20, 15, 90, 7);
  const SparsePattern& pattern = *A.pattern;
  int found = 0;
  for (int i = 0; i < 20; ++i) {
    for (int j = 0; j < 15; ++j) {
      const int place = pattern.find(i, j);
      if (place < 0) continue;
      ++found;
      EXPECT_EQ(pattern.column[place], j);
      EXPECT_GE(place, pattern.row_start[i]);
      EXPECT_LT(place, pattern.row_start[i + 1]);
    }
  }
  EXPECT_EQ(found, pattern.nonzeros());
}

TEST(SparseMatrix, ProductsAgreeWithTheDenseMatrix) {
  const SparseMatrix A = random_sparse(20, 15, 90, 8);
  const Matrix dense = A.to_dense();
  Random random(9);
  const Vector x = random_vector(15, random);
  const Vector z = random_vector(20, random);
  Vector y(20), y_add = z, expected(20), w(15, 0.0), w_expected(15);
  A.multiply(x, y);
  A.multiply_add(-2.0, x, y_add);
  multiply(dense, x, expected);
  A.multiply_transposed_add(3.0, z, w);
  multiply_transposed(dense, z, w_expected);
  for (int i = 0; i < 20; ++i) {
    EXPECT_NEAR(y[i], expected[i], 1e-14);
    EXPECT_NEAR(y_add[i], z[i] - 2.0 * expected[i], 1e-14);
  }
  for (int j = 0; j < 15; ++j) EXPECT_NEAR(w[j], 3.0 * w_expected[j], 1e-13);
}

TEST(SparseMatrix, SetZeroKeepsThePattern) {
  SparseMatrix A = random_sparse(4, 4, 8, 10);
  const int nonzeros = A.pattern->nonzeros();
  A.set_zero();
  EXPECT_EQ(norm_max(A.values), 0.0);
  EXPECT_EQ(A.pattern->nonzeros(), nonzeros);
}

TEST(PickRows, TakesPatternAndValues) {
  PatternBuilder builder(3, 4);
  for (const auto& [i, j] : {std::pair{0, 1}, {0, 3}, {1, 0}, {2, 2}, {2, 3}}) builder.add(i, j);
  const auto all = builder.build();
  const PickedRows picked = pick_rows(*all, std::vector<int>{2, 0});
  SparseMatrix A(picked.pattern);
  picked.take(Vector{1, 2, 3, 4, 5}, A.values);
  const Matrix dense = A.to_dense();
  ASSERT_EQ(dense.rows(), 2);
  EXPECT_EQ(dense(0, 2), 4);
  EXPECT_EQ(dense(0, 3), 5);
  EXPECT_EQ(dense(1, 1), 1);
  EXPECT_EQ(dense(1, 3), 2);
}

TEST(SparseMatrix, WithoutAHoleMultipliesAsTheOthersDo) {
  Random random(11);
  for (int rows = 1; rows <= 9; ++rows)
    for (int cols = 1; cols <= 13; ++cols) {
      // One column more, without entries: its pattern has holes.
      PatternBuilder full(rows, cols), holes(rows, cols + 1);
      full.add_block(0, 0, rows, cols);
      holes.add_block(0, 0, rows, cols);
      SparseMatrix A(full.build()), B(holes.build());
      for (double& value : A.values) value = random.value();
      B.values = A.values;
      Vector x = random_vector(cols, random), y = random_vector(rows, random), a(rows), b(rows);
      Vector wide = x;
      wide.push_back(1);
      const auto expect_same = [&](const Vector& got, const Vector& wanted) {
        for (std::size_t i = 0; i < got.size(); ++i)
          EXPECT_NEAR(got[i], wanted[i], 1e-14 * cols) << rows << ' ' << cols;
      };
      A.multiply(x, a);
      B.multiply(wide, b);
      expect_same(a, b);
      a = b = y;
      A.multiply_add(-0.7, x, a);
      B.multiply_add(-0.7, wide, b);
      expect_same(a, b);
      A.multiply_transposed_add(1.3, y, x);
      B.multiply_transposed_add(1.3, y, wide);
      expect_same(x, {wide.begin(), wide.end() - 1});
      EXPECT_EQ(wide.back(), 1);
    }
}

}  // namespace
}  // namespace kardan
