#include "kardan/base/table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <optional>
#include <utility>

#include "kardan/base/table_slopes.h"

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

}  // namespace

Table::Table(Data data) : data_(std::make_shared<const Data>(std::move(data))) {}

std::vector<Table::Segment> Table::make_segments(const std::vector<double>& x,
                                                 const std::vector<double>& y,
                                                 Interpolation interpolation, Outside outside) {
  const std::size_t last = x.size() - 1;
  std::vector<Segment> segments(x.size() + 1);
  const bool periodic = outside == Outside::repeat;
  if (interpolation == Interpolation::pchip || interpolation == Interpolation::akima) {
    const std::vector<double> slope = interpolation == Interpolation::pchip
                                          ? table_slopes::pchip(x, y, periodic)
                                          : table_slopes::akima(x, y, periodic);
    for (std::size_t i = 0; i < last; ++i) {
      const double h = x[i + 1] - x[i], secant = (y[i + 1] - y[i]) / h;
      segments[i + 1] = {x[i], y[i], slope[i], (3 * secant - 2 * slope[i] - slope[i + 1]) / h,
                         (slope[i] + slope[i + 1] - 2 * secant) / (h * h)};
    }
  } else {
    const std::vector<double> curvature = interpolation == Interpolation::linear
                                              ? std::vector<double>(x.size(), 0.0)
                                          : periodic ? table_slopes::periodic_curvature(x, y)
                                                     : table_slopes::natural_curvature(x, y);
    for (std::size_t i = 0; i < last; ++i) {
      const double h = x[i + 1] - x[i];
      const double c1 = (y[i + 1] - y[i]) / h - h * (2.0 * curvature[i] + curvature[i + 1]) / 6.0;
      const double c3 = (curvature[i + 1] - curvature[i]) / (6.0 * h);
      segments[i + 1] = {x[i], y[i], c1, 0.5 * curvature[i], c3};
    }
  }
  const double unknown = std::numeric_limits<double>::quiet_NaN();
  const double h = x[last] - x[last - 1];
  const Segment& end = segments[last];
  const double end_slope = end.c1 + h * (2.0 * end.c2 + 3.0 * h * end.c3);
  const bool extends = outside == Outside::extend;
  segments[0] = {x[0], y[0], extends ? segments[1].c1 : 0.0, 0.0, 0.0};
  segments[last + 1] = {x[last], y[last], extends ? end_slope : 0.0, 0.0, 0.0};
  if (outside == Outside::error) segments[0].c0 = segments[last + 1].c0 = unknown;
  return segments;
}

Expected<Table, TableError> Table::make(std::vector<double> x, std::vector<double> y,
                                        Interpolation interpolation, Outside outside) {
  if (std::optional<TableError> fault = find_fault(x, y)) return *std::move(fault);
  if (outside == Outside::repeat && y.front() != y.back())
    return TableError{
        fmt::format("it repeats, and begins with {} but ends with {}", y.front(), y.back()),
        static_cast<int>(y.size()) - 1,
        "let the last point have the value of the first: it is where the next period "
        "begins"};
  std::vector<Segment> segments = make_segments(x, y, interpolation, outside);
  for (std::size_t i = 0; i < segments.size(); ++i) {
    const Segment& s = segments[i];
    if (!std::isfinite(s.c1) || !std::isfinite(s.c2) || !std::isfinite(s.c3)) {
      const int index = static_cast<int>(i > 0 ? i - 1 : 0);
      return TableError{fmt::format("the slope after point {} overflows", index), index,
                        "the points are too close in x or too far in y"};
    }
  }
  return Table(Data{std::move(x), std::move(y), interpolation, outside, std::move(segments)});
}

int Table::continuous_derivatives() const {
  switch (data_->interpolation) {
    case Interpolation::linear:
      return 0;
    case Interpolation::pchip:
    case Interpolation::akima:
      return 1;
    case Interpolation::cubic_spline:
      break;
  }
  return 2;
}

std::size_t Table::piece(double x) const {
  const std::vector<double>& grid = data_->x;
  const auto i =
      static_cast<std::size_t>(std::upper_bound(grid.begin(), grid.end(), x) - grid.begin());
  return x == grid.back() ? i - 1 : i;
}

int Table::continuous_at(std::size_t i) const {
  const std::size_t last = data_->segments.size() - 1;
  if (i > 1 && i < last) return continuous_derivatives();
  switch (data_->outside) {
    case Outside::extend:
    case Outside::repeat:
      return continuous_derivatives();
    case Outside::error:
      return -1;
    case Outside::hold:
      break;
  }
  // Flat at its end, a table goes on as it is held.
  const Segment& s = data_->segments[i == 1 ? 1 : last - 1];
  const double u = i == 1 ? 0.0 : data_->x.back() - s.origin;
  return s.c1 + u * (2 * s.c2 + 3 * u * s.c3) == 0 ? std::max(1, continuous_derivatives()) : 0;
}

TimeJet Table::at(double x) const {
  if (data_->outside == Outside::repeat && (x < data_->x.front() || x > data_->x.back()))
    x -= period() * std::floor((x - data_->x.front()) / period());
  const Segment& s = data_->segments[piece(x)];
  const double u = x - s.origin;
  TimeJet jet{s.c0 + u * (s.c1 + u * (s.c2 + u * s.c3)), s.c1 + u * (2.0 * s.c2 + u * (3.0 * s.c3)),
              2.0 * s.c2 + u * (6.0 * s.c3), 6.0 * s.c3};
  if (x == data_->x.back()) jet.value = data_->y.back();  // not as a piece rounds it
  return jet;
}

}  // namespace kardan
