#include "kardan/base/crew.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace kardan {

int crew_size(int asked) {
  return asked > 0 ? asked : static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
}

void for_each_piece(std::uint64_t count, int threads,
                    const std::function<bool(std::uint64_t, int)>& work) {
  std::atomic<std::uint64_t> next{0};
  std::atomic<bool> goes_on{true};
  std::exception_ptr fault;
  std::mutex faults;
  const auto member = [&](int me) {
    try {
      while (goes_on) {
        const std::uint64_t index = next++;
        if (index >= count) return;
        if (!work(index, me)) goes_on = false;
      }
    } catch (...) {
      const std::lock_guard lock(faults);
      if (!fault) fault = std::current_exception();
      goes_on = false;
    }
  };
  const auto size = static_cast<int>(
      std::min<std::uint64_t>(count, static_cast<std::uint64_t>(crew_size(threads))));
  std::vector<std::thread> others;
  for (int i = 1; i < size; ++i) others.emplace_back(member, i);
  member(0);
  for (std::thread& t : others) t.join();
  if (fault) std::rethrow_exception(fault);
}

}  // namespace kardan
