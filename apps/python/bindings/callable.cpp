#include "apps/python/bindings/callable.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace kardan::python {

Raised::~Raised() {
  if (!error_) return;
  const Locked lock;
  error_.reset();
}

void Raised::keep(py::error_already_set& error) {
  const std::lock_guard guard(mutex_);
  if (any_) return;
  error_.emplace(error);
  any_ = true;
}

void Raised::rethrow() {
  if (!any_) return;
  py::error_already_set error = std::move(*error_);
  error_.reset();
  any_ = false;
  throw error;
}

std::shared_ptr<const py::object> hold(py::object object) {
  return {new py::object(std::move(object)), [](const py::object* p) {
            const Locked lock;
            delete p;
          }};
}

Callable::Callable(py::object function, std::string what, std::vector<int> arguments,
                   std::vector<py::ssize_t> shape)
    : function_(hold(std::move(function))),
      what_(std::move(what)),
      arguments_(std::move(arguments)),
      shape_(std::move(shape)) {}

bool Callable::takes(int argument) const {
  return std::find(arguments_.begin(), arguments_.end(), argument) != arguments_.end();
}

void Callable::run(std::span<const std::span<const double>> values, std::span<double> out) const {
  py::tuple given(arguments_.size());
  for (std::size_t i = 0; i < arguments_.size(); ++i) {
    const std::span<const double> x = values[static_cast<std::size_t>(arguments_[i])];
    // The first argument is the time, a number; the others are arrays of their own, which the
    // function may keep.
    if (arguments_[i] == 0)
      given[i] = py::float_(x[0]);
    else
      given[i] = py::array_t<double>(static_cast<py::ssize_t>(x.size()), x.data());
  }
  const py::object answer = (*function_)(*given);
  const auto array = py::array_t<double, py::array::c_style | py::array::forcecast>::ensure(answer);
  if (!array)
    throw py::type_error(what_ + ": got " + std::string(py::repr(answer)) + "; wanted numbers");
  const bool flat = array.ndim() == 1 && array.size() == static_cast<py::ssize_t>(out.size());
  const bool whole = array.ndim() == static_cast<py::ssize_t>(shape_.size()) &&
                     std::equal(shape_.begin(), shape_.end(), array.shape());
  const bool single = array.size() == 1 && out.size() == 1;
  if (!flat && !whole && !single) {
    py::tuple wanted(shape_.size());
    for (std::size_t i = 0; i < shape_.size(); ++i) wanted[i] = shape_[i];
    throw py::value_error(what_ + ": got shape " +
                          std::string(py::str(static_cast<py::object>(array.attr("shape")))) +
                          "; wanted " + std::string(py::str(wanted)));
  }
  std::copy_n(array.data(), out.size(), out.data());
}

void Callable::call(std::span<const std::span<const double>> values, std::span<double> out,
                    Raised& raised) const {
  if (!raised.any()) {
    const Locked lock;
    try {
      run(values, out);
      return;
    } catch (py::error_already_set& error) {
      raised.keep(error);
    } catch (const py::builtin_exception& error) {
      error.set_error();
      py::error_already_set set;
      raised.keep(set);
    }
  }
  std::fill(out.begin(), out.end(), std::numeric_limits<double>::quiet_NaN());
}

}  // namespace kardan::python
