#include "apps/cli/run_fmu.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <memory>
#include <optional>

#include "apps/cli/print.h"
#include "kardan/base/text.h"
#include "kardan/fmi/import/exchange.h"
#include "kardan/fmi/import/imported_fmu.h"
#include "kardan/io/csv_result.h"
#include "kardan/io/output_file.h"
#include "kardan/io/output_guard.h"

namespace kardan::cli {
namespace {

/// Communication steps where neither the command nor the FMU says how long they are.
constexpr double default_steps = 500;
/// Of model exchange, where neither of them asks for one.
constexpr double exchange_tolerance = 1e-6;

struct FmuRun {
  double start = 0, stop = 1, step = 0;
  std::optional<double> tolerance;
  std::vector<const ImportedVariable*> shown;
};

std::optional<double> number(const RunOptions& given, const char* key) {
  const auto at = given.numbers.find(key);
  return at == given.numbers.end() ? std::nullopt : at->second;
}

/// What means nothing to an FMU is refused.
void refuse_others(const RunOptions& given, Diagnostics& faults) {
  const auto refuse = [&faults](bool there, const std::string& flag) {
    if (there)
      faults.error("fmu.option", flag + " means nothing to an FMU", {},
                   "leave it out: --t-end, --every, --tol, --set, --out FILE.csv and, for model "
                   "exchange, --method are taken");
  };
  refuse(!given.log.empty(), "--log");
  refuse(!given.option.empty(), "--option");
  refuse(!given.tolerance_of.empty(), "--tol-of");
  refuse(!given.checkpoint.empty(), "--checkpoint");
  refuse(!given.resume.empty(), "--resume");
  refuse(given.certify, "--certify");
  refuse(given.wall_limit.has_value(), "--wall-limit");
  for (const auto& [key, value] : given.numbers)
    if (value && key != "t_end" && key != "every" && key != "tolerance") refuse(true, key);
  for (const std::string& path : given.out)
    if (!path.ends_with(".csv"))
      faults.error("fmu.option", fmt::format("--out {}: wanted a file ending in .csv", path), {},
                   "rows of an FMU have no bodies to be shown");
}

FmuRun plan(const ImportedDescription& d, const RunOptions& given, Diagnostics& faults) {
  FmuRun out;
  out.start = d.start.value_or(0);
  out.stop = number(given, "t_end").value_or(d.stop.value_or(out.start + 1));
  out.tolerance = number(given, "tolerance") ? number(given, "tolerance") : d.tolerance;
  out.step =
      number(given, "every").value_or(d.step.value_or((out.stop - out.start) / default_steps));
  if (!(out.stop > out.start) || !(out.step > 0) || !std::isfinite(out.stop))
    faults.error(
        "fmu.time",
        fmt::format("from t = {} to {} by {}: wanted steps of a positive length",
                    format_number(out.start), format_number(out.stop), format_number(out.step)),
        {}, "give --t-end and --every");
  for (const ImportedVariable& v : d.variables)
    if (v.causality == "output" && v.is_number() && !v.is_array) out.shown.push_back(&v);
  return out;
}

/// Of --set, before the start.
std::string set_values(ImportedFmu& fmu, const ParameterValues& values, Diagnostics& faults) {
  for (const auto& [name, value] : values) {
    const ImportedVariable* v = fmu.description().find(name);
    if (!v || !v->is_number() || v->is_array ||
        (v->causality != "parameter" && v->causality != "input" && v->start.empty())) {
      std::vector<std::string> known;
      for (const ImportedVariable& k : fmu.description().variables)
        if (k.causality == "parameter" || k.causality == "input") known.push_back(k.name);
      const std::string near = did_you_mean(name, known);
      faults.error("usage.set",
                   fmt::format("--set {}: the FMU has no such input or parameter", name), {},
                   near.empty() ? "its description names them" : "did you mean '" + near + "'?");
      return {};
    }
    if (std::string none = fmu.told(fmu.functions().set(*v, value)); !none.empty()) return none;
  }
  return {};
}

std::string header(const FmuRun& run) {
  std::string out = "time";
  for (const ImportedVariable* v : run.shown) out += "," + csv_cell(v->name);
  return out;
}

class FmuRows {
 public:
  FmuRows(const std::vector<std::string>& paths, const FmuRun& run) : shown_(run.shown) {
    const std::string head = header(run);
    for (const std::string& path : paths) {
      files_.push_back(std::make_unique<OutputFile>(path));
      files_.back()->print("{}\n", head);
    }
    values_.resize(shown_.size());
  }
  /// One row a time.
  std::string add(ImportedFmu& fmu, double t) {
    const bool again = !files_.empty() && t == last_time_;
    last_time_ = t;
    for (std::size_t i = 0; i < shown_.size(); ++i)
      if (std::string none = fmu.told(fmu.functions().get(*shown_[i], values_[i])); !none.empty())
        return none;
    for (const auto& file : files_) {
      if (again) break;
      file->print("{}", format_number(t));
      for (const double value : values_) file->print(",{}", format_number(value));
      file->print("\n");
    }
    return {};
  }
  void close() {
    for (const auto& file : files_) file->close();
  }
  const std::vector<double>& last() const { return values_; }

 private:
  const std::vector<const ImportedVariable*>& shown_;
  std::vector<std::unique_ptr<OutputFile>> files_;
  std::vector<double> values_;
  double last_time_ = std::numeric_limits<double>::quiet_NaN();
};

/// How it went.
struct FmuEnd {
  double t = 0;
  long steps = 0, events = 0;
  std::string method = {}, reason = "finished", wrong = {};  // of model exchange: the method
};

void print_fmu_run(const ImportedFmu& fmu, const FmuRun& run, const FmuRows& rows, const FmuEnd& end,
                   bool json) {
  const ImportedDescription& d = fmu.description();
  if (json) {
    Json last;
    for (std::size_t i = 0; i < run.shown.size(); ++i) last[run.shown[i]->name] = rows.last()[i];
    Json all{{"model", d.model_name}, {"fmi", d.version},   {"reason", end.reason},
             {"t_reached", end.t},    {"steps", end.steps}, {"final", last}};
    if (!end.method.empty()) all["method"] = end.method;
    if (!end.method.empty()) all["events"] = end.events;
    print_json(all);
    return;
  }
  print_title(d.model_name);
  if (end.method.empty())
    fmt::print("{:<22}FMI {}.0, co-simulation: its own method, whose error is not known here\n",
               "interface", d.version);
  else
    fmt::print("{:<22}FMI {}.0, model exchange: {} with tolerance {}, {}\n", "interface", d.version,
               end.method, format_number(run.tolerance.value_or(exchange_tolerance)),
               counted(static_cast<int>(end.events), "event", "events"));
  fmt::print("{:<22}{} at t = {} s, {} {}steps, rows every {} s\n", "ended", end.reason,
             format_number(end.t), end.steps, end.method.empty() ? "communication " : "",
             format_number(run.step));
  for (std::size_t i = 0; i < run.shown.size(); ++i)
    fmt::print("  {:<40} {:.10g}\n", printable(run.shown[i]->name, Lines::one), rows.last()[i]);
}

FmuEnd step_through(ImportedFmu& fmu, const FmuRun& run, FmuRows& rows) {
  FmuEnd out{.t = run.start, .wrong = rows.add(fmu, run.start)};
  const double slack = 1e-9 * run.step;
  while (out.wrong.empty() && out.t < run.stop - slack) {
    const double next =
        std::min(run.start + static_cast<double>(out.steps + 1) * run.step, run.stop);
    const ImportedStep done = fmu.functions().step(out.t, next - out.t);
    out.t = done.end == ImportedStep::End::reached ? next : done.t;
    if (done.end == ImportedStep::End::failed) {
      out.wrong = fmu.told(done.message);
      break;
    }
    ++out.steps;
    out.wrong = rows.add(fmu, out.t);
    if (done.end == ImportedStep::End::stopped) {
      out.reason = "stopped";
      break;
    }
  }
  return out;
}

FmuEnd integrate(ImportedFmu& fmu, const FmuRun& run, const std::string& method, FmuRows& rows,
                 Diagnostics& faults) {
  SimulateOptions options;
  if (!method.empty()) options.method = method;
  options.t_end = run.stop;
  options.driver.tolerance = run.tolerance.value_or(exchange_tolerance);
  ExchangeReport done = integrate_fmu(
      fmu, run.start, run.step, options, [&](double t) { return rows.add(fmu, t); }, faults);
  FmuEnd out{done.t, done.steps, done.events, done.method.empty() ? "none" : done.method};
  if (done.end == ImportedStep::End::stopped) out.reason = "stopped";
  if (done.end == ImportedStep::End::failed) out.wrong = done.message;
  if (out.wrong.empty() && !faults.has_errors()) out.wrong = rows.add(fmu, done.t);
  return out;
}

}  // namespace

int run_fmu(const ModelOptions& options, const RunOptions& given) {
  Diagnostics faults;
  const auto values = parse_overrides(options);
  if (!values) return bad_input;
  refuse_others(given, faults);
  if (print_faults(faults)) return bad_input;
  const auto fmu = ImportedFmu::open(
      options.file, given.method.empty() ? FmuKind::co_simulation : FmuKind::model_exchange,
      faults);
  if (fmu && !given.method.empty() && fmu->kind() == FmuKind::co_simulation)
    faults.error("fmu.option", "--method means nothing to an FMU for co-simulation", {options.file},
                 "leave it out: the FMU has its own method");
  if (print_faults(faults)) return bad_input;
  const FmuRun run = plan(fmu->description(), given, faults);
  if (print_faults(faults)) return bad_input;
  std::vector<Output> outputs;
  for (const std::string& path : given.out)
    outputs.push_back({"--out", path, OutputKind::result, header(run)});
  const OutputGuard guard({options.file}, outputs,
                          given.force ? Overwrite::anything : Overwrite::own_files, faults);
  if (print_faults(faults)) return bad_input;
  try {
    std::string wrong = fmu->instantiate();
    if (wrong.empty()) wrong = set_values(*fmu, *values, faults);
    if (print_faults(faults)) return bad_input;
    if (wrong.empty())
      wrong = fmu->told(fmu->functions().begin(run.start, run.stop, run.tolerance));
    if (!wrong.empty()) {
      fmt::print(stderr, "kardan: {}: {}\n", options.file, printable(wrong));
      return failed;
    }
    FmuRows rows(given.out, run);
    FmuEnd end = fmu->kind() == FmuKind::co_simulation
                     ? step_through(*fmu, run, rows)
                     : integrate(*fmu, run, given.method, rows, faults);
    rows.close();
    if (print_faults(faults)) return bad_input;
    if (end.wrong.empty())
      fmu->functions().end();
    else
      end.reason = "evaluation_failed";
    if (options.json || !options.quiet) print_fmu_run(*fmu, run, rows, end, options.json);
    if (end.wrong.empty()) return finished;
    fmt::print(stderr, "kardan: {} at t = {}: {}\n", options.file, format_number(end.t),
               printable(end.wrong));
    return failed;
  } catch (const std::runtime_error& e) {
    fmt::print(stderr, "kardan: {}: {}\n", options.file, e.what());
    return failed;
  }
}

}  // namespace kardan::cli
