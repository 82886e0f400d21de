#include "apps/python/bindings/interpreter.h"

#include <atomic>
#include <chrono>
#include <thread>

namespace kardan::python {
namespace {

/// Of the whole program, as the interpreter is.
struct Ending {
  std::atomic<bool> near = false;
  std::atomic<int> inside = 0;  // threads that want the lock, or run Python for us
  std::thread::id main = std::this_thread::get_id();
};

Ending& ending() {
  static Ending state;
  return state;
}

/// A thread that shall not come back to Python: the program ends without it.
void stay_outside() {
  for (;;) std::this_thread::sleep_for(std::chrono::hours(1));
}

void come_in() {
  Ending& e = ending();
  ++e.inside;
  if (e.near && std::this_thread::get_id() != e.main) {
    --e.inside;
    stay_outside();
  }
}

/// Called by `atexit`, with the lock: whoever is inside may finish what it does there.
void expect_the_end() {
  Ending& e = ending();
  e.near = true;
  PyThreadState* thread = PyEval_SaveThread();
  constexpr int most_waits = 2000;  // of a millisecond each: a function may take its time
  for (int i = 0; i < most_waits && e.inside > 0; ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  PyEval_RestoreThread(thread);
}

}  // namespace

Unlocked::Unlocked() : thread_(PyEval_SaveThread()) {}

Unlocked::~Unlocked() {
  come_in();
  PyEval_RestoreThread(thread_);
  --ending().inside;
}

Locked::Locked() {
  come_in();
  state_ = PyGILState_Ensure();
}

Locked::~Locked() {
  PyGILState_Release(state_);
  --ending().inside;
}

void watch_the_end(py::module_& module) {
  (void)ending();
  module.def("_expect_the_end", &expect_the_end);
  py::module_::import("atexit").attr("register")(module.attr("_expect_the_end"));
}

}  // namespace kardan::python
