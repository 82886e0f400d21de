#include "kardan/base/taylor.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "kardan/base/inputs.h"
#include "kardan/base/kinks.h"
#include "kardan/base/time_function.h"

namespace kardan {
namespace {

std::shared_ptr<const NamedFunction> table(std::string_view name) {
  const bool linear = name == "lines";
  if (!linear && name != "spline") return nullptr;
  return std::make_shared<const TimeFunction>(
      Table::make({-2, -1, 0.5, 1, 2.5}, {0, 3, -1, 2, 2},
                  linear ? Interpolation::linear : Interpolation::cubic_spline)
          .value());
}

TimeFunction function(const std::string& text) {
  return TimeFunction::make(Expression::parse(text, table).value()).value();
}

/// Every instruction of the stack machine, smooth ones and others.
const std::vector<std::string>& texts() {
  static const std::vector<std::string> all = {"3",
                                               "t",
                                               "-t + 2",
                                               "2 - t",
                                               "t*t*(t - 1)",
                                               "1/(t*t + 1)",
                                               "t/3",
                                               "3/(t + 5)",
                                               "t^2",
                                               "t^3",
                                               "t^5",
                                               "(t + 4)^-2",
                                               "(t + 4)^1.5",
                                               "(t + 4)^t",
                                               "sin(3*t)",
                                               "cos(t)*sin(5*t)",
                                               "tan(t/3)",
                                               "asin(t/7)",
                                               "acos(t/7)",
                                               "atan(2*t)",
                                               "atan2(t, 4)",
                                               "atan2(4, t)",
                                               "atan2(t - 1, -3)",
                                               "sinh(t)",
                                               "cosh(t)",
                                               "tanh(2*t)",
                                               "tanh(t + 4)",
                                               "exp(-t*t)",
                                               "exp(-((t - 1)/0.01)^2)",
                                               "log(t + 4)",
                                               "log10(t + 4)",
                                               "sqrt(t + 4)",
                                               "sqrt(abs(t))",
                                               "abs(t - 1)",
                                               "abs(sin(4*t))",
                                               "sign(t)",
                                               "floor(2*t)",
                                               "ceil(t)",
                                               "round(3*t)",
                                               "mod(t, 0.7)",
                                               "mod(t, -0.7)",
                                               "min(t, t*t)",
                                               "max(sin(t), 0.3, cos(3*t))",
                                               "hypot(t, 0.1)",
                                               "hypot(t, t*t)",
                                               "clamp(t, -1, 1)",
                                               "t < 1 ? t : 2*t",
                                               "t <= 0 ? sin(t) : t > 1 ? cos(t) : 3",
                                               "t > -1 and t < 1",
                                               "not (t >= 1) or t == 2",
                                               "t != 1",
                                               "if(t, 1/(1 + t*t), 2)",
                                               "step(t, -1, 2, 1, 5)",
                                               "step(t, 1, 5, -1, 2)",
                                               "step(t, 0, 1, 0, 2)",
                                               "radians(90)*t",
                                               "lines(t)",
                                               "spline(t)",
                                               "spline(1 - 2*t)",
                                               "lines(sin(t))",
                                               "lines(t) - lines(t + 1)*t"};
  return all;
}

TEST(Taylor, HoldsEveryValueAndDerivativeOfEveryFunction) {
  std::mt19937 random(1);
  std::uniform_real_distribution<double> place(-2.5, 2.5), share(0, 1), size(-9, 0.5);
  for (const std::string& text : texts()) {
    const TimeFunction f = function(text);
    for (int i = 0; i < 300; ++i) {
      const double a = place(random), b = a + std::pow(10, size(random));
      const Taylor enclosure = f.enclose(Taylor::time(a, b, Taylor::max_order));
      for (int k = 0; k < 5; ++k) {
        const double t = k == 0 ? a : k == 1 ? b : a + share(random) * (b - a);
        const TimeJet jet = f.at(t);
        const double values[] = {jet.value, jet.d1, jet.d2 / 2, jet.d3 / 6};
        for (int j = 0; j < 4; ++j) {
          const Interval& c = enclosure.c[j];
          // What rounding leaves in the value that is compared.
          const double slack = 1e-9 * (1e-3 + std::abs(values[j]));
          EXPECT_TRUE(c.lo - slack <= values[j] && values[j] <= c.hi + slack)
              << text << " at " << t << " in [" << a << ", " << b << "], derivative " << j << ": "
              << values[j] << " not in [" << c.lo << ", " << c.hi << "]";
        }
      }
    }
  }
}

/// The coefficients of f at t by those of a shorter stretch around it: they must lie within.
TEST(Taylor, OfAPartLiesWithinThatOfTheWhole) {
  for (const std::string& text : texts()) {
    const TimeFunction f = function(text);
    const Taylor whole = f.enclose(Taylor::time(0.2, 0.7, 8));
    const Taylor part = f.enclose(Taylor::time(0.41, 0.43, 8));
    for (int k = 0; k <= 8; ++k) {
      const double slack = 1e-12 * (1 + part.c[k].size());
      EXPECT_LE(whole.c[k].lo, part.c[k].lo + slack) << text << ", coefficient " << k;
      EXPECT_GE(whole.c[k].hi, part.c[k].hi - slack) << text << ", coefficient " << k;
    }
  }
}

TEST(Taylor, IsTightOverShortStretches) {
  const double x = 0.3;
  const Taylor f = function("exp(2*t)*sin(t)").enclose(Taylor::time(x, x, 8));
  // (exp((2 + i) t))^(k) / k!, the imaginary part.
  double real = std::exp(2 * x) * std::cos(x), imaginary = std::exp(2 * x) * std::sin(x);
  for (int k = 0; k <= 8; ++k) {
    EXPECT_NEAR(f.c[k].lo, imaginary, 1e-13);
    EXPECT_NEAR(f.c[k].hi, imaginary, 1e-13);
    const double r = (2 * real - imaginary) / (k + 1);
    imaginary = (2 * imaginary + real) / (k + 1);
    real = r;
  }
}

TEST(Taylor, KnowsWhereAFunctionIsSmooth) {
  const auto smooth = [](const std::string& text, double a, double b) {
    return function(text).enclose(Taylor::time(a, b, 8)).smooth();
  };
  EXPECT_TRUE(smooth("abs(t - 1)", 0, 0.999));
  EXPECT_FALSE(smooth("abs(t - 1)", 0, 1.001));
  EXPECT_TRUE(smooth("t < 1 ? 0 : 1", 1, 2));
  EXPECT_FALSE(smooth("t < 1 ? 0 : 1", 0.5, 1));
  EXPECT_TRUE(smooth("lines(2*t)", 0.26, 0.49));
  EXPECT_FALSE(smooth("lines(2*t)", 0.2, 0.49));
  EXPECT_FALSE(smooth("floor(t)", 0.9, 1.1));
}

/// The bound of what a polynomial of a degree below k leaves of an input, against the polynomial
/// through Chebyshev's points, which is nearly the best.
TEST(InputBounds, HoldWhatAPolynomialLeaves) {
  constexpr int points = 5;
  for (const char* text : {"sin(3*t)", "exp(t)", "1/(1 + t*t)", "spline(t)", "abs(t - 0.5)"}) {
    const TimeFunction f = function(text);
    for (const double h : {0.1, 0.5, 1.5}) {
      const InputBounds bounds = InputBounds::of(f.enclose(Taylor::time(0.2, 0.2 + h, 10)), 0, 1);
      double node[points], worst = 0;
      for (int i = 0; i < points; ++i)
        node[i] = 0.2 + h * (0.5 - 0.5 * std::cos((2 * i + 1) * M_PI / (2 * points)));
      for (double t = 0.2; t <= 0.2 + h; t += h / 100) {
        double p = 0;
        for (int i = 0; i < points; ++i) {
          double basis = f(node[i]);
          for (int j = 0; j < points; ++j)
            if (j != i) basis *= (t - node[j]) / (node[i] - node[j]);
          p += basis;
        }
        worst = std::max(worst, std::abs(f(t) - p));
      }
      // The best polynomial is better by at most Lebesgue's constant of the points, 2.
      EXPECT_LE(worst, 3 * bounds.deviation(h, points) + 1e-14) << text << " over " << h;
    }
  }
}

TEST(InputBounds, SeeAPulseThatNoSampleSees) {
  const TimeFunction f = function("1000*exp(-((t - 0.5)/1e-6)^2)");
  const InputBounds seen = InputBounds::of(f.enclose(Taylor::time(0, 1, 10)), 0, 1);
  EXPECT_GE(seen.deviation(1, 8), 499);
  const InputBounds before = InputBounds::of(f.enclose(Taylor::time(0, 0.4999, 10)), 0, 1);
  EXPECT_LE(before.deviation(0.4999, 8), 1e-100);
}

TEST(Kinks, AreFoundAtTheirTime) {
  const auto expect_kink = [](const std::string& text, double t, int derivative) {
    const auto kink = find_kink(function(text), 0, 10);
    ASSERT_TRUE(kink) << text;
    EXPECT_NEAR(kink->t, t, 1e-12) << text;
    EXPECT_EQ(kink->derivative, derivative) << text;
  };
  expect_kink("t < 1 ? 0 : 1", 1, 0);
  expect_kink("abs(t - 1)", 1, 1);
  expect_kink("min(t, 3)", 3, 1);
  expect_kink("max(0, t - 2)^2", 2, 2);
  expect_kink("floor(t/7)", 7, 0);
  expect_kink("mod(t, 4)", 4, 0);
  expect_kink("abs(sin(t/3))", 3 * M_PI, 1);
  expect_kink("1e-3*abs(t - 1e-3)", 1e-3, 1);
  expect_kink("lines(t - 8)", 7, 1);
  expect_kink("step(t, 1, 0, 1, 2)", 1, 0);
  expect_kink("0.1*t + sign(t - 9.5)", 9.5, 0);
}

TEST(Kinks, ThatCancelOrLieOutsideAreNone) {
  for (const char* text :
       {"abs(t + 1)", "abs(t - 11)", "max(0, t - 2)^3", "t < 4 ? t*t : 16 + 8*(t - 4) + (t - 4)^2",
        "abs(t - 1) - abs(t - 1) + t", "step(t, 1, 0, 2, 1)", "spline(t)", "sin(mod(t, tau))",
        "floor(0.5 + 0*t)", "sqrt(t + 1)", "exp(-((t - 5)/1e-4)^2)", "lines(-5 - t)"})
    EXPECT_FALSE(find_kink(function(text), 0, 10)) << text;
}

}  // namespace
}  // namespace kardan
