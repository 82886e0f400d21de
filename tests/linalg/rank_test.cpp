#include "kardan/linalg/rank.h"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>
#include <limits>
#include <numeric>

#include "linalg/random_matrices.h"

namespace kardan {
namespace {

using test::Random;
using test::random_matrix;
using test::random_matrix_of_rank;
using test::random_vector;

struct Shape {
  int rows, cols, rank;
};
const std::vector<Shape> shapes = {{5, 5, 5},    {5, 5, 3},    {8, 4, 4}, {8, 4, 2},
                                   {4, 9, 4},    {4, 9, 3},    {1, 6, 1}, {6, 1, 1},
                                   {30, 50, 17}, {50, 30, 30}, {3, 4, 0}, {60, 60, 59}};

Matrix scaled(Matrix A, double factor) {
  for (int i = 0; i < A.rows(); ++i) {
    for (int j = 0; j < A.cols(); ++j) A(i, j) *= factor;
  }
  return A;
}

TEST(PivotedQr, FindsThePlantedRankAtAnyScale) {
  Random random(51);
  for (const Shape& shape : shapes) {
    const Matrix A = random_matrix_of_rank(shape.rows, shape.cols, shape.rank, random);
    for (const double factor : {1.0, 1e-100, 1e100}) {
      PivotedQr qr;
      ASSERT_EQ(qr.factor(scaled(A, factor)), Eval::ok);
      EXPECT_EQ(qr.rank(), shape.rank) << shape.rows << " x " << shape.cols;
      EXPECT_GE(qr.pivot_ratio(), 1.0);
    }
  }
}

TEST(PivotedQr, SolvesForTheLeastSquaresSolutionOfLeastNorm) {
  Random random(52);
  for (const Shape& shape : shapes) {
    const Matrix A = random_matrix_of_rank(shape.rows, shape.cols, shape.rank, random);
    const Vector b = random_vector(shape.rows, random);
    PivotedQr qr;
    ASSERT_EQ(qr.factor(A), Eval::ok);
    Vector x(shape.cols), r(shape.rows), gradient(shape.cols);
    qr.solve(b, x);
    // Least squares: A'(A x - b) = 0.
    multiply(A, x, r);
    add_scaled(-1.0, b, r);
    multiply_transposed(A, r, gradient);
    EXPECT_LT(norm_max(gradient), 1e-12 * (1.0 + norm_frobenius(A)) * (1.0 + norm_two(x)));
    // Least norm: x is orthogonal to the null space.
    const Matrix Z = qr.null_space();
    Vector along(Z.cols());
    multiply_transposed(Z, x, along);
    EXPECT_LT(norm_max(along), 1e-12 * (1.0 + norm_two(x)));
  }
}

TEST(PivotedQr, GivesAnOrthonormalNullSpace) {
  Random random(53);
  for (const Shape& shape : shapes) {
    const Matrix A = random_matrix_of_rank(shape.rows, shape.cols, shape.rank, random);
    PivotedQr qr;
    ASSERT_EQ(qr.factor(A), Eval::ok);
    const Matrix Z = qr.null_space();
    ASSERT_EQ(Z.cols(), shape.cols - shape.rank);
    Matrix AZ, ZtZ;
    multiply(A, Z, AZ);
    multiply(transposed(Z), Z, ZtZ);
    EXPECT_LT(norm_max(AZ.values()), 1e-12 * (1.0 + norm_frobenius(A)));
    for (int j = 0; j < Z.cols(); ++j) ZtZ(j, j) -= 1.0;
    EXPECT_LT(norm_max(ZtZ.values()), 1e-14);
  }
}

TEST(PivotedQr, WritesDependentColumnsAsCombinationsOfIndependentOnes) {
  Random random(54);
  for (const Shape& shape : shapes) {
    const Matrix A = random_matrix_of_rank(shape.rows, shape.cols, shape.rank, random);
    PivotedQr qr;
    ASSERT_EQ(qr.factor(A), Eval::ok);
    const std::vector<int>& p = qr.column_permutation();
    const Matrix C = qr.dependent_columns();
    ASSERT_EQ(C.cols(), shape.cols - shape.rank);
    for (int i = 0; i < A.rows(); ++i) {
      for (int j = 0; j < C.cols(); ++j) {
        double sum = 0.0;
        for (int k = 0; k < C.rows(); ++k) sum += A(i, p[k]) * C(k, j);
        EXPECT_NEAR(sum, A(i, p[C.rows() + j]), 1e-12 * norm_frobenius(A));
      }
    }
  }
}

TEST(FullPivotLu, FindsThePlantedRankAtAnyScale) {
  Random random(55);
  for (const Shape& shape : shapes) {
    const Matrix A = random_matrix_of_rank(shape.rows, shape.cols, shape.rank, random);
    for (const double factor : {1.0, 1e-100, 1e100}) {
      FullPivotLu lu;
      ASSERT_EQ(lu.factor(scaled(A, factor)), Eval::ok);
      EXPECT_EQ(lu.rank(), shape.rank);
      EXPECT_GE(lu.pivot_ratio(), 1.0);
    }
  }
}

TEST(FullPivotLu, SolvesOnTheIndependentBlock) {
  Random random(56);
  for (const Shape& shape : shapes) {
    const Matrix A = random_matrix_of_rank(shape.rows, shape.cols, shape.rank, random);
    FullPivotLu lu;
    ASSERT_EQ(lu.factor(A), Eval::ok);
    Matrix B(lu.rank(), lu.rank());
    for (int i = 0; i < lu.rank(); ++i) {
      for (int j = 0; j < lu.rank(); ++j) {
        B(i, j) = A(lu.row_permutation()[i], lu.column_permutation()[j]);
      }
    }
    if (lu.rank() == 0) continue;
    const Vector b = random_vector(lu.rank(), random);
    Vector x = b, y = b;
    lu.solve(x);
    lu.solve_transposed(y);
    EXPECT_LT(test::backward_error(B, x, b), 1e-14);
    EXPECT_LT(test::backward_error(transposed(B), y, b), 1e-14);
  }
}

TEST(FullPivotLu, WritesDependentRowsAsCombinationsOfIndependentOnes) {
  Random random(57);
  for (const Shape& shape : shapes) {
    const Matrix A = random_matrix_of_rank(shape.rows, shape.cols, shape.rank, random);
    FullPivotLu lu;
    ASSERT_EQ(lu.factor(A), Eval::ok);
    const std::vector<int>& row = lu.row_permutation();
    const Matrix C = lu.dependent_rows();
    ASSERT_EQ(C.rows(), shape.rows - shape.rank);
    for (int i = 0; i < C.rows(); ++i) {
      for (int j = 0; j < A.cols(); ++j) {
        double sum = 0.0;
        for (int k = 0; k < lu.rank(); ++k) sum += C(i, k) * A(row[k], j);
        EXPECT_NEAR(sum, A(row[lu.rank() + i], j), 1e-12 * norm_frobenius(A));
      }
    }
  }
}

TEST(FullPivotLu, PermutationsAreRecoveredFromAScaledPermutationMatrix) {
  Matrix A(4, 4);
  A(0, 2) = 1.0, A(1, 0) = -8.0, A(2, 3) = 4.0, A(3, 1) = 2.0;
  FullPivotLu lu;
  ASSERT_EQ(lu.factor(A), Eval::ok);
  EXPECT_EQ(lu.row_permutation(), (std::vector<int>{1, 2, 3, 0}));
  EXPECT_EQ(lu.column_permutation(), (std::vector<int>{0, 3, 1, 2}));
  EXPECT_EQ(lu.pivot_ratio(), 8.0);
}

TEST(RankDecisions, CallNonFiniteValuesRecoverable) {
  for (const double bad :
       {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    Matrix A = Matrix::identity(4);
    A(2, 1) = bad;
    EXPECT_EQ(PivotedQr().factor(A), Eval::recoverable);
    EXPECT_EQ(FullPivotLu().factor(A), Eval::recoverable);
    EXPECT_EQ(find_row_dependencies(A).eval, Eval::recoverable);
    EXPECT_EQ(find_row_dependencies(test::sparse_copy(A)).eval, Eval::recoverable);
  }
}

TEST(PivotedQr, ChoosesTheColumnsThatEigenChooses) {
  Random random(17);
  for (const auto& [rows, cols, rank] : shapes) {
    const Matrix A = random_matrix_of_rank(rows, cols, rank, random);
    using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
    Eigen::ColPivHouseholderQR<Eigen::MatrixXd> eigen;
    eigen.setThreshold(RankOptions{}.tolerance);
    eigen.compute(Eigen::Map<const RowMajor>(A.data(), rows, cols));
    PivotedQr qr;
    ASSERT_EQ(qr.factor(A), Eval::ok);
    ASSERT_EQ(qr.rank(), eigen.rank());
    for (int k = 0; k < qr.rank(); ++k)
      EXPECT_EQ(qr.column_permutation()[k], eigen.colsPermutation().indices()[k]);
    if (rank == 0) continue;
    EXPECT_EQ(qr.pivot_ratio(),
              std::abs(eigen.matrixR()(0, 0) / eigen.matrixR()(rank - 1, rank - 1)));
  }
}

TEST(RankDecisions, AcceptEmptyMatrices) {
  for (const auto& [rows, cols] : {std::pair{0, 0}, {0, 3}, {3, 0}}) {
    const Matrix A(rows, cols);
    PivotedQr qr;
    FullPivotLu lu;
    EXPECT_EQ(qr.factor(A), Eval::ok);
    EXPECT_EQ(qr.rank(), 0);
    EXPECT_EQ(qr.null_space(), Matrix::identity(cols));
    EXPECT_EQ(lu.factor(A), Eval::ok);
    EXPECT_EQ(lu.rank(), 0);
    EXPECT_EQ(find_row_dependencies(A).dependent.size(), static_cast<std::size_t>(rows));
  }
}

}  // namespace
}  // namespace kardan
