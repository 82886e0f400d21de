#pragma once
/// Python functions called by the library while it runs without the interpreter's lock.

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "apps/python/bindings/convert.h"
#include "apps/python/bindings/interpreter.h"

namespace kardan::python {

/// The first Python exception of a run. Exceptions must not pass through solvers written in C: the
/// function that raised gives not-a-number from then on, which ends the run, and the exception is
/// raised again at the border.
class Raised {
 public:
  ~Raised();
  /// To be called with the lock.
  void keep(py::error_already_set& error);
  bool any() const { return any_; }
  /// Throws what was kept; to be called with the lock.
  void rethrow();

 private:
  std::atomic<bool> any_ = false;
  std::mutex mutex_;
  std::optional<py::error_already_set> error_;
};

/// A Python object that may be released without holding the lock.
std::shared_ptr<const py::object> hold(py::object object);

/// A function of named arguments that returns numbers.
class Callable {
 public:
  /// `arguments` are indices of what `call` is given; `shape` is that of the answer. A flat answer
  /// of the right size will do too.
  Callable(py::object function, std::string what, std::vector<int> arguments,
           std::vector<py::ssize_t> shape);

  bool takes(int argument) const;
  /// Fills `out`, with not-a-number after an exception.
  void call(std::span<const std::span<const double>> values, std::span<double> out,
            Raised& raised) const;
  const std::string& what() const { return what_; }

 private:
  void run(std::span<const std::span<const double>> values, std::span<double> out) const;

  std::shared_ptr<const py::object> function_;
  std::string what_;
  std::vector<int> arguments_;
  std::vector<py::ssize_t> shape_;
};

}  // namespace kardan::python
