#include "kardan/base/time_function.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace kardan {
namespace {

TimeFunction made(std::string_view text) {
  return TimeFunction::make(Expression::parse(text).value()).value();
}

TEST(TimeFunction, OfAnExpressionHasClosedFormDerivatives) {
  const TimeFunction f = made("3*sin(2*t)");
  const double t = 0.4;
  EXPECT_DOUBLE_EQ(f.at(t).value, 3 * std::sin(2 * t));
  EXPECT_DOUBLE_EQ(f.at(t).d1, 6 * std::cos(2 * t));
  EXPECT_DOUBLE_EQ(f.at(t).d2, -12 * std::sin(2 * t));
  EXPECT_DOUBLE_EQ(f.at(t).d3, -24 * std::cos(2 * t));
  EXPECT_EQ(f.text(), "3*sin(2*t)");
  EXPECT_FALSE(f.is_constant());
}

TEST(TimeFunction, OfAPolynomialIsExact) {
  const TimeJet f = made("t^4 - 2*t^3 + 5").at(2.0);
  EXPECT_EQ(f.value, 5.0);
  EXPECT_EQ(f.d1, 8.0);
  EXPECT_EQ(f.d2, 24.0);
  EXPECT_EQ(f.d3, 36.0);
}

TEST(TimeFunction, OfAConstantDoesNotMove) {
  for (const TimeFunction& f : {TimeFunction(2.5), made("5/2")}) {
    EXPECT_TRUE(f.is_constant());
    EXPECT_EQ(f(7.0), 2.5);
    EXPECT_EQ(f.at(7.0).d1, 0.0);
    EXPECT_EQ(f.at(7.0).d3, 0.0);
    EXPECT_EQ(f.text(), "2.5");
  }
  EXPECT_EQ(TimeFunction().at(1.0).value, 0.0);
}

TEST(TimeFunction, OfATableIsTheTable) {
  const Table table = Table::make({0, 1, 2}, {0, 1, 4}, Interpolation::cubic_spline).value();
  const TimeFunction f(table);
  EXPECT_EQ(f(0.7), table.at(0.7).value);
  EXPECT_EQ(f.at(0.7).d2, table.at(0.7).d2);
  EXPECT_EQ(f.text(), "table of 3 points");
}

TEST(TimeFunction, DualsCarryTheDerivativesOfTheJet) {
  using D1 = Dual<double, 3>;
  using D2 = Dual<D1, 1>;
  using D3 = Dual<D2, 1>;
  const TimeFunction f = made("exp(-t)*cos(3*t)");
  const TimeJet jet = f.at(0.8);
  const D3 y = f(D3::variable(D2::variable(D1::variable(0.8, 1))));
  EXPECT_EQ(value_of(y), jet.value);
  EXPECT_EQ(y.d[0].value.value, jet.d1);
  EXPECT_EQ(y.d[0].d[0].value, jet.d2);
  EXPECT_EQ(y.d[0].d[0].d[1], jet.d3);
  EXPECT_EQ(y.d[0].d[0].d[0], 0.0);
  EXPECT_EQ(f(0.8), jet.value);
}

TEST(TimeFunction, RefusesOtherNamesAndSaysWhere) {
  const auto result = TimeFunction::make(Expression::parse("2*t + chassis.x").value());
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().offset, 6);
  EXPECT_NE(result.error().message.find("'chassis.x'"), std::string::npos);
}

}  // namespace
}  // namespace kardan
