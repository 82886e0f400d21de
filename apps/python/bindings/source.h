#pragma once
/// What can be checked, assembled, balanced, linearized and run: a model, or equations. A `Task` is
/// a copy for one job, so that a source may be changed or used by other threads meanwhile.

#include <memory>

#include "apps/python/bindings/callable.h"
#include "kardan/run/prepare.h"

namespace kardan {
struct SimulateOptions;
}

namespace kardan::python {

struct WallLimit;

enum class StartAt { as_told, equilibrium };

class Task {
 public:
  virtual ~Task() = default;
  /// Fills `prepared` or reports; called without the interpreter's lock.
  virtual void prepare(const ParameterValues& overrides, StartAt at) = 0;
  /// The complete model of a run as a file; empty where there is none.
  virtual std::string model_text(const SimulateOptions&) const = 0;
  /// The functions that the model names.
  virtual FieldMap functions() const = 0;

  Raised raised;
  Diagnostics diagnostics;
  NamedFields simulate{"simulate", {}, {}};
  Environment parameters;

  const Prepared& prepared() const { return prepared_; }
  Prepared& prepared() { return prepared_; }
  const System& system() const { return *prepared_.system; }

 protected:
  Prepared prepared_;
};

class Source {
 public:
  virtual ~Source() = default;
  /// Called with the lock.
  virtual std::shared_ptr<Task> task() const = 0;
};

/// The linearization at the start of a task, as a dictionary.
py::object modes(Task& task, bool frozen);

/// A task at its start. Throws ModelError, what a callback or the handler of a signal raised, and
/// AssemblyError where the limit is over before it is found.
std::shared_ptr<Task> start(const Source& source, const ParameterValues& overrides, StartAt at,
                            const WallLimit& limit);

void bind_catalogs(py::module_& module);
void bind_model(py::module_& module);
void bind_jobs(py::module_& module);
void bind_results(py::module_& module);
void bind_run(py::module_& module);
void bind_simulation(py::module_& module);
void bind_equations(py::module_& module);
void bind_compiled(py::module_& module);

}  // namespace kardan::python
