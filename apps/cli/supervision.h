#pragma once
/// A run that is asked to end does so between two attempts of a step. One attempt may take minutes:
/// the run therefore works in a thread of its own, and whoever waits for it gives it up after
/// `patience`, with what is known of its last step.

#include <chrono>
#include <functional>

#include "kardan/run/simulate.h"

namespace kardan::cli {

/// How long a run may take to answer.
inline constexpr std::chrono::milliseconds patience{1000};

/// What is known of a run at its last step. Told by the run, read by who gives it up; a lock around
/// both is the caller's affair.
class LastStep {
 public:
  /// The start, or a restart point: everything is known there.
  void restart_point(const RunMemory& memory);
  void step(const StepView& step);
  void record(const StepRecord& record);

  /// The report of a run that ends there.
  RunReport interrupted(const SimulateOptions& asked, const std::string& why) const;
  const State& state() const { return state_; }

 private:
  RunReport report_;
  State state_;
  double work_ = 0;  // at the last record
  bool events_since_ = false;
};

enum class Ended { by_itself, given_up };

/// Runs `work`. It is given up where `asked` has been true for longer than `patience`: what it uses
/// must then live, and the program end without its help. What it throws is thrown here.
Ended supervise(const std::function<void()>& work, const std::function<bool()>& asked);

}  // namespace kardan::cli
