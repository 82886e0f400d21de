#include "kardan/linalg/matrix.h"

#include <gtest/gtest.h>

#include <limits>

#include "linalg/random_matrices.h"

namespace kardan {
namespace {

using test::Random;
using test::random_matrix;
using test::random_vector;

TEST(Matrix, StoresRowsContiguously) {
  Matrix A(2, 3);
  A(1, 2) = 5.0;
  EXPECT_EQ(A.data()[5], 5.0);
  EXPECT_EQ(A.row(1) - A.row(0), 3);
}

TEST(Matrix, KeepsItsStorageWhenItShrinksAndGrowsBack) {
  Matrix A(10, 10);
  const double* before = A.data();
  A.resize(3, 4);
  A.resize(20, 5);
  EXPECT_EQ(A.data(), before);
  EXPECT_EQ(A.rows(), 20);
  EXPECT_EQ(A.cols(), 5);
}

TEST(Matrix, ProductWithTheIdentityIsTheVector) {
  Random random(1);
  const Vector x = random_vector(7, random);
  Vector y(7);
  multiply(Matrix::identity(7), x, y);
  EXPECT_EQ(x, y);
}

TEST(Matrix, TransposedProductIsTheAdjoint) {
  Random random(2);
  const Matrix A = random_matrix(5, 8, random);
  const Vector x = random_vector(8, random);
  const Vector y = random_vector(5, random);
  Vector Ax(5), Aty(8);
  multiply(A, x, Ax);
  multiply_transposed(A, y, Aty);
  EXPECT_NEAR(dot(Ax, y), dot(x, Aty), 1e-14);
}

TEST(Matrix, ProductOfMatricesActsLikeBothInTurn) {
  Random random(3);
  const Matrix A = random_matrix(4, 6, random);
  const Matrix B = random_matrix(6, 5, random);
  const Vector x = random_vector(5, random);
  Matrix AB;
  multiply(A, B, AB);
  Vector Bx(6), A_Bx(4), AB_x(4);
  multiply(B, x, Bx);
  multiply(A, Bx, A_Bx);
  multiply(AB, x, AB_x);
  for (int i = 0; i < 4; ++i) EXPECT_NEAR(A_Bx[i], AB_x[i], 1e-14);
}

TEST(Matrix, NormsMatchTheirDefinitions) {
  Matrix A(2, 2);
  A(0, 0) = 1.0, A(0, 1) = -2.0, A(1, 0) = -3.0, A(1, 1) = 1.0;
  EXPECT_EQ(norm_one(A), 4.0);
  EXPECT_EQ(norm_infinity(A), 4.0);
  EXPECT_DOUBLE_EQ(norm_frobenius(A), std::sqrt(15.0));
  EXPECT_EQ(norm_max(A.values()), 3.0);
}

TEST(Matrix, FindsEveryNonFiniteEntry) {
  Vector x(9, 1e308);
  EXPECT_TRUE(all_finite(x));
  for (const double bad :
       {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity(),
        -std::numeric_limits<double>::infinity()}) {
    for (std::size_t i = 0; i < x.size(); ++i) {
      Vector y = x;
      y[i] = bad;
      EXPECT_FALSE(all_finite(y));
    }
  }
}

}  // namespace
}  // namespace kardan
