#include "kardan/study/run_row.h"

#include <algorithm>
#include <exception>
#include <limits>
#include <optional>

#include "kardan/run/certify.h"
#include "kardan/run/held_accuracy.h"
#include "kardan/run/simulate.h"
#include "kardan/study/kept_watch.h"

namespace kardan {
namespace {

constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

std::vector<std::string> names_of(const std::vector<KeptValue>& kept) {
  std::vector<std::string> out;
  for (const KeptValue& k : kept) out.push_back(k.name);
  return out;
}

bool holds(const StudyPlan& plan, const System& system, std::span<const double> kept) {
  for (const Requirement& r : plan.requirements) {
    const Expression condition = with_parameters(r.expression, system);
    std::vector<double> values;
    for (const std::string& name : condition.names()) {
      const auto at = std::ranges::find(plan.kept, name, &KeptValue::name);
      values.push_back(kept[static_cast<std::size_t>(at - plan.kept.begin())]);
    }
    const double truth = condition.evaluate(std::span<const double>(values));
    if (!(truth != 0) || truth != truth) return false;
  }
  return true;
}

void fill_certificate(const RowShape& shape, const RunReport& report, std::span<double> row) {
  row[shape.verdict()] = static_cast<int>(colour_of(report));
  row[shape.reason()] = static_cast<int>(report.driver.reason);
  row[shape.residuals()] = report.residuals.position;
  row[shape.residuals() + 1] = report.residuals.velocity;
  row[shape.residuals() + 2] = report.residuals.acceleration;
  row[shape.balance()] = report.energy.balance_error;
  row[shape.steps()] = static_cast<double>(report.driver.counters.steps);
  row[shape.time()] = report.driver.t;
  const std::span<double> errors = row.subspan(shape.errors(), 3);
  if (report.accuracy) {
    errors[0] = report.accuracy->position;
    errors[1] = report.accuracy->velocity;
    errors[2] = report.accuracy->until;
  } else if (report.error_estimate.made) {
    errors[0] = report.error_estimate.position.reached;
    errors[1] = report.error_estimate.velocity.reached;
    errors[2] = std::min(report.error_estimate.until, report.error_estimate.void_from);
  }
}

/// A run that never began.
void refuse(const RowShape& shape, int reason, std::string message, std::span<double> row,
            WholeRun& whole) {
  row[shape.verdict()] = 0;
  row[shape.reason()] = reason;
  whole.message = std::move(message);
}

}  // namespace

Colour colour_of(const RunReport& report) {
  const Reason reason = report.driver.reason;
  if ((reason != Reason::finished && reason != Reason::stopped) || !report.against.empty())
    return Colour::red;
  if (report.accuracy && report.accuracy->verdict != Certified::reached) return Colour::red;
  if (report.accuracy && report.accuracy->crossed.empty()) return Colour::amber;
  return report.remarks.empty() && report.start.warnings.empty() ? Colour::green : Colour::amber;
}

std::string reason_name(int reason) {
  if (reason == bad_model) return "bad_model";
  if (reason == bad_start) return "bad_start";
  if (reason == broken) return "broken";
  return std::string(to_string(static_cast<Reason>(reason)));
}

RowShape::RowShape(std::vector<std::string> parameters, std::vector<std::string> kept)
    : parameters_(std::move(parameters)), kept_(std::move(kept)) {}

RowShape::RowShape(const StudyPlan& plan) : RowShape(plan.parameters, names_of(plan.kept)) {}

std::vector<std::string> RowShape::names() const {
  std::vector<std::string> out = parameters_;
  out.insert(out.end(), kept_.begin(), kept_.end());
  for (const char* name :
       {"run.met", "run.verdict", "run.reason", "run.residual_position", "run.residual_velocity",
        "run.residual_acceleration", "run.balance_error", "run.steps", "run.t_reached",
        "run.error_position", "run.error_velocity", "run.error_until"})
    out.emplace_back(name);
  return out;
}

ParameterValues parameters_of(const StudyPlan& plan, std::uint64_t run) {
  std::vector<double> values(plan.parameters.size());
  plan.sample(run, values);
  ParameterValues out = plan.set;
  for (std::size_t k = 0; k < values.size(); ++k) out.emplace_back(plan.parameters[k], values[k]);
  return out;
}

namespace {

/// How the run is done so that it has the accuracy asked for, where one is asked for.
SimulateOptions options_of(const StudyPlan& plan, const ParameterValues& values,
                           std::optional<Accuracy>& accuracy, Diagnostics& faults) {
  SimulateOptions options = plan.options;
  const PrepareRun make = [&] {
    Diagnostics discarded;
    return plan.series->prepare(values, discarded);
  };
  if (options.accuracy > 0) options = hold_accuracy(make, options, faults).options;
  if (!plan.certify || faults.has_errors()) return options;
  Certification found = certify(make, options, {}, faults);
  accuracy = std::move(found.accuracy);
  return std::move(found.options);
}

/// The row holds the parameters already.
void attempt(const StudyPlan& plan, const RowShape& shape, std::span<double> row, WholeRun& whole,
             const Watchers& also) {
  ParameterValues values;
  for (std::size_t k = 0; k < plan.parameters.size(); ++k)
    values.emplace_back(plan.parameters[k], row[k]);
  whole.prepared = plan.series->prepare(values, whole.faults);
  if (!whole.prepared.system || whole.faults.has_errors()) {
    std::string why = "the model could not be compiled";
    for (const Diagnostic& d : whole.faults.all())
      if (d.severity == Severity::error) {
        why = d.message;
        break;
      }
    return refuse(shape, bad_model, why, row, whole);
  }
  if (whole.prepared.start.report.status != Eval::ok)
    return refuse(shape, bad_start, whole.prepared.start.report.message, row, whole);
  KeptWatch watch(plan, *whole.prepared.system);
  Watchers watchers = also;
  watch.join(whole.prepared.start, watchers);
  Diagnostics faults;
  std::optional<Accuracy> accuracy;
  const SimulateOptions options = options_of(plan, values, accuracy, faults);
  if (!faults.has_errors()) whole.report = simulate(whole.prepared, options, watchers, faults);
  whole.report.accuracy = std::move(accuracy);
  whole.faults.add(faults);
  if (faults.has_errors())
    return refuse(shape, bad_model, faults.all().front().message, row, whole);
  fill_certificate(shape, whole.report, row);
  if (shape.failed(row)) {
    const bool measured = whole.report.accuracy && whole.report.driver.reason == Reason::finished;
    whole.message = !whole.report.against.empty() ? whole.report.against.front()
                    : measured                    ? whole.report.accuracy->message
                                                  : whole.report.driver.message;
    return;
  }
  const std::span<double> kept = row.subspan(shape.parameters().size(), shape.kept().size());
  watch.finish(whole.report, kept);
  row[shape.met()] = holds(plan, *whole.prepared.system, kept) ? 1 : 0;
}

}  // namespace

void do_run(const StudyPlan& plan, const RowShape& shape, std::uint64_t run, std::span<double> row,
            WholeRun& whole, const Watchers& also) {
  std::ranges::fill(row, not_a_number);
  plan.sample(run, row.subspan(0, shape.parameters().size()));
  row[shape.met()] = 0;
  row[shape.steps()] = row[shape.time()] = 0;
  whole = {};
  try {
    attempt(plan, shape, row, whole, also);
  } catch (const std::exception& e) {
    refuse(shape, broken, e.what(), row, whole);
  }
}

}  // namespace kardan
