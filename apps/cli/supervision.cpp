#include "apps/cli/supervision.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <condition_variable>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <system_error>
#include <thread>

#ifdef __GLIBC__
#include <malloc.h>
#endif

namespace kardan::cli {

void LastStep::restart_point(const RunMemory& memory) {
  report_ = memory.report;
  report_.driver.t = memory.state.t;
  state_ = memory.state;
  work_ = memory.report.energy.work;
  events_since_ = false;
}

void LastStep::step(const StepView& step) {
  DriverReport& d = report_.driver;
  events_since_ = events_since_ || step.counters->events != d.counters.events;
  d.counters = *step.counters;
  d.smallest_step = d.largest_step == 0 ? step.h : std::min(d.smallest_step, step.h);
  d.largest_step = std::max(d.largest_step, step.h);
  d.t = step.t;
  state_ = *step.state;
}

void LastStep::record(const StepRecord& record) {
  Residuals& largest = report_.residuals;
  largest.position = std::max(largest.position, record.residuals.position);
  largest.velocity = std::max(largest.velocity, record.residuals.velocity);
  largest.acceleration = std::max(largest.acceleration, record.residuals.acceleration);
  EnergyBalance& e = report_.energy;
  e.final = record.kinetic + record.potential;
  e.exchanged += std::abs(record.work - work_);
  e.work = work_ = record.work;
  e.balance_error = std::max(e.balance_error, std::abs(record.unbalanced));
}

RunReport LastStep::interrupted(const SimulateOptions& asked, const std::string& why) const {
  RunReport out = report_;
  out.asked = asked;
  out.driver.reason = Reason::interrupted;
  out.driver.diagnosis = Diagnosis::interrupted;
  out.driver.message = fmt::format("t = {:.9g}: {}", out.driver.t, why);
  out.driver.advice.clear();
  out.remarks.emplace_back(
      "the run was given up within a step; accelerations at its end are not known");
  if (events_since_)
    out.remarks.emplace_back("events after the last restart point are counted, not listed");
  return out;
}

namespace {

/// Shared with the thread, which may outlive who waits for it.
struct Work {
  std::mutex mutex;
  std::condition_variable ended;
  bool done = false;
  std::exception_ptr thrown;
};

/// A thread takes memory from a heap of its own, beside what the model left free in the first one.
/// Only one of the threads works at a time: they do well with the first.
void share_the_heap() {
#ifdef __GLIBC__
  mallopt(M_ARENA_MAX, 1);
#endif
}

}  // namespace

Ended supervise(const std::function<void()>& work, const std::function<bool()>& asked) {
  using Clock = std::chrono::steady_clock;
  constexpr std::chrono::milliseconds glance{50};
  const auto shared = std::make_shared<Work>();
  share_the_heap();
  std::thread thread;
  try {
    thread = std::thread([shared, &work] {
      std::exception_ptr thrown;
      try {
        work();
      } catch (...) {  // handed over to the other thread as it is
        thrown = std::current_exception();
      }
      const std::lock_guard lock(shared->mutex);
      shared->thrown = thrown;
      shared->done = true;
      shared->ended.notify_one();
    });
  } catch (const std::system_error&) {
    work();  // no thread is to be had: it ends when it answers
    return Ended::by_itself;
  }
  std::unique_lock lock(shared->mutex);
  std::optional<Clock::time_point> since;
  while (!shared->done) {
    shared->ended.wait_for(lock, glance);
    if (!shared->done && asked()) {
      if (!since) since = Clock::now();
      if (Clock::now() - *since > patience) {
        thread.detach();
        return Ended::given_up;
      }
    }
  }
  lock.unlock();
  thread.join();
  if (shared->thrown) std::rethrow_exception(shared->thrown);
  return Ended::by_itself;
}

}  // namespace kardan::cli
