#include <algorithm>
#include <cmath>
#include <limits>

#include "kardan/integrate/events.h"

namespace kardan {
namespace {

/// Rates are differences over this share of what they are wanted for, but not below a time [s, or of
/// t] at which rounding would tell.
constexpr double nudge_share = 1e-3, least_nudge = 1e-9;
/// Above zero.
constexpr double least_side = std::numeric_limits<double>::min();
/// What is left of a step then is below the rounding of its times.
constexpr std::size_t most_halvings = 60;

}  // namespace

/// Functions and arguments at a place, and their rates, good enough for what is `width` wide.
void EventSearch::look(const DenseStep& step, double theta, double width,
                       EventEnclosure::Mark& out) {
  const double h = step.h(), t = step.from.t + theta * h;
  const double least = std::min(least_nudge * std::max(1.0, std::abs(t)), nudge_share * h);
  const double share = std::max(nudge_share * width, least / h);
  const double beside = theta < 0.5 ? theta + share : theta - share;
  const double time = (beside - theta) * h;
  out.theta = theta;
  for (Vector* x : {&out.y, &out.y_rate}) x->resize(enclosure_.arguments());
  for (Vector* x : {&out.z, &out.z_rate}) x->resize(z_start_.size());
  const auto read = [&](double at, Vector& z, Vector& y) {
    step.at(at, point_);
    (void)problem_.state_at(point_, step.consistency(), probe_);
    functions(probe_, z);
    if (!y.empty()) source_.arguments(probe_, y);
  };
  read(beside, out.z_rate, out.y_rate);
  read(theta, out.z, out.y);
  for (std::size_t e = 0; e < out.z.size(); ++e) out.z_rate[e] = (out.z_rate[e] - out.z[e]) / time;
  for (std::size_t i = 0; i < out.y.size(); ++i) out.y_rate[i] = (out.y_rate[i] - out.y[i]) / time;
  keep_side(point_.t, out.z);
}

/// Whether no event can happen, by the ends and the middle of the step; safe_: which cannot. What is
/// no formula is not judged by so little.
bool EventSearch::is_quiet(const DenseStep& step) {
  using Mark = EventEnclosure::Mark;
  Mark &a = window_[0], &b = window_[1], &middle = window_[2];
  look(step, 0, 1, a);
  look(step, 1, 1, b);
  enclosure_.enclose(a, b);
  for (std::size_t e = 0; e < safe_.size(); ++e)
    if (enclosure_.watches(static_cast<int>(e)) && (a.z[e] > 0) != (b.z[e] > 0)) return false;
  look(step, 0.5, 1, middle);
  if (!enclosure_.holds(middle)) return false;
  std::vector<char>& quiet = safe_;
  for (const auto& [from, to] : {std::pair<Mark*, Mark*>{&a, &middle}, {&middle, &b}}) {
    enclosure_.enclose(*from, *to);
    for (std::size_t e = 0; e < quiet.size(); ++e) {
      const int event = static_cast<int>(e);
      if (!enclosure_.watches(event)) continue;
      const bool sided = enclosure_.one_sided(event, *from, *to);
      quiet[e] = from == &a ? sided : quiet[e] && sided;
    }
  }
  return std::ranges::all_of(quiet, [](char s) { return s != 0; });
}

/// The first zero between a and b that counts, or -1: halves as long as there could be two, down to
/// `least`.
double EventSearch::crossing(const DenseStep& step, int e, const EventEnclosure::Mark& a,
                             const EventEnclosure::Mark& b, double least, std::size_t depth) {
  const auto i = static_cast<std::size_t>(e);
  const bool passed = (a.z[i] > 0) != (b.z[i] > 0);
  const auto found = [&] {
    return passed && counts(e, b.z[i] > 0 ? 1 : -1)
               ? locate(step, e, a.theta, b.theta, a.z[i], b.z[i])
               : -1;
  };
  enclosure_.enclose(a, b);
  if (passed ? enclosure_.monotone(e) : enclosure_.one_sided(e, a, b)) return found();
  const double width = b.theta - a.theta;
  if (width <= least || depth >= most_halvings || !enclosure_.may_look(a.theta)) return found();
  EventEnclosure::Mark& middle = enclosure_.place(depth);
  look(step, 0.5 * (a.theta + b.theta), 0.5 * width, middle);
  // Near the start, where a function has just left zero, rounding is no crossing.
  if (enclosure_.is_blurred(e, middle))
    middle.z[i] = a.z[i] > 0 ? std::abs(middle.z[i]) + least_side : -std::abs(middle.z[i]);
  const double left = crossing(step, e, a, middle, least, depth + 1);
  return left >= 0 ? left : crossing(step, e, middle, b, least, depth + 1);
}

}  // namespace kardan
