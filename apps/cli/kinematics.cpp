/// `kardan kinematics`: a driver swept through its range, without forces and masses.

#include "apps/cli/kinematics.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <sstream>

#include "apps/cli/command.h"
#include "apps/cli/print.h"
#include "apps/pictures/html_page.h"
#include "apps/pictures/svg_plot.h"
#include "kardan/base/text.h"
#include "kardan/io/output_file.h"
#include "kardan/io/output_guard.h"

namespace kardan::cli {
namespace {

struct Given {
  std::string driver, transmission;
  std::optional<double> from, to;
  int points = 361;
  std::vector<std::string> out;
  bool force = false;
};

std::string unit_of(const Sweep& sweep) {
  return sweep.turns ? "rad" : "m";
}

std::string csv(const Sweep& s) {
  std::string out = fmt::format("{} [{}]", s.driver, unit_of(s));
  for (std::size_t i = 0; i < s.names.size(); ++i)
    out += fmt::format(",{}{}", s.names[i],
                       s.units[i].empty() || s.units[i] == "1" ? "" : " [" + s.units[i] + "]");
  for (const std::string& name : s.names) out += fmt::format(",d({})", name);
  out += s.has_transmission ? ",transmission [rad],condition\n" : ",condition\n";
  for (const SweepPoint& p : s.points) {
    out += format_number(p.at);
    for (const double x : p.values) out += "," + format_number(x);
    for (const double x : p.rates) out += "," + format_number(x);
    if (s.has_transmission) out += "," + format_number(p.transmission);
    out += "," + format_number(p.condition) + "\n";
  }
  return out;
}

Json to_json(const std::string& model, const Sweep& s) {
  Json out{{"model", model},           {"driver", s.driver},
           {"unit", unit_of(s)},       {"from", s.points.front().at},
           {"to", s.points.back().at}, {"names", s.names},
           {"units", s.units},         {"points", Json::array()}};
  for (const SweepPoint& p : s.points) {
    Json point{{"at", p.at}, {"values", p.values}, {"rates", p.rates}, {"condition", p.condition}};
    if (s.has_transmission) point["transmission"] = p.transmission;
    out["points"].push_back(std::move(point));
  }
  out["singular"] = s.singular;
  out["limit"] = s.limit ? Json(*s.limit) : Json();
  return out;
}

void print(const std::string& model, const Sweep& s) {
  constexpr double degrees = 180 / 3.14159265358979323846;
  print_title(model);
  const auto place = [&](double at) {
    return s.turns ? fmt::format("{:.9g} rad ({:.7g} deg)", at, at * degrees)
                   : fmt::format("{:.9g} m", at);
  };
  fmt::print("{:<22}{}, from {} to {}, {} points\n", "driver", s.driver, place(s.points.front().at),
             place(s.points.back().at), s.points.size());
  if (s.limit)
    fmt::print("{:<22}{}: beyond it the joints cannot be closed\n", "limit", place(*s.limit));
  for (const double at : s.singular) fmt::print("{:<22}{}\n", "singular position", place(at));
  if (!s.limit && s.singular.empty()) fmt::print("{:<22}none\n", "singular positions");
  if (s.has_transmission) {
    const auto by = [](const SweepPoint& a, const SweepPoint& b) {
      return a.transmission < b.transmission;
    };
    const auto [least, most] = std::minmax_element(s.points.begin(), s.points.end(), by);
    fmt::print("{:<22}{:.6g} deg at {}, at most {:.6g} deg at {}\n", "transmission angle",
               least->transmission * degrees, place(least->at), most->transmission * degrees,
               place(most->at));
  }
  std::size_t width = 20;
  for (std::size_t i = 0; i < s.names.size(); ++i)
    width = std::max(width, s.names[i].size() + s.units[i].size() + 3);
  fmt::print("\n{:<{}} {:>14} {:>14} {:>14} {:>16}\n", "", width, "least", "greatest", "last",
             "steepest by driver");
  for (std::size_t i = 0; i < s.names.size(); ++i) {
    double least = INFINITY, most = -INFINITY, steepest = 0;
    for (const SweepPoint& p : s.points) {
      least = std::min(least, p.values[i]);
      most = std::max(most, p.values[i]);
      if (std::abs(p.rates[i]) > std::abs(steepest)) steepest = p.rates[i];
    }
    const std::string name = s.units[i].empty() || s.units[i] == "1"
                                 ? s.names[i]
                                 : fmt::format("{} [{}]", s.names[i], s.units[i]);
    fmt::print("{:<{}} {:>14.7g} {:>14.7g} {:>14.7g} {:>16.7g}\n", name, width, least, most,
               s.points.back().values[i], steepest);
  }
}

/// Courses over the driver, and the paths of points.
std::vector<Plot> plots(const Sweep& s) {
  std::vector<Plot> out;
  const std::string x = fmt::format("{} [{}]", s.driver, unit_of(s));
  for (std::size_t i = 0; i < s.names.size(); ++i) {
    Plot plot;
    plot.title = s.names[i];
    plot.x = {x};
    plot.y = {fmt::format("{} [{}]", s.names[i], s.units[i])};
    PlotSeries course{s.names[i], {}, {}}, rate{"by driver", {}, {}};
    for (const SweepPoint& p : s.points) {
      course.x.push_back(p.at);
      course.y.push_back(p.values[i]);
      rate.x.push_back(p.at);
      rate.y.push_back(p.rates[i]);
    }
    plot.series = {std::move(course), std::move(rate)};
    out.push_back(std::move(plot));
  }
  for (std::size_t i = 0; i + 1 < s.names.size(); ++i) {
    const std::string& name = s.names[i];
    if (!name.ends_with(".x") || s.names[i + 1] != name.substr(0, name.size() - 1) + "y") continue;
    Plot plot;
    plot.title = "path of " + name.substr(0, name.size() - 2);
    plot.x = {"x [m]"};
    plot.y = {"y [m]"};
    PlotSeries path{plot.title, {}, {}};
    for (const SweepPoint& p : s.points) {
      path.x.push_back(p.values[i]);
      path.y.push_back(p.values[i + 1]);
    }
    plot.series = {std::move(path)};
    out.push_back(std::move(plot));
  }
  if (s.has_transmission) {
    Plot plot;
    plot.title = "transmission angle";
    plot.x = {x};
    plot.y = {"angle [rad]"};
    PlotSeries course{"transmission angle", {}, {}};
    for (const SweepPoint& p : s.points) {
      course.x.push_back(p.at);
      course.y.push_back(p.transmission);
    }
    plot.series = {std::move(course)};
    out.push_back(std::move(plot));
  }
  return out;
}

std::vector<std::string> three_joints(const std::string& text) {
  std::vector<std::string> out;
  std::istringstream words(text);
  for (std::string word; std::getline(words, word, ',');) out.push_back(word);
  return out;
}

int kinematics(const ModelOptions& options, const Given& given) {
  StartedModel started;
  if (const int code = start_model(options, started); code != finished) return code;
  Diagnostics faults;
  std::vector<Output> outputs;
  for (const std::string& path : given.out) {
    const bool known = path.ends_with(".csv") || path.ends_with(".svg") || path.ends_with(".html");
    if (!known)
      faults.error("output.format", fmt::format("--out {}: no such format", path), {},
                   "wanted a file ending in .csv, .svg or .html");
    outputs.push_back({"--out", path,
                       path.ends_with(".svg")    ? OutputKind::picture
                       : path.ends_with(".html") ? OutputKind::page
                                                 : OutputKind::log});
  }
  const OutputGuard guard(started.files, outputs,
                          given.force ? Overwrite::anything : Overwrite::own_files, faults);
  if (print_faults(faults)) return bad_input;
  SweepOptions wanted{given.driver, three_joints(given.transmission), given.from, given.to,
                      given.points};
  const auto sweep = sweep_driver(started.model, started.overrides, wanted, faults);
  if (print_faults(faults)) return bad_input;
  if (!sweep) return failed;
  if (sweep->points.size() < 2) {
    fmt::print(stderr, "kardan: the driver '{}' cannot move from {}\n        {}\n", sweep->driver,
               format_number(sweep->points.empty() ? 0 : sweep->points.front().at),
               "start where the joints can be closed to both sides (--from)");
    return failed;
  }
  if (options.json)
    print_json(to_json(started.model.name, *sweep));
  else if (!options.quiet)
    print(started.model.name, *sweep);
  for (const std::string& path : given.out) {
    if (path.ends_with(".csv")) {
      write_file(path, csv(*sweep));
    } else if (path.ends_with(".svg")) {
      write_file(path, to_svg(plots(*sweep)));
    } else {
      std::string body = fmt::format("<h1>{}: kinematics</h1>\n", html_text(started.model.name));
      for (const Plot& plot : plots(*sweep)) body += html_figure(to_svg(plot), plot.title);
      write_file(path, html_page(started.model.name + ": kinematics", body));
    }
    if (!options.json && !options.quiet) fmt::print("wrote {}\n", path);
  }
  return finished;
}

}  // namespace

Verb kinematics_verb() {
  struct Options {
    ModelOptions model;
    Given given;
  };
  auto o = std::make_shared<Options>();
  Given& g = o->given;
  return {
      "kinematics", "a driver swept through its range: positions, velocities, singular positions",
      joined(model_arguments(o->model),
             {{"--driver", "which; default: the only one", &g.driver},
              {"--from", "[rad, m] where it begins; default: where it is at the start", &g.from},
              {"--to", "[rad, m] where it ends; default: a turn after", &g.to},
              {.name = "--points",
               .doc = "of the sweep",
               .to = &g.points,
               .range = Argument::Range::positive,
               .show_default = true},
              {"--transmission",
               "A,B,C: three joints; the angle at B between the lines to A and C, up to 90 deg",
               &g.transmission},
              {"--out", "table (.csv), diagrams (.svg), page (.html); may be repeated", &g.out},
              force_argument(g.force)}),
      [o] { return kinematics(o->model, o->given); }};
}

}  // namespace kardan::cli
