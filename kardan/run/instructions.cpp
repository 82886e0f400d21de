#include "kardan/run/instructions.h"

#ifdef __linux__
#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace kardan {

InstructionCounter::InstructionCounter() {
  perf_event_attr what{};
  what.type = PERF_TYPE_HARDWARE;
  what.size = sizeof what;
  what.config = PERF_COUNT_HW_INSTRUCTIONS;
  what.exclude_kernel = 1;
  what.exclude_hv = 1;
  file_ = static_cast<int>(syscall(SYS_perf_event_open, &what, 0, -1, -1, 0));
}

InstructionCounter::~InstructionCounter() {
  if (file_ >= 0) close(file_);
}

std::optional<std::uint64_t> InstructionCounter::count() const {
  std::uint64_t value = 0;
  if (file_ < 0 || read(file_, &value, sizeof value) != sizeof value || value == 0)
    return std::nullopt;
  return value;
}

}  // namespace kardan
#else
namespace kardan {

InstructionCounter::InstructionCounter() = default;
InstructionCounter::~InstructionCounter() = default;
std::optional<std::uint64_t> InstructionCounter::count() const {
  return std::nullopt;
}

}  // namespace kardan
#endif
