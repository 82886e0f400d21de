#pragma once
/// Values between Python and the library, and the border for errors.

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <string>

#include "kardan/base/diagnostics.h"
#include "kardan/io/report_json.h"
#include "kardan/io/yaml_document.h"
#include "kardan/model/blueprint.h"

namespace kardan::python {

namespace py = pybind11;

/// Where in a Python program something was written: becomes the place of diagnostics.
struct Place {
  std::string file;
  int line = 0;
};

/// A number, text, list or dictionary as the tree of a model file. Throws TypeError for others.
YamlNode to_node(const py::handle& value, int file, int line);
py::object to_python(const YamlNode& node);
py::object to_python(const Json& json);
py::list to_python(const Diagnostics& diagnostics);

/// Fields as a reader of a file would give them.
FieldMap to_fields(const py::dict& values, const Place& place);
ParameterValues to_overrides(const py::dict& values);

/// Throws kardan.ModelError where there are errors; warnings become Python warnings.
void raise_errors(const Diagnostics& diagnostics);

}  // namespace kardan::python
