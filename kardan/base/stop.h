#pragma once
/// How a computation that takes long is ended from outside, within one of its loops. Who may be
/// asked to end opens a StopScope with the question; loops whose turns add up to seconds call
/// stop_point in each turn, and where the answer is yes, that throws Stopped: the driver takes it
/// for the end of the run. The question belongs to the thread that computes, not to the equations:
/// no result depends on it.

#include <chrono>
#include <exception>
#include <functional>
#include <string>
#include <utility>

namespace kardan {

/// A reason to end; empty: go on.
using StopQuestion = std::function<std::string()>;

class Stopped : public std::exception {
 public:
  explicit Stopped(std::string why) : why_(std::move(why)) {}
  const char* what() const noexcept override { return why_.c_str(); }
  const std::string& why() const { return why_; }

 private:
  std::string why_;
};

/// While it lives, stop points of this thread ask `question`, which outlives it, as well as those
/// of the scopes around it. An empty question is never asked.
class StopScope {
 public:
  explicit StopScope(const StopQuestion& question);
  ~StopScope();
  StopScope(const StopScope&) = delete;
  StopScope& operator=(const StopScope&) = delete;

 private:
  friend void stop_point();
  using Clock = std::chrono::steady_clock;

  const StopQuestion& question_;
  StopScope* around_;
  Clock::time_point asked_ = Clock::now();
};

/// Asks at most every 20 ms, and throws Stopped where the answer is a reason. Costs a look at the
/// clock: for turns of at least a microsecond.
void stop_point();

/// Sizes from which loops over the rows or columns of a matrix have stop points.
inline constexpr int long_loop = 256;

}  // namespace kardan
