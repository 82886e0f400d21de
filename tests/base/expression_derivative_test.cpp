#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <string>

#include "base/differences.h"
#include "kardan/base/expression.h"
#include "kardan/base/time_jet.h"

namespace kardan {
namespace {

using test::difference;
using test::relative_error;

using D1 = Dual<double, 1>;
using D2 = Dual<D1, 1>;
using D3 = Dual<D2, 1>;

/// Functions of x and y, smooth around (0.45, 0.6).
const char* const smooth[] = {"sin(x*y)",
                              "cos(x + y)",
                              "tan(x)*y",
                              "asin(x*y)",
                              "acos(x - y)",
                              "atan(x/y)",
                              "sinh(x)*y",
                              "cosh(x*y)",
                              "tanh(x + 2*y)",
                              "exp(-x*y)",
                              "log(2 + x + y)",
                              "log10(3 + x*y)",
                              "sqrt(2 + x*y)",
                              "abs(x - 5)*y",
                              "sign(x)*x + y",
                              "min(x*x, y + 3)*y",
                              "max(x*x, y + 3)",
                              "pow(1 + x, y)",
                              "(1 + x)^2.5*y",
                              "(x + y)^2",
                              "(x + y)^3",
                              "(x - y)^4",
                              "2^(x*y)",
                              "hypot(x, y + 1)",
                              "atan2(x - 1, y - 2)",
                              "mod(7 + x, 2 + y/3)",
                              "mod(-7 - x, 2 + y/3)",
                              "floor(x + 0.5)*y",
                              "ceil(x)*y",
                              "round(x)*y",
                              "radians(90*x)*y",
                              "degrees(x/90)*y",
                              "step(x, 0, y, 1, 3*y)",
                              "step(x, 1, y, -1.2, y*y)",
                              "clamp(x, -5, 5)*y",
                              "x > 0 ? x*y : 1/0",
                              "if(y < 0, 1/0, y*x^3)",
                              "(x > 0 and y > 0) * x",
                              "(not x)*y + x",
                              "1/(2 + x)/(3 - y)",
                              "2 - x - (1 - y)",
                              "-x*+y",
                              "(5/(2 + x))/3",
                              "x/(2 + y)",
                              "x*x - y*x + y/4"};

constexpr double x0 = 0.45, y0 = 0.6;

TEST(ExpressionDerivative, GradientsAreThoseOfDifferences) {
  for (const char* text : smooth) {
    const Expression e = Expression::parse(text).value();
    std::vector<double> at;
    for (const std::string& name : e.names()) at.push_back(name == "x" ? x0 : y0);
    std::vector<double> gradient(at.size());
    EXPECT_EQ(e.evaluate_with_gradient(at, gradient), e.evaluate(at)) << text;
    for (std::size_t i = 0; i < at.size(); ++i) {
      const double wanted = difference(
          [&](double v) {
            std::vector<double> moved = at;
            moved[i] = v;
            return e.evaluate(moved);
          },
          at[i]);
      EXPECT_LE(relative_error(gradient[i], wanted), 1e-9) << text << ", " << e.names()[i];
    }
  }
}

/// Value and three derivatives along x = x0 + t, y = y0 + t/2 + t^2.
template <class T>
T along(const Expression& e, const T& t) {
  std::vector<T> values;
  for (const std::string& name : e.names()) {
    values.push_back(name == "x" ? x0 + t : y0 + 0.5 * t + t * t);
  }
  return e.evaluate<T>(values);
}

TEST(ExpressionDerivative, NestedDualsAndJetsAgreeWithDifferencesUpToTheThirdOrder) {
  for (const char* text : smooth) {
    const Expression e = Expression::parse(text).value();
    const auto nested = [&](double t) {
      const D3 f = along(e, D3::variable(D2::variable(D1::variable(t))));
      return std::array{value_of(f), f.d[0].value.value, f.d[0].d[0].value, f.d[0].d[0].d[0]};
    };
    const auto jet = [&](double t) {
      const TimeJet f = along(e, TimeJet::variable(t));
      return std::array{f.value, f.d1, f.d2, f.d3};
    };
    const auto from_dual = nested(0.0), from_jet = jet(0.0);
    EXPECT_EQ(from_dual[0], along(e, 0.0)) << text;
    EXPECT_EQ(from_jet[0], along(e, 0.0)) << text;
    for (int order = 1; order <= 3; ++order) {
      const double wanted = difference([&](double t) { return jet(t)[order - 1]; }, 0.0, 4e-3);
      EXPECT_LE(relative_error(from_jet[order], wanted), 1e-9) << text << ", order " << order;
      EXPECT_LE(relative_error(from_dual[order], from_jet[order]), 1e-12)
          << text << ", order " << order;
    }
  }
}

TEST(ExpressionDerivative, GradientsOfManyNamesComeInChunksWithoutSeams) {
  for (int count = 1; count <= 13; ++count) {
    std::string text = "0";
    std::vector<double> values(count), gradient(count);
    for (int i = 0; i < count; ++i) {
      text += " + " + std::to_string(i + 1) + "*n" + std::to_string(i) + "^2";
      values[i] = 0.5 + i;
    }
    const Expression e = Expression::parse(text).value();
    EXPECT_EQ(e.evaluate_with_gradient(values, gradient), e.evaluate(values));
    for (int i = 0; i < count; ++i) EXPECT_EQ(gradient[i], 2.0 * (i + 1) * values[i]) << count;
  }
}

TEST(ExpressionDerivative, AConstantHasNoGradient) {
  EXPECT_EQ(Expression::constant(4.0).evaluate_with_gradient({}, {}), 4.0);
}

TEST(ExpressionDerivative, PowersOfZeroAreExact) {
  for (const char* text : {"x^2", "x^y", "pow(x, 2)", "x*x"}) {
    const Expression e = Expression::parse(text).value();
    std::array<double, 2> gradient{};
    EXPECT_EQ(e.evaluate_with_gradient(std::array{0.0, 2.0}, gradient), 0.0);
    EXPECT_EQ(gradient[0], 0.0) << text;
    EXPECT_EQ(gradient[1], 0.0) << text;
  }
}

TEST(ExpressionDerivative, StepIsTwiceContinuouslyDifferentiable) {
  const Expression e = Expression::parse("step(t, 1, 10, 3, 20)").value();
  const auto at = [&](double t) { return e.evaluate<TimeJet>(std::array{TimeJet::variable(t)}); };
  constexpr double near = 1e-9;
  for (const double end : {1.0, 3.0}) {
    EXPECT_NEAR(at(end - near).value, at(end + near).value, 1e-12);
    EXPECT_NEAR(at(end - near).d1, at(end + near).d1, 1e-12);
    // y''' = 60 (y1 - y0)/(x1 - x0)^3 = 75 inside at the ends, so y'' changes by 75e-9.
    EXPECT_NEAR(at(end - near).d2, at(end + near).d2, 1e-7);
  }
  EXPECT_NEAR(at(1.0 + near).d3, 75.0, 1e-5);
  EXPECT_EQ(at(2.0).d1, 1.875 * 10.0 / 2.0);  // s'(1/2) = 15/8
}

TEST(ExpressionDerivative, JetsBehaveLikeDualsAtAwkwardPoints) {
  for (const char* text : {"t^0", "t^1", "t^2", "t^3", "t^4", "abs(t)", "hypot(t, t)",
                           "sqrt(0*t)*1", "tanh(t)", "tanh(t + 1000)", "atan2(0*t, 0*t)"}) {
    const Expression e = Expression::parse(text).value();
    const TimeJet jet = e.evaluate<TimeJet>(std::array{TimeJet::variable(0.0)});
    const D3 dual = e.evaluate<D3>(std::array{D3::variable(D2::variable(D1::variable(0.0)))});
    EXPECT_EQ(jet.value, value_of(dual)) << text;
    EXPECT_EQ(jet.d1, dual.d[0].value.value) << text;
    EXPECT_EQ(jet.d2, dual.d[0].d[0].value) << text;
    EXPECT_EQ(jet.d3, dual.d[0].d[0].d[0]) << text;
  }
}

}  // namespace
}  // namespace kardan
