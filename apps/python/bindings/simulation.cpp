/// A motion step by step, for Python.

#include "kardan/run/simulation.h"

#include "apps/python/bindings/run.h"
#include "apps/python/bindings/stopping.h"
#include "kardan/io/start_json.h"

namespace kardan::python {
namespace {

/// What could not be done, as Python says it.
void raise_where(const std::string& none) {
  if (!none.empty()) py::module_::import("kardan.errors").attr("raise_simulation")(none);
}

/// A simulation saved, held by Python.
struct SavedForPython {
  SavedSimulation saved;
};

class SimulationForPython {
 public:
  SimulationForPython(std::shared_ptr<const Source> source, const py::dict& set,
                      const py::dict& given, const Place& place)
      : source_(std::move(source)) {
    const FieldMap fields = to_fields(given, place);
    const ParameterValues overrides = to_overrides(set);
    const std::shared_ptr<Task> first = start(*source_, overrides, StartAt::as_told, {});
    SimulateOptions options = read_options(*first, fields, place);
    raise_errors(first->diagnostics);
    tasks_.push_back(first);
    options.driver.interrupt = stop_question(first->raised, {});
    Diagnostics diagnostics;
    without_lock(first->raised, {}, [&] {
      simulation_ = Simulation::make({[this](const ParameterValues& values, Diagnostics& found) {
                                        return prepare(values, found);
                                      },
                                      first->functions()},
                                     overrides, options, diagnostics);
    });
    raise_errors(diagnostics);
  }

  double time() const { return simulation_->time(); }
  py::list inputs() const {
    py::list out;
    for (const InputInfo& i : simulation_->inputs())
      out.append(py::make_tuple(i.name, i.unit, i.start));
    return out;
  }
  py::object find(const std::string& column) {
    const auto place = simulation_->find(column);
    return place ? py::object(py::int_(*place)) : py::none();
  }
  std::vector<std::string> names() const { return ResultColumns(simulation_->system()).names(); }
  double get(int column) { return simulation_->get(column); }
  double input(int input) const { return simulation_->input(input); }
  void set(int input, double value) { raise_where(simulation_->set(input, value)); }
  void set_with_rate(int input, double value, double rate) {
    raise_where(simulation_->set(input, value, rate));
  }

  void step_to(double t) {
    std::string none;
    {
      const Unlocked released;
      none = simulation_->step_to(t);
    }
    for (const auto& task : tasks_) task->raised.rethrow();
    raise_where(none);
  }

  /// A row of the columns after each of equal steps, before which the inputs get a row of values.
  py::array_t<double> step_many(double dt, const std::vector<int>& inputs,
                                const py::array_t<double, py::array::c_style>& values,
                                const std::vector<int>& columns) {
    const auto rows = values.shape(0);
    const auto from = values.unchecked<2>();
    py::array_t<double> out({rows, static_cast<py::ssize_t>(columns.size())});
    auto to = out.mutable_unchecked<2>();
    const double begin = time();
    std::string none;
    {
      const Unlocked released;
      for (py::ssize_t k = 0; k < rows && none.empty(); ++k) {
        for (std::size_t i = 0; i < inputs.size() && none.empty(); ++i)
          none = simulation_->set(inputs[i], from(k, static_cast<py::ssize_t>(i)));
        if (none.empty()) none = simulation_->step_to(begin + static_cast<double>(k + 1) * dt);
        if (!none.empty()) break;
        const std::span<const double> seen = simulation_->values();
        for (std::size_t c = 0; c < columns.size(); ++c)
          to(k, static_cast<py::ssize_t>(c)) = seen[static_cast<std::size_t>(columns[c])];
      }
    }
    for (const auto& task : tasks_) task->raised.rethrow();
    raise_where(none);
    return out;
  }

  py::list events() const {
    py::list out;
    for (const SimulationEvent& e : simulation_->events())
      out.append(py::make_tuple(e.t, e.name, e.direction));
    return out;
  }
  SavedForPython save() {
    SavedForPython out;
    raise_where(simulation_->save(out.saved));
    return out;
  }
  void restore(const SavedForPython& saved) { raise_where(simulation_->restore(saved.saved)); }
  void change(const py::dict& parameters) {
    raise_where(simulation_->change(to_overrides(parameters)));
  }
  void reset() { raise_where(simulation_->reset()); }

  py::object certificate() const {
    return to_python(to_json(simulation_->system(), simulation_->report(), simulation_->seen()));
  }
  py::object linearize(bool frozen) {
    const Linearization found =
        simulation_->linearize(ModeShapes::find, frozen ? ModesOf::frozen : ModesOf::motion);
    Json report =
        found.status == Eval::ok ? to_json(simulation_->system(), time(), found) : Json::object();
    report["message"] = found.message;
    report["advice"] = found.advice;
    return to_python(report);
  }

 private:
  Prepared prepare(const ParameterValues& values, Diagnostics& found) {
    std::shared_ptr<Task> task = tasks_.front();
    if (!task->prepared().system) {
      {
        const Locked lock;
        task = source_->task();
      }
      task->prepare(values, StartAt::as_told);
      tasks_.push_back(task);
    }
    found.add(task->diagnostics);
    return std::move(task->prepared());
  }

  std::shared_ptr<const Source> source_;
  std::vector<std::shared_ptr<Task>> tasks_;  // of the parameters it has had: catalogs, functions
  std::unique_ptr<Simulation> simulation_;
};

}  // namespace

void bind_simulation(py::module_& module) {
  py::class_<SavedForPython>(module, "SavedSimulation",
                             "Everything a simulation was at a time; for `restore`.");
  py::class_<SimulationForPython>(module, "Simulation")
      .def(py::init<std::shared_ptr<Source>, py::dict, py::dict, Place>())
      .def_property_readonly("time", &SimulationForPython::time)
      .def_property_readonly("inputs", &SimulationForPython::inputs)
      .def_property_readonly("names", &SimulationForPython::names)
      .def_property_readonly("events", &SimulationForPython::events)
      .def("find", &SimulationForPython::find)
      .def("get", &SimulationForPython::get)
      .def("input", &SimulationForPython::input)
      .def("set", &SimulationForPython::set)
      .def("set_with_rate", &SimulationForPython::set_with_rate)
      .def("step_to", &SimulationForPython::step_to)
      .def("step_many", &SimulationForPython::step_many)
      .def("save", &SimulationForPython::save)
      .def("restore", &SimulationForPython::restore)
      .def("change", &SimulationForPython::change)
      .def("reset", &SimulationForPython::reset)
      .def("certificate", &SimulationForPython::certificate)
      .def("linearize", &SimulationForPython::linearize);
}

}  // namespace kardan::python
