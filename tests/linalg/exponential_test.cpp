/// exp(A), the phi functions and the flow of linear systems against closed forms, and Krylov's
/// action against Padé's ladder.

#include "kardan/linalg/exponential.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <random>

#include "kardan/linalg/linear_flow.h"

namespace kardan {
namespace {

Matrix random_matrix(int n, double size, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> entry(-1, 1);
  Matrix A(n, n);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) A(i, j) = entry(random);
  const double factor = size / norm_one(A);
  for (std::size_t i = 0; i < A.size(); ++i) A.data()[i] *= factor;
  return A;
}

double largest_difference(const Matrix& A, const Matrix& B) {
  double d = 0;
  for (std::size_t i = 0; i < A.size(); ++i) d = std::max(d, std::abs(A.data()[i] - B.data()[i]));
  return d;
}

Vector random_vector(int n, unsigned seed) {
  const Matrix A = random_matrix(n, 1, seed);
  Vector x(n);
  for (int i = 0; i < n; ++i) x[i] = n * A(i, 0);
  return x;
}

/// exp(A) exp(-A) = I and exp(2A) = exp(A)^2 through every degree of the approximant.
TEST(MatrixExponential, SatisfiesItsFunctionalEquationForEveryDegree) {
  MatrixExponential exponential;
  for (double size : {0.01, 0.2, 0.8, 2.0, 5.0, 20.0}) {
    const Matrix A = random_matrix(7, size, 3);
    Matrix minus = A, half = A, E, inverse, root, product;
    for (std::size_t i = 0; i < A.size(); ++i) {
      minus.data()[i] = -A.data()[i];
      half.data()[i] = 0.5 * A.data()[i];
    }
    ASSERT_EQ(exponential.compute(A, E), Eval::ok);
    ASSERT_EQ(exponential.compute(minus, inverse), Eval::ok);
    ASSERT_EQ(exponential.compute(half, root), Eval::ok);
    multiply(E, inverse, product);
    EXPECT_LE(largest_difference(product, Matrix::identity(7)),
              1e-14 * norm_one(E) * norm_one(inverse))
        << size;
    multiply(root, root, product);
    EXPECT_LE(largest_difference(product, E), 2e-14 * norm_one(E)) << size;
  }
}

TEST(MatrixExponential, TurnsARotationThroughItsAngle) {
  MatrixExponential exponential;
  Matrix E;
  for (double angle : {1e-3, 0.3, 2.0, 40.0}) {
    Matrix A(2, 2);
    A(0, 1) = -angle;
    A(1, 0) = angle;
    ASSERT_EQ(exponential.compute(A, E), Eval::ok);
    EXPECT_NEAR(E(0, 0), std::cos(angle), 1e-15 * (1 + 10 * angle));
    EXPECT_NEAR(E(1, 0), std::sin(angle), 1e-15 * (1 + 10 * angle));
  }
}

TEST(MatrixExponential, RefusesWhatIsNotFinite) {
  MatrixExponential exponential;
  Matrix A(1, 1), E;
  A(0, 0) = std::nan("");
  EXPECT_EQ(exponential.compute(A, E), Eval::recoverable);
  A(0, 0) = 1e4;
  EXPECT_EQ(exponential.compute(A, E), Eval::recoverable) << "overflow";
}

TEST(PhiFunctions, AreThoseOfNumbers) {
  for (double z : {-30.0, -1.0, 0.5, 3.0}) {
    Matrix A(1, 1);
    A(0, 0) = z;
    std::vector<Matrix> phi;
    ASSERT_EQ(phi_functions(A, 3, phi), Eval::ok);
    const double e = std::exp(z);
    EXPECT_NEAR(phi[0](0, 0), e, 1e-14 * (1 + e));
    EXPECT_NEAR(phi[1](0, 0), (e - 1) / z, 1e-14 * (1 + e));
    EXPECT_NEAR(phi[2](0, 0), (e - 1 - z) / (z * z), 1e-14 * (1 + e));
    EXPECT_NEAR(phi[3](0, 0), (e - 1 - z - z * z / 2) / (z * z * z), 1e-13 * (1 + e));
  }
}

TEST(Balance, IsASimilarityByPowersOfTwoThatShrinksTheNorm) {
  Matrix A(2, 2);  // an oscillator of 1000 rad/s
  A(0, 1) = 1;
  A(1, 0) = -1e6;
  const Matrix before = A;
  Vector d;
  balance(A, d);
  EXPECT_LE(norm_one(A), 2000);
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(std::exp2(std::round(std::log2(d[i]))), d[i]);
    for (int j = 0; j < 2; ++j) EXPECT_EQ(A(i, j), before(i, j) * d[j] / d[i]);
  }
}

class LinearFlows : public testing::TestWithParam<FlowKind> {};

/// A mass on a spring under weight: x = -(g/w^2)(1 - cos wt) + x0 cos wt + (v0/w) sin wt, over
/// three periods, at many times of the step.
TEST_P(LinearFlows, FollowAnOscillatorOverManyPeriods) {
  const double w = 447.2, x0 = 0.01, v0 = -4.2, g = 9.81, h = 6 * std::numbers::pi / w;
  Matrix A(2, 2);
  A(0, 1) = 1;
  A(1, 0) = -w * w;
  LinearFlow flow;
  ASSERT_EQ(flow.prepare(A, {v0, -w * w * x0 - g}, {0, 0}, h, GetParam(), 1e-14), Eval::ok);
  Vector y;
  for (double share : {0.0, 0.01, 0.12345, 0.5, 0.77, 0.999, 1.0}) {
    const double t = share * h;
    flow.at(t, y);
    const double c = std::cos(w * t), s = std::sin(w * t), k = x0 + g / (w * w);
    EXPECT_NEAR(x0 + y[0], k * c - g / (w * w) + v0 / w * s, 2e-15) << share;
    EXPECT_NEAR(v0 + y[1], -k * w * s + v0 * c, 2e-12) << share;
  }
}

/// Against the upper right block of exp(t [A g f; 0 0 1; 0 0 0]), the published formula.
TEST_P(LinearFlows, AreTheBlockOfTheAugmentedExponential) {
  const int n = 9;
  const Matrix A = random_matrix(n, 12, 5);
  const Vector f = random_vector(n, 6), g = random_vector(n, 7);
  LinearFlow flow;
  ASSERT_EQ(flow.prepare(A, f, g, 1.3, GetParam(), 1e-13), Eval::ok);
  for (double t : {0.2, 0.9, 1.3}) {
    Matrix C(n + 2, n + 2), E;
    for (int i = 0; i < n; ++i) {
      for (int j = 0; j < n; ++j) C(i, j) = t * A(i, j);
      C(i, n) = t * g[i];
      C(i, n + 1) = t * f[i];
    }
    C(n, n + 1) = t;
    MatrixExponential exponential;
    ASSERT_EQ(exponential.compute(C, E), Eval::ok);
    Vector w;
    flow.at(t, w);
    double size = norm_max(w);
    for (int i = 0; i < n; ++i) EXPECT_NEAR(w[i], E(i, n + 1), 1e-12 * size) << t;
  }
}

/// l of the error estimate: the upper right block of exp(h L) with 2v replaced by v.
TEST_P(LinearFlows, GiveTheThirdPhiFunction) {
  const int n = 6;
  const double h = 0.8;
  const Matrix A = random_matrix(n, 9, 11);
  const Vector v = random_vector(n, 12);
  LinearFlow flow;
  // Also for a time inside what was prepared.
  ASSERT_EQ(flow.prepare(A, v, Vector(n), 1.7 * h, GetParam(), 1e-13), Eval::ok);
  Vector w;
  ASSERT_EQ(flow.third(v, h, w), Eval::ok);
  Matrix scaled = A;
  for (std::size_t i = 0; i < A.size(); ++i) scaled.data()[i] *= h;
  std::vector<Matrix> phi;
  ASSERT_EQ(phi_functions(scaled, 3, phi), Eval::ok);
  const double accuracy = GetParam() == FlowKind::pade ? 1e-13 : 1e-4;
  Vector exact(n);
  multiply(phi[3], v, exact);
  for (int i = 0; i < n; ++i)
    EXPECT_NEAR(w[i], h * h * h * exact[i], accuracy * h * h * h * norm_max(exact));
}

INSTANTIATE_TEST_SUITE_P(Kinds, LinearFlows, testing::Values(FlowKind::pade, FlowKind::krylov),
                         [](const auto& kind) {
                           return kind.param == FlowKind::pade ? "pade" : "krylov";
                         });

/// x" = a, whose matrix is nilpotent but for the rounding of Jacobians: balanced, its variables are
/// many orders apart. x = u t + a t^2/2.
TEST(LinearFlow, OfAFreeMotionIsAParabolaWhateverRoundingIsInItsMatrix) {
  std::mt19937 random(11);
  const auto log_between = [&](double low, double high) {
    return low * std::pow(high / low, std::uniform_real_distribution<double>(0, 1)(random));
  };
  LinearFlow flow;
  Vector w(2), third(2);
  for (int i = 0; i < 2000; ++i) {
    Matrix A(2, 2);
    A.set_zero();
    A(0, 1) = 1;
    A(1, 0) = i % 4 == 0 ? 0.0 : log_between(1e-30, 1e-16);
    A(1, 1) = i % 3 == 0 ? 0.0 : log_between(1e-30, 1e-17);
    const double u = log_between(1e-3, 1e3), a = log_between(1e-3, 1e3), h = log_between(0.01, 100);
    ASSERT_EQ(flow.prepare(A, {u, a}, {0, 0}, h, FlowKind::pade, 1e-12), Eval::ok);
    for (const double share : {0.1, 0.49, 0.51, 0.8, 1.0}) {
      const double t = share * h, x = u * t + a * t * t / 2;
      flow.at(t, w);
      const double moved = (A(1, 0) * x + A(1, 1) * a * t) * t;  // what rounding does to it
      EXPECT_NEAR(w[0], x, 1e-13 * x + moved * t) << "h = " << h << ", A_21 = " << A(1, 0);
      EXPECT_NEAR(w[1], a * t, 1e-13 * a * t + moved);
      // w' = A w + t^2/2 v
      ASSERT_EQ(flow.third({0, a}, t, third), Eval::ok);
      EXPECT_NEAR(third[0], a * t * t * t * t / 24, 1e-11 * a * t * t * t * t / 24) << h;
      EXPECT_NEAR(third[1], a * t * t * t / 6, 1e-11 * a * t * t * t / 6);
    }
  }
}

TEST(LinearFlow, BoundsHowFarItGoesInAShortTime) {
  const Matrix A = random_matrix(5, 10, 31);
  const Vector f = random_vector(5, 32), g = random_vector(5, 33);
  LinearFlow flow;
  ASSERT_EQ(flow.prepare(A, f, g, 1, FlowKind::pade, 0), Eval::ok);
  Vector w, later, bound;
  for (double t : {0.0, 0.3, 0.7})
    for (double span : {0.01, 0.1, 0.3}) {
      flow.at(t, w);
      flow.deviation(t, w, span, bound);
      for (double s : {0.3, 0.7, 1.0}) {
        flow.at(t + s * span, later);
        for (int i = 0; i < 5; ++i) EXPECT_LE(std::abs(later[i] - w[i]), bound[i]) << t << span;
      }
    }
}

/// A chain of 60 masses on springs, some stiff: Krylov keeps its tolerance, substep by substep.
TEST(KrylovAction, KeepsItsToleranceOnALargeStiffSystem) {
  const int n = 60;
  Matrix A(2 * n, 2 * n);
  for (int i = 0; i < n; ++i) {
    A(i, n + i) = 1;
    const double k = i % 7 == 0 ? 1e6 : 1e3;
    A(n + i, i) -= k;
    if (i > 0) {
      A(n + i, i - 1) += k;
      A(n + i - 1, i) += k;
      A(n + i - 1, i - 1) -= k;
    }
  }
  const Vector f = random_vector(2 * n, 21), none(2 * n);
  LinearFlow exact, flow;
  ASSERT_EQ(exact.prepare(A, f, none, 0.1, FlowKind::pade, 0), Eval::ok);
  for (double tolerance : {1e-4, 1e-8, 1e-12}) {
    ASSERT_EQ(flow.prepare(A, f, none, 0.1, FlowKind::krylov, tolerance), Eval::ok);
    for (double t : {0.013, 0.05, 0.1}) {
      Vector x, y;
      exact.at(t, x);
      flow.at(t, y);
      double error = 0;
      for (int i = 0; i < 2 * n; ++i) error = std::max(error, std::abs(x[i] - y[i]));
      EXPECT_LE(error, 3 * tolerance * norm_max(x)) << tolerance << ' ' << t;
    }
  }
}

}  // namespace
}  // namespace kardan
