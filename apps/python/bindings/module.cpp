#include <system_error>

#include "apps/python/bindings/source.h"
#include "apps/python/bindings/studies.h"
#include "kardan/run/versions.h"

PYBIND11_MODULE(_core, module) {
  using namespace kardan::python;
  module.doc() = "The library behind the package kardan. Use the package.";
  const auto versions = [] {
    py::dict out;
    for (const auto& [name, version] : kardan::versions()) out[py::str(name)] = version;
    return out;
  };
  module.def("versions", versions, "Kardan, the compiler and the libraries, with their versions.");
  // A full disk, a folder that is not there: as Python says it.
  py::register_exception_translator([](std::exception_ptr thrown) {
    try {
      if (thrown) std::rethrow_exception(thrown);
    } catch (const std::system_error& e) {
      const py::object error = py::reinterpret_borrow<py::object>(PyExc_OSError)(
          e.code().value(), e.code().message(), std::string(e.what()));
      PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(error.ptr())), error.ptr());
    }
  });
  watch_the_end(module);
  py::class_<Source, std::shared_ptr<Source>>(module, "Source");
  bind_catalogs(module);
  bind_model(module);
  bind_jobs(module);
  bind_results(module);
  bind_run(module);
  bind_simulation(module);
  bind_equations(module);
  bind_compiled(module);
  bind_studies(module);
}
