/// Products on the columns that may not vanish against those of whole matrices.

#include "kardan/linalg/row_fours.h"

#include <gtest/gtest.h>

#include <array>
#include <random>

namespace kardan {
namespace {

constexpr int columns = 24, width = 24;

std::vector<int> columns_of(int row) {
  // Nothing; a few; the last ones, where a four must begin earlier; two far apart; all.
  switch (row % 5) {
    case 0:
      return {};
    case 1:
      return {0, 1, 2, 3, 4};
    case 2:
      return {21, 20, 23, 18, 14};
    case 3:
      return {13, 1};
    default: {
      std::vector<int> all(columns);
      for (int c = 0; c < columns; ++c) all[c] = c;
      return all;
    }
  }
}

std::vector<std::vector<int>> columns_of_rows(int rows) {
  std::vector<std::vector<int>> out(rows);
  for (int i = 0; i < rows; ++i) out[i] = columns_of(i);
  return out;
}

/// Random on the columns of every row, in every part.
Matrix random_matrix(int rows, int parts, std::mt19937& random) {
  std::uniform_real_distribution<double> in(-1, 1);
  Matrix A(rows, parts * width);
  for (int i = 0; i < rows; ++i)
    for (int p = 0; p < parts; ++p)
      for (int c : columns_of(i)) A(i, p * width + c) = in(random);
  return A;
}

/// Row i has entries where X has the columns of row i, or none at all.
SparseMatrix random_sparse(int rows, int cols, std::mt19937& random) {
  std::uniform_real_distribution<double> in(-1, 1);
  PatternBuilder builder(rows, cols);
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < cols; ++j)
      if (i % 5 == 4 || j % 5 == i % 5 || j % 5 == 0) builder.add(i, j);
  SparseMatrix A(builder.build());
  for (double& v : A.values) v = in(random);
  return A;
}

Strip strip(const Matrix& A) {
  return {A.data(), A.cols()};
}

TEST(RowFours, CoverTheColumnsAndStayInsideOfThePart) {
  const RowFours fours(columns_of_rows(5), columns);
  for (int row = 0; row < 5; ++row)
    for (int c : columns_of(row)) {
      bool covered = false;
      for (int first : fours.of(row)) covered = covered || (first <= c && c < first + 4);
      EXPECT_TRUE(covered) << row << ", " << c;
    }
  for (int row = 0; row < 5; ++row)
    for (int last = -4; int first : fours.of(row)) {
      EXPECT_GE(first, last + 4);
      EXPECT_LE(first + 4, width);
      last = first;
    }
  EXPECT_EQ(fours.of(0).size(), 0u);
  EXPECT_EQ(fours.of(3).size(), 2u);
}

TEST(RowFours, MultiplyRowsIsTheSumOfItsTermsInEveryPart) {
  std::mt19937 random(1);
  const int rows = 10, inner = 15;
  const SparseMatrix A = random_sparse(rows, inner, random), B = random_sparse(rows, inner, random);
  const Matrix X = random_matrix(inner, 2, random), Y = random_matrix(inner, 1, random);
  RowSegments a(*A.pattern), b(*B.pattern);
  EXPECT_TRUE(a.learn(A));
  EXPECT_TRUE(b.learn(B));
  std::vector<int> all(rows);
  for (int i = 0; i < rows; ++i) all[i] = i;
  for (const std::vector<int>& some : {all, std::vector<int>{4, 9, 1, 3, 2, 9}}) {
    const int count = static_cast<int>(some.size());
    std::vector<std::vector<int>> wanted(count);
    for (int i = 0; i < count; ++i) wanted[i] = columns_of(some[i]);
    RowProducts products;
    products.compile(std::array{SparseTerm{Sign::minus, &a, &A, strip(X), 2},
                                SparseTerm{Sign::plus, &b, &B, strip(Y), 1}},
                     some, width);
    Matrix Z(count, 2 * width);
    multiply_rows(products, RowFours(wanted, columns), width, Z);
    for (int i = 0; i < count; ++i)
      for (int p = 0; p < 2; ++p)
        for (int c : wanted[i]) {
          double sum = 0;
          for (int j = 0; j < inner; ++j) {
            if (const int k = A.pattern->find(some[i], j); k >= 0)
              sum -= A.values[k] * X(j, p * width + c);
            if (const int k = B.pattern->find(some[i], j); p == 0 && k >= 0)
              sum += B.values[k] * Y(j, c);
          }
          EXPECT_NEAR(Z(i, p * width + c), sum, 1e-14) << i << ", " << p << ", " << c;
        }
  }
}

TEST(RowSegments, LearnEntriesOnceAndCloseNarrowGaps) {
  PatternBuilder builder(2, 12);
  builder.add_block(0, 0, 2, 12);
  SparseMatrix A(builder.build());
  RowSegments segments(*A.pattern);
  EXPECT_FALSE(segments.learn(A));
  EXPECT_EQ(segments.of(0).size(), 0u);
  for (int k : {0, 3, 9}) A.values[k] = 1;
  EXPECT_TRUE(segments.learn(A));
  EXPECT_FALSE(segments.learn(A));
  ASSERT_EQ(segments.of(0).size(), 2u);
  EXPECT_EQ(segments.of(0)[0].count, 4);
  EXPECT_EQ(segments.of(0)[1].column, 9);
  EXPECT_EQ(segments.of(1).size(), 0u);
  // What was seen stays, whatever it is now.
  A.values[0] = 0;
  A.values[23] = -1;
  EXPECT_TRUE(segments.learn(A));
  EXPECT_EQ(segments.of(0)[0].count, 4);
  ASSERT_EQ(segments.of(1).size(), 1u);
  EXPECT_EQ(segments.of(1)[0].value, 23);
  EXPECT_EQ(segments.of(1)[0].column, 11);
}

TEST(RowFours, TurnRowsMultipliesThreeRowsOrAddsToThem) {
  std::mt19937 random(2);
  const double E[9] = {0.1, -0.2, 0.3, 0.4, 0.5, -0.6, 0.7, 0.8, 0.9};
  const Matrix X = random_matrix(3, 2, random);
  const std::vector<int> all{0, 4, 8, 12, 16, 20};
  Matrix Y(3, 2 * width), twice(3, 2 * width);
  turn_rows(Sum::begin, E, strip(X), all, 2, width, Y.data(), Y.cols());
  twice = Y;
  turn_rows(Sum::go_on, E, strip(X), all, 2, width, twice.data(), twice.cols());
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 2 * width; ++j) {
      const double sum = E[3 * i] * X(0, j) + E[3 * i + 1] * X(1, j) + E[3 * i + 2] * X(2, j);
      EXPECT_NEAR(Y(i, j), sum, 1e-15);
      EXPECT_NEAR(twice(i, j), 2 * sum, 1e-15);
    }
}

TEST(RowFours, AddTransposedAddsTheProductOfTheListedColumns) {
  std::mt19937 random(3);
  const Matrix U = random_matrix(6, 1, random), X = random_matrix(6, 2, random);
  const std::vector<int> some{0, 3, 21};
  Matrix Y(columns, 2 * width);
  for (int j = 0; j < Y.cols(); ++j) Y(3, j) = 1;
  add_transposed(6, some, strip(U), strip(X), std::vector<int>{0, 4, 8, 12, 16, 20}, 2, width, Y);
  for (int c = 0; c < columns; ++c)
    for (int j = 0; j < 2 * width; ++j) {
      double sum = c == 3 ? 1 : 0;
      if (c == 0 || c == 3 || c == 21)
        for (int k = 0; k < 6; ++k) sum += U(k, c) * X(k, j);
      EXPECT_NEAR(Y(c, j), sum, 1e-15);
    }
}

}  // namespace
}  // namespace kardan
