#include "apps/cli/progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <string>

namespace kardan::cli {
namespace {

/// Shorter runs need no bar; a drawn one changes five times a second.
constexpr std::chrono::milliseconds shown_after{500}, interval{200};
constexpr int width = 32;

}  // namespace

Progress::Progress(double t_start, double t_end, ProgressDisplay display)
    : t_start_(t_start),
      t_end_(t_end),
      active_(display == ProgressDisplay::shown && t_end > t_start && isatty(STDERR_FILENO) != 0),
      next_(Clock::now() + shown_after) {}

Progress::~Progress() {
  if (drawn_) fmt::print(stderr, "\r\x1b[K");
}

void Progress::at(double t, long steps) {
  if (!active_ || Clock::now() < next_) return;
  next_ = Clock::now() + interval;
  drawn_ = true;
  const double share = std::clamp((t - t_start_) / (t_end_ - t_start_), 0.0, 1.0);
  const auto full = static_cast<std::size_t>(share * width);
  fmt::print(stderr, "\r\x1b[K[{}{}] {:3.0f} %  t = {:.4g} s  {} steps", std::string(full, '#'),
             std::string(width - full, '.'), 100 * share, t, steps);
  std::fflush(stderr);
}

}  // namespace kardan::cli
