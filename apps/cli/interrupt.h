#pragma once
/// Signals that end a run in good order, and a limit of time.

#include <csignal>

namespace kardan::cli {

/// While it lives, the first SIGINT or SIGTERM only asks; the second ends the program at once. One
/// that was ignored before stays so.
class Interrupt {
 public:
  Interrupt();
  ~Interrupt();
  Interrupt(const Interrupt&) = delete;
  Interrupt& operator=(const Interrupt&) = delete;

  /// The signal that has asked, or 0.
  static int asked();

 private:
  struct sigaction before_int_ = {}, before_term_ = {};
};

/// Until `off`, the program ends, with a message and exit code 1, when `seconds` are over: for what
/// comes before a run, when there is nothing to be written yet. 0: never.
class Deadline {
 public:
  explicit Deadline(double seconds);
  ~Deadline() { off(); }
  Deadline(const Deadline&) = delete;
  Deadline& operator=(const Deadline&) = delete;
  void off();

 private:
  bool on_ = false;
};

}  // namespace kardan::cli
