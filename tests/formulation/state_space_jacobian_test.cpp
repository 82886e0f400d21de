/// The Jacobian of the state-space form against central differences of the rate, away from the
/// base.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <random>

#include "kardan/base/rotation.h"
#include "kardan/formulation/state_space.h"
#include "kardan/io/model_reader.h"
#include "kardan/linalg/dense_lu.h"
#include "kardan/run/prepare.h"

namespace kardan {
namespace {

Prepared load(const std::string& name, const ParameterValues& overrides) {
  Diagnostics diagnostics;
  const auto model = read_model_file(KARDAN_MODELS "/" + name, overrides, diagnostics);
  EXPECT_TRUE(model) << format(diagnostics);
  Prepared p = prepare(*model, overrides, diagnostics);
  EXPECT_FALSE(diagnostics.has_errors()) << format(diagnostics);
  return p;
}

struct Case {
  std::string name, file;
  ParameterValues overrides;
  double size;   // of the displacement from the base [m, rad]
  double speed;  // of the change of velocity [m/s, rad/s]
};

class StateSpaceJacobian : public testing::TestWithParam<Case> {
 protected:
  StateSpaceJacobian()
      : model_(load(GetParam().file, GetParam().overrides)), problem_(*model_.system) {
    EXPECT_EQ(problem_.rebase(model_.start.state), Eval::ok);
  }

  /// A random point near the base that the constraints allow.
  Local random_point(std::mt19937& random) {
    std::uniform_real_distribution<double> in(-1, 1);
    Local y = problem_.base();
    LocalRate rate;
    do {
      y = problem_.base();
      for (double& x : y.x) x += GetParam().size * in(random);
      for (double& u : y.u) u += GetParam().speed * in(random);
    } while (problem_.rate(t_, y, rate) != Eval::ok);
    return y;
  }

  /// M times the central difference (a(y + d e_i) - a(y - d e_i)) / 2d, improved by half the step.
  Vector difference(const Local& y, Vector Local::*part, int i, const Matrix& M) {
    auto slope = [&](double d) {
      Local there = y;
      LocalRate plus, minus;
      (there.*part)[i] += d;
      EXPECT_EQ(problem_.rate(t_, there, plus), Eval::ok);
      (there.*part)[i] -= 2 * d;
      EXPECT_EQ(problem_.rate(t_, there, minus), Eval::ok);
      for (std::size_t k = 0; k < plus.a.size(); ++k)
        plus.a[k] = (plus.a[k] - minus.a[k]) / (2 * d);
      return plus.a;
    };
    constexpr double step = 2e-4;
    const Vector coarse = slope(step), fine = slope(step / 2);
    Vector best(fine.size()), times_mass(fine.size());
    for (std::size_t k = 0; k < best.size(); ++k) best[k] = (4 * fine[k] - coarse[k]) / 3;
    multiply(M, best, times_mass);
    return times_mass;
  }

  /// The largest difference, relative to the largest entry of its row.
  double worst(const Local& y, Vector Local::*part, const Matrix& J, const Matrix& M) {
    Matrix differences(J.rows(), J.cols());
    for (int j = 0; j < J.cols(); ++j) {
      const Vector column = difference(y, part, j, M);
      for (int i = 0; i < J.rows(); ++i) differences(i, j) = column[i];
    }
    double result = 0;
    for (int i = 0; i < J.rows(); ++i) {
      double size = 0, error = 0;
      for (int j = 0; j < J.cols(); ++j) {
        size = std::max(size, std::abs(J(i, j)));
        error = std::max(error, std::abs(J(i, j) - differences(i, j)));
      }
      result = std::max(result, error / std::max(size, norm_max(M.values())));
    }
    return result;
  }

  Prepared model_;
  StateSpace problem_;
  double t_ = model_.start.state.t;
};

TEST_P(StateSpaceJacobian, EqualsDifferencesAwayFromTheBase) {
  std::mt19937 random(7);
  for (int k = 0; k < 3; ++k) {
    const Local y = random_point(random);
    LocalJacobian J;
    ASSERT_EQ(problem_.jacobian_at(t_, y, Derivatives::exact, J), Eval::ok);
    const double by_x = worst(y, &Local::x, J.A_x, J.M), by_u = worst(y, &Local::u, J.A_u, J.M);
    fmt::print("{:<12} by x {:.1e}, by u {:.1e}\n", GetParam().name, by_x, by_u);
    EXPECT_LE(by_x, 1e-6);
    EXPECT_LE(by_u, 1e-6);
  }
}

double relative(const Matrix& A, const Matrix& B) {
  double largest = 0;
  for (std::size_t i = 0; i < A.size(); ++i)
    largest = std::max(largest, std::abs(A.values()[i] - B.values()[i]));
  return largest / std::max(norm_max(B.values()), 1e-300);
}

TEST_P(StateSpaceJacobian, AtTheBaseEqualsThatOfTheBase) {
  LocalJacobian base, point;
  // From a base whose constraints are closed as evaluations close them.
  State closed;
  ChartPoint ignored;
  ASSERT_EQ(problem_.finish(t_, problem_.base(), closed, ignored), Eval::ok);
  ASSERT_EQ(problem_.rebase(closed), Eval::ok);
  ASSERT_EQ(problem_.jacobian(base), Eval::ok);
  ASSERT_EQ(problem_.jacobian_at(t_, problem_.base(), Derivatives::exact, point), Eval::ok);
  EXPECT_LE(relative(point.M, base.M), 1e-13);
  EXPECT_LE(relative(point.A_x, base.A_x), 1e-13);
  EXPECT_LE(relative(point.A_u, base.A_u), 1e-13);
}

TEST_P(StateSpaceJacobian, DoesNotDependOnWhatWasEvaluatedBefore) {
  std::mt19937 random(8);
  const Local y = random_point(random), other = random_point(random);
  LocalRate rate;
  LocalJacobian after_rate, after_other, after_base;
  ASSERT_EQ(problem_.rate(t_, y, rate), Eval::ok);
  ASSERT_EQ(problem_.jacobian_at(t_, y, Derivatives::exact, after_rate), Eval::ok);
  ASSERT_EQ(problem_.rate(t_, other, rate), Eval::ok);
  ASSERT_EQ(problem_.jacobian_at(t_, y, Derivatives::exact, after_other), Eval::ok);
  ASSERT_EQ(problem_.jacobian(after_base), Eval::ok);
  ASSERT_EQ(problem_.jacobian_at(t_, y, Derivatives::exact, after_base), Eval::ok);
  EXPECT_LE(relative(after_other.A_x, after_rate.A_x), 1e-13);
  EXPECT_LE(relative(after_base.A_x, after_rate.A_x), 1e-13);
}

TEST_P(StateSpaceJacobian, OfFisetteAndVaneghemHasTheSameMassAndOtherTerms) {
  std::mt19937 random(9);
  const Local y = random_point(random);
  LocalJacobian exact, fv;
  ASSERT_EQ(problem_.jacobian_at(t_, y, Derivatives::exact, exact), Eval::ok);
  ASSERT_EQ(problem_.jacobian_at(t_, y, Derivatives::fisette_vaneghem, fv), Eval::ok);
  EXPECT_EQ(fv.M, exact.M);
  EXPECT_GT(relative(fv.A_x, exact.A_x), 1e-9);
}

INSTANTIATE_TEST_SUITE_P(Models, StateSpaceJacobian,
                         testing::Values(Case{"chain", "chain.yaml", {{"N", 3}}, 0.6, 3},
                                         Case{"four_bar", "n_four_bar_spatial.yaml", {}, 0.4, 1},
                                         Case{"bricard", "bricard.yaml", {}, 0.2, 1},
                                         Case{"hmmwv", "hmmwv.yaml", {}, 0.01, 0.3},
                                         Case{"andrews", "andrews.yaml", {}, 0.1, 100}),
                         [](const auto& test) { return test.param.name; });

/// Central difference of a function of theta.
template <class F>
Mat3d differences(const Vec3d& theta, F f) {
  constexpr double d = 1e-5;
  Mat3d D;
  for (int j = 0; j < 3; ++j) {
    Vec3d plus = theta, minus = theta;
    plus[j] += d;
    minus[j] -= d;
    const Vec3d slope = (1 / (2 * d)) * (f(plus) - f(minus));
    for (int i = 0; i < 3; ++i) D[i][j] = slope[i];
  }
  return D;
}

double largest_difference(const Mat3d& A, const Mat3d& B) {
  double largest = 0;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) largest = std::max(largest, std::abs(A[i][j] - B[i][j]));
  return largest;
}

TEST(ChartCurvature, EqualsDifferencesOnBothSidesOfTheSeries) {
  const Vec3d axis{0.36, -0.48, 0.8}, rate{0.7, -1.1, 0.4}, y{-0.3, 0.9, 1.2};
  for (double angle : {0.0, 1e-3, 0.1, 0.1999, 0.2001, 0.5, 2.0, 3.0}) {
    const Vec3d theta = angle * axis;
    EXPECT_LE(
        largest_difference(rotation_rate_map_gradient(theta, y),
                           differences(theta, [&](auto at) { return rotation_rate_map(at) * y; })),
        1e-9)
        << angle;
    EXPECT_LE(
        largest_difference(
            rotation_bias_gradient(theta, rate),
            differences(theta, [&](auto at) { return rotation_rate_map_rate(at, rate) * rate; })),
        1e-9)
        << angle;
    EXPECT_LE(
        largest_difference(
            rotation_rate_map_gradient(theta, rate) + rotation_rate_map_rate(theta, rate),
            differences(rate, [&](auto at) { return rotation_rate_map_rate(theta, at) * at; })),
        1e-9)
        << angle;
  }
}

}  // namespace
}  // namespace kardan
