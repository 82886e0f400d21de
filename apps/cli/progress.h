#pragma once
/// A progress bar on standard error: on a terminal, for work that takes longer than a moment.

#include <chrono>

namespace kardan::cli {

enum class ProgressDisplay { shown, hidden };

class Progress {
 public:
  /// Shown only when standard error is a terminal.
  Progress(double t_start, double t_end, ProgressDisplay display);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// Told after every step; draws a few times a second.
  void at(double t, long steps);

 private:
  using Clock = std::chrono::steady_clock;
  double t_start_, t_end_;
  bool active_, drawn_ = false;
  Clock::time_point next_;
};

}  // namespace kardan::cli
