#pragma once
/// Shared by equations from functions and from compiled code.

#include "apps/python/bindings/source.h"
#include "kardan/system/user_equations.h"

namespace kardan::python {

template <class T>
std::vector<T> to_vector(const py::handle& items) {
  std::vector<T> out;
  for (const py::handle item : items) out.push_back(item.cast<T>());
  return out;
}

/// Names, starts and event rules from a dictionary of the package.
struct EquationNames {
  explicit EquationNames(const py::dict& spec);
  UserDescription description;
  Blueprint blueprint;
};

/// A task whose system is made of equations, without a file.
class EquationTask : public Task {
 public:
  ~EquationTask() override { prepared_ = {}; }
  /// Functions have no file.
  std::string model_text(const SimulateOptions&) const override { return {}; }
  FieldMap functions() const override { return {}; }

 protected:
  virtual std::unique_ptr<System> make() = 0;
  void prepare_at(StartAt at) {
    if (at == StartAt::equilibrium)
      prepared_ = prepare_balanced([this](const ParameterValues&) { return make(); }, diagnostics);
    else
      prepared_ = kardan::prepare(make(), diagnostics);
  }
};

/// Equations with the options their runs have by default.
class EquationSource : public Source {
 public:
  std::shared_ptr<Task> task() const final {
    auto task = make_task();
    task->simulate.fields = to_fields(simulate_, place_);
    return task;
  }
  void set_simulate(py::dict fields, const Place& place) {
    simulate_ = std::move(fields);
    place_ = place;
  }

 protected:
  virtual std::shared_ptr<Task> make_task() const = 0;

 private:
  py::dict simulate_;
  Place place_;
};

}  // namespace kardan::python
