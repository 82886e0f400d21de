#pragma once
/// Forces whose law is a Python function of the relative motion of two markers.

#include <map>

#include "apps/python/bindings/callable.h"
#include "kardan/elements/catalog.h"

namespace kardan::python {

using Laws = std::map<std::string, std::shared_ptr<const Callable>>;

/// Arguments of a law in this order: t, x, v, then in the plane angle, omega, in space R, w.
inline constexpr const char* law_arguments[] = {"t", "x", "v", "angle", "omega", "R", "w"};

/// The element type `python_force`, for the laws of one task, by element.
ElementType law_force_type(Laws laws, Raised& raised);

}  // namespace kardan::python
