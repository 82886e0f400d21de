#include "kardan/base/stoppable.h"

#include <chrono>
#include <condition_variable>
#include <exception>
#include <memory>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>

#include "kardan/base/stop.h"

namespace kardan {
namespace {

/// Shared by a thread that works and the one that waits for it; either may be the last to leave.
class Errand {
 public:
  explicit Errand(std::function<void()> work) : work_(std::move(work)) {}

  void run() {
    std::exception_ptr caught;
    try {
      work_();
    } catch (...) {  // handed over to the other thread as it is
      caught = std::current_exception();
    }
    const std::lock_guard lock(mutex_);
    thrown_ = caught;
    done_ = true;
    ended_.notify_one();
  }

  void wait() {
    constexpr std::chrono::milliseconds glance{20};
    std::unique_lock lock(mutex_);
    while (!ended_.wait_for(lock, glance, [this] { return done_; })) {
      lock.unlock();
      stop_point();
      lock.lock();
    }
    if (thrown_) std::rethrow_exception(thrown_);
  }

 private:
  std::function<void()> work_;
  std::mutex mutex_;
  std::condition_variable ended_;
  bool done_ = false;
  std::exception_ptr thrown_;
};

}  // namespace

void run_stoppably(const std::function<void()>& work) {
  const auto errand = std::make_shared<Errand>(work);
  try {
    std::thread([errand] { errand->run(); }).detach();
  } catch (const std::system_error&) {
    return work();  // no thread is to be had: it ends when it is done
  }
  errand->wait();
}

}  // namespace kardan
