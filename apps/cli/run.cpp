#include <fmt/format.h>

#include <charconv>
#include <chrono>
#include <cmath>
#include <fstream>
#include <system_error>

#include "apps/cli/checkpointing.h"
#include "apps/cli/command.h"
#include "apps/cli/interrupt.h"
#include "apps/cli/print.h"
#include "apps/cli/progress.h"
#include "apps/cli/viewer_page.h"
#include "kardan/base/text.h"
#include "kardan/io/driver_options.h"
#include "kardan/io/output_file.h"
#include "kardan/io/report_json.h"
#include "kardan/io/result_writer.h"
#include "kardan/run/automatic.h"
#include "kardan/run/certify.h"
#include "kardan/run/simulate.h"

namespace kardan::cli {
namespace {

void print_accuracy(const Accuracy& a) {
  fmt::print("{:<22}{:.0e} {}\n", "accuracy", a.asked, a.message);
  if (a.magnified > 0)
    fmt::print("{:<22}{:.1e} times those of the start\n", "errors grow to", a.magnified);
  if (!a.bands.empty())
    fmt::print("{:<22}position {:.1e}   velocity {:.1e}  (against {:.0e})\n", "measured error",
               a.position, a.velocity, a.reference);
}

/// "tolerance 1e-06", or the relative and absolute ones where they were given.
std::string used_tolerance(const RunReport& r) {
  const double relative = r.asked.relative, absolute = r.asked.absolute;
  if (!(relative > 0 || absolute > 0)) return fmt::format("tolerance {:.0e}", r.tolerance);
  return fmt::format("tolerance {:.0e} relative, {:.0e} absolute",
                     relative > 0 ? relative : r.tolerance, absolute > 0 ? absolute : r.tolerance);
}

void print_report(const System& system, const RunReport& r) {
  const Counters& c = r.driver.counters;
  fmt::print("{}\n\n", system.blueprint().name);
  fmt::print("{:<22}{} at t = {:.9g} s{}\n", "ended", to_string(r.driver.reason), r.driver.t,
             r.driver.reason == Reason::stopped ? ": " + r.driver.message : "");
  fmt::print("{:<22}{} on {}, {}\n", "method", r.method, r.formulation, used_tolerance(r));
  if (!r.automatic.method.empty()) fmt::print("{:<22}{}\n", "chosen", r.automatic.why);
  if (r.accuracy) print_accuracy(*r.accuracy);
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
}

/// `--log FILE`: one line a step; counts are those of the run so far. A run that goes on keeps the
/// lines up to its checkpoint, so that the log is that of a run in one piece.
class StepLog {
 public:
  StepLog(const std::string& path, const io::Checkpoint* from, Diagnostics& diagnostics) {
    if (path.empty()) return;
    try {
      const std::string before = from ? lines_until(path, from->memory.state.t) : std::string();
      file_ = std::make_unique<io::OutputFile>(path);
      file_->print("{}{}", head, before);
    } catch (const std::system_error& e) {
      diagnostics.error("output.file", fmt::format("--log {}: {}", path, e.code().message()), {},
                        "is the folder there, and may it be written?");
    }
  }
  void add(const StepView& step) {
    keep([&] {
      file_->print("{},{},{},{},{},{},{}\n", format_number(step.t), format_number(step.h),
                   format_number(step.error), step.counters->rejected, step.counters->failed,
                   step.counters->evaluations, step.counters->iterations);
    });
  }
  void close() {
    keep([&] { file_->close(); });
  }
  const std::string& failure() const { return failure_; }

 private:
  static constexpr const char* head = "t,h,error,rejected,failed,evaluations,iterations\n";

  /// Whole lines of an earlier log up to t; none where there is no such log.
  static std::string lines_until(const std::string& path, double t) {
    std::ifstream file(path);
    std::string line, out;
    if (!std::getline(file, line) || line + "\n" != head) return out;
    while (std::getline(file, line) && !file.eof()) {
      double at = 0;
      const auto [end, error] = std::from_chars(line.data(), line.data() + line.size(), at);
      if (error != std::errc() || end == line.data() + line.size() || at > t) break;
      out += line + "\n";
    }
    return out;
  }

  template <class Write>
  void keep(const Write& write) {
    if (!file_ || !failure_.empty()) return;
    try {
      write();
    } catch (const std::system_error& e) {
      failure_ = fmt::format("cannot write {}", e.what());
    }
  }

  std::unique_ptr<io::OutputFile> file_;
  std::string failure_;
};

/// Finds the tolerance that gives the accuracy asked for, and sets it.
Accuracy certify_options(const StartedModel& started, const RunOptions& given,
                         SimulateOptions& options, Diagnostics& faults) {
  const PrepareRun make = [&] {
    Diagnostics told;
    return prepare(started.model, started.overrides, told);
  };
  Certification found = certify(make, options, {.budget = given.certify_budget}, faults);
  options = std::move(found.options);
  return std::move(found.accuracy);
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

/// Everything a run writes, and what may end it from outside.
struct Files {
  ResultWriter& results;
  CheckpointWriter& checkpoints;
  StepLog& log;

  std::string failure() const {
    for (const std::string& why : {results.failure(), checkpoints.failure(), log.failure()})
      if (!why.empty()) return why;
    return "";
  }
};

using Clock = std::chrono::steady_clock;

std::string interruption(const Files& files, Clock::time_point begin, double wall_limit) {
  if (const int signal = Interrupt::asked(); signal != 0)
    return fmt::format("interrupted by {}", signal == SIGINT ? "SIGINT" : "SIGTERM");
  if (std::string why = files.failure(); !why.empty()) return why;
  if (wall_limit > 0 && std::chrono::duration<double>(Clock::now() - begin).count() > wall_limit)
    return fmt::format("the wall-clock limit of {} s is over", format_number(wall_limit));
  return "";
}

/// Runs with results, checkpoints, log and progress bar.
RunReport run_to_files(Prepared& prepared, SimulateOptions options, Files files,
                       ProgressWish progress_wish, const io::Checkpoint* from, double wall_limit,
                       Diagnostics& faults) {
  const Clock::time_point begin = Clock::now();
  options.driver.interrupt = [&] { return interruption(files, begin, wall_limit); };
  Progress progress(prepared.start.state.t, options.t_end, progress_wish);
  long steps = 0;
  Watchers watchers{files.results.grid(),
                    [&](const StepView& step) {
                      progress.at(step.t, ++steps);
                      files.log.add(step);
                      return std::string();
                    },
                    files.results.steps(),
                    {}};
  if (files.checkpoints.active())
    watchers.checkpoint = [&](const RunMemory& memory) { files.checkpoints.write(memory); };
  return simulate(prepared, options, watchers, faults, from ? &from->memory : nullptr);
}

/// Whether the checkpoint and its rows are of this run; else everything that is against it.
bool may_resume(const io::Checkpoint& from, const std::string& path, const StartedModel& started,
                const SimulateOptions& options, Diagnostics& faults) {
  io::check_same_run(from, path, io::model_hash(started.model, started.overrides),
                     *started.prepared.system, options, faults);
  if (faults.has_errors()) return false;
  const auto width = static_cast<std::size_t>(Recorder(*started.prepared.system).layout().width);
  const std::string rows = io::rows_path(path);
  if (const std::string why = io::check_journal(rows, from.rows, width); !why.empty())
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

}  // namespace

int run(const ModelOptions& command, const RunOptions& run_command) {
  ModelOptions options = command;
  RunOptions given = run_command;
  Diagnostics faults;
  std::optional<io::Checkpoint> from;
  if (!given.resume.empty()) from = read_resume(options, given, faults);
  if (tell(faults)) return bad_input;
  StartedModel started;
  if (const int code = start_model(options, started); code != finished) return code;
  const Model& model = started.model;
  Prepared& prepared = started.prepared;
  SimulateOptions simulate_options;
  const bool good = read_run_options(model, *prepared.system, given, simulate_options, faults) &&
                    (!from || may_resume(*from, given.resume, started, simulate_options, faults));
  tell(faults);
  if (!good) return bad_input;
  faults = {};
  const System& system = *prepared.system;
  std::optional<Accuracy> accuracy;
  if (given.certify) accuracy = certify_options(started, given, simulate_options, faults);
  if (tell(faults)) return bad_input;
  ResultWriter results(model, started.overrides, prepared, simulate_options, given.out,
                       {viewer_page()}, faults);
  const io::Checkpoint* resumed = from ? &*from : nullptr;
  StepLog log(given.log, resumed, faults);
  if (tell(faults)) return bad_input;
  CheckpointWriter checkpoints(started, given, simulate_options, resumed, results, faults);
  if (tell(faults)) return bad_input;
  started.model = {};  // consumed: the system and the files have what they need of it
  const Interrupt interrupt;
  const bool silent = options.quiet || options.json;
  RunReport report = run_to_files(prepared, simulate_options, {results, checkpoints, log},
                                  silent ? ProgressWish::hidden : ProgressWish::shown, resumed,
                                  given.wall_limit, faults);
  if (tell(faults)) return bad_input;
  const Moment end{&prepared.start.state, &prepared.start.a, &prepared.start.lambda};
  report.accuracy = std::move(accuracy);
  results.end(report, end);
  log.close();
  if (options.json)
    fmt::print("{}\n", to_json(system, report, end).dump(2));
  else if (!options.quiet)
    print_report(system, report);
  if (const int code = tell_end(report, checkpoints, Files{results, checkpoints, log}.failure());
      code != finished || !report.accuracy || report.accuracy->verdict == Certified::reached)
    return code;
  fmt::print(stderr, "kardan: accuracy {:.0e} {}\n        {}\n", report.accuracy->asked,
             report.accuracy->message, advice(report.accuracy->verdict));
  return failed;
}

constexpr std::string_view automatic_summary =
    "chooses one of those below, with its formulation, from the model and a short probe that "
    "counts";

static void print_options(const std::vector<OptionInfo>& options) {
  for (const OptionInfo& o : options)
    fmt::print("      {:<20}{:<14}{}{}\n", o.name, o.fallback, o.doc,
               o.choices.empty() ? "" : fmt::format(": {}", fmt::join(o.choices, ", ")));
}

static void markdown_options(const std::vector<OptionInfo>& options) {
  if (options.empty()) return;
  fmt::print("| option | default | meaning |\n|---|---|---|\n");
  for (const OptionInfo& o : options)
    fmt::print("| `{}` | {} | {}{} |\n", o.name, o.fallback, o.doc,
               o.choices.empty() ? "" : fmt::format(": {}", fmt::join(o.choices, ", ")));
  fmt::print("\n");
}

int methods_markdown() {
  fmt::print(
      "# Methods and options\n\nMade by the program: `kardan methods --markdown`. What the methods "
      "promise and where they end is in [Running a model](methods.md).\n\n## Methods\n\n### "
      "auto\n\n{}\n\n",
      automatic_summary);
  for (const Method& m : methods()) {
    fmt::print("### {}\n\n{}. Source: {}.\n\n", m.name, m.summary, m.source);
    fmt::print(
        "Order {}, of the error estimate {}, of the dense output {}; {}; by default on `{}`{}."
        "\n\n",
        m.order, m.error_order, std::min(m.order, m.dense_order),
        m.is_explicit ? "explicit" : "implicit", m.formulation,
        m.needs_exact_jacobian ? "; needs exact derivatives" : "");
    markdown_options(m.options);
  }
  fmt::print("## Formulations\n\n`--method METHOD@FORMULATION`\n\n");
  for (const Formulation& f : formulations()) {
    fmt::print("### {}\n\n{}. Source: {}.\n\n", f.name, f.summary, f.source);
    markdown_options(f.options);
  }
  fmt::print(
      "## Options of every run\n\n`--option name=value`\n\n| option | default | unit | meaning |\n"
      "|---|---|---|---|\n");
  for (const FieldDoc& d : driver_option_docs())
    fmt::print("| `{}` | {} | {} | {}{} |\n", d.key, d.default_text, d.info.unit, d.info.doc,
               d.info.choices.empty() ? "" : fmt::format(": {}", fmt::join(d.info.choices, ", ")));
  return finished;
}

int methods_command() {
  fmt::print("  {:<18}{}\n", automatic_method, automatic_summary);
  for (const Method& m : methods()) {
    fmt::print("  {:<18}order {:<8}dense output {:<4}{} ({})\n", m.name,
               fmt::format("{}({})", m.order, m.error_order), std::min(m.order, m.dense_order),
               m.summary, m.source);
    print_options(m.options);
  }
  fmt::print("\nformulations: --method METHOD@FORMULATION\n");
  for (const Formulation& f : formulations()) {
    fmt::print("  {:<22}{} ({})\n", f.name, f.summary, f.source);
    print_options(f.options);
  }
  fmt::print("\noptions of every run: --option name=value\n");
  for (const FieldDoc& d : driver_option_docs())
    fmt::print("  {:<18}{:<11}{}{}{}\n", d.key, d.default_text, d.info.doc,
               d.info.unit.empty() ? "" : " [" + d.info.unit + "]",
               d.info.choices.empty() ? "" : fmt::format(": {}", fmt::join(d.info.choices, ", ")));
  return finished;
}

}  // namespace kardan::cli
