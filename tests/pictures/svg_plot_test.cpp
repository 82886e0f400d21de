#include "apps/pictures/svg_plot.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace kardan {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

int count(const std::string& text, const std::string& what) {
  int n = 0;
  for (std::size_t i = text.find(what); i != std::string::npos; i = text.find(what, i + 1)) ++n;
  return n;
}

TEST(AxisTicks, AreRoundAndCoverTheRange) {
  EXPECT_THAT(axis_ticks(0, 1, AxisScale::linear),
              ElementsAre(0, 0.2, 0.4, testing::DoubleEq(0.6), 0.8, 1));
  EXPECT_THAT(axis_ticks(3.69, 6.28, AxisScale::linear), ElementsAre(3.5, 4, 4.5, 5, 5.5, 6, 6.5));
  EXPECT_THAT(axis_ticks(3e-4, 0.2, AxisScale::logarithmic),
              ElementsAre(1e-4, 1e-3, 1e-2, 1e-1, 1));
}

TEST(AxisTicks, AreFewForAnyRange) {
  for (double size = 1e-12; size < 1e12; size *= 3.7) {
    const auto linear = axis_ticks(-size, 2 * size, AxisScale::linear);
    EXPECT_GE(linear.size(), 3u) << size;
    EXPECT_LE(linear.size(), 12u) << size;
    EXPECT_LE(axis_ticks(1e-13, size, AxisScale::logarithmic).size(), 12u) << size;
  }
}

Plot plot(std::vector<double> x, std::vector<double> y) {
  return {.title = "a < b & c",
          .x = {.label = "t [s]"},
          .y = {.label = "error", .scale = AxisScale::logarithmic},
          .series = {{"first", x, y, PlotMark::line_and_points}, {"second", x, y, PlotMark::line}}};
}

TEST(SvgPlot, HasTitleLabelsAndLegend) {
  const std::string svg = to_svg(plot({0, 1, 2}, {1, 0.1, 0.01}));
  for (const char* text : {"a &lt; b &amp; c", "t [s]", "error", "first", "second", "1e-02"})
    EXPECT_THAT(svg, HasSubstr(text));
  EXPECT_EQ(count(svg, "<circle"), 3);
  EXPECT_EQ(count(svg, "<svg"), 1);
  EXPECT_EQ(count(svg, "</svg>"), 1);
}

TEST(SvgPlot, InterruptsACurveWhereThereIsNoValue) {
  const double nan = std::nan("");
  const std::string svg = to_svg(plot({0, 1, 2, 3, 4}, {1, 0.1, nan, 0.1, 0.0}));
  EXPECT_THAT(svg, Not(HasSubstr("nan")));
  EXPECT_THAT(svg, Not(HasSubstr("inf")));
  EXPECT_EQ(count(svg, "<circle"), 3);
}

TEST(SvgPlot, ShowsNothingAtAllWithoutFailing) {
  const double inf = std::numeric_limits<double>::infinity();
  for (const std::vector<double>& y : {std::vector<double>{}, {0.0, 0.0}, {inf, inf}, {5.0, 5.0}}) {
    Plot p = plot(std::vector<double>(y.size(), 1.0), y);
    for (AxisScale scale : {AxisScale::linear, AxisScale::logarithmic}) {
      p.y.scale = scale;
      const std::string svg = to_svg(p);
      EXPECT_THAT(svg, Not(HasSubstr("nan")));
      EXPECT_THAT(svg, HasSubstr("</svg>"));
    }
  }
}

}  // namespace
}  // namespace kardan
