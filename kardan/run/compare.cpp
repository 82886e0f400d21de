#include "kardan/run/compare.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>

#include "kardan/base/crew.h"
#include "kardan/base/text.h"
#include "kardan/run/choice.h"
#include "kardan/run/instructions.h"

namespace kardan {
namespace {

/// A reference is this much tighter than the tightest tolerance asked for, where numbers allow.
constexpr double sharper_share = 1e-2, sharpest = 1e-13;

struct Job {
  SimulateOptions options;
  RunReport report;
  std::optional<Trajectory> path;
  std::string message;
};

void run_job(const PrepareRun& make, Job& job) {
  try {
    Prepared prepared = make();
    Diagnostics faults;
    if (!prepared.system || prepared.start.report.status != Eval::ok) {
      job.message = "the model could not be assembled";
      return;
    }
    job.path = trajectory(prepared, job.options, job.report, faults);
    if (job.report.driver.reason != Reason::finished) job.path.reset();  // the whole run counts
    if (faults.has_errors())
      job.message = faults.all().front().message;
    else if (!job.path)
      job.message =
          fmt::format("{}: {}", to_string(job.report.driver.reason), job.report.driver.message);
  } catch (const std::exception& e) {
    job.message = e.what();
  }
}

/// All jobs, on several threads; the order of the jobs does not depend on them.
void run_all(const PrepareRun& make, std::vector<Job>& jobs, int threads) {
  for_each_piece(jobs.size(), threads, [&](std::uint64_t i, int) {
    run_job(make, jobs[i]);
    return true;
  });
}

SimulateOptions with(const CompareOptions& options, const std::string& method, double tolerance) {
  SimulateOptions out = options.base;
  out.method = method;
  out.options.clear();
  out.driver.tolerance = tolerance;
  out.every = options.base.t_end / options.points;
  return out;
}

/// The first two methods that come to the end.
std::optional<Trajectory> find_reference(const PrepareRun& make, const System& system,
                                         const CompareOptions& options, Comparison& out,
                                         Diagnostics& diagnostics) {
  const double least = *std::min_element(options.tolerances.begin(), options.tolerances.end());
  const double tolerance = std::max(sharpest, sharper_share * least);
  std::optional<Trajectory> reference;
  std::string why;
  // The first is the reference, the second shows how good it is.
  for (const Method* candidate : methods_for(Task::reference)) {
    const std::string method(candidate->name);
    std::vector<Job> job(1);
    job[0].options = with(options, method, tolerance);
    run_all(make, job, 1);
    if (!job[0].path) {
      if (why.empty()) why = job[0].message;
      continue;
    }
    if (!reference) {
      reference = job[0].path;
      out.reference = fmt::format("{} at {:.0e}", method, tolerance);
      continue;
    }
    const ReachedError apart = reached_error(component_errors(system, *job[0].path, *reference));
    out.reference_position_error = apart.position;
    out.reference_velocity_error = apart.velocity;
    out.reference_checked = true;
    out.reference += fmt::format(", checked with {}", method);
    break;
  }
  if (!reference)
    diagnostics.error("compare.reference", fmt::format("no reference could be computed: {}", why),
                      {}, "give one with --reference FILE");
  return reference;
}

void take_times(const PrepareRun& make, const CompareOptions& options,
                std::vector<CompareRow>& rows) {
  std::vector<std::vector<double>> seconds(rows.size());
  for (int repetition = 0; repetition < options.repetitions; ++repetition)
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (!rows[i].finished) continue;
      Prepared prepared = make();
      SimulateOptions plain = with(options, rows[i].method, rows[i].tolerance);
      plain.every = 0;
      Diagnostics faults;
      const InstructionCounter counter;
      const RunReport report = simulate(prepared, plain, {}, {}, faults);
      if (repetition == 0) rows[i].instructions = counter.count();
      seconds[i].push_back(report.cpu_seconds);
    }
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (seconds[i].empty()) continue;
    std::sort(seconds[i].begin(), seconds[i].end());
    rows[i].cpu_seconds = seconds[i][seconds[i].size() / 2];
  }
}

}  // namespace

Comparison compare(const PrepareRun& make, const CompareOptions& options,
                   Diagnostics& diagnostics) {
  Comparison out;
  out.t_end = options.base.t_end;
  for (const std::string& method : options.methods) (void)choose_method(method, diagnostics);
  if (diagnostics.has_errors()) return out;
  const Prepared model = make();
  std::optional<Trajectory> reference = options.reference;
  if (reference)
    out.reference = "of the file";
  else
    reference = find_reference(make, *model.system, options, out, diagnostics);
  if (!reference) return out;

  std::vector<Job> jobs;
  for (const std::string& method : options.methods)
    for (const double tolerance : options.tolerances) {
      jobs.emplace_back();
      jobs.back().options = with(options, method, tolerance);
    }
  run_all(make, jobs, options.threads);
  for (Job& job : jobs) {
    CompareRow row;
    row.method = job.options.method;
    row.tolerance = job.options.driver.tolerance;
    row.finished = job.path.has_value();
    row.message = job.message;
    row.residuals = job.report.residuals;
    row.counters = job.report.driver.counters;
    if (job.path) {
      const ReachedError error =
          reached_error(component_errors(*model.system, *job.path, *reference));
      row.position_error = error.position;
      row.velocity_error = error.velocity;
      row.below_reference =
          out.reference_checked && (error.position <= 2 * out.reference_position_error ||
                                    error.velocity <= 2 * out.reference_velocity_error);
    }
    out.rows.push_back(std::move(row));
  }
  take_times(make, options, out.rows);
  return out;
}

}  // namespace kardan
