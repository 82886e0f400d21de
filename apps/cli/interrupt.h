#pragma once
/// Signals that end a run in good order.

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

}  // namespace kardan::cli
