/// check, assemble, equilibrium, linearize: what is known at the start.

#include "apps/python/bindings/source.h"
#include "kardan/io/start_json.h"
#include "kardan/run/linearize.h"

namespace kardan::python {

std::shared_ptr<Task> start(const Source& source, const ParameterValues& overrides, StartAt at) {
  std::shared_ptr<Task> task = source.task();
  {
    const py::gil_scoped_release released;
    task->prepare(overrides, at);
  }
  task->raised.rethrow();
  raise_errors(task->diagnostics);
  return task;
}

namespace {

py::object check(const Source& source, const py::dict& set) {
  const auto task = start(source, to_overrides(set), StartAt::as_told);
  Json report;
  {
    const py::gil_scoped_release released;
    const CheckReport found = check_start(task->prepared());
    report = to_json(task->system(), found);
    report["consistent"] = found.assembly.status == Eval::ok;
    report["message"] = found.assembly.message;
    report["advice"] = found.assembly.advice;
  }
  task->raised.rethrow();
  return to_python(report);
}

py::object prepare(const Source& source, const py::dict& set, bool balanced) {
  const auto task =
      start(source, to_overrides(set), balanced ? StartAt::equilibrium : StartAt::as_told);
  Json report = to_json(task->prepared());
  report["advice"] = task->prepared().start.report.advice;
  return to_python(report);
}

py::object modes(const Task& task) {
  Linearization found;
  {
    const py::gil_scoped_release released;
    found = linearize(task.prepared(), ModeShapes::find);
  }
  Json report = found.status == Eval::ok
                    ? to_json(task.system(), task.prepared().start.state.t, found)
                    : Json::object();
  report["message"] = found.message;
  report["advice"] = found.advice;
  return to_python(report);
}

py::object linearize_start(const Source& source, const py::dict& set) {
  const auto task = start(source, to_overrides(set), StartAt::as_told);
  const AssemblyReport& report = task->prepared().start.report;
  if (report.status == Eval::ok) {
    const py::object out = modes(*task);
    task->raised.rethrow();
    return out;
  }
  return to_python(Json{{"message", report.message}, {"advice", report.advice}});
}

}  // namespace

void bind_jobs(py::module_& module) {
  module.def("check", &check);
  module.def("prepare", &prepare);
  module.def("linearize", &linearize_start);
}

}  // namespace kardan::python
