#include "apps/cli/interrupt.h"

namespace kardan::cli {
namespace {

// A signal has no other way to speak to the program.
volatile std::sig_atomic_t caught = 0;

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

}  // namespace kardan::cli
