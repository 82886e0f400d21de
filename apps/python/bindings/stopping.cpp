#include "apps/python/bindings/stopping.h"

#include <fmt/format.h>

#include "kardan/base/text.h"

namespace kardan::python {
namespace {

// Other threads of Python want the lock too.
constexpr std::chrono::milliseconds between_looks{50};

}  // namespace

StopQuestion stop_question(Raised& raised, const WallLimit& limit) {
  return [&raised, limit, last = WallLimit::Clock::now()]() mutable -> std::string {
    if (raised.any()) return "a Python function raised";
    if (limit.over())
      return fmt::format("the wall-clock limit of {} s is over", format_number(*limit.seconds));
    const auto now = WallLimit::Clock::now();
    if (now - last < between_looks) return {};
    last = now;
    const Locked lock;
    if (PyErr_CheckSignals() == 0) return {};
    py::error_already_set error;
    raised.keep(error);
    return "interrupted by a signal";
  };
}

void raise_too_late(const std::string& why) {
  py::module_::import("kardan.errors").attr("raise_assembly")(why + " before the first step", "");
  throw std::logic_error("raise_assembly came back");
}

}  // namespace kardan::python
