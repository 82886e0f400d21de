#include "apps/cli/compare_results.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "apps/cli/command.h"
#include "apps/cli/print.h"
#include "apps/pictures/html_page.h"
#include "apps/pictures/svg_plot.h"
#include "kardan/base/text.h"
#include "kardan/io/output_file.h"
#include "kardan/io/output_guard.h"

namespace kardan::cli {
namespace {

constexpr std::size_t most_lines = 20, most_plots = 12, most_names = 5;

/// The values of a result at any time between its first and its last row.
class Rows {
 public:
  explicit Rows(const Trajectory& t) : t_(t) {}

  /// Weights of rows from `first` on.
  struct Place {
    std::size_t first = 0;
    std::vector<double> weights;
  };
  Place at(double t) const {
    const std::vector<double>& times = t_.times;
    const double span = std::abs(times.back()) + std::abs(times.front());
    constexpr double same = 1e-12;
    const auto behind = std::lower_bound(times.begin(), times.end(), t - same * span);
    const auto k = static_cast<std::size_t>(behind - times.begin());
    if (k < times.size() && std::abs(times[k] - t) <= same * span) return {k, {1.0}};
    const std::size_t count = std::min<std::size_t>(4, times.size());
    const std::size_t first = std::min(k >= 2 ? k - 2 : 0, times.size() - count);
    Place out{first, std::vector<double>(count, 1.0)};
    for (std::size_t i = 0; i < count; ++i)
      for (std::size_t j = 0; j < count; ++j)
        if (i != j)
          out.weights[i] *= (t - times[first + j]) / (times[first + i] - times[first + j]);
    return out;
  }
  double value(const Place& place, std::size_t column) const {
    double sum = 0;
    for (std::size_t i = 0; i < place.weights.size(); ++i)
      sum += place.weights[i] * t_.rows[place.first + i][column];
    return sum;
  }

 private:
  const Trajectory& t_;
};

std::string with_unit(const std::string& name, const std::string& unit) {
  return unit.empty() || unit == "1" ? name : fmt::format("{} [{}]", name, unit);
}

std::string names(const std::vector<std::string>& all) {
  const std::vector<std::string> some(
      all.begin(), all.begin() + static_cast<std::ptrdiff_t>(std::min(all.size(), most_names)));
  return fmt::format(
      "{}{}", fmt::join(some, ", "),
      all.size() > most_names ? fmt::format(" and {} more", all.size() - most_names) : "");
}

void print(const CompareResults& given, const ResultDifferences& d) {
  fmt::print("{:<22}{}\n{:<22}{}\n", "A", given.a, "B", given.b);
  fmt::print("{:<22}{} rows of A from t = {:g} to {:g} s{}\n", "compared", d.rows, d.from, d.to,
             d.interpolated ? "; between rows of B on cubics through four of them" : "");
  if (!d.only_a.empty()) fmt::print("{:<22}{}\n", "only in A", names(d.only_a));
  if (!d.only_b.empty()) fmt::print("{:<22}{}\n", "only in B", names(d.only_b));
  const auto differs = static_cast<std::size_t>(
      std::ranges::count_if(d.columns, [](const ColumnDifference& c) { return c.largest > 0; }));
  fmt::print("{:<22}{} of {}\n\n", "columns that differ", differs, d.columns.size());
  if (differs == 0) return;
  std::size_t width = 20;
  for (std::size_t i = 0; i < std::min(differs, most_lines); ++i)
    width = std::max(width, with_unit(d.columns[i].name, d.columns[i].unit).size());
  fmt::print("{:<{}}  {:>14} {:>12} {:>14}\n", "column", width, "largest", "of its range",
             "at t [s]");
  for (std::size_t i = 0; i < std::min(differs, most_lines); ++i) {
    const ColumnDifference& c = d.columns[i];
    fmt::print("{:<{}}  {:>14.6g} {:>12.2e} {:>14.6g}\n", with_unit(c.name, c.unit), width,
               c.largest, c.share, c.at);
  }
  if (differs > most_lines) fmt::print("{} more differ less\n", differs - most_lines);
}

Json to_json(const CompareResults& given, const ResultDifferences& d) {
  Json out{{"a", given.a},       {"b", given.b},       {"from", d.from},
           {"to", d.to},         {"rows", d.rows},     {"interpolated", d.interpolated},
           {"only_a", d.only_a}, {"only_b", d.only_b}, {"columns", Json::array()}};
  for (const ColumnDifference& c : d.columns)
    out["columns"].push_back({{"name", c.name},
                              {"unit", c.unit},
                              {"largest", c.largest},
                              {"at", c.at},
                              {"range", c.range},
                              {"of_range", c.share}});
  return out;
}

/// The columns that differ most, over each other.
std::vector<Plot> plots(const ReadResult& a, const ReadResult& b, const ResultDifferences& d) {
  std::vector<Plot> out;
  for (const ColumnDifference& c : d.columns) {
    if (c.largest == 0 || out.size() == most_plots) break;
    Plot plot;
    plot.title = c.name;
    plot.x = {"t [s]"};
    plot.y = {with_unit(c.name, c.unit)};
    for (const auto& [label, result, column] :
         {std::tuple("A", &a, c.in_a), std::tuple("B", &b, c.in_b)}) {
      PlotSeries series{label, result->values.times, {}};
      for (const Vector& row : result->values.rows) series.y.push_back(row[column]);
      plot.series.push_back(std::move(series));
    }
    out.push_back(std::move(plot));
  }
  return out;
}

std::string page(const CompareResults& given, const ResultDifferences& d,
                 const std::vector<Plot>& pictures) {
  std::string body = fmt::format(
      "<h1>Two results</h1>\n<p>A: {}<br>B: {}</p>\n<p>{} rows of A from t = {:g} to {:g} "
      "s{}.</p>\n",
      html_text(given.a), html_text(given.b), d.rows, d.from, d.to,
      d.interpolated ? "; between rows of B on cubics through four of them" : "");
  for (const auto& [label, list] : {std::pair("Only in A", &d.only_a), {"Only in B", &d.only_b}})
    if (!list->empty()) body += fmt::format("<p>{}: {}</p>\n", label, html_text(names(*list)));
  body +=
      "<div class=\"scroll\"><table><tr><th>column</th><th class=\"n\">largest</th>"
      "<th class=\"n\">of its range</th><th class=\"n\">at t [s]</th></tr>\n";
  for (const ColumnDifference& c : d.columns)
    if (c.largest > 0)
      body += fmt::format(
          "<tr><td>{}</td><td class=\"n\">{:.6g}</td><td class=\"n\">{:.2e}</td>"
          "<td class=\"n\">{:.6g}</td></tr>\n",
          html_text(with_unit(c.name, c.unit)), c.largest, c.share, c.at);
  body += "</table></div>\n";
  for (const Plot& plot : pictures) body += html_figure(to_svg(plot), plot.title);
  return html_page("Two results", body);
}

}  // namespace

ResultDifferences differences(const ReadResult& a, const ReadResult& b) {
  ResultDifferences out;
  const Trajectory &A = a.values, &B = b.values;
  for (std::size_t i = 0; i < A.names.size(); ++i) {
    const auto found = std::ranges::find(B.names, A.names[i]);
    if (found == B.names.end()) {
      out.only_a.push_back(A.names[i]);
      continue;
    }
    ColumnDifference c;
    c.name = A.names[i];
    c.unit = a.units[i];
    c.in_a = i;
    c.in_b = static_cast<std::size_t>(found - B.names.begin());
    out.columns.push_back(std::move(c));
  }
  for (const std::string& name : B.names)
    if (std::ranges::find(A.names, name) == A.names.end()) out.only_b.push_back(name);
  if (A.times.empty() || B.times.empty()) return out;
  out.from = std::max(A.times.front(), B.times.front());
  out.to = std::min(A.times.back(), B.times.back());
  const Rows rows(B);
  for (std::size_t k = 0; k < A.times.size(); ++k) {
    const double t = A.times[k];
    if (t < out.from || t > out.to) continue;
    ++out.rows;
    const Rows::Place place = rows.at(t);
    out.interpolated = out.interpolated || place.weights.size() > 1;
    for (ColumnDifference& c : out.columns) {
      const double x = A.rows[k][c.in_a], y = rows.value(place, c.in_b);
      // What neither knows does not differ.
      const double difference = std::isnan(x) && std::isnan(y) ? 0 : std::abs(x - y);
      if (difference <= c.largest) continue;
      c.largest = std::isnan(difference) ? INFINITY : difference;
      c.at = t;
    }
  }
  for (ColumnDifference& c : out.columns) {
    double least = INFINITY, greatest = -INFINITY;
    for (const auto& [t, column] : {std::pair(&A, c.in_a), std::pair(&B, c.in_b)})
      for (const Vector& row : t->rows) {
        least = std::fmin(least, row[column]);
        greatest = std::fmax(greatest, row[column]);
      }
    c.range = greatest >= least ? greatest - least : 0;
    c.share = c.largest == 0 ? 0 : c.largest / c.range;
  }
  std::ranges::stable_sort(out.columns, [](const ColumnDifference& x, const ColumnDifference& y) {
    return x.share > y.share;
  });
  return out;
}

int compare_results(const CompareResults& given) {
  Diagnostics faults;
  for (const std::string& path : given.out)
    if (!path.ends_with(".svg") && !path.ends_with(".html"))
      faults.error("output.format", fmt::format("--out {}: no such format", path), {},
                   "wanted a file ending in .svg or .html");
  const auto a = read_result(given.a, faults), b = read_result(given.b, faults);
  std::vector<Output> outputs;
  for (const std::string& path : given.out)
    outputs.push_back(
        {"--out", path, path.ends_with(".svg") ? OutputKind::picture : OutputKind::page});
  const OutputGuard guard({given.a, given.b}, outputs,
                          given.force ? Overwrite::anything : Overwrite::own_files, faults);
  if (print_faults(faults) || !a || !b) return bad_input;
  const ResultDifferences found = differences(*a, *b);
  if (found.columns.empty())
    faults.error("compare.columns", "the two results have no column in common", {given.b},
                 "compare results of the same model, or of models with the same names");
  else if (found.rows == 0)
    faults.error("compare.times", "the two results have no time in common", {given.b},
                 "run both over the same times");
  if (print_faults(faults)) return bad_input;
  if (given.json)
    print_json(to_json(given, found));
  else if (!given.quiet)
    print(given, found);
  const std::vector<Plot> pictures = given.out.empty() ? std::vector<Plot>() : plots(*a, *b, found);
  for (const std::string& path : given.out)
    write_file(path, path.ends_with(".svg") ? to_svg(pictures) : page(given, found, pictures));
  if (!given.json && !given.quiet)
    for (const std::string& path : given.out) fmt::print("wrote {}\n", path);
  return finished;
}

}  // namespace kardan::cli
