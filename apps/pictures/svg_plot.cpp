#include "apps/pictures/svg_plot.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>

#include "apps/pictures/html_page.h"

namespace kardan {
namespace {

/// Okabe & Ito: which colour-blind readers distinguish too.
constexpr const char* colors[] = {"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                  "#e69f00", "#56b4e9", "#000000"};
constexpr double left = 76, right = 26, top = 40, bottom = 52;  // [px] around the plotting area
constexpr double legend_line = 18;                              // [px]

struct Range {
  double low = std::numeric_limits<double>::infinity(), high = -low;
  void include(double v) {
    low = std::min(low, v);
    high = std::max(high, v);
  }
};

/// Maps values of an axis to pixels.
class Scale {
 public:
  Scale(const PlotAxis& axis, Range range, double from, double to)
      : logarithmic_(axis.scale == AxisScale::logarithmic), from_(from), to_(to) {
    if (!(range.low <= range.high)) range = logarithmic_ ? Range{0.1, 1} : Range{0, 1};
    if (range.low == range.high) {
      const double size = range.low == 0 ? 1 : std::abs(range.low);
      range = logarithmic_ ? Range{range.low / 2, range.high * 2}
                           : Range{range.low - 0.5 * size, range.high + 0.5 * size};
    }
    ticks_ = axis_ticks(range.low, range.high, axis.scale);
    low_ = value(std::min(range.low, ticks_.front()));
    high_ = value(std::max(range.high, ticks_.back()));
  }
  bool shows(double v) const { return std::isfinite(v) && (!logarithmic_ || v > 0); }
  double operator()(double v) const {
    return from_ + (value(v) - low_) / (high_ - low_) * (to_ - from_);
  }
  const std::vector<double>& ticks() const { return ticks_; }
  std::string label(double tick) const {
    if (logarithmic_) return fmt::format("{:.0e}", tick);
    const double step = ticks_.size() > 1 ? ticks_[1] - ticks_[0] : 1;
    return fmt::format("{:.6g}", std::abs(tick) < 1e-9 * step ? 0.0 : tick);
  }

 private:
  double value(double v) const { return logarithmic_ ? std::log10(v) : v; }
  bool logarithmic_;
  double from_, to_, low_ = 0, high_ = 1;
  std::vector<double> ticks_;
};

class Writer {
 public:
  explicit Writer(const Plot& plot)
      : plot_(plot),
        x_(plot.x, range(plot, plot.x, &PlotSeries::x), left, plot.width - right),
        y_(plot.y, range(plot, plot.y, &PlotSeries::y), plot.height - bottom, top) {}

  void write(std::string& out) {
    axes(out);
    for (std::size_t i = 0; i < plot_.series.size(); ++i)
      curve(plot_.series[i], colors[i % std::size(colors)], out);
    legend(out);
  }

 private:
  static Range range(const Plot& plot, const PlotAxis& axis, std::vector<double> PlotSeries::*of) {
    Range r;
    for (const PlotSeries& s : plot.series)
      for (double v : s.*of)
        if (std::isfinite(v) && (axis.scale == AxisScale::linear || v > 0)) r.include(v);
    return r;
  }

  void axes(std::string& out) const {
    auto to = std::back_inserter(out);
    const double x0 = left, x1 = plot_.width - right, y0 = plot_.height - bottom, y1 = top;
    fmt::format_to(to, "<text class=\"title\" x=\"{:.1f}\" y=\"24\">{}</text>\n", left,
                   html_text(plot_.title));
    for (double t : x_.ticks()) {
      fmt::format_to(to, "<path class=\"grid\" d=\"M{:.1f} {:.1f}V{:.1f}\"/>", x_(t), y0, y1);
      fmt::format_to(to, "<text class=\"middle\" x=\"{:.1f}\" y=\"{:.1f}\">{}</text>\n", x_(t),
                     y0 + 18, x_.label(t));
    }
    for (double t : y_.ticks()) {
      fmt::format_to(to, "<path class=\"grid\" d=\"M{:.1f} {:.1f}H{:.1f}\"/>", x0, y_(t), x1);
      fmt::format_to(to, "<text class=\"end\" x=\"{:.1f}\" y=\"{:.1f}\">{}</text>\n", x0 - 8,
                     y_(t) + 4, y_.label(t));
    }
    fmt::format_to(to, "<path class=\"axis\" d=\"M{:.1f} {:.1f}V{:.1f}H{:.1f}\"/>\n", x0, y1, y0,
                   x1);
    fmt::format_to(to, "<text class=\"middle\" x=\"{:.1f}\" y=\"{:.1f}\">{}</text>\n",
                   (x0 + x1) / 2, y0 + 40, html_text(plot_.x.label));
    fmt::format_to(
        to, "<text class=\"middle\" transform=\"translate(18 {:.1f}) rotate(-90)\">{}</text>\n",
        (y0 + y1) / 2, html_text(plot_.y.label));
  }

  void curve(const PlotSeries& s, const char* color, std::string& out) const {
    auto to = std::back_inserter(out);
    const std::size_t n = std::min(s.x.size(), s.y.size());
    if (s.mark != PlotMark::points) {
      fmt::format_to(to, "<path class=\"curve\" stroke=\"{}\" d=\"", color);
      bool drawing = false;
      for (std::size_t i = 0; i < n; ++i) {
        const bool shown = x_.shows(s.x[i]) && y_.shows(s.y[i]);
        if (shown)
          fmt::format_to(to, "{}{:.2f} {:.2f}", drawing ? 'L' : 'M', x_(s.x[i]), y_(s.y[i]));
        drawing = shown;
      }
      out += "\"/>\n";
    }
    if (s.mark == PlotMark::line) return;
    for (std::size_t i = 0; i < n; ++i)
      if (x_.shows(s.x[i]) && y_.shows(s.y[i]))
        fmt::format_to(to, "<circle cx=\"{:.2f}\" cy=\"{:.2f}\" r=\"2.6\" fill=\"{}\"/>\n",
                       x_(s.x[i]), y_(s.y[i]), color);
  }

  /// How much of the curves lies in a box: points along them, eight to a segment.
  int covered(double x, double y, double width, double height) const {
    int count = 0;
    for (const PlotSeries& s : plot_.series)
      for (std::size_t i = 1; i < s.x.size(); ++i)
        for (int k = 0; k <= 8; ++k) {
          const double at = k / 8.0;
          const double px = (1 - at) * x_(s.x[i - 1]) + at * x_(s.x[i]);
          const double py = (1 - at) * y_(s.y[i - 1]) + at * y_(s.y[i]);
          if (px > x && px < x + width && py > y && py < y + height) ++count;
        }
    return count;
  }

  /// In the corner where it covers the least, on a background that keeps it readable over curves.
  void legend(std::string& out) const {
    if (plot_.series.size() < 2) return;
    auto to = std::back_inserter(out);
    std::size_t longest = 0;
    for (const PlotSeries& s : plot_.series) longest = std::max(longest, s.name.size());
    const double width = 44 + 7.0 * static_cast<double>(longest);
    const double height = legend_line * static_cast<double>(plot_.series.size()) + 8;
    const double far_x = plot_.width - right - width - 6,
                 far_y = plot_.height - bottom - height - 6;
    double x = far_x, y = top + 6;
    int least = covered(x, y, width, height);
    for (const auto& [corner_x, corner_y] :
         {std::pair{left + 6, top + 6}, {far_x, far_y}, {left + 6, far_y}})
      if (const int here = covered(corner_x, corner_y, width, height); here < least) {
        least = here;
        x = corner_x;
        y = corner_y;
      }
    fmt::format_to(
        to, "<rect class=\"legend\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\"/>",
        x, y, width, height);
    for (std::size_t i = 0; i < plot_.series.size(); ++i) {
      y += legend_line;
      fmt::format_to(to,
                     "<path class=\"curve\" stroke=\"{}\" d=\"M{:.1f} {:.1f}h22\"/><text "
                     "x=\"{:.1f}\" y=\"{:.1f}\">{}</text>\n",
                     colors[i % std::size(colors)], x + 8, y - 4, x + 36, y,
                     html_text(plot_.series[i].name));
    }
  }

  const Plot& plot_;
  Scale x_, y_;
};

}  // namespace

std::vector<double> axis_ticks(double low, double high, AxisScale scale) {
  std::vector<double> ticks;
  if (scale == AxisScale::logarithmic) {
    const int from = static_cast<int>(std::floor(std::log10(low) + 1e-9));
    const int to = static_cast<int>(std::ceil(std::log10(high) - 1e-9));
    const int step = std::max(1, (to - from + 7) / 8);
    for (int k = from; k < to + step; k += step) ticks.push_back(std::pow(10.0, k));
    return ticks;
  }
  constexpr double wanted = 6;  // intervals, about
  const double rough = (high - low) / wanted;
  const double power = std::pow(10.0, std::floor(std::log10(rough)));
  const double digit = rough / power;
  const double step = power * (digit < 1.5 ? 1 : digit < 3.5 ? 2 : digit < 7.5 ? 5 : 10);
  const double first = std::floor(low / step + 1e-9), last = std::ceil(high / step - 1e-9);
  for (double k = first; k <= last; ++k) ticks.push_back(k * step);
  return ticks;
}

std::string to_svg(const std::vector<Plot>& plots) {
  int width = 0, height = 0;
  for (const Plot& p : plots) {
    width += p.width;
    height = std::max(height, p.height);
  }
  std::string out;
  auto to = std::back_inserter(out);
  fmt::format_to(to,
                 "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" "
                 "viewBox=\"0 0 {0} {1}\">\n<metadata>Kardan</metadata>\n",
                 width, height);
  out +=
      "<style>text{font:12px system-ui,sans-serif;fill:#222}.title{font-size:15px;font-weight:600}"
      ".middle{text-anchor:middle}.end{text-anchor:end}.grid{stroke:#e4e4e4;fill:none}"
      ".axis{stroke:#444;fill:none}.curve{fill:none;stroke-width:1.7;stroke-linejoin:round}"
      ".legend{fill:#fff;fill-opacity:.85;stroke:#ddd}</style>\n"
      "<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n";
  int x = 0;
  for (const Plot& p : plots) {
    fmt::format_to(to, "<g transform=\"translate({} 0)\">\n", x);
    Writer(p).write(out);
    out += "</g>\n";
    x += p.width;
  }
  out += "</svg>\n";
  return out;
}

std::string to_svg(const Plot& plot) {
  return to_svg(std::vector<Plot>{plot});
}

}  // namespace kardan
