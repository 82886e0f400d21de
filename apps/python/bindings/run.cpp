#include "apps/python/bindings/run.h"

#include <cmath>

#include "apps/python/bindings/stopping.h"
#include "kardan/base/text.h"
#include "kardan/io/driver_options.h"
#include "kardan/io/scene.h"
#include "kardan/io/simulate_options.h"

namespace kardan::python {

RunResult::RunResult(std::shared_ptr<Task> task, SimulateOptions options)
    : task_(std::move(task)),
      options_(std::move(options)),
      begin_(task_->prepared().start),
      recorder_(task_->system()) {}

std::string RunResult::row(const Instant& at) {
  const std::span<const double> row = recorder_.row(at);
  rows_.insert(rows_.end(), row.begin(), row.end());
  return {};
}

void RunResult::finish(const RunReport& report) {
  const Instant at{&end().state, &end().a, &end().lambda};
  report_ = to_json(task_->system(), report, at);
  certificate_ = to_python(report_);
}

/// What is drawn belongs to the start of the run.
ResultDescription RunResult::describe() {
  Prepared& prepared = task_->prepared();
  std::swap(prepared.start, begin_);
  ResultDescription out;
  out.title = task_->system().blueprint().name;
  out.model = task_->model_text(options_);
  out.scene = make_scene(prepared, recorder_.layout());
  out.layout = recorder_.layout();
  out.events = task_->system().event_names();
  out.asked = to_json(options_);
  std::swap(prepared.start, begin_);
  return out;
}

py::object RunResult::linearize(bool frozen) const {
  return modes(*task_, frozen);
}

const StepView& StepForPython::view() const {
  if (!step_) throw py::value_error("a step can be looked at only while its observer is called");
  return *step_;
}

double StepForPython::value(const std::string& name) const {
  const auto quantity = system_.find_quantity(name == "time" ? "t" : name);
  if (!quantity) {
    const std::string near = did_you_mean(name, system_.quantity_names());
    throw py::key_error("there is no variable '" + name + "'" +
                        (near.empty() ? "" : "; did you mean '" + near + "'?"));
  }
  return system_.quantity(*quantity, *view().state, 0, {}, {}, ws_);
}

namespace {

/// Fields of `over` in the place of those of `base`. Options of a method mean nothing to another.
FieldMap merged(const FieldMap& base, const FieldMap& over) {
  const auto find = [](const FieldMap& map, const std::string& key) -> const FieldValue* {
    for (const auto& [name, value] : map)
      if (name == key) return &value;
    return nullptr;
  };
  const bool other_method = find(over, "method") != nullptr;
  FieldMap out = over;
  for (const auto& [key, value] : base) {
    if (find(over, key)) continue;
    if (other_method && (key == "formulation" || key == "options")) continue;
    out.emplace_back(key, value);
  }
  const FieldValue* listed = find(base, "options");
  const auto* options = listed ? std::get_if<FieldMap>(&listed->data) : nullptr;
  if (!options || !(other_method || find(over, "options"))) return out;
  FieldMap joined;
  if (const FieldValue* given = find(over, "options"))
    if (const auto* map = std::get_if<FieldMap>(&given->data)) joined = *map;
  for (const auto& [key, value] : *options)
    if (!find(joined, key) && (!other_method || is_driver_option(key)))
      joined.emplace_back(key, value);
  for (auto& [key, value] : out)
    if (key == "options") {
      value.data = joined;
      return out;
    }
  if (!joined.empty()) out.emplace_back("options", FieldValue(joined));
  return out;
}

}  // namespace

SimulateOptions read_options(Task& task, const FieldMap& given, const Place& place) {
  NamedFields fields = task.simulate;
  fields.fields = merged(fields.fields, given);
  if (!given.empty()) fields.where = {place.file, place.line, 0};
  SimulateOptions out;
  read_simulate_options(fields, task.parameters, MethodChoice::of_the_file, out, task.diagnostics);
  if (out.every == 0) out.every = (out.t_end - task.prepared().start.state.t) / 100;
  return out;
}

namespace {

/// Asks the observer after every step.
class Watch {
 public:
  Watch(Task& task, const py::object& observer)
      : task_(task), observer_(observer), ws_(task.system().make_workspace()) {
    if (observer.is_none()) return;
    step_ = std::make_shared<StepForPython>(task.system(), *ws_);
    shown_ = py::cast(step_);
  }

  std::string operator()(const StepView& step) {
    if (!step_) return {};
    const Locked lock;
    try {
      return ask(step);
    } catch (py::error_already_set& error) {
      task_.raised.keep(error);
      return "a Python function raised";
    }
  }

 private:
  std::string ask(const StepView& step) {
    step_->show(&step);
    const py::object answer = observer_(shown_);
    step_->show(nullptr);
    if (py::isinstance<py::str>(answer)) return answer.cast<std::string>();
    return answer.cast<bool>() ? "the observer said so" : "";
  }

  Task& task_;
  const py::object& observer_;
  std::unique_ptr<Workspace> ws_;
  std::shared_ptr<StepForPython> step_;
  py::object shown_;
};

/// The limit of a call that begins now.
WallLimit limit_of(const std::optional<double>& seconds, const Place& place) {
  Diagnostics fault;
  if (seconds && !(std::isfinite(*seconds) && *seconds > 0))
    fault.error("usage.number",
                "wall_limit = " + format_number(*seconds) + ": wanted a finite number > 0",
                {place.file, place.line, 0});
  raise_errors(fault);
  return {.seconds = seconds};
}

/// With `from`, the run goes on where that one has ended.
std::shared_ptr<RunResult> run(const Source& source, const py::dict& set, const py::dict& given,
                               const Place& place, const py::object& observer,
                               const std::shared_ptr<RunResult>& from,
                               const std::vector<std::string>& paths, bool force,
                               const std::optional<double>& wall_limit) {
  const WallLimit limit = limit_of(wall_limit, place);
  const FieldMap fields = to_fields(given, place);
  std::shared_ptr<Task> task = start(source, to_overrides(set), StartAt::as_told, limit);
  if (from) task->prepared().start = from->end();
  if (task->prepared().start.report.status != Eval::ok) {
    const AssemblyReport& report = task->prepared().start.report;
    py::module_::import("kardan.errors").attr("raise_assembly")(report.message, report.advice);
  }
  SimulateOptions options = read_options(*task, fields, place);
  raise_errors(task->diagnostics);
  auto result = std::make_shared<RunResult>(task, options);
  const auto claimed = result->guard(paths, force);
  Watch watch(*task, observer);
  options.driver.interrupt = stop_question(task->raised, limit);
  RunReport report;
  {
    const Unlocked released;
    const Watchers watchers{[&](const Instant& at) { return result->row(at); },
                            [&](const StepView& step) { return watch(step); },
                            [&](const StepRecord& step) { result->step(step); },
                            {}};
    report = simulate(task->prepared(), options, watchers, task->diagnostics);
  }
  raise_errors(task->diagnostics);
  result->finish(report);
  try {
    task->raised.rethrow();
  } catch (py::error_already_set& error) {
    // What was computed until then goes with the exception.
    if (PyObject_SetAttrString(error.value().ptr(), "result", py::cast(result).ptr()) != 0)
      PyErr_Clear();
    throw;
  }
  return result;
}

}  // namespace

void bind_run(py::module_& module) {
  py::class_<StepForPython, std::shared_ptr<StepForPython>>(
      module, "Step", "An accepted step, shown to an observer while it is called.")
      .def_property_readonly("t", &StepForPython::t, "Time at the end of the step [s].")
      .def_property_readonly("h", &StepForPython::h, "Size of the step [s].")
      .def_property_readonly("error", &StepForPython::error,
                             "Estimated error of the step; 1 is what the tolerance allows.")
      .def_property_readonly("steps", &StepForPython::steps, "Accepted steps so far.")
      .def("__getitem__", &StepForPython::value, py::arg("name"),
           "Value of a variable at the end of the step, by name: step[\"arm.angle\"].");
  py::class_<RunResult, ResultRows, std::shared_ptr<RunResult>>(module, "RunResult")
      .def("linearize", &RunResult::linearize);
  module.def("run", &run);
}

}  // namespace kardan::python
