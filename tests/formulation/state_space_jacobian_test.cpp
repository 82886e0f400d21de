/// The Jacobian of the state-space form against central differences of the rate, at the base and
/// away from it.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <random>

#include "kardan/base/dual.h"
#include "kardan/base/rotation.h"
#include "kardan/formulation/state_space.h"
#include "kardan/run/prepare.h"
#include "support/models.h"

namespace kardan {
namespace {

using test::model_of;
using test::shipped;

Prepared prepared(const Model& model, const ParameterValues& overrides) {
  Diagnostics diagnostics;
  Prepared p = prepare(model, overrides, diagnostics);
  EXPECT_FALSE(diagnostics.has_errors()) << format(diagnostics);
  return p;
}

struct JacobianCase {
  std::string name;
  Model model;
  double size;   // of the displacement from the base [m, rad]
  double speed;  // of the change of velocity [m/s, rad/s]
  ParameterValues overrides = {};
  Parametrize choose = partition_coordinates;
};
void PrintTo(const JacobianCase& c, std::ostream* out) {
  *out << c.name;
}

class StateSpaceJacobian : public testing::TestWithParam<JacobianCase> {
 protected:
  StateSpaceJacobian()
      : model_(prepared(GetParam().model, GetParam().overrides)),
        problem_(*model_.system, GetParam().choose) {
    EXPECT_EQ(problem_.rebase(model_.start.state), Eval::ok);
  }

  /// A random point near the base that the constraints allow.
  Local random_point(std::mt19937& random) {
    std::uniform_real_distribution<double> in(-1, 1);
    Local y = problem_.base();
    LocalRate rate;
    const int drift = problem_.parametrization().drift();
    do {
      y = problem_.base();
      for (double& x : y.x) x += GetParam().size * in(random);
      for (double& u : y.u) u += GetParam().speed * in(random);
      for (int i = 0; i < drift; ++i) y.z[i] += GetParam().size * in(random);
    } while (problem_.rate(t_, y, rate) != Eval::ok);
    return y;
  }

  /// (M a, b) at a local point.
  Vector rates(double t, const Local& y, const Matrix& M) {
    LocalRate rate;
    EXPECT_EQ(problem_.rate(t, y, rate), Eval::ok);
    Vector out(rate.a.size() + rate.b.size());
    multiply(M, rate.a, std::span(out).first(rate.a.size()));
    std::copy(rate.b.begin(), rate.b.end(), out.begin() + static_cast<int>(rate.a.size()));
    return out;
  }

  /// Central difference of a function of one number at 0, improved by half the step.
  template <class F>
  static Vector slope(F f) {
    constexpr double step = 2e-4;
    auto central = [&](double d) {
      Vector plus = f(d);
      const Vector minus = f(-d);
      for (std::size_t k = 0; k < plus.size(); ++k) plus[k] = (plus[k] - minus[k]) / (2 * d);
      return plus;
    };
    const Vector coarse = central(step);
    Vector fine = central(step / 2);
    for (std::size_t k = 0; k < fine.size(); ++k) fine[k] = (4 * fine[k] - coarse[k]) / 3;
    return fine;
  }

  /// The largest difference of (A; B), relative to the largest entry of its row.
  double worst(const Matrix& A, const Matrix& B, const Matrix& differences, double least) const {
    double result = 0;
    for (int i = 0; i < differences.rows(); ++i) {
      const double* row = i < A.rows() ? A.row(i) : B.row(i - A.rows());
      double size = least, error = 0;
      for (int j = 0; j < differences.cols(); ++j) {
        size = std::max(size, std::abs(row[j]));
        error = std::max(error, std::abs(row[j] - differences(i, j)));
      }
      result = std::max(result, error / size);
    }
    return result;
  }

  /// The same of (A; B) against differences by one part of the local coordinates.
  double worst(const Local& y, Vector Local::*part, const Matrix& A, const Matrix& B,
               const Matrix& M) {
    Matrix differences(M.rows() + problem_.first_order(), static_cast<int>((y.*part).size()));
    for (int j = 0; j < differences.cols(); ++j) {
      const Vector column = slope([&](double d) {
        Local there = y;
        (there.*part)[j] += d;
        return rates(t_, there, M);
      });
      for (int i = 0; i < differences.rows(); ++i) differences(i, j) = column[i];
    }
    return worst(A, B, differences, norm_max(M.values()));
  }

  double worst_by_time(const Local& y, const LocalJacobian& J) {
    const Vector column = slope([&](double d) { return rates(t_ + d, y, J.M); });
    auto as_column = [](const Vector& v) {
      Matrix out(static_cast<int>(v.size()), 1);
      for (int i = 0; i < out.rows(); ++i) out(i, 0) = v[i];
      return out;
    };
    return worst(as_column(J.A_t), as_column(J.B_t), as_column(column),
                 std::max(norm_max(J.M.values()), norm_max(J.A_x.values())));
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
    const double by_x = worst(y, &Local::x, J.A_x, J.B_x, J.M);
    const double by_u = worst(y, &Local::u, J.A_u, J.B_u, J.M);
    const double by_z = worst(y, &Local::z, J.A_z, J.B_z, J.M);
    const double by_t = worst_by_time(y, J);
    fmt::print("{:<20} by x {:.1e}, u {:.1e}, z {:.1e}, t {:.1e}\n", GetParam().name, by_x, by_u,
               by_z, by_t);
    EXPECT_LE(by_x, 1e-6);
    EXPECT_LE(by_u, 1e-6);
    EXPECT_LE(by_z, 1e-6);
    EXPECT_LE(by_t, 1e-6);
  }
}

TEST_P(StateSpaceJacobian, EqualsDifferencesAtTheBase) {
  LocalJacobian J;
  ASSERT_EQ(problem_.jacobian(J), Eval::ok);
  const Local y = problem_.base();
  EXPECT_LE(worst(y, &Local::x, J.A_x, J.B_x, J.M), 1e-6);
  EXPECT_LE(worst(y, &Local::u, J.A_u, J.B_u, J.M), 1e-6);
  EXPECT_LE(worst(y, &Local::z, J.A_z, J.B_z, J.M), 1e-6);
  EXPECT_LE(worst_by_time(y, J), 1e-6);
}

double relative(const Matrix& A, const Matrix& B) {
  double largest = 0;
  for (std::size_t i = 0; i < A.size(); ++i)
    largest = std::max(largest, std::abs(A.values()[i] - B.values()[i]));
  return largest / std::max(norm_max(B.values()), 1e-10);
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
  EXPECT_LE(relative(point.A_z, base.A_z), 1e-13);
  EXPECT_LE(relative(point.B_x, base.B_x), 1e-13);
  EXPECT_LE(relative(point.B_u, base.B_u), 1e-13);
  EXPECT_LE(relative(point.B_z, base.B_z), 1e-13);
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

TEST_P(StateSpaceJacobian, IsTheSameWhereAccelerationsComeFromTheSaddlePoint) {
  StateSpace other(*model_.system, GetParam().choose, Accelerations::saddle);
  ASSERT_EQ(other.rebase(model_.start.state), Eval::ok);
  std::mt19937 random(10);
  const Local y = random_point(random);
  LocalJacobian reduced, saddle;
  ASSERT_EQ(problem_.jacobian_at(t_, y, Derivatives::exact, reduced), Eval::ok);
  ASSERT_EQ(other.jacobian_at(t_, y, Derivatives::exact, saddle), Eval::ok);
  EXPECT_LE(relative(saddle.A_x, reduced.A_x), 1e-10);
  EXPECT_LE(relative(saddle.A_u, reduced.A_u), 1e-10);
  EXPECT_LE(relative(saddle.A_z, reduced.A_z), 1e-10);
  EXPECT_LE(relative(saddle.B_z, reduced.B_z), 1e-10);
}

TEST_P(StateSpaceJacobian, OfFisetteAndVaneghemHasTheSameMassAndOtherTerms) {
  std::mt19937 random(9);
  const Local y = random_point(random);
  LocalJacobian exact, fv;
  ASSERT_EQ(problem_.jacobian_at(t_, y, Derivatives::exact, exact), Eval::ok);
  ASSERT_EQ(problem_.jacobian_at(t_, y, Derivatives::fisette_vaneghem, fv), Eval::ok);
  EXPECT_EQ(fv.M, exact.M);
  EXPECT_GT(std::max(relative(fv.A_x, exact.A_x), relative(fv.A_z, exact.A_z)), 1e-9);
}

/// A sleigh that an actuator with a time constant pushes: drift and dynamic variables together.
constexpr const char* pushed_sleigh = R"(
kardan: 1
dimension: 2
gravity: [0, 0]
bodies:
  sleigh:
    mass: 1.2
    inertia: 0.4
    angle: 0.4
    angular_velocity: 1.5
    velocity: [0.9, 0.7]
    markers: {blade: {at: [-0.25, 0.05], angle: 0.1}}
  arm: {mass: 0.4, inertia: 0.05, position: [0.5, 0.3], angular_velocity: -1}
joints:
  pin: {type: revolute, bodies: [sleigh, arm], at: [0.3, 0.1]}
contacts:
  runner: {type: knife_edge, on: sleigh.blade, belt: 0.3 + 0.5*sin(3*t)}
forces:
  motor: {type: actuator, coordinate: angle, between: [sleigh, arm], time_constant: 0.2, command: 2*cos(3*t), initial: 1}
  steering: {type: controller, coordinate: angle, between: [ground, sleigh], kp: 3, kd: 0.4, ki: 2, reference: 0.5*sin(2*t)}
)";

std::vector<JacobianCase> jacobian_cases() {
  std::vector<JacobianCase> all{{"chain", shipped("chain", {{"N", 3}}), 0.6, 3, {{"N", 3}}},
                                {"four_bar", shipped("n_four_bar_spatial"), 0.4, 1},
                                {"bricard", shipped("bricard"), 0.2, 1},
                                {"hmmwv", shipped("hmmwv"), 0.01, 0.3},
                                {"andrews", shipped("andrews"), 0.1, 100},
                                {"rolling_disc", shipped("rolling_disc"), 0.3, 1},
                                {"sleigh_belt", shipped("sleigh_belt"), 0.5, 1, {{"A", 1.5}}},
                                {"pushed_sleigh", model_of(pushed_sleigh), 0.3, 1}};
  const std::size_t count = all.size();
  for (std::size_t i = 0; i < count; ++i) {
    JacobianCase turned = all[i];
    turned.name += "_tangent";
    turned.choose = span_tangent_space;
    all.push_back(std::move(turned));
  }
  return all;
}

INSTANTIATE_TEST_SUITE_P(Models, StateSpaceJacobian, testing::ValuesIn(jacobian_cases()),
                         [](const auto& test) { return test.param.name; });

/// The sleigh on the belt with dual numbers: v' from M v' = -H'mu, (H v + h)' = 0, where v has the
/// velocities u and the one that H v + h = 0 determines.
template <class T>
struct SleighMotion {
  std::array<T, 3> v, a;
};
template <class T>
SleighMotion<T> sleigh_motion(const T& t, const std::array<T, 3>& p, const std::array<T, 2>& u,
                              const std::vector<int>& free, int drift) {
  const double mass[3] = {1, 1, 0.4}, arm = 0.25;
  const T belt = 0.3 + 1.5 * t, belt_rate = 1.5;
  const T s = sin(p[2]), c = cos(p[2]);
  const std::array<T, 3> H{-s, c, T(-arm)};
  SleighMotion<T> m;
  m.v[drift] = -belt * s;
  for (int i = 0; i < 2; ++i) {
    m.v[free[i]] = u[i];
    m.v[drift] = m.v[drift] - H[free[i]] * u[i];
  }
  m.v[drift] = m.v[drift] / H[drift];
  // H' v + h' = w (-c vx - s vy) + V' s + V w c
  const T gamma = m.v[2] * (c * m.v[0] + s * m.v[1] - belt * c) - belt_rate * s;
  T weight(0.0);
  for (int i = 0; i < 3; ++i) weight = weight + H[i] * H[i] / mass[i];
  for (int i = 0; i < 3; ++i) m.a[i] = H[i] / mass[i] * gamma / weight;
  return m;
}

TEST(StateSpaceJacobianOfASleigh, EqualsThatOfDualNumbers) {
  const Prepared model = prepared(shipped("sleigh_belt"), {{"A", 1.5}});
  StateSpace problem(*model.system);
  ASSERT_EQ(problem.rebase(model.start.state), Eval::ok);
  const std::vector<int>& coordinates = problem.parametrization().free_coordinates;
  const std::vector<int> free(coordinates.begin(), coordinates.begin() + 2);
  const int drift = coordinates[2];
  for (const double size : {0.0, 0.4}) {
    const double t = 0.5 * size;
    Local y = problem.base();
    y.x = {size, -0.7 * size};
    y.u[0] += 0.3 * size;
    y.z[0] = 0.5 * size;
    LocalJacobian J;
    if (size == 0)
      ASSERT_EQ(problem.jacobian(J), Eval::ok);
    else
      ASSERT_EQ(problem.jacobian_at(t, y, Derivatives::exact, J), Eval::ok);
    using Seeded = Dual<double, 6>;  // x, u, zeta, t
    std::array<Seeded, 3> p;
    for (int i = 0; i < 2; ++i)
      p[free[i]] = Seeded::variable(model.start.state.p[free[i]] + y.x[i], i);
    p[drift] = Seeded::variable(model.start.state.p[drift] + y.z[0], 4);
    const std::array<Seeded, 2> u{Seeded::variable(y.u[0], 2), Seeded::variable(y.u[1], 3)};
    const auto m = sleigh_motion(Seeded::variable(t, 5), p, u, free, drift);
    const Matrix* A[3] = {&J.A_x, &J.A_u, &J.A_z};
    const Matrix* B[3] = {&J.B_x, &J.B_u, &J.B_z};
    for (int k = 0; k < 5; ++k) {
      const int block = k / 2, column = k % 2;
      EXPECT_NEAR((*B[block])(0, column), m.v[drift].d[k], 1e-13);
      for (int i = 0; i < 2; ++i) {
        double wanted = 0;
        for (int j = 0; j < 2; ++j) wanted += J.M(i, j) * m.a[free[j]].d[k];
        EXPECT_NEAR((*A[block])(i, column), wanted, 1e-12);
      }
    }
    EXPECT_NEAR(J.B_t[0], m.v[drift].d[5], 1e-13);
    for (int i = 0; i < 2; ++i) {
      double wanted = 0;
      for (int j = 0; j < 2; ++j) wanted += J.M(i, j) * m.a[free[j]].d[5];
      EXPECT_NEAR(J.A_t[i], wanted, 1e-12);
    }
  }
}

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
