#include "kardan/base/table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <utility>

namespace kardan {
namespace {

std::optional<TableError> find_fault(const std::vector<double>& x, const std::vector<double>& y) {
  if (x.size() != y.size()) {
    return TableError{
        fmt::format("{} x values but {} y values; wanted as many of both", x.size(), y.size()), -1,
        "give one y for every x"};
  }
  if (x.size() < 2) {
    return TableError{
        fmt::format("{} point{}; wanted at least 2", x.size(), x.size() == 1 ? "" : "s"), -1,
        "use a constant where nothing varies"};
  }
  for (std::size_t i = 0; i < x.size(); ++i) {
    const int index = static_cast<int>(i);
    if (!std::isfinite(x[i]) || !std::isfinite(y[i])) {
      return TableError{fmt::format("point {} is ({}, {}); wanted finite numbers", i, x[i], y[i]),
                        index, "remove or correct the point"};
    }
    if (i > 0 && x[i] <= x[i - 1]) {
      return TableError{fmt::format("x[{}] = {} does not exceed x[{}] = {}; wanted strictly "
                                    "increasing x",
                                    i, x[i], i - 1, x[i - 1]),
                        index, "sort the points by x and remove duplicates"};
    }
  }
  return std::nullopt;
}

/// y''_i of the natural cubic spline, h_i = x_{i+1} - x_i (Stoer & Bulirsch, section 2.4):
///   h_{i-1} y''_{i-1} + 2 (h_{i-1} + h_i) y''_i + h_i y''_{i+1}
///       = 6 ((y_{i+1} - y_i)/h_i - (y_i - y_{i-1})/h_{i-1}),     y''_0 = y''_n = 0,
/// diagonally dominant, so elimination needs no pivots.
std::vector<double> natural_curvature(const std::vector<double>& x, const std::vector<double>& y) {
  const std::size_t n = x.size();
  std::vector<double> curvature(n, 0.0), upper(n, 0.0);
  for (std::size_t i = 1; i + 1 < n; ++i) {
    const double h_left = x[i] - x[i - 1], h = x[i + 1] - x[i];
    const double right_side = 6.0 * ((y[i + 1] - y[i]) / h - (y[i] - y[i - 1]) / h_left);
    const double pivot = 2.0 * (h_left + h) - h_left * upper[i - 1];
    upper[i] = h / pivot;
    curvature[i] = (right_side - h_left * curvature[i - 1]) / pivot;
  }
  for (std::size_t i = n - 1; i-- > 1;) curvature[i] -= upper[i] * curvature[i + 1];
  return curvature;
}

}  // namespace

Table::Table(Data data) : data_(std::make_shared<const Data>(std::move(data))) {}

std::vector<Table::Segment> Table::make_segments(const std::vector<double>& x,
                                                 const std::vector<double>& y,
                                                 const std::vector<double>& curvature) {
  const std::size_t last = x.size() - 1;
  std::vector<Segment> segments(x.size() + 1);
  for (std::size_t i = 0; i < last; ++i) {
    const double h = x[i + 1] - x[i];
    const double c1 = (y[i + 1] - y[i]) / h - h * (2.0 * curvature[i] + curvature[i + 1]) / 6.0;
    const double c3 = (curvature[i + 1] - curvature[i]) / (6.0 * h);
    segments[i + 1] = {x[i], y[i], c1, 0.5 * curvature[i], c3};
  }
  segments[0] = {x[0], y[0], segments[1].c1, 0.0, 0.0};
  const double h = x[last] - x[last - 1];
  const Segment& end = segments[last];
  const double end_slope = end.c1 + h * (2.0 * end.c2 + 3.0 * h * end.c3);
  segments[last + 1] = {x[last], y[last], end_slope, 0.0, 0.0};
  return segments;
}

Expected<Table, TableError> Table::make(std::vector<double> x, std::vector<double> y,
                                        Interpolation interpolation) {
  if (std::optional<TableError> fault = find_fault(x, y)) return *std::move(fault);
  const std::vector<double> curvature = interpolation == Interpolation::linear
                                            ? std::vector<double>(x.size(), 0.0)
                                            : natural_curvature(x, y);
  std::vector<Segment> segments = make_segments(x, y, curvature);
  for (std::size_t i = 0; i < segments.size(); ++i) {
    const Segment& s = segments[i];
    if (!std::isfinite(s.c1) || !std::isfinite(s.c2) || !std::isfinite(s.c3)) {
      const int index = static_cast<int>(i > 0 ? i - 1 : 0);
      return TableError{fmt::format("the slope after point {} overflows", index), index,
                        "the points are too close in x or too far in y"};
    }
  }
  return Table(Data{std::move(x), std::move(y), interpolation, std::move(segments)});
}

TimeJet Table::at(double x) const {
  const std::vector<double>& grid = data_->x;
  const auto next = std::upper_bound(grid.begin(), grid.end(), x);
  const Segment& s = data_->segments[static_cast<std::size_t>(next - grid.begin())];
  const double u = x - s.origin;
  return {s.c0 + u * (s.c1 + u * (s.c2 + u * s.c3)), s.c1 + u * (2.0 * s.c2 + u * (3.0 * s.c3)),
          2.0 * s.c2 + u * (6.0 * s.c3), 6.0 * s.c3};
}

}  // namespace kardan
