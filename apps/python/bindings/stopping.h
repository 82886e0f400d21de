#pragma once
/// How work is ended that goes on without the interpreter's lock: by Ctrl-C, by another signal
/// whose Python handler raises, by a function of the model that raised, by a limit of time.

#include <chrono>
#include <optional>

#include "apps/python/bindings/source.h"
#include "kardan/base/stop.h"

namespace kardan::python {

/// How long a call may take, from its beginning.
struct WallLimit {
  using Clock = std::chrono::steady_clock;

  std::optional<double> seconds = {};
  Clock::time_point begin = Clock::now();

  bool over() const {
    return seconds && std::chrono::duration<double>(Clock::now() - begin).count() > *seconds;
  }
};

/// The question of a computation (base/stop.h). What a handler raised is kept in `raised`, which
/// outlives it. Handlers are Python's: they run in its main thread only.
StopQuestion stop_question(Raised& raised, const WallLimit& limit);

/// A start that the limit of time ended is none.
[[noreturn]] void raise_too_late(const std::string& why);

/// Does `work` without the lock. Throws what Python raised where that ended it.
template <class Work>
void without_lock(Raised& raised, const WallLimit& limit, const Work& work) {
  try {
    const Unlocked released;
    const StopQuestion question = stop_question(raised, limit);
    const StopScope scope(question);
    work();
  } catch (const Stopped& stopped) {
    raised.rethrow();
    raise_too_late(stopped.why());
  }
  raised.rethrow();
}

}  // namespace kardan::python
