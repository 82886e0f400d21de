#include "kardan/base/stop.h"

namespace kardan {
namespace {

constexpr std::chrono::milliseconds between{20};

// A factorization has no other way to know for whom it works: carried through every call down to
// it, the question would be an argument of all of linear algebra.
thread_local StopScope* innermost = nullptr;

}  // namespace

StopScope::StopScope(const StopQuestion& question) : question_(question), around_(innermost) {
  innermost = this;
}

StopScope::~StopScope() {
  innermost = around_;
}

void stop_point() {
  if (!innermost) return;
  const auto now = StopScope::Clock::now();
  if (now - innermost->asked_ < between) return;
  innermost->asked_ = now;
  for (const StopScope* scope = innermost; scope; scope = scope->around_) {
    if (!scope->question_) continue;
    if (std::string why = scope->question_(); !why.empty()) throw Stopped(std::move(why));
  }
}

}  // namespace kardan
