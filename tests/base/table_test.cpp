#include "kardan/base/table.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "kardan/base/dual.h"
#include "kardan/base/taylor.h"

namespace kardan {
namespace {

Table made(std::vector<double> x, std::vector<double> y, Interpolation interpolation) {
  return Table::make(std::move(x), std::move(y), interpolation).value();
}

const std::vector<double> grid{-1.0, 0.0, 0.5, 2.0, 3.0};
const std::vector<double> heights{2.0, -1.0, 0.25, 4.0, 1.0};

TEST(Table, PassesThroughItsPoints) {
  for (const Interpolation kind : {Interpolation::linear, Interpolation::pchip,
                                   Interpolation::akima, Interpolation::cubic_spline}) {
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

/// Points that begin where they end, and rise and fall.
const std::vector<double> bump_x{-1, 0, 0.5, 2, 3, 3.5};
const std::vector<double> bump_y{2, -1, 0.25, 4, 4.5, 2};

struct Known {
  Interpolation interpolation;
  Outside outside;
  std::vector<double> values;  // at -0.6, 0.3, 1.25, 2.2, 3.3
};

TEST(Table, HasTheValuesOfSciPy) {
  // scipy.interpolate of SciPy 1.10.1: PchipInterpolator, Akima1DInterpolator, CubicSpline with
  // bc_type 'natural' and 'periodic'.
  const std::vector<Known> all{
      {Interpolation::pchip,
       Outside::hold,
       {-0.016, -0.37, 2.4441489361702127, 4.154127659574468, 3.372}},
      {Interpolation::akima, Outside::hold, {-0.124, -0.25, 2.125, 4.402933333333333, 3.3916}},
      {Interpolation::cubic_spline,
       Outside::hold,
       {0.1699272097053724, -0.38339341421143847, 2.2990142980935877, 4.441906412478336,
        3.155261698440209}},
      {Interpolation::cubic_spline,
       Outside::repeat,
       {0.05981818181818173, -0.373081818181818, 2.2790482954545452, 4.452654545454545,
        3.122127272727274}}};
  const std::vector<double> places{-0.6, 0.3, 1.25, 2.2, 3.3};
  for (const Known& known : all) {
    const Table table = Table::make(bump_x, bump_y, known.interpolation, known.outside).value();
    for (std::size_t i = 0; i < places.size(); ++i)
      EXPECT_NEAR(table.at(places[i]).value, known.values[i], 1e-14) << places[i];
  }
}

TEST(Table, PchipNeverOvershoots) {
  // A road with a bump: the spline dips before it, pchip does not.
  const std::vector<double> x{-100, -1, 3, 4, 4.2, 4.4, 4.6, 4.8, 5, 5.2, 6, 7, 200};
  const std::vector<double> h{0, 0, 0, 0, 0.02, 0.06, 0.08, 0.06, 0.02, 0, 0, 0, 0};
  const Table pchip = made(x, h, Interpolation::pchip);
  double lowest_of_spline = 0;
  for (double at = -100; at < 200; at += 0.01) {
    const auto next =
        static_cast<std::size_t>(std::upper_bound(x.begin(), x.end(), at) - x.begin());
    EXPECT_GE(pchip.at(at).value, std::min(h[next - 1], h[next]) - 1e-15) << at;
    EXPECT_LE(pchip.at(at).value, std::max(h[next - 1], h[next]) + 1e-15) << at;
    lowest_of_spline =
        std::min(lowest_of_spline, made(x, h, Interpolation::cubic_spline).at(at).value);
  }
  EXPECT_LT(lowest_of_spline, -0.005);
}

TEST(Table, PiecesHaveTheContinuityTheyClaim) {
  constexpr double near = 1e-9;
  for (const Interpolation kind : {Interpolation::linear, Interpolation::pchip,
                                   Interpolation::akima, Interpolation::cubic_spline})
    for (const Outside outside : {Outside::extend, Outside::repeat}) {
      const Table table = Table::make(bump_x, bump_y, kind, outside).value();
      for (const double x : bump_x) {
        const TimeJet left = table.at(x - near), right = table.at(x + near);
        EXPECT_NEAR(left.value, right.value, 1e-7) << x;
        const int continuous = table.continuous_derivatives();
        EXPECT_NEAR(continuous > 0 ? left.d1 : 0, continuous > 0 ? right.d1 : 0, 1e-6) << x;
        EXPECT_NEAR(continuous > 1 ? left.d2 : 0, continuous > 1 ? right.d2 : 0, 1e-6) << x;
      }
    }
}

TEST(Table, OutsideItHoldsRepeatsOrHasNoValue) {
  for (const Interpolation kind : {Interpolation::linear, Interpolation::pchip,
                                   Interpolation::akima, Interpolation::cubic_spline}) {
    const Table held = Table::make(bump_x, bump_y, kind, Outside::hold).value();
    EXPECT_EQ(held.at(-7).value, 2);
    EXPECT_EQ(held.at(9).value, 2);
    EXPECT_EQ(held.at(9).d1, 0);
    EXPECT_NE(held.at(3.5).d1, 0) << "at the last point it is still inside";
    EXPECT_TRUE(held.holds_at(9));
    EXPECT_FALSE(held.holds_at(3.5));
    const Table again = Table::make(bump_x, bump_y, kind, Outside::repeat).value();
    for (const double x : {-0.9, 0.1, 1.7, 3.3})
      for (const double periods : {-2.0, 1.0, 5.0}) {
        EXPECT_NEAR(again.at(x + 4.5 * periods).value, again.at(x).value, 1e-13);
        EXPECT_NEAR(again.at(x + 4.5 * periods).d1, again.at(x).d1, 1e-12);
      }
    const Table none = Table::make(bump_x, bump_y, kind, Outside::error).value();
    EXPECT_TRUE(std::isnan(none.at(-1.001).value));
    EXPECT_TRUE(std::isnan(none.at(3.501).value));
    EXPECT_EQ(none.at(3.5).value, 2);
  }
}

/// What a step must not pass over: the enclosure over any stretch holds every value and derivative
/// in it, and derivatives it bounds do not jump.
TEST(Table, EnclosuresHoldWhatTheyEnclose) {
  for (const Interpolation kind : {Interpolation::linear, Interpolation::pchip,
                                   Interpolation::akima, Interpolation::cubic_spline})
    for (const Outside outside : {Outside::hold, Outside::extend, Outside::repeat}) {
      const Table table = Table::make(bump_x, bump_y, kind, outside).value();
      for (double a = -12; a < 12; a += 0.37)
        for (const double width : {0.0, 0.01, 0.3, 1.1, 4.0, 6.0}) {
          const Taylor over = table.enclose(Taylor::time(a, a + width, 3));
          for (double x = a; x <= a + width; x += std::max(width / 20, 1e-3)) {
            const TimeJet f = table.at(x);
            EXPECT_TRUE(over.c[0].contains(f.value)) << a << " " << width << " " << x;
            EXPECT_TRUE(over.c[1].contains(f.d1)) << a << " " << width << " " << x;
            EXPECT_TRUE(over.c[2].contains(f.d2 / 2)) << a << " " << width << " " << x;
          }
        }
    }
}

TEST(Table, ThatRepeatsMustEndWhereItBegins) {
  const auto fault =
      Table::make({0, 1, 2}, {0, 1, 3}, Interpolation::pchip, Outside::repeat).error();
  EXPECT_NE(fault.message.find("begins with 0 but ends with 3"), std::string::npos);
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
