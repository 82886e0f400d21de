#pragma once
/// A run and its result.

#include "apps/python/bindings/source.h"
#include "kardan/io/output_guard.h"
#include "kardan/io/result_sink.h"
#include "kardan/run/recorder.h"
#include "kardan/run/simulate.h"

namespace kardan::python {

/// Rows of numbers, steps and the certificate: of a run, or of a stored one.
class ResultRows {
 public:
  virtual ~ResultRows() = default;

  /// The rows and the steps as they lie in memory.
  static py::array rows(const std::shared_ptr<ResultRows>& self);
  static py::dict steps(const std::shared_ptr<ResultRows>& self);
  /// Places of the columns in a row with their units; blocks with their shapes.
  py::dict columns() const;
  py::dict blocks() const;
  const py::object& certificate() const { return certificate_; }

  /// Writes result files; the page of HTML reports is handed in.
  void write(const std::vector<std::string>& paths, const std::string& viewer, bool force);
  /// Refuses files that are not Kardan's, unless forced, and those that others write; they are
  /// claimed while the guard lives.
  std::unique_ptr<OutputGuard> guard(const std::vector<std::string>& paths, bool force) const;

 protected:
  virtual const ResultLayout& layout() const = 0;
  virtual ResultDescription describe() = 0;

  Vector rows_;
  std::vector<StepRecord> steps_;
  Json report_;
  py::object certificate_;
};

/// What a run has left, and where it came to.
class RunResult final : public ResultRows {
 public:
  RunResult(std::shared_ptr<Task> task, SimulateOptions options);

  const ConsistentStart& end() const { return task_->prepared().start; }
  py::object linearize(bool frozen) const;

  std::string row(const Instant& at);
  void step(const StepRecord& step) { steps_.push_back(step); }
  /// With the lock.
  void finish(const RunReport& report);

 private:
  const ResultLayout& layout() const override { return recorder_.layout(); }
  ResultDescription describe() override;

  std::shared_ptr<Task> task_;
  SimulateOptions options_;
  ConsistentStart begin_;
  Recorder recorder_;
};

/// What is asked of a run of the task: as the model says, and as the call does.
SimulateOptions read_options(Task& task, const FieldMap& given, const Place& place);

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
