#include <fmt/format.h>
#include <fmt/ranges.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <mutex>

#include "apps/cli/checkpointing.h"
#include "apps/cli/command.h"
#include "apps/cli/interrupt.h"
#include "apps/cli/output_table.h"
#include "apps/cli/print.h"
#include "apps/cli/run_fmu.h"
#include "apps/cli/progress.h"
#include "apps/cli/step_log.h"
#include "apps/cli/supervision.h"
#include "apps/cli/viewer_page.h"
#include "kardan/base/text.h"
#include "kardan/formulation/analysis.h"
#include "kardan/io/csv_result.h"
#include "kardan/io/output_guard.h"
#include "kardan/io/report_json.h"
#include "kardan/io/result_writer.h"
#include "kardan/io/run_options.h"
#include "kardan/run/certify.h"
#include "kardan/run/estimate_check.h"
#include "kardan/run/choice.h"
#include "kardan/run/held_accuracy.h"
#include "kardan/run/simulate.h"
#include "kardan/run/stiff_elements.h"

namespace kardan::cli {
namespace {

void print_accuracy(const Accuracy& a) {
  fmt::print("{:<22}{:.0e} {}\n", "accuracy", a.asked, a.message);
  if (a.magnified > 0)
    fmt::print("{:<22}{:.1e} times those of the start\n", "errors grow to", a.magnified);
  if (!a.bands.empty())
    fmt::print("{:<22}position {:.1e}   velocity {:.1e}  (against {:.0e}{})\n", "measured error",
               a.position, a.velocity, a.reference, a.referee.empty() ? "" : " of " + a.referee);
}

void print_held(const HeldAccuracy& h) {
  fmt::print("{:<22}{:.1e} {}, in {} runs\n", "accuracy", h.asked,
             h.held ? "is held" : "is not held: " + h.message, h.runs.size() + 1);
}

/// "1e-06"; where they differ "1e-03 relative, 1e-06 absolute".
std::string asked_tolerance(const RunReport& r) {
  const double relative = r.asked.relative, absolute = r.asked.absolute;
  if (!(relative > 0) && !(absolute > 0)) return fmt::format("{:.0e}", r.tolerance);
  return fmt::format("{:.0e} relative, {:.0e} absolute", relative > 0 ? relative : r.tolerance,
                     absolute > 0 ? absolute : r.tolerance);
}

/// "14 bodies, 20 degrees of freedom; 3 of 64 constraint equations are redundant: pin ..., ..."
std::string in_words(const System& system, const ConstraintAnalysis& a) {
  constexpr std::size_t most_named = 3;
  std::string out =
      system.has_bodies()
          ? counted(static_cast<int>(system.bodies().size()) - 1, "body", "bodies") + ", "
          : "equations written by the user, ";
  out += counted(a.degrees_of_freedom, "degree of freedom", "degrees of freedom");
  if (!a.redundant.empty()) {
    out += fmt::format("; {} of {} constraint equations redundant: ", a.redundant.size(),
                       system.sizes().constraints());
    for (std::size_t i = 0; i < std::min(a.redundant.size(), most_named); ++i)
      out += (i > 0 ? ", " : "") + system.row_name(a.redundant[i].row);
    if (a.redundant.size() > most_named) out += ", ...";
  }
  for (std::size_t i = 0; i < std::min(a.unused.size(), most_named); ++i)
    out += fmt::format("{}'{}'", i > 0 ? ", " : "; nothing is attached to ", a.unused[i]);
  return out;
}

/// What is known of the model before it moves; told with the report.
struct Facts {
  std::string model;
  std::vector<std::string> written;  ///< files
};

void print_report(const System& system, const RunReport& r, const Facts& facts) {
  const Counters& c = r.driver.counters;
  print_title(system.blueprint().name);
  if (!facts.model.empty()) fmt::print("{:<22}{}\n", "model", facts.model);
  fmt::print("{:<22}{} at t = {:.9g} s{}\n", "ended", to_string(r.driver.reason), r.driver.t,
             r.driver.reason == Reason::stopped ? ": " + r.driver.message : "");
  fmt::print("{:<22}{} on {}, tolerance {}\n", "method", r.method, r.formulation,
             asked_tolerance(r));
  if (!r.automatic.method.empty()) fmt::print("{:<22}{}\n", "chosen", r.automatic.why);
  if (r.error_estimate.asked_for())
    fmt::print("{:<22}{}\n", "estimated error", in_words(r.error_estimate));
  if (r.held) print_held(*r.held);
  if (r.accuracy) {
    print_accuracy(*r.accuracy);
    if (const auto check = check_estimate(r.error_estimate, *r.accuracy); check && !check->low)
      fmt::print("{:<22}{}\n", "estimate checked", in_words(*check));
  }
  fmt::print("{:<22}{} accepted, {} rejected, {} failed; {:.2g} to {:.2g} s\n", "steps", c.steps,
             c.rejected, c.failed, r.driver.smallest_step, r.driver.largest_step);
  fmt::print("{:<22}{} evaluations, {} Jacobians, {} factorizations, {} partitions\n", "work",
             c.evaluations, c.jacobians, c.factorizations, r.partitions);
  fmt::print("{:<22}{:.3g} s ({:.3g} times real time)\n", "CPU time", r.cpu_seconds,
             r.driver.t / std::max(r.cpu_seconds, 1e-9));
  print_residuals("constraints held", r.residuals);
  const EnergyBalance& e = r.energy;
  if (e.known)
    fmt::print(
        "{:<22}{:.10g} -> {:.10g} J, work {:.10g} J, unbalanced {:.2g} J of {:.2g} J exchanged\n",
        "energy", e.initial, e.final, e.work, e.balance_error, e.exchanged);
  else
    fmt::print("{:<22}not known: the equations give none\n", "energy");
  fmt::print("{:<22}{}; dense output of order {}\n", "derivatives",
             r.exact_derivatives ? "exact"
             : r.without_derivatives.empty()
                 ? "by differences"
                 : fmt::format("none of {}", fmt::join(r.without_derivatives, ", ")),
             r.dense_order);
  for (const std::string& remark : r.remarks) fmt::print("{:<22}{}\n", "remark", remark);
  print_changes(r.start);
  for (const std::string& fault : r.against) fmt::print("{:<22}{}\n", "against it", fault);
  if (r.driver.diagnosis != Diagnosis::none && r.driver.reason != Reason::stopped)
    fmt::print("{:<22}{}\n", "diagnosis", to_string(r.driver.diagnosis));
  for (const PartitionRecord& p : r.partition_history)
    if (p.t > r.partition_history.front().t)
      fmt::print("  partition t = {:<24.12g} {}\n", p.t, p.why);
  for (const EventRecord& event : r.driver.events)
    fmt::print("  event {:<32} t = {:.12g} {}\n", system.event_names()[event.event], event.t,
               event.direction > 0 ? "rising" : "falling");
  if (!facts.written.empty()) fmt::print("{:<22}{}\n", "wrote", fmt::join(facts.written, ", "));
}

/// Finds the tolerance that gives the accuracy asked for, and sets it.
Accuracy certify_options(const StartedModel& started, const RunOptions& given,
                         SimulateOptions& options, Diagnostics& faults) {
  const PrepareRun make = [&] {
    Diagnostics discarded;
    return prepare(started.model, started.overrides, discarded);
  };
  Certification found = certify(make, options, {.budget = given.certify_budget}, faults);
  options = std::move(found.options);
  return std::move(found.accuracy);
}

/// Finds the tolerance that holds the accuracy asked for, and sets it.
HeldAccuracy find_tolerance(const StartedModel& started, SimulateOptions& options,
                            Diagnostics& faults) {
  const PrepareRun make = [&] {
    Diagnostics discarded;
    return prepare(started.model, started.overrides, discarded);
  };
  FoundTolerance found = hold_accuracy(make, options, faults);
  options = std::move(found.options);
  return std::move(found.found);
}

const char* advice(Certified verdict) {
  switch (verdict) {
    case Certified::out_of_reach:
      return "ask for less, or end the run earlier";
    case Certified::contradicted:
      return "ask for more accuracy, or look at what the two methods do differently (kardan "
             "compare)";
    case Certified::over_budget:
      return "raise --certify-budget, ask for less, or use a method of higher order";
    default:
      return "the run without --certify tells more";
  }
}

using Clock = std::chrono::steady_clock;

/// Everything a run writes, and what may end it from outside.
struct Files {
  ResultWriter& results;
  CheckpointWriter& checkpoints;
  StepLog& log;
  OutputTable& outputs;
  Facts facts = {};

  std::string failure() const {
    for (const std::string& why : {results.failure(), checkpoints.failure(), log.failure()})
      if (!why.empty()) return why;
    return "";
  }
};

/// When a run shall end whatever it has reached.
struct Limits {
  Clock::time_point begin;
  std::optional<double> wall;  // [s]

  /// Why the run shall end; empty: it may go on.
  std::string asked() const {
    if (const int signal = Interrupt::asked(); signal != 0)
      return fmt::format("interrupted by {}", signal == SIGINT ? "SIGINT" : "SIGTERM");
    if (wall && std::chrono::duration<double>(Clock::now() - begin).count() > *wall)
      return fmt::format("the wall-clock limit of {} s is over", format_number(*wall));
    return "";
  }
};

/// A run, written to files, log and progress bar. The files and the last step are used with the lock:
/// who gives the run up keeps it.
struct RunOutput {
  Files files;
  LastStep last = {};
  std::mutex lock = {};
};

RunReport run_to_files(Prepared& prepared, SimulateOptions options, RunOutput& output,
                       ProgressDisplay progress_display, const Checkpoint* from,
                       const Limits& limits, Diagnostics& faults) {
  Files& files = output.files;
  options.driver.interrupt = [&] {
    std::string why = limits.asked();
    return why.empty() ? files.failure() : why;
  };
  Progress progress(prepared.start.state.t, options.t_end, progress_display);
  long steps = 0;
  const GridSink grid = files.results.grid();
  const auto record = files.results.steps();
  Watchers watchers;
  if (grid)
    watchers.grid = [&](const Instant& at) {
      const std::lock_guard lock(output.lock);
      return grid(at);
    };
  watchers.observer = [&](const StepView& step) {
    const std::lock_guard lock(output.lock);
    progress.at(step.t, ++steps);
    files.log.add(step);
    output.last.step(step);
    return std::string();
  };
  watchers.record = [&](const StepRecord& step) {
    const std::lock_guard lock(output.lock);
    output.last.record(step);
    if (record) record(step);
  };
  watchers.checkpoint = [&](const RunMemory& memory) {
    const std::lock_guard lock(output.lock);
    output.last.restart_point(memory);
    if (!files.checkpoints.active()) return;
    files.log.sync();
    files.checkpoints.write(memory);
  };
  // Of a run that goes on the beginning is not known.
  if (!from) files.outputs.join(prepared.start, watchers);
  RunReport report = simulate(prepared, options, watchers, faults, from ? &from->memory : nullptr);
  if (!from) files.outputs.finish(report);
  return report;
}

/// Whether the checkpoint and its rows are of this run; else everything that is against it.
bool may_resume(const Checkpoint& from, const std::string& path, const StartedModel& started,
                const SimulateOptions& options, Diagnostics& faults) {
  check_same_run(from, path, model_hash(started.model, started.overrides), *started.prepared.system,
                 options, faults);
  if (faults.has_errors()) return false;
  const auto width = static_cast<std::size_t>(Recorder(*started.prepared.system).layout().width);
  const std::string rows = rows_path(path);
  if (const std::string why = check_journal(rows, from.rows, width); !why.empty())
    faults.error("checkpoint.rows", "the rows of the checkpoint cannot be used: " + why, {rows},
                 "it belongs beside the checkpoint, as it was written with it");
  return !faults.has_errors();
}

/// Says on stderr how a run ended that did not come to its end, and how it can go on.
int tell_end(const RunReport& report, const CheckpointWriter& checkpoints,
             const std::string& lost) {
  const Reason reason = report.driver.reason;
  const bool came_to_end = reason == Reason::finished || reason == Reason::stopped;
  for (const std::string& fault : report.against) fmt::print(stderr, "kardan: {}\n", fault);
  if (came_to_end && lost.empty()) return report.against.empty() ? finished : failed;
  if (!came_to_end) fmt::print(stderr, "kardan: {}\n", report.driver.message);
  if (!lost.empty() && report.driver.message.find(lost) == std::string::npos)
    fmt::print(stderr, "kardan: {}\n", lost);
  if (!report.driver.advice.empty()) fmt::print(stderr, "        {}\n", report.driver.advice);
  if (checkpoints.active())
    fmt::print(stderr, "        --resume {} goes on from t = {}\n", checkpoints.path(),
               format_number(checkpoints.t()));
  const int signal = Interrupt::asked();
  return reason == Reason::interrupted && signal != 0 ? 128 + signal : failed;
}

/// The end of everything that is written, and what is printed.
void finish_files(const System& system, const RunReport& report, const Instant& end,
                  const ModelOptions& options, Files& files) {
  files.results.end(report, end);
  files.log.close();
  if (options.json) {
    Json certificate = to_json(system, report, end);
    if (files.outputs.known()) certificate["outputs"] = files.outputs.to_json();
    print_json(certificate);
  } else if (!options.quiet) {
    print_report(system, report, files.facts);
    if (files.outputs.known()) files.outputs.print();
  }
}

/// Of a run that does not answer: its thread goes on until the program ends.
[[noreturn]] void end_given_up(const System& system, const SimulateOptions& asked,
                               const ModelOptions& options, RunOutput& output,
                               const std::string& why) {
  output.lock.lock();
  const RunReport report = output.last.interrupted(asked, why);
  const Vector unknown;
  finish_files(system, report, {&output.last.state(), &unknown, &unknown}, options, output.files);
  const int code = tell_end(report, output.files.checkpoints, output.files.failure());
  std::fflush(stdout);
  std::fflush(stderr);
  std::_Exit(code);
}

/// Everything the run will write. The header of a CSV file that is there is compared.
std::vector<Output> outputs_of(const RunOptions& given, const System& system) {
  std::vector<Output> out;
  for (const std::string& path : given.out) {
    std::error_code none;
    const bool there = path.ends_with(".csv") && std::filesystem::is_regular_file(path, none);
    out.push_back({"--out", path, OutputKind::result,
                   there ? csv_header(Recorder(system).layout()) : std::string()});
  }
  if (!given.log.empty()) out.push_back({"--log", given.log, OutputKind::log});
  if (!given.checkpoint.empty())
    out.push_back({"--checkpoint", given.checkpoint, OutputKind::checkpoint});
  return out;
}

/// What the run reads; a checkpoint that it goes on to write is none of it.
std::vector<std::string> inputs_of(const RunOptions& given, const StartedModel& started) {
  std::vector<std::string> out = started.files;
  std::error_code none;
  if (!given.resume.empty() && !std::filesystem::equivalent(given.resume, given.checkpoint, none)) {
    out.push_back(given.resume);
    out.push_back(rows_path(given.resume));
  }
  return out;
}

/// What is seldom meant of a run.
void warn_of_run(const Model& model, const System& system, const RunOptions& given,
                 const SimulateOptions& options, Diagnostics& faults) {
  const auto end = given.numbers.find("t_end");
  if (!model.simulate.find("t_end") && (end == given.numbers.end() || !end->second))
    faults.warning(
        "run.no_end",
        fmt::format("t_end is not given: the run ends at {} s", format_number(options.t_end)),
        model.where, "write simulate: {t_end: ...}, or --t-end");
  Diagnostics discarded;
  const Choice choice = choose_method(options.method, discarded);
  if (choice.method) warn_of_stiff_elements(system, *choice.method, options.t_end, faults);
}

}  // namespace

static int run(ModelOptions options, RunOptions given) {
  if (options.file.ends_with(".fmu")) return run_fmu(options, given);
  const Clock::time_point begin = Clock::now();
  Deadline before(given.wall_limit.value_or(0));
  Diagnostics faults;
  std::optional<Checkpoint> from;
  if (!given.resume.empty()) from = read_resume(options, given, faults);
  if (print_faults(faults)) return bad_input;
  StartedModel started;
  if (const int code = start_model(options, started); code != finished) return code;
  const Model& model = started.model;
  Prepared& prepared = started.prepared;
  SimulateOptions simulate_options;
  const bool good = read_run_options(model, *prepared.system, given, simulate_options, faults) &&
                    (!from || may_resume(*from, given.resume, started, simulate_options, faults));
  if (good) warn_of_run(model, *prepared.system, given, simulate_options, faults);
  print_faults(faults);
  if (!good) return bad_input;
  faults = {};
  const System& system = *prepared.system;
  const OutputGuard guard(inputs_of(given, started), outputs_of(given, system),
                          given.force ? Overwrite::anything : Overwrite::own_files, faults);
  if (print_faults(faults)) return bad_input;
  std::optional<HeldAccuracy> held;
  if (simulate_options.accuracy > 0 && !from)
    held = find_tolerance(started, simulate_options, faults);
  if (print_faults(faults)) return bad_input;
  std::optional<Accuracy> accuracy;
  if (given.certify) accuracy = certify_options(started, given, simulate_options, faults);
  if (print_faults(faults)) return bad_input;
  ResultWriter results(model, started.overrides, prepared, simulate_options, given.out,
                       {viewer_page()}, faults);
  const Checkpoint* resumed = from ? &*from : nullptr;
  StepLog log(given.log, resumed, faults);
  if (print_faults(faults)) return bad_input;
  CheckpointWriter checkpoints(started, given, simulate_options, resumed, results, faults);
  if (print_faults(faults)) return bad_input;
  Facts facts{{}, given.out};
  for (const std::string& path : {given.log, given.checkpoint})
    if (!path.empty()) facts.written.push_back(path);
  if (!options.quiet && !options.json) {
    const auto ws = system.make_workspace();
    facts.model = in_words(system, analyse(system, prepared.start.state, *ws));
  }
  started.model = {};  // consumed: the system and the files have what they need of it
  const Interrupt interrupt;
  before.off();
  const Limits limits{begin, given.wall_limit};
  OutputTable output_table(system, simulate_options);
  RunOutput output{{results, checkpoints, log, output_table, facts}};
  RunReport report;
  const Ended ended = supervise(
      [&] {
        report = run_to_files(
            prepared, simulate_options, output,
            options.quiet || options.json ? ProgressDisplay::hidden : ProgressDisplay::shown,
            resumed, limits, faults);
      },
      [&] { return !limits.asked().empty(); });
  if (ended == Ended::given_up)
    end_given_up(system, simulate_options, options, output, limits.asked());
  if (print_faults(faults)) return bad_input;
  const Instant end{&prepared.start.state, &prepared.start.a, &prepared.start.lambda};
  report.accuracy = std::move(accuracy);
  if (report.accuracy)
    if (const auto check = check_estimate(report.error_estimate, *report.accuracy);
        check && check->low)
      report.remarks.push_back(in_words(*check));
  if (held && report.held) {
    report.held->runs = std::move(held->runs);
    if (!report.held->held) report.held->message = std::move(held->message);
  }
  finish_files(system, report, end, options, output.files);
  if (const int code = tell_end(report, checkpoints, output.files.failure());
      code != finished || !report.accuracy || report.accuracy->verdict == Certified::reached)
    return code;
  fmt::print(stderr, "kardan: accuracy {:.0e} {}\n        {}\n", report.accuracy->asked,
             report.accuracy->message, advice(report.accuracy->verdict));
  return failed;
}

/// The numbers of io/run_options.h, between the others where they are looked for.
static std::vector<Argument> number_arguments(RunOptions& o) {
  std::vector<Argument> out;
  for (const RunOption& option : run_options()) {
    const std::string unit = option.info.unit.empty() ? "" : "[" + option.info.unit + "] ";
    out.push_back({option.flag, unit + option.info.doc, &o.numbers[option.key]});
  }
  return out;
}

Verb run_verb() {
  struct Options {
    ModelOptions model;
    RunOptions given;
  };
  auto options = std::make_shared<Options>();
  RunOptions& o = options->given;
  std::vector<Argument> arguments =
      joined(model_arguments(options->model), {{"--method", "see `kardan methods`", &o.method}});
  arguments = joined(std::move(arguments), number_arguments(o));
  arguments = joined(
      std::move(arguments),
      {{"--tol-of", "NAME=VALUE: tolerance of a variable or body; may be repeated",
        &o.tolerance_of},
       {"--option",
        "name=value: option of the driver (`kardan methods` lists them); may be repeated",
        &o.option},
       {"--certify",
        "measure the global error against tighter runs, and tighten until it is below the "
        "tolerance",
        &o.certify},
       {.name = "--certify-budget",
        .doc = "steps of all runs of --certify, in steps of the first",
        .to = &o.certify_budget,
        .show_default = true},
       {"--out", "result file: .h5, .csv, .json, .html; may be repeated", &o.out},
       {"--log", "file with one line a step: t, h, error, counts", &o.log},
       {"--checkpoint",
        "file from which the run can go on, renewed as it goes, 20 times unless --checkpoint-every "
        "is given",
        &o.checkpoint},
       {.name = "--resume",
        .doc = "go on from this checkpoint, with its options; t_end and max_steps may be raised",
        .to = &o.resume,
        .excludes = "--certify"},
       {"--wall-limit", "[s] the run ends after so much time on the clock", &o.wall_limit},
       force_argument(o.force)});
  return {"run", "simulate; summary, report and result files", std::move(arguments),
          [options] { return run(options->model, options->given); }};
}

}  // namespace kardan::cli
