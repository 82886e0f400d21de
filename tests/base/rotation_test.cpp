#include "kardan/base/rotation.h"

#include <gtest/gtest.h>

#include <numbers>
#include <random>

#include "base/differences.h"
#include "kardan/base/rotation_rates.h"

namespace kardan {
namespace {

using std::numbers::pi;

double distance(const Mat3d& A, const Mat3d& B) {
  double largest = 0;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) largest = std::fmax(largest, std::abs(A[i][j] - B[i][j]));
  return largest;
}
double distance(const Vec3d& a, const Vec3d& b) {
  return norm(a - b);
}

/// Rotation vectors of all sizes up to half a turn, small ones included.
std::vector<Vec3d> rotation_vectors() {
  std::mt19937 engine(11);
  std::uniform_real_distribution<double> number(-1, 1);
  std::vector<Vec3d> all{{0, 0, 0}};
  for (const double size : {1e-12, 1e-9, 1e-6, 1e-4, 1e-3, 0.1, 0.199, 0.201, 1.0, 2.0, 3.0, 3.14})
    for (int k = 0; k < 4; ++k)
      all.push_back(size * normalized(Vec3d{number(engine), number(engine), number(engine)}));
  return all;
}

/// The derivative of a vector function of one variable at x.
template <class F>
Vec3d slope(const F& f, double x, double h = 1e-2) {
  Vec3d d;
  for (int k = 0; k < 3; ++k) d[k] = test::difference([&](double s) { return f(s)[k]; }, x, h);
  return d;
}

/// The body-frame angular velocity along R(s): axial vector of R' dR/ds.
template <class F>
Vec3d spin_of(const F& R, double s) {
  Mat3d dR;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j)
      dR[i][j] = test::difference([&](double x) { return R(x)[i][j]; }, s);
  const Mat3d W = transposed_times(R(s), dR);
  return {0.5 * (W[2][1] - W[1][2]), 0.5 * (W[0][2] - W[2][0]), 0.5 * (W[1][0] - W[0][1])};
}

TEST(Rotation, ExponentialIsRodriguesFormula) {
  for (const Vec3d& theta : rotation_vectors()) {
    const double phi = norm(theta);
    // exp = I + sin(phi) n~ + 2 sin^2(phi/2) n~^2: the form without cancellation
    Mat3d expected = Mat3d::identity();
    if (phi > 0) {
      const Mat3d N = tilde((1 / phi) * theta);
      const double s = std::sin(phi / 2);
      expected = expected + std::sin(phi) * N + (2 * s * s) * (N * N);
    }
    EXPECT_LE(distance(rotation_exp(theta), expected), 1e-15) << phi;
    EXPECT_LE(distance(rotation_matrix(quaternion_exp(theta)), expected), 1e-15) << phi;
  }
}

TEST(Rotation, ExponentialIsOrthonormal) {
  for (const Vec3d& theta : rotation_vectors()) {
    const Mat3d R = rotation_exp(theta);
    EXPECT_LE(distance(transposed(R) * R, Mat3d::identity()), 4e-15);
    EXPECT_NEAR(dot(R.column(0), cross(R.column(1), R.column(2))), 1, 4e-15);
  }
}

TEST(Rotation, LogarithmInvertsTheExponential) {
  for (const Vec3d& theta : rotation_vectors())
    EXPECT_LE(distance(rotation_log(rotation_exp(theta)), theta), 2e-15 * (1 + norm(theta)))
        << norm(theta);
}

TEST(Rotation, LogarithmOfSmallRotationsKeepsTheirDigits) {
  for (const double size : {1e-12, 1e-10, 1e-8, 1e-5}) {
    const Vec3d theta = size * normalized(Vec3d{1, -2, 0.5});
    EXPECT_LE(distance(rotation_log(rotation_exp(theta)), theta), 1e-15 * size / 1e-3) << size;
  }
}

TEST(Rotation, LogarithmOfHalfATurnIsHalfATurn) {
  for (const Vec3d& axis : {Vec3d{1, 0, 0}, Vec3d{0, 1, 0}, Vec3d{0, 0, 1},
                            normalized(Vec3d{1, -2, 3}), normalized(Vec3d{-1, 1e-9, 0})}) {
    const Vec3d theta = rotation_log(rotation_exp(pi * axis));
    EXPECT_NEAR(norm(theta), pi, 1e-14);
    EXPECT_NEAR(std::abs(dot(theta, axis)), pi, 1e-14);
  }
}

TEST(Rotation, QuaternionProductIsTheProductOfRotations) {
  const auto all = rotation_vectors();
  for (std::size_t i = 1; i < all.size(); ++i) {
    const Quaternion a = quaternion_exp(all[i]), b = quaternion_exp(all[i - 1]);
    EXPECT_LE(distance(rotation_matrix(a * b), rotation_matrix(a) * rotation_matrix(b)), 4e-15);
  }
}

TEST(Rotation, QuaternionOfAMatrixGivesTheMatrixBack) {
  // Turns near each of the four pivots of the conversion.
  for (const Vec3d& axis : {Vec3d{1, 0.1, 0.2}, Vec3d{0.1, 1, -0.2}, Vec3d{-0.2, 0.1, 1}})
    for (double phi = 0; phi < 6.3; phi += 0.37) {
      const Mat3d R = rotation_exp(phi * normalized(axis));
      const Quaternion q = quaternion_from_matrix(R);
      EXPECT_GE(q.w, 0);
      EXPECT_NEAR(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z, 1, 1e-15);
      EXPECT_LE(distance(rotation_matrix(q), R), 1e-15);
    }
}

TEST(Rotation, RateMapTurnsRatesIntoSpins) {
  // w = T(theta) theta' along theta(s) = theta + s theta'.
  const Vec3d rate{0.3, -0.8, 0.5};
  for (const Vec3d& theta : rotation_vectors()) {
    const Vec3d w = spin_of([&](double s) { return rotation_exp(theta + s * rate); }, 0.0);
    EXPECT_LE(distance(rotation_rate_map(theta) * rate, w), 1e-12) << norm(theta);
  }
}

TEST(Rotation, RateMapIsTheOnlyMapWithItsInverse) {
  for (const Vec3d& theta : rotation_vectors()) {
    const Mat3d product = rotation_rate_map(theta) * rotation_rate_map_inverse(theta);
    EXPECT_LE(distance(product, Mat3d::identity()), 1e-13) << norm(theta);
  }
  // Up to nearly a full turn, where T becomes singular (T^-1 ~ 1/(2 pi - phi)).
  for (const double phi : {4.0, 5.0, 6.0, 6.2}) {
    const Vec3d theta = phi * normalized(Vec3d{1, 2, -1});
    const Mat3d product = rotation_rate_map(theta) * rotation_rate_map_inverse(theta);
    EXPECT_LE(distance(product, Mat3d::identity()), 1e-13 / (2 * pi - phi)) << phi;
  }
}

TEST(Rotation, SeriesMeetEachOtherAndTheClosedForm) {
  // Continuous where one takes over from another: a jump would be far above the gap.
  const Vec3d axis = normalized(Vec3d{1, -1, 2}), rate{0.3, 2, -1};
  const double gap = 1e-14;
  for (const double edge : {0.2, 0.4, 1.0, 2.0}) {
    auto jump = [&](auto f) { return distance(f((edge - gap) * axis), f((edge + gap) * axis)); };
    EXPECT_LE(jump([](const Vec3d& theta) { return rotation_exp(theta); }), 1e-13);
    EXPECT_LE(jump([](const Vec3d& theta) { return rotation_rate_map(theta); }), 1e-13);
    EXPECT_LE(jump([](const Vec3d& theta) { return rotation_rate_map_inverse(theta); }), 1e-13);
    EXPECT_LE(jump([&](const Vec3d& theta) { return rotation_rate_map_rate(theta, rate); }), 1e-13);
    EXPECT_LE(jump([&](const Vec3d& theta) { return rotation_rate_map_gradient(theta, rate); }),
              1e-13);
    EXPECT_LE(jump([&](const Vec3d& theta) { return rotation_bias_gradient(theta, rate); }), 3e-13);
  }
}

TEST(Rotation, NormalizedHasUnitLengthToRounding) {
  for (const double length : {1e-100, 0.5, 1 - 1e-7, 1 - 9e-9, 1 - 1e-15, 1.0, 1 + 9e-9, 7e80}) {
    const double a = length * 0.1, b = length * 0.7, c = length * 0.5, d = length * 0.5;
    const Quaternion q = normalized(Quaternion{a, b, c, d});
    EXPECT_NEAR(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z, 1, 5e-16) << length;
    EXPECT_NEAR(q.x, 0.7, 3e-16) << length;
  }
}

// The first-order changes at the base point theta = 0 (the chart of a step): with theta(s) =
// s dtheta, theta'(s) = w + s dtheta', theta''(s) = w' + s dtheta'', the spin and its rate are
//   w = T theta',  w' = T theta'' + (dT/dt) theta'.

/// Spin and its rate of a rotation vector with its first two time derivatives.
struct Spin {
  Vec3d w, alpha;
};
Spin spin(const Vec3d& theta, const Vec3d& d1, const Vec3d& d2) {
  auto w = [&](double t) {
    return rotation_rate_map(theta + t * d1 + (0.5 * t * t) * d2) * (d1 + t * d2);
  };
  return {w(0), slope(w, 0)};
}

class ChartBase : public testing::Test {
 protected:
  Vec3d w{0.7, -0.4, 1.1}, alpha{-0.3, 0.9, 0.2};
  Vec3d dtheta{0.5, 0.6, -0.8}, d1{0.2, -0.7, 0.4}, d2{-0.6, 0.1, 0.3};
};

TEST_F(ChartBase, TurnsRatesIntoSpinsUnchanged) {
  const Spin at = spin({}, w, alpha);
  EXPECT_LE(distance(at.w, w), 1e-15);
  EXPECT_LE(distance(at.alpha, alpha), 1e-11);
}

TEST_F(ChartBase, SpinChangesByTheRateAndHalfACross) {
  const Vec3d dw = slope([&](double s) { return spin(s * dtheta, w + s * d1, alpha).w; }, 0);
  EXPECT_LE(distance(dw, d1 + 0.5 * (tilde(w) * dtheta)), 1e-12);
}

TEST_F(ChartBase, AngularAccelerationChangesByTheThirdFormula) {
  // dw' = dtheta'' + 1/2 (w')~ dtheta - 1/6 w~ w~ dtheta for dtheta' = 0
  const Vec3d change =
      slope([&](double s) { return spin(s * dtheta, w, alpha + s * d2).alpha; }, 0);
  const Vec3d formula =
      d2 + 0.5 * (tilde(alpha) * dtheta) - (1.0 / 6) * (tilde(w) * (tilde(w) * dtheta));
  EXPECT_LE(distance(change, formula), 1e-9);
}

TEST_F(ChartBase, RatesDoNotChangeTheAngularAcceleration) {
  const Vec3d change = slope([&](double s) { return spin({}, w + s * d1, alpha).alpha; }, 0);
  EXPECT_LE(norm(change), 1e-9);
}

TEST(Rotation, AxesFromZKeepTheAxisAndTheHint) {
  const Vec3d z = normalized(Vec3d{1, 2, -0.5}), x{0.3, -1, 2};
  const Mat3d R = axes_from_z(2.5 * z, x);
  EXPECT_LE(distance(R.column(2), z), 1e-15);
  EXPECT_NEAR(dot(R.column(1), x), 0, 1e-15) << "x lies in the x-z plane";
  EXPECT_GT(dot(R.column(0), x), 0);
  EXPECT_LE(distance(transposed(R) * R, Mat3d::identity()), 1e-15);
  const Mat3d free = axes_from_z(z, z);  // a hint along z is no hint
  EXPECT_LE(distance(transposed(free) * free, Mat3d::identity()), 1e-15);
  EXPECT_LE(distance(free.column(2), z), 1e-15);
}

TEST(RotationRates, AreTheProductsWithTheMatrices) {
  const Vec3d y{0.3, -1.2, 0.7}, a{2.0, 0.4, -0.9};
  for (const Vec3d& theta : rotation_vectors()) {
    EXPECT_LT(distance(rotation_rate(theta, y), rotation_rate_map(theta) * y), 2e-15);
    const Mat3d inverse = rotation_rate_map_inverse(theta);
    EXPECT_LT(distance(rotation_rate_inverse(theta, y), inverse * y), 1e-14);
    const Vec3d second = inverse * (a - rotation_rate_map_rate(theta, y) * y);
    EXPECT_LT(distance(rotation_second_rate(theta, y, a), second), 2e-14);
  }
}

}  // namespace
}  // namespace kardan
