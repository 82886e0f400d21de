#pragma once
/// A run and its result.

#include "apps/python/bindings/source.h"
#include "kardan/run/simulate.h"

namespace kardan::python {

/// What a run has left: rows of numbers, its certificate, and where it came to.
class RunResult {
 public:
  explicit RunResult(std::shared_ptr<Task> task);

  /// The rows as they lie in memory.
  static py::array data(const std::shared_ptr<RunResult>& self);
  const std::vector<std::string>& columns() const { return names_; }
  const py::object& certificate() const { return certificate_; }
  const ConsistentStart& end() const { return task_->prepared().start; }
  const Task& task() const { return *task_; }
  const RunReport& report() const { return report_; }

  void row(const Moment& at);
  /// With the lock.
  void finish(RunReport report);

 private:
  std::shared_ptr<Task> task_;
  ResultColumns columns_;
  std::unique_ptr<Workspace> ws_;
  std::vector<std::size_t> chosen_;
  std::vector<std::string> names_;
  Vector all_, rows_;
  RunReport report_;
  py::object certificate_;
};

/// An accepted step, as an observer sees it while it is called.
class StepForPython {
 public:
  StepForPython(const System& system, Workspace& ws) : system_(system), ws_(ws) {}
  void show(const StepView* step) { step_ = step; }

  double t() const { return view().t; }
  double h() const { return view().h; }
  double error() const { return view().error; }
  long steps() const { return view().counters->steps; }
  double value(const std::string& name) const;

 private:
  const StepView& view() const;

  const System& system_;
  Workspace& ws_;
  const StepView* step_ = nullptr;
};

}  // namespace kardan::python
