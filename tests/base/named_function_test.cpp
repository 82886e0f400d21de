/// Functions that expressions call by name.

#include <gtest/gtest.h>

#include <cmath>

#include "kardan/base/time_function.h"

namespace kardan {
namespace {

std::shared_ptr<const NamedFunction> make(const std::string& text,
                                          const FunctionScope& scope = {}) {
  return std::make_shared<const TimeFunction>(
      TimeFunction::make(Expression::parse(text, scope).value()).value());
}

/// f(t) = t^3 + 2 t, g(t) = f(2 t), a spline and straight lines.
std::shared_ptr<const NamedFunction> scope(std::string_view name) {
  if (name == "f") return make("t^3 + 2*t");
  if (name == "g") return make("f(2*t)", scope);
  const auto table = [](Interpolation kind) {
    return std::make_shared<const TimeFunction>(Table::make({0, 1, 3}, {0, 1, 0}, kind).value());
  };
  if (name == "spline") return table(Interpolation::cubic_spline);
  if (name == "lines") return table(Interpolation::linear);
  return nullptr;
}

TEST(NamedFunction, HasExactDerivativesToTheThirdOrder) {
  const TimeFunction h = TimeFunction::make(Expression::parse("t*g(t)", scope).value()).value();
  // t (8 t^3 + 4 t) = 8 t^4 + 4 t^2
  const double t = 0.7;
  const TimeJet y = h.at(t);
  EXPECT_DOUBLE_EQ(y.value, 8 * std::pow(t, 4) + 4 * t * t);
  EXPECT_DOUBLE_EQ(y.d1, 32 * std::pow(t, 3) + 8 * t);
  EXPECT_DOUBLE_EQ(y.d2, 96 * t * t + 8);
  EXPECT_DOUBLE_EQ(y.d3, 192 * t);
}

TEST(NamedFunction, HasGradientsByEveryName) {
  const Expression e = Expression::parse("f(x*y) + f(x)", scope).value();
  const double values[] = {1.5, -0.5};
  double gradient[2];
  const double xy = values[0] * values[1];
  const auto f = [](double t) { return t * t * t + 2 * t; };
  const auto df = [](double t) { return 3 * t * t + 2; };
  EXPECT_DOUBLE_EQ(e.evaluate_with_gradient(values, gradient), f(xy) + f(1.5));
  EXPECT_DOUBLE_EQ(gradient[0], df(xy) * values[1] + df(1.5));
  EXPECT_DOUBLE_EQ(gradient[1], df(xy) * values[0]);
  EXPECT_EQ(e.evaluate(values), f(xy) + f(1.5));
}

TEST(NamedFunction, OfAConstantIsAConstant) {
  const Expression e = Expression::parse("2*f(1) + spline(1)", scope).value();
  EXPECT_TRUE(e.is_constant());
  EXPECT_EQ(e.size(), 1u);
  EXPECT_EQ(e.evaluate({}), 7);
}

TEST(NamedFunction, SurvivesBindingOfParameters) {
  const double a = 2;
  const Expression e = Expression::parse("f(a*t)", scope).value().bind([&](std::string_view name) {
    return name == "a" ? &a : nullptr;
  });
  const double t = 0.5;
  EXPECT_DOUBLE_EQ(e.evaluate(std::span(&t, 1)), 3);
}

TEST(NamedFunction, TellsHowSmoothAndHowDeepItIs) {
  EXPECT_EQ(Expression::parse("f(t)", scope)->continuous_derivatives(), NamedFunction::smooth);
  EXPECT_EQ(Expression::parse("f(t) + spline(t)", scope)->continuous_derivatives(), 2);
  EXPECT_EQ(Expression::parse("spline(lines(t))", scope)->continuous_derivatives(), 0);
  EXPECT_EQ(Expression::parse("t", scope)->call_depth(), 0);
  EXPECT_EQ(Expression::parse("g(t) + f(t)", scope)->call_depth(), 2);
}

TEST(NamedFunction, TakesOneArgument) {
  EXPECT_FALSE(Expression::parse("f()", scope));
  EXPECT_FALSE(Expression::parse("f(1, 2)", scope));
  EXPECT_FALSE(Expression::parse("h(1)", scope));
  EXPECT_EQ(Expression::parse("f", scope)->names().front(), "f") << "without '(' it is a name";
}

}  // namespace
}  // namespace kardan
