/// `kardan compare`: work against precision, as a table, a plot and a page.

#include "kardan/run/compare.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <sstream>

#include "apps/cli/command.h"
#include "apps/cli/compare_reference.h"
#include "apps/cli/compare_results.h"
#include "apps/cli/print.h"
#include "apps/pictures/html_page.h"
#include "apps/pictures/svg_plot.h"
#include "kardan/base/parse_number.h"
#include "kardan/base/text.h"
#include "kardan/formulation/catalog.h"
#include "kardan/io/output_file.h"
#include "kardan/io/output_guard.h"
#include "kardan/io/report_json.h"
#include "kardan/run/choice.h"

namespace kardan::cli {
namespace {

std::vector<std::string> split(const std::string& text, char at) {
  std::vector<std::string> out;
  std::istringstream words(text);
  for (std::string word; std::getline(words, word, at);)
    if (!word.empty()) out.push_back(word);
  return out;
}

bool positive(const std::string& text, double& out) {
  const std::optional<double> number = parse_number(text);
  out = number.value_or(0);
  return std::isfinite(out) && out > 0;
}

/// "1e-3,1e-5" or "1e-3:1e-9", which stands for all powers of ten between.
std::vector<double> tolerances_from(const std::string& text, Diagnostics& diagnostics) {
  std::vector<double> out;
  bool good = !text.empty();
  for (const std::string& part : split(text, ',')) {
    const std::vector<std::string> ends = split(part, ':');
    double from = 0, to = 0;
    if (ends.empty() || ends.size() > 2 || !positive(ends.front(), from) ||
        !positive(ends.back(), to)) {
      good = false;
      break;
    }
    const int decades = static_cast<int>(std::lround(std::log10(to / from)));
    const int sign = decades < 0 ? -1 : 1;
    for (int k = 0; k <= sign * decades; ++k)
      out.push_back(
          k == sign * decades
              ? to
              : parse_number(fmt::format("{:.12g}", from * std::pow(10, sign * k))).value_or(0));
  }
  for (const double tolerance : out) good = good && tolerance >= 1e-14 && tolerance <= 0.1;
  if (!good)
    diagnostics.error("usage.tolerances", fmt::format("--tols {}: wanted numbers", text), {},
                      "write 1e-3:1e-9 or 1e-3,1e-5,1e-7, each from 1e-14 to 0.1");
  return out;
}

// --- what is shown -------------------------------------------------------------------------------

std::string error_text(const CompareRow& r, double error) {
  return fmt::format("{:.2e}{}", error, r.below_reference ? "~" : " ");
}

void print_table(const std::string& model, const Comparison& c) {
  fmt::print("{}, to t = {:g} s\nreference: {}", printable(model, Lines::one), c.t_end,
             printable(c.reference));
  if (c.reference_checked)
    fmt::print(" (apart by {:.1e} in positions, {:.1e} in velocities)", c.reference_position_error,
               c.reference_velocity_error);
  std::size_t width = 8;
  for (const CompareRow& r : c.rows) width = std::max(width, r.method.size() + 2);
  fmt::print("\n\n{:<{}}{:<8}{:>10} {:>10} {:>9} {:>9} {:>9} {:>9}{:>11}{:>13}\n", "method", width,
             "tol", "position", "velocity", "residual", "steps", "rejected", "evals", "CPU [s]",
             "instructions");
  bool below = false;
  for (const CompareRow& r : c.rows) {
    fmt::print("{:<{}}{:<8.0e}", r.method, width, r.tolerance);
    if (!r.finished) {
      fmt::print("  failed: {}\n", r.message);
      continue;
    }
    below = below || r.below_reference;
    const double residual =
        std::max({r.residuals.position, r.residuals.velocity, r.residuals.acceleration});
    fmt::print("{:>11}{:>11}{:>9.1e} {:>9} {:>9} {:>9}{:>11}{:>13}\n",
               error_text(r, r.position_error), error_text(r, r.velocity_error), residual,
               r.counters.steps, r.counters.rejected, r.counters.evaluations,
               r.cpu_seconds > 0 ? fmt::format("{:.4g}", r.cpu_seconds) : "-",
               r.instructions ? std::to_string(*r.instructions) : "-");
  }
  fmt::print(
      "\nposition, velocity: reached error, the largest |y - ref|/(1 + |ref|) of all "
      "components and times\n");
  if (below) fmt::print("~ not larger than what the reference is good for\n");
}

Json comparison_json(const std::string& model, const Comparison& c) {
  Json out{{"model", model}, {"t_end", c.t_end}, {"reference", {{"what", c.reference}}}};
  if (c.reference_checked) {
    out["reference"]["position_error"] = c.reference_position_error;
    out["reference"]["velocity_error"] = c.reference_velocity_error;
  }
  out["rows"] = Json::array();
  for (const CompareRow& r : c.rows) {
    Json row{{"method", r.method}, {"tolerance", r.tolerance}, {"finished", r.finished}};
    if (!r.finished) row["message"] = r.message;
    if (r.finished) {
      row["position_error"] = r.position_error;
      row["velocity_error"] = r.velocity_error;
      row["below_reference"] = r.below_reference;
    }
    row["residuals"] = kardan::to_json(r.residuals);
    row["steps"] = r.counters.steps;
    row["rejected"] = r.counters.rejected;
    row["failed"] = r.counters.failed;
    row["evaluations"] = r.counters.evaluations;
    row["jacobians"] = r.counters.jacobians;
    row["factorizations"] = r.counters.factorizations;
    if (r.cpu_seconds > 0) row["cpu_seconds"] = r.cpu_seconds;
    if (r.instructions) row["instructions"] = *r.instructions;
    out["rows"].push_back(std::move(row));
  }
  return out;
}

/// Reached error against CPU time, or against evaluations where no times were taken.
std::string diagram(const Comparison& c) {
  std::vector<Plot> plots;
  for (const bool velocity : {false, true}) {
    Plot plot;
    plot.title = velocity ? "velocities" : "positions";
    plot.x = {"reached error", AxisScale::logarithmic};
    bool timed = true;
    for (const CompareRow& r : c.rows) timed = timed && (!r.finished || r.cpu_seconds > 0);
    plot.y = {timed ? "CPU time [s]" : "evaluations", AxisScale::logarithmic};
    for (const CompareRow& r : c.rows) {
      if (!r.finished) continue;
      if (plot.series.empty() || plot.series.back().name != r.method)
        plot.series.push_back({r.method, {}, {}, PlotMark::line_and_points});
      plot.series.back().x.push_back(velocity ? r.velocity_error : r.position_error);
      plot.series.back().y.push_back(timed ? r.cpu_seconds
                                           : static_cast<double>(r.counters.evaluations));
    }
    if (!plot.series.empty()) plots.push_back(std::move(plot));
  }
  return plots.empty() ? std::string() : to_svg(plots);
}

std::string comparison_page(const std::string& model, const Comparison& c) {
  std::string body = fmt::format(
      "<h1>Work against precision</h1>\n<p>{}, to t = {:g} s. Reference: {}{}.</p>\n",
      html_text(model), c.t_end, html_text(c.reference),
      c.reference_checked ? fmt::format(" (apart by {:.1e} in positions, {:.1e} in velocities)",
                                        c.reference_position_error, c.reference_velocity_error)
                          : "");
  body += html_figure(diagram(c), "Further left is more accurate, further down is cheaper.");
  body += "<h2>All runs</h2>\n<div class=\"scroll\"><table><tr><th>method</th><th>tolerance</th>";
  for (const char* head : {"position", "velocity", "residual", "steps", "rejected", "evaluations",
                           "CPU [s]", "instructions"})
    body += fmt::format("<th class=\"n\">{}</th>", head);
  body += "</tr>\n";
  for (const CompareRow& r : c.rows) {
    body += fmt::format("<tr><td>{}</td><td>{:.0e}</td>", html_text(r.method), r.tolerance);
    if (!r.finished) {
      body += fmt::format("<td colspan=\"8\" class=\"differs\">failed: {}</td></tr>\n",
                          html_text(r.message));
      continue;
    }
    const double residual =
        std::max({r.residuals.position, r.residuals.velocity, r.residuals.acceleration});
    for (const std::string& cell :
         {error_text(r, r.position_error), error_text(r, r.velocity_error),
          fmt::format("{:.1e}", residual), std::to_string(r.counters.steps),
          std::to_string(r.counters.rejected), std::to_string(r.counters.evaluations),
          r.cpu_seconds > 0 ? fmt::format("{:.4g}", r.cpu_seconds) : std::string("-"),
          r.instructions ? std::to_string(*r.instructions) : std::string("-")})
      body += fmt::format("<td class=\"n\">{}</td>", cell);
    body += "</tr>\n";
  }
  body +=
      "</table></div>\n<p class=\"soft\">Position, velocity: reached error, the largest |y - "
      "ref| / (1 + |ref|) of all components and comparison times. ~ not larger than what the "
      "reference is good for. CPU time: median of interleaved repetitions.</p>\n";
  return html_page("Work against precision: " + model, body);
}

struct CompareCommand {
  std::string methods, tolerances = "1e-3:1e-9", reference;
  std::vector<std::string> out;     // .svg, .html
  std::vector<std::string> option;  // name=value of the driver
  std::optional<double> t_end;
  int repetitions = 3;
  bool force = false;  // overwrite files of others
  std::string other;   // a result beside the first
};

/// "auto" and the methods that it chooses among, those that can treat the equations.
std::vector<std::string> usual_methods(const System& system) {
  std::vector<std::string> out{std::string(automatic_method)};
  for (const Task task : {Task::not_stiff, Task::not_stiff_with_events, Task::stiff,
                          Task::whatever_comes, Task::fixed_steps}) {
    const std::string name = name_for(task);
    Diagnostics discarded;
    if (std::ranges::find(out, name) == out.end() &&
        treats(*choose_method(name, discarded).formulation, system))
      out.push_back(name);
  }
  return out;
}

bool write_files(const CompareCommand& given, const std::string& model, const Comparison& c) {
  for (const std::string& path : given.out) {
    if (path.ends_with(".svg"))
      write_file(path, diagram(c));
    else
      write_file(path, comparison_page(model, c));
  }
  return true;
}

}  // namespace

static int compare(const ModelOptions& options, const CompareCommand& given) {
  if (!given.other.empty())
    return compare_results(
        {options.file, given.other, given.out, options.json, options.quiet, given.force});
  StartedModel started;
  if (const int code = start_model(options, started); code != finished) return code;
  Diagnostics faults;
  CompareOptions wanted;
  wanted.methods = split(given.methods, ',');
  wanted.tolerances = tolerances_from(given.tolerances, faults);
  wanted.repetitions = given.repetitions;
  for (const std::string& path : given.out)
    if (!path.ends_with(".svg") && !path.ends_with(".html"))
      faults.error("output.format", fmt::format("--out {}: no such format", path), {},
                   "wanted a file ending in .svg or .html");
  RunOptions run_options;
  run_options.numbers["t_end"] = given.t_end;
  run_options.option = given.option;
  if (wanted.methods.empty()) wanted.methods = usual_methods(*started.prepared.system);
  run_options.method = wanted.methods.front();
  if (!read_run_options(started.model, *started.prepared.system, run_options, wanted.base,
                        faults) ||
      faults.has_errors()) {
    print_faults(faults);
    return bad_input;
  }
  if (!given.reference.empty())
    wanted.reference = reference_from(given.reference, *started.prepared.system, wanted, faults);
  std::vector<Output> outputs;
  for (const std::string& path : given.out)
    outputs.push_back(
        {"--out", path, path.ends_with(".svg") ? OutputKind::picture : OutputKind::page});
  std::vector<std::string> inputs = started.files;
  if (!given.reference.empty()) inputs.push_back(given.reference);
  const OutputGuard guard(inputs, outputs, given.force ? Overwrite::anything : Overwrite::own_files,
                          faults);
  if (print_faults(faults)) return bad_input;
  const PrepareRun make = [&] {
    Diagnostics discarded;
    return prepare(started.model, started.overrides, discarded);
  };
  const Comparison result = kardan::compare(make, wanted, faults);
  if (print_faults(faults))
    return result.rows.empty() && !result.reference.empty() ? failed : bad_input;
  if (options.json)
    print_json(comparison_json(started.model.name, result));
  else if (!options.quiet)
    print_table(started.model.name, result);
  write_files(given, started.model.name, result);
  if (!options.json && !options.quiet)
    for (const std::string& path : given.out) fmt::print("wrote {}\n", path);
  return finished;
}

Verb compare_verb() {
  struct Options {
    ModelOptions model;
    CompareCommand given;
  };
  auto o = std::make_shared<Options>();
  CompareCommand& given = o->given;
  return {"compare", "work against precision of several methods; or two results",
          joined(model_arguments(o->model),
                 {{.name = "RESULT",
                   .doc = "a result (.h5, .csv), with MODEL another one: where they differ",
                   .to = &given.other},
                  {.name = "--methods",
                   .doc = "METHOD[@FORMULATION],...; default: auto, and those it chooses among",
                   .to = &given.methods},
                  {.name = "--tols",
                   .doc = "1e-3:1e-9, or a list",
                   .to = &given.tolerances,
                   .show_default = true},
                  {"--reference", "result (.csv, .h5) to compare with; default: computed, tightly",
                   &given.reference},
                  {"--t-end", "[s] end of the runs", &given.t_end},
                  {.name = "--repeat",
                   .doc = "runs for a CPU time; 0: none is taken",
                   .to = &given.repetitions,
                   .range = Argument::Range::non_negative,
                   .show_default = true},
                  {"--option", "name=value: option of the driver, for all runs; may be repeated",
                   &given.option},
                  {"--out", "diagram (.svg) or page (.html); may be repeated", &given.out},
                  force_argument(given.force)}),
          [o] { return compare(o->model, o->given); }};
}

}  // namespace kardan::cli
