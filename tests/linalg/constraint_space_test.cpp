/// The row space of constraint matrices: all decompositions agree, and rank loss is found.

#include "kardan/linalg/constraint_space.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "kardan/linalg/square_qr.h"

namespace kardan {
namespace {

constexpr double tolerance = 1e-9;

/// Rows that couple neighbours, as joints of a chain do; the last `copies` are sums of others.
SparseMatrix chain(int rows, int cols, int copies) {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> uniform(-1, 1);
  PatternBuilder builder(rows, cols);
  for (int i = 0; i < rows - copies; ++i)
    for (int k = 0; k < 5; ++k) builder.add(i, std::min(cols - 1, i + k));
  for (int c = 0; c < copies; ++c)
    for (int j = 0; j < cols; ++j) builder.add(rows - copies + c, j);
  SparseMatrix A(builder.build());
  const SparsePattern& p = *A.pattern;
  for (int i = 0; i < rows - copies; ++i)
    for (int k = p.row_start[i]; k < p.row_start[i + 1]; ++k)
      A.values[k] = p.column[k] == i ? 2 : 0.5 * uniform(random);  // far from dependent
  for (int c = 0; c < copies; ++c)
    for (int source : {2 * c, 2 * c + 3})
      for (int k = p.row_start[source]; k < p.row_start[source + 1]; ++k)
        A.values[p.find(rows - copies + c, p.column[k])] += A.values[k];
  return A;
}

struct Case {
  int rows, cols, copies;
};
class ConstraintSpaces : public testing::TestWithParam<Case> {};

TEST_P(ConstraintSpaces, AgreeWhateverTheDecomposition) {
  const auto [rows, cols, copies] = GetParam();
  const SparseMatrix A = chain(rows, cols, copies);
  Vector unit(cols);
  for (int j = 0; j < cols; ++j) unit[j] = 1 + 0.5 * (j % 3);
  Vector b(rows), x_qr(cols), y(rows), weight(rows);
  for (int i = 0; i < rows; ++i) {
    b[i] = i < rows - copies ? std::sin(i) : 0;
    y[i] = std::cos(i);
    weight[i] = 1 + i % 2;
  }
  for (int c = 0; c < copies; ++c) b[rows - copies + c] = b[2 * c] + b[2 * c + 3];
  ConstraintSpace qr(A.pattern, rows, unit, RowDecomposition::qr);
  ASSERT_EQ(qr.factor(A, tolerance, rows, {}), Eval::ok);
  EXPECT_EQ(qr.rank(), rows - copies);
  qr.solve(b, x_qr);
  Vector y_qr = y;
  qr.least_norm_multipliers(weight, y_qr);
  for (const RowDecomposition other : {RowDecomposition::lu, RowDecomposition::svd}) {
    ConstraintSpace space(A.pattern, rows, unit, other);
    RowChoice choice;
    ASSERT_EQ(space.factor(A, tolerance, rows, choice), Eval::ok);
    space.keep(A, choice);
    EXPECT_EQ(choice.known, other == RowDecomposition::lu);
    ASSERT_EQ(space.factor(A, tolerance, rows, choice), Eval::ok);
    EXPECT_FALSE(space.switched());
    EXPECT_EQ(space.dense() == nullptr, true);
    EXPECT_EQ(space.rank(), qr.rank());
    Matrix N;
    space.null_space(N);
    ASSERT_EQ(N.cols(), cols - qr.rank());
    for (int a = 0; a < N.cols(); ++a) {
      for (int c = 0; c < N.cols(); ++c) {
        double product = 0;
        for (int j = 0; j < cols; ++j) product += N(j, a) * N(j, c);
        EXPECT_NEAR(product, a == c ? 1 : 0, 1e-12);
      }
      const SparsePattern& p = *A.pattern;
      for (int i = 0; i < rows; ++i) {
        double sum = 0;
        for (int k = p.row_start[i]; k < p.row_start[i + 1]; ++k)
          sum += A.values[k] * unit[p.column[k]] * N(p.column[k], a);
        EXPECT_NEAR(sum, 0, 1e-11);
      }
    }
    Vector x(cols);
    space.solve(b, x);
    for (int j = 0; j < cols; ++j) EXPECT_NEAR(x[j], x_qr[j], 1e-9) << j;
    Vector least = y;
    space.least_norm_multipliers(weight, least);
    for (int i = 0; i < rows; ++i) EXPECT_NEAR(least[i], y_qr[i], 1e-9) << i;
  }
}

INSTANTIATE_TEST_SUITE_P(Sizes, ConstraintSpaces,
                         testing::Values(Case{6, 9, 0}, Case{9, 12, 2}, Case{120, 130, 3}));

TEST(ConstraintSpace, HandsRankLossUnderLuOverToQr) {
  SparseMatrix A = chain(8, 12, 0);
  const Vector unit(12, 1.0);
  ConstraintSpace space(A.pattern, 8, unit, RowDecomposition::lu);
  RowChoice choice;
  ASSERT_EQ(space.factor(A, tolerance, 8, choice), Eval::ok);
  space.keep(A, choice);
  ASSERT_TRUE(choice.known);
  // The fourth row becomes a multiple of the third.
  const SparsePattern& p = *A.pattern;
  for (int k = p.row_start[3]; k < p.row_start[4]; ++k) {
    const int same = p.find(2, p.column[k]);
    A.values[k] = same >= 0 ? 2 * A.values[same] : 0;
  }
  A.values[p.find(2, 2)] = 0;
  ASSERT_EQ(space.factor(A, tolerance, 8, choice), Eval::ok);
  EXPECT_TRUE(space.switched());
  EXPECT_EQ(space.rank(), 7);
}

TEST(SquareQr, SolvesRealAndComplexSystems) {
  constexpr int n = 7;
  std::mt19937 random(3);
  std::uniform_real_distribution<double> uniform(-1, 1);
  const auto check = [&](auto zero) {
    using Scalar = decltype(zero);
    std::vector<Scalar> A(n * n), x(n), b(n, Scalar(0));
    const auto entry = [&] {
      if constexpr (std::is_same_v<Scalar, double>)
        return uniform(random);
      else
        return Scalar(uniform(random), uniform(random));
    };
    for (Scalar& a : A) a = entry();
    for (Scalar& value : x) value = entry();
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j) b[i] += A[i * n + j] * x[j];
    SquareQr<Scalar> qr;
    ASSERT_EQ(qr.factor(n, A), Eval::ok);
    qr.solve(b);
    for (int i = 0; i < n; ++i) EXPECT_LE(std::abs(b[i] - x[i]), 1e-12);
    // A column that is zero.
    for (int i = 0; i < n; ++i) A[i * n + 3] = Scalar(0);
    EXPECT_EQ(qr.factor(n, A), Eval::recoverable);
  };
  check(0.0);
  check(std::complex<double>{});
}

/// Ten rows that have almost all in common: of each 0.05 or more remains beside the others, which
/// is what pivoting looks at, but 0.016 of the largest singular value is all the others reach.
TEST(ConstraintSpace, LetsSingularValuesDecideTheRankIfAsked) {
  constexpr int rows = 10, cols = 11;
  constexpr double own = 0.05, coarse = 0.03;
  PatternBuilder builder(rows, cols);
  for (int i = 0; i < rows; ++i) {
    builder.add(i, 0);
    builder.add(i, i + 1);
  }
  SparseMatrix A(builder.build());
  for (int i = 0; i < rows; ++i) {
    A.values[A.pattern->find(i, 0)] = 1;
    A.values[A.pattern->find(i, i + 1)] = own;
  }
  const Vector unit(cols, 1.0);
  ConstraintSpace qr(A.pattern, rows, unit, RowDecomposition::qr),
      svd(A.pattern, rows, unit, RowDecomposition::svd);
  ASSERT_EQ(qr.factor(A, coarse, rows, {}), Eval::ok);
  ASSERT_EQ(svd.factor(A, coarse, rows, {}), Eval::ok);
  EXPECT_EQ(qr.rank(), rows);
  EXPECT_EQ(svd.rank(), 1);
  Matrix N, product;
  svd.null_space(N);
  ASSERT_EQ(N.cols(), cols - 1);
  multiply(A.to_dense(), N, product);
  EXPECT_LE(norm_max(product.values()), 2 * own);
}

}  // namespace
}  // namespace kardan
