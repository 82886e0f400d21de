#pragma once
/// One plot as an SVG document: several curves over linear or logarithmic axes, with ticks at round
/// numbers, a grid and a legend. Points that are not finite, or not positive on a logarithmic axis,
/// interrupt their curve.

#include <string>
#include <vector>

namespace kardan {

enum class AxisScale { linear, logarithmic };

struct PlotAxis {
  std::string label;  ///< with its unit: "t [s]"
  AxisScale scale = AxisScale::linear;
};

enum class PlotMark { line, line_and_points, points };

struct PlotSeries {
  std::string name;
  std::vector<double> x, y;
  PlotMark mark = PlotMark::line;
};

struct Plot {
  std::string title;
  PlotAxis x, y;
  std::vector<PlotSeries> series;
  int width = 720, height = 440;  ///< [px]
};

/// Round numbers that cover [low, high]: multiples of 1, 2 or 5 times a power of ten, or the powers
/// of ten on a logarithmic axis.
[[nodiscard]] std::vector<double> axis_ticks(double low, double high, AxisScale scale);

/// The plot as an SVG document.
[[nodiscard]] std::string to_svg(const Plot& plot);
/// Several plots side by side in one document.
[[nodiscard]] std::string to_svg(const std::vector<Plot>& plots);

}  // namespace kardan
