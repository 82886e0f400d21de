#pragma once
/// The interpreter's lock for threads that may outlive it. A daemon thread that asks for the lock
/// while Python ends is ended in the middle of C++, which aborts the program: here it waits for the
/// end of the program instead.

#include <pybind11/pybind11.h>

namespace kardan::python {

namespace py = pybind11;

/// Without the lock while it lives: py::gil_scoped_release for daemon threads.
class Unlocked {
 public:
  Unlocked();
  ~Unlocked();
  Unlocked(const Unlocked&) = delete;
  Unlocked& operator=(const Unlocked&) = delete;

 private:
  PyThreadState* thread_;
};

/// With the lock while it lives: py::gil_scoped_acquire for daemon threads.
class Locked {
 public:
  Locked();
  ~Locked();
  Locked(const Locked&) = delete;
  Locked& operator=(const Locked&) = delete;

 private:
  PyGILState_STATE state_;
};

/// Lets the module know when Python ends.
void watch_the_end(py::module_& module);

}  // namespace kardan::python
