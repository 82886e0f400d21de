#include "kardan/run/linearize.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <memory>

#include "apps/cli/command.h"
#include "apps/cli/linear_plots.h"
#include "apps/cli/print.h"
#include "kardan/io/output_file.h"
#include "kardan/io/output_guard.h"
#include "kardan/io/start_json.h"
#include "kardan/run/simulate.h"

namespace kardan::cli {
namespace {

/// "left_arm.y, chassis.z": the coordinates that move most.
std::string largest_parts(const Mode& m, const std::vector<std::string>& names) {
  constexpr double least = 0.7;
  constexpr int most = 3;
  std::string text;
  int shown = 0;
  for (std::size_t j = 0; j < m.shape.size() && shown < most; ++j) {
    if (std::abs(m.shape[j]) < least) continue;
    text += (text.empty() ? "" : ", ") + names[j];
    ++shown;
  }
  return text;
}

void print_matrix(const char* name, const Matrix& m, const std::vector<std::string>& rows,
                  const std::vector<std::string>& columns) {
  if (m.rows() == 0 || m.cols() == 0) return;
  constexpr int width = 14;
  constexpr std::size_t most = 8;
  const auto shown = static_cast<int>(std::min(columns.size(), most));
  std::size_t lead = 8;
  for (const std::string& row : rows) lead = std::max(lead, row.size());
  fmt::print("\n{:<{}}", name, lead);
  for (int k = 0; k < shown; ++k)
    fmt::print(" {:>{}}", columns[static_cast<std::size_t>(k)], width);
  fmt::print("{}\n", columns.size() > most ? "  ..." : "");
  double largest = 0;
  for (const double x : m.values()) largest = std::max(largest, std::abs(x));
  constexpr double rounding = 1e-14;
  for (int i = 0; i < m.rows(); ++i) {
    fmt::print("{:<{}}", rows[static_cast<std::size_t>(i)], lead);
    for (int k = 0; k < shown; ++k)
      fmt::print(" {:>{}.7g}", std::abs(m(i, k)) <= rounding * largest ? 0.0 : m(i, k), width);
    fmt::print("\n");
  }
}

void print_channels(const Linearization& r) {
  const Channels& c = r.channels;
  if (c.inputs.empty() && c.outputs.empty()) return;
  std::vector<std::string> rates;
  for (const std::string& name : r.variables) rates.push_back(name + "'");
  print_matrix("B", c.B, rates, c.inputs);
  print_matrix("C", c.C, c.outputs, r.variables);
  print_matrix("D", c.D, c.outputs, c.inputs);
}

void print_report(const System& system, double t, const Linearization& r) {
  print_title(system.blueprint().name);
  fmt::print("{:<22}{:.9g} s\n", "at t =", t);
  fmt::print("{:<22}{} ({})\n", "state matrix", r.modes.A.rows(),
             counted(static_cast<int>(r.modes.independent.size()), "degree of freedom",
                     "degrees of freedom"));
  if (!r.cyclic.empty()) fmt::print("{:<22}{}\n", "cyclic, taken out", fmt::join(r.cyclic, ", "));
  fmt::print("{:<22}{:.2e} (largest of all bodies)\n", "acceleration", r.largest_acceleration);
  fmt::print("{:<22}{}\n", "zero eigenvalues", r.zero);
  for (const std::string& remark : r.remarks) fmt::print("{:<22}{}\n", "remark", remark);
  fmt::print("\n");
  fmt::print("{:>20}{:>20}{:>16}{:>12}  {}\n", "real [1/s]", "imaginary [1/s]", "frequency [Hz]",
             "damping", "moves most");
  for (const Mode& m : r.modes.modes) {
    // Of a conjugate pair one line stands for both.
    if (m.zero || m.value.imag() < 0) continue;
    fmt::print("{:>20.10g}{:>20}{:>16}{:>12.4g}  {}\n", m.value.real(),
               m.value.imag() == 0 ? "" : fmt::format("+-{:.10g}", m.value.imag()),
               m.value.imag() == 0 ? "" : fmt::format("{:.6g}", m.frequency), m.damping_ratio,
               largest_parts(m, r.coordinates));
  }
  print_channels(r);
}

}  // namespace

/// Moves the start of `prepared` to the time given; an exit code other than `finished` after
/// telling what went wrong.
static int run_to(const Model& model, const RunOptions& given, Prepared& prepared) {
  Diagnostics faults;
  SimulateOptions options;
  RunReport report;
  if (read_run_options(model, *prepared.system, given, options, faults))
    report = simulate(prepared, options, {}, {}, faults);
  if (print_faults(faults)) return bad_input;
  if (report.driver.reason == Reason::finished) return finished;
  fmt::print(stderr, "kardan: {}\n        {}\n", report.driver.message, report.driver.advice);
  return failed;
}

/// Pages and pictures.
struct Drawn {
  std::vector<std::string> out;
  bool force = false;
};

static bool may_draw(const Drawn& drawn, const StartedModel& started) {
  Diagnostics faults;
  std::vector<Output> outputs;
  for (const std::string& path : drawn.out) {
    if (!path.ends_with(".svg") && !path.ends_with(".html"))
      faults.error("output.format", fmt::format("--out {}: no such format", path), {},
                   "wanted a file ending in .svg or .html");
    outputs.push_back(
        {"--out", path, path.ends_with(".svg") ? OutputKind::picture : OutputKind::page});
  }
  const OutputGuard guard(started.files, outputs,
                          drawn.force ? Overwrite::anything : Overwrite::own_files, faults);
  return !print_faults(faults);
}

static bool draw(const Drawn& drawn, const std::string& title, const Linearization& result) {
  if (drawn.out.empty()) return true;
  if (linear_plots(result).empty()) {
    Diagnostics faults;
    faults.error("linearize.outputs",
                 "there is nothing to draw: the model has no inputs, or no outputs", {},
                 "write inputs: {push: {unit: N}} and outputs: {place: cart.x}");
    print_faults(faults);
    return false;
  }
  for (const std::string& path : drawn.out)
    write_file(path,
               path.ends_with(".svg") ? to_svg(linear_plots(result)) : linear_page(title, result));
  return true;
}

static int linearize(const ModelOptions& options, const RunOptions& given, bool frozen,
                     const Drawn& drawn) {
  StartedModel started;
  if (const int code = start_model(options, started); code != finished) return code;
  if (!may_draw(drawn, started)) return bad_input;
  const Model& model = started.model;
  Prepared& prepared = started.prepared;
  if (given.numbers.at("t_end"))
    if (const int code = run_to(model, given, prepared); code != finished) return code;
  const Linearization result = kardan::linearize(
      prepared, ModeShapes::find, frozen ? ModesOf::frozen : ModesOf::motion, model.functions);
  if (result.status != Eval::ok) {
    fmt::print(stderr, "kardan: {}\n        {}\n", result.message, result.advice);
    return failed;
  }
  if (options.json)
    print_json(to_json(*prepared.system, prepared.start.state.t, result));
  else if (!options.quiet)
    print_report(*prepared.system, prepared.start.state.t, result);
  if (!draw(drawn, model.name, result)) return bad_input;
  if (!options.json && !options.quiet)
    for (const std::string& path : drawn.out) fmt::print("wrote {}\n", path);
  return finished;
}

Verb linearize_verb() {
  struct Options {
    ModelOptions model;
    RunOptions run;
    Drawn drawn;
    bool frozen = false;
  };
  auto o = std::make_shared<Options>();
  return {
      "linearize", "state matrices, eigenvalues and modes, at the start or later",
      joined(model_arguments(o->model),
             {{"--at", "[s] time of a run at which to linearize", &o->run.numbers["t_end"],
               Argument::Range::positive},
              {"--method", "of that run, see `kardan methods`", &o->run.method},
              {"--tol", "its relative and absolute tolerance", &o->run.numbers["tolerance"]},
              {"--frozen", "of the equations at this instant, whether the motion is steady or not",
               &o->frozen},
              {"--out", "Bode diagrams and answers to steps (.svg, .html); may be repeated",
               &o->drawn.out},
              force_argument(o->drawn.force)}),
      [o] { return linearize(o->model, o->run, o->frozen, o->drawn); }};
}

}  // namespace kardan::cli
