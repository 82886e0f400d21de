#include "apps/python/bindings/source.h"
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
  py::class_<Source, std::shared_ptr<Source>>(module, "Source");
  bind_catalogs(module);
  bind_model(module);
  bind_jobs(module);
  bind_run(module);
  bind_equations(module);
  bind_compiled(module);
}
