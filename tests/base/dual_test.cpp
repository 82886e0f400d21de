#include "kardan/base/dual.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "base/differences.h"

namespace kardan {
namespace {

using test::difference;
using test::relative_error;

using D1 = Dual<double, 1>;
using D2 = Dual<D1, 1>;
using D3 = Dual<D2, 1>;

constexpr double infinite = std::numeric_limits<double>::infinity();

/// x as the independent variable on every level.
double seed(double x, double*) {
  return x;
}
template <class T, int N>
Dual<T, N> seed(double x, Dual<T, N>*) {
  return Dual<T, N>::variable(seed(x, static_cast<T*>(nullptr)));
}
template <class T>
T variable(double x) {
  return seed(x, static_cast<T*>(nullptr));
}

/// Value, f', f'', f''' from thrice nested duals.
template <class F>
std::array<double, 4> derivatives(const F& f, double x) {
  const D3 y = f(variable<D3>(x));
  return {value_of(y), y.d[0].value.value, y.d[0].d[0].value, y.d[0].d[0].d[0]};
}

/// Every derivative against the difference of the one below, and every value against double.
template <class F>
void expect_derivatives(const char* name, const F& f, const std::vector<double>& points,
                        double h = 1e-2) {
  for (const double x : points) {
    const std::array<double, 4> got = derivatives(f, x);
    EXPECT_EQ(got[0], f(x)) << name << " at " << x;
    EXPECT_EQ(f(variable<D1>(x)).d[0], got[1]) << name << " at " << x;
    for (int order = 1; order <= 3; ++order) {
      const double wanted =
          difference([&](double at) { return derivatives(f, at)[order - 1]; }, x, h);
      EXPECT_LE(relative_error(got[order], wanted), 1e-9)
          << name << " derivative " << order << " at " << x << ": " << got[order] << " / "
          << wanted;
    }
  }
}

TEST(Dual, FunctionsOfOneArgumentHaveTheDerivativesOfTheirDifferences) {
  const std::vector<double> anywhere{-1.3, -0.4, 0.0, 0.7, 1.9};
  const std::vector<double> positive{0.5, 1.0, 2.7, 9.0};
  const std::vector<double> inside{-0.5, 0.0, 0.3};
  expect_derivatives(
      "sin", [](auto x) { return sin(x); }, anywhere);
  expect_derivatives(
      "cos", [](auto x) { return cos(x); }, anywhere);
  expect_derivatives(
      "tan", [](auto x) { return tan(x); }, inside);
  expect_derivatives(
      "asin", [](auto x) { return asin(x); }, inside);
  expect_derivatives(
      "acos", [](auto x) { return acos(x); }, inside);
  expect_derivatives(
      "atan", [](auto x) { return atan(x); }, anywhere);
  expect_derivatives(
      "sinh", [](auto x) { return sinh(x); }, anywhere);
  expect_derivatives(
      "cosh", [](auto x) { return cosh(x); }, anywhere);
  expect_derivatives(
      "tanh", [](auto x) { return tanh(x); }, anywhere);
  expect_derivatives(
      "exp", [](auto x) { return exp(x); }, anywhere);
  expect_derivatives(
      "log", [](auto x) { return log(x); }, positive, 4e-3);
  expect_derivatives(
      "log10", [](auto x) { return log10(x); }, positive, 4e-3);
  expect_derivatives(
      "sqrt", [](auto x) { return sqrt(x); }, positive, 4e-3);
  expect_derivatives("abs", [](auto x) { return abs(x); }, {-2.0, 3.0});
}

TEST(Dual, FunctionsOfTwoArgumentsHaveTheDerivativesOfTheirDifferences) {
  const std::vector<double> points{0.6, 1.2, 2.1};
  expect_derivatives(
      "pow number", [](auto x) { return pow(x, 2.5); }, points);
  expect_derivatives(
      "number pow", [](auto x) { return pow(1.7, x); }, points);
  expect_derivatives(
      "pow", [](auto x) { return pow(x, 0.5 + x); }, points, 5e-3);
  expect_derivatives(
      "atan2", [](auto x) { return atan2(x - 1.0, -x); }, points);
  expect_derivatives(
      "atan2 number", [](auto x) { return atan2(x, -2.0); }, points);
  expect_derivatives(
      "number atan2", [](auto x) { return atan2(-1.5, x); }, points);
  expect_derivatives(
      "hypot", [](auto x) { return hypot(x, 2.0 - x * x); }, points);
  expect_derivatives(
      "hypot number", [](auto x) { return hypot(x, 2.0); }, points);
  expect_derivatives(
      "number hypot", [](auto x) { return hypot(2.0, x); }, points);
  expect_derivatives(
      "min", [](auto x) { return min(x * x, 9.0 + x); }, points);
  expect_derivatives(
      "max", [](auto x) { return max(x * x, -9.0 - x); }, points);
  expect_derivatives(
      "min number", [](auto x) { return min(x, 9.0) + min(-9.0, x); }, points);
  expect_derivatives(
      "max number", [](auto x) { return max(x, 9.0) + max(-9.0, x); }, points);
}

TEST(Dual, OperatorsMixWithNumbersOnEverySide) {
  const std::vector<double> points{-1.4, 0.8, 2.0};
  expect_derivatives(
      "sum", [](auto x) { return 1.0 + x + 2 + x * x; }, points);
  expect_derivatives(
      "difference", [](auto x) { return 1 - x * x - 2.0 - (-x) - (+x); }, points);
  expect_derivatives(
      "product", [](auto x) { return 3 * x * x * 2.0; }, points);
  expect_derivatives(
      "quotient", [](auto x) { return (1.0 / (9.0 + x)) / (5.0 + x * x) / 2; }, points);
  expect_derivatives(
      "assignments",
      [](auto x) {
        auto y = x;
        y += x * x;
        y -= 0.5;
        y *= x;
        y *= 3.0;
        y += 1.0;
        y /= 7.0 + x;
        y /= 2.0;
        y -= x;
        return y;
      },
      points);
}

TEST(Dual, GivesClosedFormDerivativesOfASine) {
  const std::array<double, 4> f = derivatives([](auto x) { return sin(x); }, 0.6);
  EXPECT_EQ(f[1], std::cos(0.6));
  EXPECT_EQ(f[2], -std::sin(0.6));
  EXPECT_EQ(f[3], -std::cos(0.6));
}

TEST(Dual, GivesMixedSecondDerivatives) {
  // f = x^2 y: f_xx = 2y, f_xy = f_yx = 2x, f_yy = 0.
  using Inner = Dual<double, 2>;
  using Outer = Dual<Inner, 2>;
  const double x = 1.1, y = 0.7;
  const Outer X = Outer::variable(Inner::variable(x, 0), 0);
  const Outer Y = Outer::variable(Inner::variable(y, 1), 1);
  const Outer f = X * X * Y;
  EXPECT_DOUBLE_EQ(f.d[0].d[0], 2.0 * y);
  EXPECT_DOUBLE_EQ(f.d[0].d[1], 2.0 * x);
  EXPECT_DOUBLE_EQ(f.d[1].d[0], 2.0 * x);
  EXPECT_DOUBLE_EQ(f.d[1].d[1], 0.0);
}

TEST(Dual, IntegerPowersOfZeroHaveAllDerivatives) {
  for (int p = 0; p <= 5; ++p) {
    const std::array<double, 4> number = derivatives([p](auto x) { return pow(x, p * 1.0); }, 0.0);
    const std::array<double, 4> dual =
        derivatives([p](auto x) { return pow(x, decltype(x)(p * 1.0)); }, 0.0);
    const double factorial[] = {1.0, 1.0, 2.0, 6.0};
    for (int order = 0; order <= 3; ++order) {
      EXPECT_EQ(number[order], order == p ? factorial[p] : 0.0) << p << ", order " << order;
      EXPECT_EQ(dual[order], order == p ? factorial[p] : 0.0) << p << ", order " << order;
    }
  }
}

TEST(Dual, ANegativeBaseHasADerivativeWhenTheExponentDoesNotVary) {
  EXPECT_EQ(pow(D1::variable(-2.0), D1(3.0)).d[0], 12.0);
  EXPECT_EQ(pow(D1::variable(-2.0), 3.0).d[0], 12.0);
}

TEST(Dual, AVaryingPositiveExponentLeavesZeroBaseAtRest) {
  const Dual<double, 2> x = Dual<double, 2>::variable(0.0, 0);
  const Dual<double, 2> y = Dual<double, 2>::variable(2.0, 1);
  EXPECT_EQ(pow(x, y).d[0], 0.0);
  EXPECT_EQ(pow(x, y).d[1], 0.0);
}

TEST(Dual, AnInfiniteSlopeSpoilsNoOtherComponent) {
  const Dual<double, 2> x = Dual<double, 2>::variable(0.0, 0);
  EXPECT_EQ(sqrt(x).d[0], infinite);
  EXPECT_EQ(sqrt(x).d[1], 0.0);
  EXPECT_EQ(pow(x, 0.5).d[0], infinite);
  EXPECT_EQ(pow(x, 0.5).d[1], 0.0);
  EXPECT_EQ(asin(x + 1.0).d[0], infinite);
  EXPECT_EQ(acos(x + 1.0).d[0], -infinite);
  EXPECT_EQ(asin(x + 1.0).d[1], 0.0);
}

TEST(Dual, NormsAtTheOriginHaveTheSubgradientZero) {
  EXPECT_EQ(hypot(D1::variable(0.0), D1::variable(0.0)).d[0], 0.0);
  EXPECT_EQ(abs(D1::variable(0.0)).d[0], 0.0);
  EXPECT_EQ(abs(variable<D3>(0.0)).d[0].d[0].d[0], 0.0);
  EXPECT_TRUE(std::isnan(atan2(D1::variable(0.0), D1::variable(0.0)).d[0]));
}

TEST(Dual, HyperbolicTangentKeepsItsTailAndItsCentre) {
  // tanh' = sech^2 ~ 4 exp(-2x); tanh'''(0) = -2.
  EXPECT_NEAR(tanh(D1::variable(50.0)).d[0] / (4.0 * std::exp(-100.0)), 1.0, 1e-12);
  EXPECT_EQ(derivatives([](auto x) { return tanh(x); }, 0.0)[3], -2.0);
  for (const double far : {-1000.0, 1000.0}) {
    const std::array<double, 4> f = derivatives([](auto x) { return tanh(x); }, far);
    for (int order = 1; order <= 3; ++order) EXPECT_EQ(f[order], 0.0);
  }
}

TEST(Dual, ComparesByValueAlone) {
  const D1 x = D1::variable(1.0), y(1.0);
  EXPECT_TRUE(x == y && x <= y && x >= y && !(x < y) && !(x > y) && !(x != y));
  EXPECT_TRUE(x < 2.0 && 0.0 < x && x != 2.0 && 1.0 == x && x >= 1 && 2 > x);
  EXPECT_TRUE(variable<D3>(2.0) > variable<D3>(1.0));
}

TEST(Dual, MinAndMaxTakeTheFirstInATieAndNeverHideNaN) {
  const D1 first = D1::variable(1.0), second(1.0), none(std::nan(""));
  EXPECT_EQ(min(first, second).d[0], 1.0);
  EXPECT_EQ(max(first, second).d[0], 1.0);
  for (const auto& pair : {std::pair(first, none), std::pair(none, first)}) {
    EXPECT_TRUE(std::isnan(min(pair.first, pair.second).value));
    EXPECT_TRUE(std::isnan(max(pair.first, pair.second).value));
    EXPECT_TRUE(std::isnan(min(pair.first.value, pair.second.value)));
    EXPECT_TRUE(std::isnan(max(pair.first.value, pair.second.value)));
  }
}

TEST(Dual, ArithmeticRunsAtCompileTime) {
  constexpr D1 x = D1::variable(3.0);
  constexpr D1 y = 2.0 * x * x - x / 4.0 + 1.0 / x;
  static_assert(y.d[0] == 12.0 - 0.25 - 1.0 / 9.0);
  static_assert(value_of(x) == 3.0);
  static_assert(dual_depth<D3> == 3);
}

}  // namespace
}  // namespace kardan
