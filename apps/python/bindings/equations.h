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

}  // namespace kardan::python
