#include "kardan/integrate/event_enclosure.h"

#include <algorithm>
#include <cmath>

#include "kardan/base/features.h"

namespace kardan {
namespace {

/// Places beyond the samples that are looked at in a step.
constexpr int most_looks = 1000;
/// Halvings of a step, which would leave less than rounding.
constexpr std::size_t most_depth = 64;
/// Of arguments.
constexpr double blur_of_arguments = 1e-15;
/// Zero but for what outward rounding adds.
constexpr double nothing = 1e-290;

bool positive(double z) {
  return z > 0;
}

/// Between two places a time w apart.
Taylor between(double y0, double rate0, double y1, double rate1, double w) {
  if (!std::isfinite(y0) || !std::isfinite(rate0) || !std::isfinite(y1) || !std::isfinite(rate1)) {
    Taylor out = Taylor::constant(Interval::entire(), 1);
    out.forget_from(0);
    return out;
  }
  const Taylor since = Taylor::time(0, w, 1);
  Taylor out = along_chord(y0, rate0, y1, rate1, w, since);
  out.c[1] = rate_along_chord(y0, rate0, y1, rate1, w, since).c[0];
  return out;
}

}  // namespace

EventEnclosure::EventEnclosure(EventSource& source)
    : source_(source),
      watched_(static_cast<std::size_t>(source.count()), 0) {}

void EventEnclosure::begin(const State& start, double h, std::span<const char> others) {
  h_ = h;
  looks_ = 0;
  looked_at_ = 1;
  any_ = false;
  std::ranges::fill(watched_, 0);
  if (std::ranges::all_of(others, [](char other) { return other != 0; })) return;
  arguments_.resize(static_cast<std::size_t>(source_.conditions(start, watched_)));
  for (std::size_t e = 0; e < others.size(); ++e) {
    watched_[e] = watched_[e] && !others[e];
    any_ = any_ || watched_[e];
  }
  if (!any_) return;
  modes_ = start;
  functions_.resize(watched_.size());
}

void EventEnclosure::enclose(const Mark& a, const Mark& b) {
  const double w = (b.theta - a.theta) * h_;
  for (std::size_t i = 0; i < arguments_.size(); ++i)
    arguments_[i] = between(a.y[i], a.y_rate[i], b.y[i], b.y_rate[i], w);
  source_.enclose(modes_, arguments_, functions_);
}

bool EventEnclosure::monotone(int event) const {
  const Interval& slope = functions_[static_cast<std::size_t>(event)].c[1];
  return slope.lo >= 0 || slope.hi <= 0;
}

/// Else it falls to zero no faster than its slopes allow, and rises again no faster.
bool EventEnclosure::one_sided(int event, const Mark& a, const Mark& b) const {
  const auto e = static_cast<std::size_t>(event);
  const bool side = positive(a.z[e]);
  if (side != positive(b.z[e])) return false;
  const Taylor& f = functions_[e];
  if (!f.c[0].contains(0.0) || monotone(event) || f.c[0].size() <= nothing) return true;
  const double w = (b.theta - a.theta) * h_, from = std::abs(a.z[e]), to = std::abs(b.z[e]);
  const double fall = side ? -f.c[1].lo : f.c[1].hi, rise = side ? f.c[1].hi : -f.c[1].lo;
  if (!std::isfinite(fall) || !std::isfinite(rise)) return false;
  const double lowest = (from * rise + to * fall - w * fall * rise) / (fall + rise);
  return lowest > 1e-12 * std::max(from, to);
}

bool EventEnclosure::is_blurred(int event, const Mark& at) {
  if (!watches(event)) return false;
  for (std::size_t i = 0; i < arguments_.size(); ++i) {
    const double blur = blur_of_arguments * std::abs(at.y[i]);
    arguments_[i] = Taylor::constant({at.y[i] - blur, at.y[i] + blur}, 1);
  }
  source_.enclose(modes_, arguments_, functions_);
  return functions_[static_cast<std::size_t>(event)].c[0].contains(0.0);
}

bool EventEnclosure::holds(const Mark& between) const {
  for (std::size_t i = 0; i < arguments_.size(); ++i)
    if (!arguments_[i].c[0].contains(between.y[i])) return false;
  for (std::size_t e = 0; e < watched_.size(); ++e)
    if (watched_[e] && !functions_[e].c[0].contains(between.z[e])) return false;
  return true;
}

EventEnclosure::Mark& EventEnclosure::place(std::size_t depth) {
  if (places_.empty()) places_.resize(most_depth);
  return places_[depth];
}

bool EventEnclosure::may_look(double theta) {
  if (++looks_ <= most_looks) return true;
  looked_at_ = std::min(looked_at_, theta);
  return false;
}

}  // namespace kardan
