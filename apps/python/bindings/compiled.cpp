/// Equations that the package has derived symbolically: compiled code, or Python functions where
/// there is no compiler.

#include <map>

#include "apps/python/bindings/equations.h"
#include "kardan/system/compiled_equations.h"

namespace kardan::python {
namespace {

using Code = void (*)(const double* x, double* y);

/// A function of the table: an address, or a Python function of all variables.
struct Entry {
  Code code = nullptr;
  std::shared_ptr<const Callable> function;
  std::size_t variables = 0, results = 0;

  CompiledCode::Function bind(Raised& raised) const {
    if (code) return code;
    if (!function) return nullptr;
    return [f = function, n = variables, m = results, &raised](const double* x, double* y) {
      const std::span<const double> values[] = {{}, {x, n}};
      f->call(values, {y, m}, raised);
    };
  }
};
using Table = std::map<std::string, Entry>;

class CompiledTask final : public EquationTask {
 public:
  CompiledTask(EquationNames names, Table table, std::vector<std::string> parameter_names,
               Vector values, std::shared_ptr<const py::object> library)
      : names_(std::move(names)),
        table_(std::move(table)),
        parameter_names_(std::move(parameter_names)),
        values_(std::move(values)),
        library_(std::move(library)) {}

  void prepare(const ParameterValues& overrides, StartAt at) override {
    for (const auto& [name, value] : overrides) {
      const auto found = std::find(parameter_names_.begin(), parameter_names_.end(), name);
      if (found == parameter_names_.end())
        diagnostics.error("parameter.unknown", "there is no parameter '" + name + "'", {},
                          "the equations name theirs under 'parameters'");
      else
        values_[static_cast<std::size_t>(found - parameter_names_.begin())] = value;
    }
    if (diagnostics.has_errors()) return;
    for (std::size_t i = 0; i < values_.size(); ++i)
      parameters.set(parameter_names_[i], values_[i]);
    prepare_at(at);
  }

 private:
  std::unique_ptr<System> make() override {
    CompiledCode code;
    const std::pair<const char*, CompiledCode::Function*> members[] = {
        {"start", &code.start},
        {"contact", &code.contact},
        {"position", &code.position},
        {"velocity", &code.velocity},
        {"acceleration", &code.acceleration},
        {"force", &code.force},
        {"motion", &code.motion},
        {"derivatives", &code.derivatives},
        {"invariants", &code.invariants},
        {"events", &code.events},
        {"energy", &code.energy},
        {"outputs", &code.outputs},
        {"contact_by_p", &code.contact_by_p},
        {"rates", &code.rates},
        {"velocities", &code.velocities}};
    for (const auto& [name, target] : members)
      if (const auto found = table_.find(name); found != table_.end())
        *target = found->second.bind(raised);
    code.parameters = values_;
    Blueprint blueprint = names_.blueprint;
    blueprint.parameters = parameters;
    return make_system(compiled_equations(names_.description, std::move(code)), diagnostics,
                       std::move(blueprint));
  }

  EquationNames names_;
  Table table_;
  std::vector<std::string> parameter_names_;
  Vector values_;
  std::shared_ptr<const py::object> library_;
};

class CompiledSource final : public EquationSource {
 public:
  /// `spec` has what equations have, and parameters {name: value}, functions {name: address or
  /// (function, variables, results)}, library: what keeps the addresses valid.
  explicit CompiledSource(const py::dict& spec)
      : names_(spec), library_(hold(spec["library"].cast<py::object>())) {
    for (const auto& [name, value] : spec["parameters"].cast<py::dict>()) {
      parameter_names_.push_back(py::str(name));
      values_.push_back(value.cast<double>());
    }
    for (const auto& [name, item] : spec["functions"].cast<py::dict>()) {
      Entry entry;
      if (py::isinstance<py::int_>(item)) {
        entry.code = reinterpret_cast<Code>(item.cast<std::uintptr_t>());
      } else {
        const auto parts = item.cast<py::tuple>();
        entry.variables = parts[1].cast<std::size_t>();
        entry.results = parts[2].cast<std::size_t>();
        entry.function = std::make_shared<Callable>(
            parts[0].cast<py::object>(), std::string(py::str(name)), std::vector<int>{1},
            std::vector<py::ssize_t>{static_cast<py::ssize_t>(entry.results)});
      }
      table_[py::str(name)] = std::move(entry);
    }
  }

 private:
  std::shared_ptr<Task> make_task() const override {
    return std::make_shared<CompiledTask>(names_, table_, parameter_names_, values_, library_);
  }

  EquationNames names_;
  Table table_;
  std::vector<std::string> parameter_names_;
  Vector values_;
  std::shared_ptr<const py::object> library_;
};

}  // namespace

void bind_compiled(py::module_& module) {
  py::class_<CompiledSource, Source, std::shared_ptr<CompiledSource>>(module, "CompiledSource")
      .def(py::init<const py::dict&>())
      .def("set_simulate", &CompiledSource::set_simulate);
}

}  // namespace kardan::python
