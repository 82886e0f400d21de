#pragma once
/// Studies for Python: plans, whose runs are arrays of numbers, and the files they are kept in.

#include <pybind11/pybind11.h>

namespace kardan::python {

void bind_studies(pybind11::module_& module);

}  // namespace kardan::python
