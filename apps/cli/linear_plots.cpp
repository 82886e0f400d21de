#include "apps/cli/linear_plots.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "apps/pictures/html_page.h"
#include "kardan/integrate/linear_responses.h"

namespace kardan::cli {
namespace {

constexpr int frequencies_shown = 400, steps_shown = 400;

/// Phases [deg] that follow each other without jumps of a turn.
void follow(double& phase, double before) {
  if (std::isfinite(before)) phase -= 360 * std::round((phase - before) / 360);
}

std::string per(const std::string& unit) {
  return unit.empty() ? "1" : unit;
}

/// A decade around what the model has between its slowest and its fastest motion, at most six.
std::vector<double> telling_frequencies(const Linearization& l, int count) {
  double low = std::numeric_limits<double>::infinity(), high = 0;
  for (const Mode& m : l.modes.modes) {
    if (m.zero) continue;
    low = std::min(low, std::abs(m.value));
    high = std::max(high, std::abs(m.value));
  }
  if (high == 0) low = high = 1;
  constexpr double decade = 10, widest = 1e6;
  low /= decade;
  high = std::min(high * decade, low * widest);
  std::vector<double> out;
  for (int i = 0; i < count; ++i)
    out.push_back(low * std::pow(high / low, static_cast<double>(i) / (count - 1)));
  return out;
}

/// [s] In which the slowest motion decays, or the fastest grows.
double telling_time(const Linearization& l) {
  double slowest = std::numeric_limits<double>::infinity(), growth = 0, turning = 0;
  for (const Mode& m : l.modes.modes) {
    if (m.zero) continue;
    if (m.value.real() < 0) slowest = std::min(slowest, -m.value.real());
    growth = std::max(growth, m.value.real());
    turning = std::max(turning, std::abs(m.value));
  }
  // Rounding makes a damping of what has none.
  constexpr double lifetimes = 5, growths = 3, turns = 60, undamped = 1e-9;
  if (growth > undamped * turning) return growths / growth;
  if (std::isfinite(slowest) && slowest > undamped * turning) return lifetimes / slowest;
  return turning > 0 ? turns / turning : 1;
}

}  // namespace

std::vector<Plot> linear_plots(const Linearization& l) {
  const Channels& c = l.channels;
  std::vector<Plot> out;
  if (c.inputs.empty() || c.outputs.empty()) return out;
  const std::vector<double> w = telling_frequencies(l, frequencies_shown);
  const FrequencyResponse g = frequency_response({l.modes.A, c.B, c.C, c.D}, w);
  const double t_end = telling_time(l);
  const StepResponse s = step_response({l.modes.A, c.B, c.C, c.D}, t_end, steps_shown);
  for (std::size_t k = 0; k < c.inputs.size(); ++k) {
    Plot gain, phase, step;
    gain.title = "gain from " + c.inputs[k];
    gain.x = {"frequency [Hz]", AxisScale::logarithmic};
    gain.y = {fmt::format("output by {}", per(c.input_units[k])), AxisScale::logarithmic};
    phase.title = "phase from " + c.inputs[k];
    phase.x = gain.x;
    phase.y = {"phase [deg]"};
    step.title = fmt::format("after a step of 1 {} in {}", per(c.input_units[k]), c.inputs[k]);
    step.x = {"t [s]"};
    step.y = {"change"};
    for (std::size_t o = 0; o < c.outputs.size(); ++o) {
      const std::string label = fmt::format("{} [{}]", c.outputs[o], per(c.output_units[o]));
      PlotSeries size{label, {}, {}}, angle{label, {}, {}}, course{label, {}, {}};
      double before = NAN;
      for (std::size_t i = 0; i < w.size(); ++i) {
        const double f = w[i] / (2 * std::numbers::pi);
        size.x.push_back(f);
        size.y.push_back(std::abs(g[i][o][k]));
        double degrees = std::arg(g[i][o][k]) * 180 / std::numbers::pi;
        follow(degrees, before);
        angle.x.push_back(f);
        angle.y.push_back(before = degrees);
      }
      for (std::size_t i = 0; i < s.size(); ++i) {
        course.x.push_back(t_end * static_cast<double>(i) / steps_shown);
        course.y.push_back(s[i][o][k]);
      }
      gain.series.push_back(std::move(size));
      phase.series.push_back(std::move(angle));
      step.series.push_back(std::move(course));
    }
    for (Plot* plot : {&gain, &phase, &step}) out.push_back(std::move(*plot));
  }
  return out;
}

std::string linear_page(const std::string& title, const Linearization& l) {
  std::string body = fmt::format("<h1>{}: small motions</h1>\n", html_text(title));
  for (const std::string& remark : l.remarks)
    body += fmt::format("<p class=\"differs\">{}</p>\n", html_text(remark));
  body +=
      "<div class=\"scroll\"><table><tr><th class=\"n\">real [1/s]</th><th class=\"n\">imaginary "
      "[1/s]</th><th class=\"n\">frequency [Hz]</th><th class=\"n\">damping</th></tr>\n";
  for (const Mode& m : l.modes.modes)
    if (!m.zero && m.value.imag() >= 0)
      body += fmt::format(
          "<tr><td class=\"n\">{:.8g}</td><td class=\"n\">{:.8g}</td><td class=\"n\">{:.6g}</td>"
          "<td class=\"n\">{:.4g}</td></tr>\n",
          m.value.real(), m.value.imag(), m.frequency, m.damping_ratio);
  body += "</table></div>\n";
  for (const Plot& plot : linear_plots(l)) body += html_figure(to_svg(plot), plot.title);
  return html_page(title + ": small motions", body);
}

}  // namespace kardan::cli
