#include "kardan/run/linearize.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <memory>

#include "apps/cli/command.h"
#include "apps/cli/print.h"
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

void print_report(const System& system, double t, const Linearization& r) {
  print_title(system.blueprint().name);
  fmt::print("{:<22}{:.9g} s\n", "at t =", t);
  fmt::print("{:<22}{} ({})\n", "state matrix", r.modes.A.rows(),
             counted(static_cast<int>(r.modes.independent.size()), "degree of freedom",
                     "degrees of freedom"));
  if (!r.cyclic.empty()) fmt::print("{:<22}{}\n", "cyclic, taken out", fmt::join(r.cyclic, ", "));
  fmt::print("{:<22}{:.2e} (largest of all bodies)\n", "acceleration", r.largest_acceleration);
  fmt::print("{:<22}{}\n\n", "zero eigenvalues", r.zero);
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

static int linearize(const ModelOptions& options, const RunOptions& given, bool frozen) {
  StartedModel started;
  if (const int code = start_model(options, started); code != finished) return code;
  const Model& model = started.model;
  Prepared& prepared = started.prepared;
  if (given.numbers.at("t_end"))
    if (const int code = run_to(model, given, prepared); code != finished) return code;
  const Linearization result =
      kardan::linearize(prepared, ModeShapes::find, frozen ? ModesOf::frozen : ModesOf::motion);
  if (result.status != Eval::ok) {
    fmt::print(stderr, "kardan: {}\n        {}\n", result.message, result.advice);
    return failed;
  }
  if (options.json)
    print_json(to_json(*prepared.system, prepared.start.state.t, result));
  else if (!options.quiet)
    print_report(*prepared.system, prepared.start.state.t, result);
  return finished;
}

Verb linearize_verb() {
  struct Options {
    ModelOptions model;
    RunOptions run;
    bool frozen = false;
  };
  auto o = std::make_shared<Options>();
  return {
      "linearize", "state matrix, eigenvalues and modes, at the start or later",
      joined(model_arguments(o->model),
             {{"--at", "[s] time of a run at which to linearize", &o->run.numbers["t_end"],
               Argument::Range::positive},
              {"--method", "of that run, see `kardan methods`", &o->run.method},
              {"--tol", "its relative and absolute tolerance", &o->run.numbers["tolerance"]},
              {"--frozen", "of the equations at this instant, whether the motion is steady or not",
               &o->frozen}}),
      [o] { return linearize(o->model, o->run, o->frozen); }};
}

}  // namespace kardan::cli
