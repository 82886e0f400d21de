/// Equations from Python functions on arrays.

#include "apps/python/bindings/equations.h"

#include <map>

#include "kardan/system/callback_equations.h"

namespace kardan::python {
namespace {

using Functions = std::map<std::string, std::shared_ptr<const Callable>>;

UserFunction wrap(const std::shared_ptr<const Callable>& function, Raised& raised) {
  return [function, &raised](const Variables<double>& x, std::span<double> out) {
    const std::span<const double> values[] = {{&x.t, 1}, x.p, x.v, x.r, x.w, x.s, x.lambda, x.mu};
    function->call(values, out, raised);
  };
}

class CallbackTask final : public EquationTask {
 public:
  CallbackTask(EquationNames names, Functions functions, std::vector<std::string> zero)
      : names_(std::move(names)), functions_(std::move(functions)), zero_(std::move(zero)) {}

  void prepare(const ParameterValues&, StartAt at) override { prepare_at(at); }

 private:
  std::unique_ptr<System> make() override {
    CallbackEquations e;
    e.description = names_.description;
    const std::pair<const char*, Callback*> members[] = {
        {"Z", &e.kinematics}, {"M", &e.mass},      {"f", &e.force},       {"b", &e.dynamic},
        {"d", &e.auxiliary},  {"c", &e.contact},   {"g", &e.holonomic},   {"H", &e.nonholonomic},
        {"h", &e.offset},     {"e", &e.invariant}, {"output", &e.output}, {"rate", &e.rate},
        {"bias", &e.bias}};
    for (const auto& [letter, callback] : members) {
      const std::string name = letter;
      const std::pair<std::string, UserFunction*> parts[] = {
          {name, &callback->value},       {name + "_p", &callback->by_p},
          {name + "_v", &callback->by_v}, {name + "_r", &callback->by_r},
          {name + "_w", &callback->by_w}, {name + "_s", &callback->by_s},
          {name + "_t", &callback->by_t}, {name + "_multipliers", &callback->by_multipliers}};
      for (const auto& [key, target] : parts) set(key, *target);
    }
    set("z", e.events);
    set("energy", e.energy);
    return make_system(callback_equations(std::move(e)), diagnostics, names_.blueprint);
  }
  void set(const std::string& key, UserFunction& target) {
    if (const auto found = functions_.find(key); found != functions_.end())
      target = wrap(found->second, raised);
    else if (std::find(zero_.begin(), zero_.end(), key) != zero_.end())
      target = independent;
  }

  EquationNames names_;
  Functions functions_;
  std::vector<std::string> zero_;
};

class CallbackSource final : public EquationSource {
 public:
  explicit CallbackSource(const py::dict& spec) : names_(spec) {
    for (const auto& [key, item] : spec["functions"].cast<py::dict>()) {
      const auto parts = item.cast<py::tuple>();
      const std::string name = py::str(key);
      functions_[name] = std::make_shared<Callable>(
          parts[0].cast<py::object>(), names_.description.name + "." + name,
          to_vector<int>(parts[1]), to_vector<py::ssize_t>(parts[2]));
    }
    zero_ = to_vector<std::string>(spec["zero"]);
  }

 private:
  std::shared_ptr<Task> make_task() const override {
    return std::make_shared<CallbackTask>(names_, functions_, zero_);
  }

  EquationNames names_;
  Functions functions_;
  std::vector<std::string> zero_;
};

}  // namespace

EquationNames::EquationNames(const py::dict& spec) {
  UserDescription& d = description;
  d.name = spec["name"].cast<std::string>();
  const std::pair<const char*, std::vector<UserVariable>*> variables[] = {
      {"positions", &d.positions},
      {"velocities", &d.velocities},
      {"dynamic", &d.dynamic},
      {"auxiliary", &d.auxiliary},
      {"contact", &d.contact}};
  for (const auto& [key, list] : variables)
    for (const auto& [name, start] : spec[key].cast<py::dict>())
      list->push_back({py::str(name), start.cast<double>()});
  d.holonomic = to_vector<std::string>(spec["constraints"]);
  d.nonholonomic = to_vector<std::string>(spec["nonholonomic"]);
  d.invariants = to_vector<std::string>(spec["invariants"]);
  d.outputs = to_vector<std::string>(spec["outputs"]);
  d.multiplier_forces = spec["multiplier_forces"].cast<bool>();
  blueprint.name = d.name;
  for (const py::handle item : spec["events"]) {
    const auto parts = item.cast<py::tuple>();
    EventData event;
    event.name = parts[0].cast<std::string>();
    event.direction = parts[1].cast<int>();
    event.action = parts[2].cast<bool>() ? EventAction::stop : EventAction::record;
    d.events.push_back(event.name);
    blueprint.events.push_back(std::move(event));
  }
}

void bind_equations(py::module_& module) {
  py::class_<CallbackSource, Source, std::shared_ptr<CallbackSource>>(module, "CallbackSource")
      .def(py::init<const py::dict&>())
      .def("set_simulate", &CallbackSource::set_simulate);
}

}  // namespace kardan::python
