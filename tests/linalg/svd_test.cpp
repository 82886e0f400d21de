#include "kardan/linalg/svd.h"

#include <gtest/gtest.h>

#include <Eigen/SVD>
#include <algorithm>
#include <cmath>
#include <limits>

#include "linalg/random_matrices.h"

namespace kardan {
namespace {

using test::Random;
using test::random_matrix;
using test::random_matrix_of_rank;

struct Sides {
  int rows, cols, rank;
};
const std::vector<Sides> sides = {{5, 5, 5},    {5, 5, 3},    {8, 4, 4}, {8, 4, 2},
                                  {4, 9, 4},    {4, 9, 3},    {1, 6, 1}, {6, 1, 1},
                                  {30, 50, 17}, {50, 30, 30}, {3, 4, 0}, {60, 60, 59}};

/// Largest entry of A'A - I.
double skewness(const Matrix& A) {
  double largest = 0;
  for (int i = 0; i < A.cols(); ++i)
    for (int j = 0; j < A.cols(); ++j) {
      double sum = i == j ? -1 : 0;
      for (int k = 0; k < A.rows(); ++k) sum += A(k, i) * A(k, j);
      largest = std::fmax(largest, std::abs(sum));
    }
  return largest;
}

TEST(Svd, ReproducesTheMatrixFromOrthonormalFactors) {
  Random random(58);
  for (const Sides& shape : sides)
    for (const double scale : {1.0, 1e-200, 1e200}) {
      Matrix A = random_matrix_of_rank(shape.rows, shape.cols, shape.rank, random);
      for (int i = 0; i < A.rows(); ++i)
        for (int j = 0; j < A.cols(); ++j) A(i, j) *= scale;
      Svd svd;
      ASSERT_EQ(svd.factor(A), Eval::ok);
      const Vector& s = svd.singular_values();
      ASSERT_EQ(static_cast<int>(s.size()), std::min(shape.rows, shape.cols));
      EXPECT_TRUE(std::is_sorted(s.rbegin(), s.rend()));
      Matrix US = svd.U(), USVt;
      for (int i = 0; i < US.rows(); ++i)
        for (int j = 0; j < US.cols(); ++j) US(i, j) *= s[j];
      multiply(US, transposed(svd.V()), USVt);
      for (int i = 0; i < A.rows(); ++i)
        for (int j = 0; j < A.cols(); ++j)
          EXPECT_NEAR(USVt(i, j) / scale, A(i, j) / scale, 1e-13 * (shape.rows + shape.cols));
      EXPECT_LT(skewness(svd.U()), 1e-13) << shape.rows << " x " << shape.cols << ' ' << shape.rank;
      EXPECT_LT(skewness(svd.V()), 1e-13) << shape.rows << " x " << shape.cols << ' ' << shape.rank;
    }
}

TEST(Svd, KnowsTheSingularValuesOfADiagonal) {
  Matrix A(3, 4);
  A(0, 1) = -5.0, A(1, 3) = 0.25, A(2, 0) = 3.0;
  Svd svd;
  ASSERT_EQ(svd.factor(A, Svd::Output::values), Eval::ok);
  EXPECT_EQ(svd.singular_values(), (Vector{5.0, 3.0, 0.25}));
}

TEST(Svd, AgreesWithAnotherAlgorithm) {
  Random random(59);
  for (const Sides& shape : sides) {
    const Matrix A = random_matrix_of_rank(shape.rows, shape.cols, shape.rank, random);
    using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
    const Eigen::VectorXd other =
        Eigen::JacobiSVD<Eigen::MatrixXd>(Eigen::Map<const RowMajor>(A.data(), A.rows(), A.cols()))
            .singularValues();
    Svd svd;
    ASSERT_EQ(svd.factor(A, Svd::Output::values), Eval::ok);
    for (std::size_t k = 0; k < svd.singular_values().size(); ++k)
      EXPECT_NEAR(svd.singular_values()[k], other(static_cast<int>(k)),
                  1e-14 * (shape.rows + shape.cols) * other(0));
  }
}

/// Lines of very different lengths: small values keep all their digits. Those of diag(d) Q, Q
/// orthogonal, are d.
TEST(Svd, KeepsTheDigitsOfSmallValues) {
  Random random(60);
  const int n = 12;
  Svd of_random;
  ASSERT_EQ(of_random.factor(random_matrix(n, n, random)), Eval::ok);
  Matrix A = of_random.U();
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) A(i, j) *= std::pow(10.0, -1.5 * i);
  Svd svd;
  ASSERT_EQ(svd.factor(A, Svd::Output::values), Eval::ok);
  ASSERT_EQ(svd.factor(transposed(A), Svd::Output::values), Eval::ok);
  for (int i = 0; i < n; ++i)
    EXPECT_NEAR(svd.singular_values()[i] * std::pow(10.0, 1.5 * i), 1, 1e-13) << i;
}

/// Rows that are copies and sums of others, as those of redundant joints: what is left of them is
/// rounding, which is made orthogonal as well.
TEST(Svd, ConvergesWhereRowsFollowFromOthers) {
  Random random(61);
  for (int trial = 0; trial < 200; ++trial) {
    const int rows = 4 + trial % 50, cols = rows + trial % 7, independent = (3 * rows) / 4;
    Matrix A = random_matrix(rows, cols, random);
    for (int i = independent; i < rows; ++i)
      for (int j = 0; j < cols; ++j)
        A(i, j) = trial % 2 == 0 ? A(i - independent, j) : A(i - independent, j) - 1e3 * A(0, j);
    Svd svd;
    ASSERT_EQ(svd.factor(A), Eval::ok) << trial;
    EXPECT_LT(skewness(svd.U()), 1e-12) << trial;
    EXPECT_LT(skewness(svd.V()), 1e-12) << trial;
    const Vector& s = svd.singular_values();
    EXPECT_LT(s[independent], 1e-13 * s[0]) << trial;
  }
}

TEST(Svd, CallsNonFiniteValuesRecoverable) {
  for (const double bad :
       {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    Matrix A = Matrix::identity(4);
    A(2, 1) = bad;
    EXPECT_EQ(Svd().factor(A), Eval::recoverable);
  }
}

TEST(Svd, AcceptsEmptyMatrices) {
  for (const auto& [rows, cols] : {std::pair{0, 0}, {0, 3}, {3, 0}}) {
    Svd svd;
    EXPECT_EQ(svd.factor(Matrix(rows, cols)), Eval::ok);
    EXPECT_TRUE(svd.singular_values().empty());
    EXPECT_EQ(svd.V().rows(), cols);
  }
}

}  // namespace
}  // namespace kardan
