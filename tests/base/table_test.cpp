#include "kardan/base/table.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>

#include "kardan/base/dual.h"

namespace kardan {
namespace {

Table made(std::vector<double> x, std::vector<double> y, Interpolation interpolation) {
  return Table::make(std::move(x), std::move(y), interpolation).value();
}

const std::vector<double> grid{-1.0, 0.0, 0.5, 2.0, 3.0};
const std::vector<double> heights{2.0, -1.0, 0.25, 4.0, 1.0};

TEST(Table, PassesThroughItsPoints) {
  for (const Interpolation kind : {Interpolation::linear, Interpolation::cubic_spline}) {
    const Table table = made(grid, heights, kind);
    for (std::size_t i = 0; i < grid.size(); ++i) EXPECT_EQ(table.at(grid[i]).value, heights[i]);
  }
}

TEST(Table, LinearIsStraightBetweenThePointsAndBeyond) {
  const Table table = made({0, 1, 3}, {0, 2, -2}, Interpolation::linear);
  EXPECT_EQ(table.at(0.25).value, 0.5);
  EXPECT_EQ(table.at(0.25).d1, 2.0);
  EXPECT_EQ(table.at(2.0).value, 0.0);
  EXPECT_EQ(table.at(1.0).d1, -2.0);  // to the right of a kink
  EXPECT_EQ(table.at(-1.0).value, -2.0);
  EXPECT_EQ(table.at(5.0).value, -6.0);
  EXPECT_EQ(table.at(5.0).d2, 0.0);
}

TEST(Table, TheSplineIsTwiceContinuouslyDifferentiableEverywhere) {
  const Table table = made(grid, heights, Interpolation::cubic_spline);
  constexpr double near = 1e-10;
  for (const double x : grid) {
    const TimeJet left = table.at(x - near), right = table.at(x + near);
    EXPECT_NEAR(left.value, right.value, 1e-8);
    EXPECT_NEAR(left.d1, right.d1, 1e-8);
    EXPECT_NEAR(left.d2, right.d2, 1e-8);
  }
  EXPECT_NEAR(table.at(grid.front() + near).d2, 0.0, 1e-8);
  EXPECT_NEAR(table.at(grid.back() - near).d2, 0.0, 1e-8);
}

TEST(Table, TheSplineExtrapolatesWithConstantSlope) {
  const Table table = made(grid, heights, Interpolation::cubic_spline);
  const TimeJet end = table.at(3.0), far = table.at(10.0);
  EXPECT_EQ(far.d1, end.d1);
  EXPECT_EQ(far.value, end.value + 7.0 * end.d1);
  EXPECT_EQ(table.at(-4.0).d1, table.at(-1.0).d1);
  EXPECT_EQ(table.at(-4.0).d2, 0.0);
}

TEST(Table, TheSplineConvergesWithOrderFourOnASine) {
  // sin'' = 0 at 0 and pi, so the natural end conditions are exact and the error is O(h^4).
  const auto error = [](int n) {
    std::vector<double> x, y;
    for (int i = 0; i <= n; ++i) {
      x.push_back(std::numbers::pi * i / n);
      y.push_back(std::sin(x.back()));
    }
    const Table table = made(x, y, Interpolation::cubic_spline);
    double worst = 0.0;
    for (double t = 0.0; t < 3.14; t += 0.001) {
      worst = std::max(worst, std::abs(table.at(t).value - std::sin(t)));
    }
    return worst;
  };
  EXPECT_NEAR(std::log2(error(20) / error(40)), 4.0, 0.1);
}

TEST(Table, AStraightLineIsReproducedWithItsDerivatives) {
  const Table table = made({0, 1, 4}, {1, 3, 9}, Interpolation::cubic_spline);
  for (const double x : {-2.0, 0.5, 2.0, 7.0}) {
    EXPECT_DOUBLE_EQ(table.at(x).value, 1 + 2 * x);
    EXPECT_DOUBLE_EQ(table.at(x).d1, 2.0);
    EXPECT_NEAR(table.at(x).d2, 0.0, 1e-15);
  }
  EXPECT_EQ(made({0, 1}, {1, 3}, Interpolation::cubic_spline).at(0.5).value, 2.0);
}

TEST(Table, DualsCarryTheDerivatives) {
  using Inner = Dual<double, 2>;
  using Outer = Dual<Inner, 1>;
  const Table table = made(grid, heights, Interpolation::cubic_spline);
  const TimeJet f = table.at(1.2);
  const Outer y = table(Outer::variable(Inner(1.2, {2.0, -1.0})));
  EXPECT_EQ(y.value.value, f.value);
  EXPECT_EQ(y.value.d[0], 2.0 * f.d1);
  EXPECT_EQ(y.d[0].value, f.d1);
  EXPECT_EQ(y.d[0].d[1], -f.d2);
  EXPECT_EQ(table(1.2), f.value);
  // g = t^2 at t = 1: (f(g))'' = 2 f' + 4 f''
  EXPECT_DOUBLE_EQ(table(TimeJet(1.2, 2.0, 2.0, 0.0)).d2, 2.0 * f.d1 + 4.0 * f.d2);
}

TEST(Table, NaNStaysNaN) {
  EXPECT_TRUE(std::isnan(made(grid, heights, Interpolation::linear).at(std::nan("")).value));
}

TEST(Table, RefusesPointsThatAreNoFunction) {
  const auto fault = [](std::vector<double> x, std::vector<double> y) {
    return Table::make(std::move(x), std::move(y), Interpolation::cubic_spline).error();
  };
  EXPECT_NE(fault({0, 1, 1}, {0, 0, 0}).message.find("x[2] = 1 does not exceed x[1] = 1"),
            std::string::npos);
  EXPECT_EQ(fault({0, 2, 1}, {0, 0, 0}).index, 2);
  EXPECT_NE(fault({0}, {0}).message.find("1 point; wanted at least 2"), std::string::npos);
  EXPECT_NE(fault({}, {}).message.find("0 points"), std::string::npos);
  EXPECT_NE(fault({0, 1}, {0}).message.find("2 x values but 1 y"), std::string::npos);
  EXPECT_EQ(fault({0, 1}, {0, std::nan("")}).index, 1);
  EXPECT_EQ(fault({0, std::numeric_limits<double>::infinity()}, {0, 1}).index, 1);
  EXPECT_NE(fault({0, 1e-320}, {0, 1}).message.find("overflows"), std::string::npos);
}

}  // namespace
}  // namespace kardan
