#include "apps/cli/interrupt.h"

#include <sys/time.h>
#include <unistd.h>

#include <atomic>
#include <cmath>

#include "apps/cli/command.h"

namespace kardan::cli {
namespace {

// A signal has no other way to speak to the program.
std::atomic<int> caught = 0;
static_assert(std::atomic<int>::is_always_lock_free);  // a handler may use it

void ask(int signal) {
  caught = signal;
  std::signal(SIGINT, SIG_DFL);
  std::signal(SIGTERM, SIG_DFL);
}

void listen(int signal, struct sigaction& before) {
  struct sigaction action = {};
  action.sa_handler = ask;
  sigemptyset(&action.sa_mask);
  action.sa_flags = SA_RESTART;
  sigaction(signal, nullptr, &before);
  if (before.sa_handler != SIG_IGN) sigaction(signal, &action, nullptr);
}

}  // namespace

Interrupt::Interrupt() {
  caught = 0;
  listen(SIGINT, before_int_);
  listen(SIGTERM, before_term_);
}

Interrupt::~Interrupt() {
  sigaction(SIGINT, &before_int_, nullptr);
  sigaction(SIGTERM, &before_term_, nullptr);
}

int Interrupt::asked() {
  return caught;
}

namespace {

/// Nothing but calls that a handler may make.
void give_up(int) {
  constexpr char message[] = "kardan: the wall-clock limit is over before the first step\n";
  if (::write(STDERR_FILENO, message, sizeof message - 1) < 0) ::_exit(failed);
  ::_exit(failed);
}

}  // namespace

Deadline::Deadline(double seconds) {
  if (!(seconds > 0)) return;
  on_ = true;
  std::signal(SIGALRM, give_up);
  // A timer of 0 never rings; years are as good as never.
  constexpr double shortest = 1e-6, longest = 1e8;
  const double time = std::fmin(std::fmax(seconds, shortest), longest);
  itimerval timer = {};
  timer.it_value.tv_sec = static_cast<time_t>(time);
  timer.it_value.tv_usec = static_cast<suseconds_t>(1e6 * (time - std::floor(time)));
  if (timer.it_value.tv_sec == 0 && timer.it_value.tv_usec == 0) timer.it_value.tv_usec = 1;
  ::setitimer(ITIMER_REAL, &timer, nullptr);
}

void Deadline::off() {
  if (!on_) return;
  on_ = false;
  const itimerval none = {};
  ::setitimer(ITIMER_REAL, &none, nullptr);
  std::signal(SIGALRM, SIG_DFL);
}

}  // namespace kardan::cli
