#include <fmt/format.h>
#include <fmt/os.h>

#include <cmath>

#include "apps/cli/command.h"
#include "apps/cli/print.h"
#include "apps/cli/progress.h"
#include "kardan/base/text.h"
#include "kardan/io/driver_options.h"
#include "kardan/io/simulate_options.h"
#include "kardan/run/outputs.h"
#include "kardan/run/simulate.h"

namespace kardan::cli {
namespace {

/// The parts of name=value; false after telling that there is no '='.
bool split_assignment(const char* flag, const std::string& text, std::string& name,
                      std::string& value, Diagnostics& diagnostics) {
  const auto equals = text.find('=');
  if (equals == std::string::npos || equals == 0) {
    diagnostics.error("usage.assignment", fmt::format("{} {}: wanted name=value", flag, text));
    return false;
  }
  name = text.substr(0, equals);
  value = text.substr(equals + 1);
  return true;
}

/// A text, or a list where it has commas.
FieldValue option_value(const std::string& text) {
  if (text.find(',') == std::string::npos) return text;
  FieldValue::List list;
  for (std::size_t from = 0; from <= text.size();) {
    const std::size_t comma = std::min(text.find(',', from), text.size());
    list.emplace_back(text.substr(from, comma - from));
    from = comma + 1;
  }
  return list;
}

/// `--option`, `--rtol`, `--atol`, `--tol-of`.
void driver_options_from(const RunOptions& given, SimulateOptions& out, Diagnostics& diagnostics) {
  std::string name, value;
  for (const std::string& item : given.option)
    if (split_assignment("--option", item, name, value, diagnostics)) {
      if (is_driver_option(name))
        set_driver_option(name, option_value(value), out.driver, diagnostics);
      else
        out.options[name] = value;
    }
  const Environment none;
  const ValueReader reader(none, diagnostics);
  for (const std::string& item : given.tolerance_of) {
    double tolerance = 0;
    if (split_assignment("--tol-of", item, name, value, diagnostics) &&
        reader.read(value, "--tol-of " + name, {.check = Check::positive}, tolerance))
      out.tolerance_of.push_back({name, tolerance});
  }
  if (given.relative > 0) out.relative = given.relative;
  if (given.absolute > 0) out.absolute = given.absolute;
}

/// Values of the command line, then of the file's `simulate:` section, then defaults.
bool options_from(const Model& model, const System& system, const RunOptions& given,
                  SimulateOptions& out, Diagnostics& diagnostics) {
  read_simulate_options(
      model.simulate, system.blueprint().parameters,
      given.method.empty() ? MethodChoice::of_the_file : MethodChoice::of_the_command, out,
      diagnostics);
  if (!given.method.empty()) out.method = given.method;
  if (given.tolerance > 0) out.driver.tolerance = given.tolerance;
  if (given.t_end > 0) out.t_end = given.t_end;
  if (given.every > 0) out.every = given.every;
  if (given.step > 0) out.driver.fixed_step = given.step;
  if (out.every == 0) out.every = out.t_end / 100;
  driver_options_from(given, out, diagnostics);
  if (out.driver.tolerance < 1e-14 || out.driver.tolerance > 0.1)
    diagnostics.error("tolerance.range", fmt::format("tolerance = {}; wanted 1e-14 to 0.1",
                                                     format_number(out.driver.tolerance)));
  return !diagnostics.has_errors();
}

Json report_json(const System& system, const Prepared& p, const RunReport& r) {
  const Counters& c = r.driver.counters;
  Json out;
  out["model"] = system.blueprint().name;
  out["reason"] = to_string(r.driver.reason);
  out["message"] = r.driver.message;
  out["t_reached"] = r.driver.t;
  out["method"] = r.method;
  out["formulation"] = r.formulation;
  out["tolerance"] = r.tolerance;
  out["steps"] = c.steps;
  out["rejected"] = c.rejected;
  out["failed"] = c.failed;
  out["evaluations"] = c.evaluations;
  out["jacobians"] = c.jacobians;
  out["factorizations"] = c.factorizations;
  out["iterations"] = c.iterations;
  out["partitions"] = r.partitions;
  out["cpu_seconds"] = r.cpu_seconds;
  out["residuals"] = to_json(r.residuals);
  out["energy"] = {{"initial", r.energy.initial},
                   {"final", r.energy.final},
                   {"work", r.energy.work},
                   {"balance_error", r.energy.balance_error}};
  out["events"] = Json::array();
  for (const EventRecord& e : r.driver.events)
    out["events"].push_back({{"t", e.t},
                             {"event", system.event_names()[e.event]},
                             {"direction", e.direction > 0 ? "rising" : "falling"}});
  out["final"] = named_values(system, p.start);
  return out;
}

void print_report(const System& system, const RunReport& r) {
  const Counters& c = r.driver.counters;
  fmt::print("{}\n\n", system.blueprint().name);
  fmt::print("{:<22}{} at t = {:.9g} s{}\n", "ended", to_string(r.driver.reason), r.driver.t,
             r.driver.reason == Reason::stopped ? ": " + r.driver.message : "");
  fmt::print("{:<22}{} on {}, tolerance {:.0e}\n", "method", r.method, r.formulation, r.tolerance);
  fmt::print("{:<22}{} accepted, {} rejected, {} failed; {:.2g} to {:.2g} s\n", "steps", c.steps,
             c.rejected, c.failed, r.driver.smallest_step, r.driver.largest_step);
  fmt::print("{:<22}{} evaluations, {} Jacobians, {} factorizations, {} partitions\n", "work",
             c.evaluations, c.jacobians, c.factorizations, r.partitions);
  fmt::print("{:<22}{:.3g} s ({:.3g} times real time)\n", "CPU time", r.cpu_seconds,
             r.driver.t / std::max(r.cpu_seconds, 1e-9));
  print_residuals("constraints held", r.residuals);
  fmt::print("{:<22}{:.10g} -> {:.10g} J, work {:.10g} J, unbalanced {:.2g} J\n", "energy",
             r.energy.initial, r.energy.final, r.energy.work, r.energy.balance_error);
  for (const EventRecord& e : r.driver.events)
    fmt::print("  event {:<32} t = {:.12g} {}\n", system.event_names()[e.event], e.t,
               e.direction > 0 ? "rising" : "falling");
}

/// Time and all coordinates, velocities and sensors on the output grid.
class CsvFile {
 public:
  CsvFile(const std::string& path, const System& system)
      : file_(fmt::output_file(path)), system_(system), ws_(system.make_workspace()) {
    file_.print("time");
    Diagnostics told;
    for (const std::string& name : chosen_outputs(system, told)) {
      file_.print(",{}", name);
      columns_.push_back({name, system.find_quantity(name)});
    }
    file_.print("\n");
  }
  void row(const State& state) {
    const Energy e = system_.energy(state, *ws_);
    file_.print("{}", format_number(state.t));
    for (const Column& c : columns_)
      file_.print(",{}",
                  format_number(c.quantity ? system_.quantity(*c.quantity, state, 0, {}, {}, *ws_)
                                : c.name == "energy.kinetic" ? e.kinetic
                                                             : e.potential));
    file_.print("\n");
  }

 private:
  struct Column {
    std::string name;
    std::optional<Quantity> quantity;  // none: an energy
  };

  fmt::ostream file_;
  const System& system_;
  std::unique_ptr<Workspace> ws_;
  std::vector<Column> columns_;
};

}  // namespace

int run(const ModelOptions& options, const RunOptions& given) {
  const auto overrides = parse_overrides(options);
  if (!overrides) return bad_input;
  const auto model = read(options, *overrides);
  if (!model) return bad_input;
  Diagnostics diagnostics;
  Prepared prepared = prepare(*model, *overrides, diagnostics);
  if (diagnostics.has_errors() || !prepared.system) {
    tell(diagnostics);
    return bad_input;
  }
  if (prepared.start.report.status != Eval::ok) {
    fmt::print(stderr, "kardan: {}\n        {}\n", prepared.start.report.message,
               prepared.start.report.advice);
    return failed;
  }
  Diagnostics faults;
  SimulateOptions simulate_options;
  if (!options_from(*model, *prepared.system, given, simulate_options, faults)) {
    tell(faults);
    return bad_input;
  }
  const System& system = *prepared.system;
  std::unique_ptr<CsvFile> csv;
  std::string json_file;
  for (const std::string& path : given.out) {
    const bool is_csv = path.ends_with(".csv"), is_json = path.ends_with(".json");
    if (is_csv) {
      csv = std::make_unique<CsvFile>(path, system);
    } else if (is_json) {
      json_file = path;
    } else {
      fmt::print(stderr, "kardan: --out {}: wanted a file ending in .csv or .json\n", path);
      return bad_input;
    }
  }
  std::unique_ptr<fmt::ostream> log;
  if (!given.log.empty()) {
    log = std::make_unique<fmt::ostream>(fmt::output_file(given.log));
    log->print("t,h,error\n");
  }
  const bool silent = options.quiet || options.json;
  RunReport report;
  {
    Progress progress(prepared.start.state.t, simulate_options.t_end,
                      silent ? ProgressWish::hidden : ProgressWish::shown);
    long steps = 0;
    report = simulate(
        prepared, simulate_options,
        csv ? GridSink([&](const GridPoint& p) { csv->row(*p.state); }) : GridSink(),
        [&](double t, double h, double error) {
          progress.at(t, ++steps);
          if (log)
            log->print("{},{},{}\n", format_number(t), format_number(h), format_number(error));
        },
        faults);
  }
  if (tell(faults)) return bad_input;
  const Json json = report_json(system, prepared, report);
  if (!json_file.empty()) fmt::output_file(json_file).print("{}\n", json.dump(2));
  if (options.json)
    fmt::print("{}\n", json.dump(2));
  else if (!options.quiet)
    print_report(system, report);
  if (report.driver.reason == Reason::finished || report.driver.reason == Reason::stopped)
    return finished;
  fmt::print(stderr, "kardan: {}\n        {}\n", report.driver.message, report.driver.advice);
  return failed;
}

static void print_options(const std::vector<OptionInfo>& options) {
  for (const OptionInfo& o : options)
    fmt::print("      {:<20}{:<11}{}{}\n", o.name, o.fallback, o.doc,
               o.choices.empty() ? "" : fmt::format(": {}", fmt::join(o.choices, ", ")));
}

int methods_command() {
  for (const Method& m : methods()) {
    fmt::print("  {:<12}order {:<8}{} ({})\n", m.name,
               fmt::format("{}({})", m.order, m.error_order), m.summary, m.source);
    print_options(m.options);
  }
  fmt::print("\nformulations: --method METHOD@FORMULATION\n");
  for (const Formulation& f : formulations()) {
    fmt::print("  {:<22}{} ({})\n", f.name, f.summary, f.source);
    print_options(f.options);
  }
  fmt::print("\noptions of every run: --option name=value\n");
  for (const FieldDoc& d : driver_option_docs())
    fmt::print("  {:<15}{:<11}{}{}{}\n", d.key, d.default_text, d.info.doc,
               d.info.unit.empty() ? "" : " [" + d.info.unit + "]",
               d.info.choices.empty() ? "" : fmt::format(": {}", fmt::join(d.info.choices, ", ")));
  return finished;
}

}  // namespace kardan::cli
