#include "kardan/integrate/events.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace kardan {
namespace {

/// [s, or of t] To this the time of an event can be known where positions are known to some 1e-14
/// of their scale and pass with some 1e-3 of theirs; events closer together happen together.
constexpr double time_accuracy = 1e-10;
/// [s, or of t] The shortest step to an event: time must move on.
constexpr double shortest = 1e-14;
/// Samples of a flow: this many a step at most where every event is a distance, which is enclosed
/// between them; else a longer step is refused.
constexpr double most_for_distances = 4096, most_samples = 1 << 20;
/// Of the distance of two samples: the resolution unless one is given.
constexpr double default_resolution = 1e-3;
/// More events than this, each as soon after the last as it can be seen, never end.
constexpr int largest_crowd = 1000;
/// So soon, in times at which sides are seen: a switch that pushes back from both sides is crossed
/// again after some three of them.
constexpr double crowded = 10;

/// Where less than this share of a step could be looked at, a function stays at zero: steps as short
/// would not end.
constexpr double least_looked_at = 1.0 / 64;
/// [s] Nothing is looked at from nearer than this.
double nearest(double t) {
  return 1e3 * time_accuracy * std::max(1.0, std::abs(t));
}

/// Whether a dip through three samples may reach zero between them: the parabola does, were it four
/// times as deep below the middle sample as it is.
bool may_reach_zero(double a, double b, double c) {
  const double slope = 0.5 * (c - a), curvature = a - 2 * b + c;
  return b <= 4 * slope * slope / (2 * curvature);
}

}  // namespace

EventSearch::EventSearch(ChartProblem& problem, const DriverOptions& options)
    : problem_(problem),
      source_(problem.events()),
      options_(options),
      rules_(options.events),
      samples_(options.event_samples),
      resolution_(options.event_resolution),
      ignored_(problem.events().count(), 0),
      safe_(problem.events().count(), 0),
      distance_(problem.events().count(), 0),
      z_start_(problem.events().count()),
      z_inside_(problem.events().count()),
      z_before_(problem.events().count()),
      z_end_(problem.events().count()),
      z_side_(problem.events().count()),
      enclosure_(problem.events()) {
  if (!options.known_events.sides.empty()) {
    z_side_.assign(options.known_events.sides.begin(), options.known_events.sides.end());
    sides_given_ = true;
  }
  for (Sample& s : window_)
    for (Vector* x : {&s.z, &s.guard, &s.rate}) x->resize(problem.events().count());
}

EventSearch::Ending EventSearch::end_step(const DenseStep& step, const State& start,
                                          const State& end, double h,
                                          const std::function<Eval(double)>& repeat) {
  if (sides_given_) side_until_ = start.t + time_accuracy * std::max(1.0, std::abs(start.t));
  sides_given_ = false;
  std::fill(ignored_.begin(), ignored_.end(), 0);
  if (step.flow && step.flow->fastest() * h > most_samples)
    return {Eval::recoverable, most_samples / step.flow->fastest(), false};
  bool late = false;
  for (;;) {
    double theta = 1;
    const int e = find(step, start, end, theta);
    // What has not been looked at before that lies in a step of its own.
    if (const double open = enclosure_.looked_at();
        open < theta && open > least_looked_at && open * h > nearest(start.t))
      return {Eval::recoverable, 2 * open * h, false, true};
    if (e < 0) break;
    at(step, 1, z_inside_);
    const bool stays = (z_inside_[e] > 0) != (z_start_[e] > 0);
    const double seen = theta * h;
    double length = seen;
    switch (refine(e, step, end, length, repeat)) {
      case Refined::reached:
        return {Eval::ok, length, true};
      case Refined::failed:
        return {Eval::recoverable, length, false};
      case Refined::grazing:
        // A function that stays beyond zero has passed it, where the dense output says.
        if (stays) {
          length = seen + time_accuracy * std::max(1.0, std::abs(start.t));
          return {repeat(length), length, true};
        }
        if (enclosure_.watches(e) && !step.flow && seen > nearest(start.t))
          return {Eval::recoverable, seen, false, true};
        ignored_[e] = 1;
        late = true;
        if (repeat(h) != Eval::ok) return {Eval::recoverable, h, false};
    }
  }
  if (!late) return {Eval::ok, h, false};
  // What seemed to graze may yet have passed.
  functions(end, z_end_);
  for (std::size_t e = 0; e < ignored_.size(); ++e)
    if (ignored_[e] && (z_end_[e] > 0) != (z_start_[e] > 0)) return {Eval::ok, h, true};
  return {Eval::ok, h, false};
}

void EventSearch::functions(const State& state, Vector& z) {
  source_.functions(state, z);
  if (options_.known_events.adjust) options_.known_events.adjust(state, z);
}

int EventSearch::sample_count(const DenseStep& step) const {
  if (!step.flow) return samples_;
  // Flows are cheapest at times that are whole parts of the step by powers of two.
  const bool distances = std::ranges::all_of(distance_, [](char d) { return d != 0; });
  const double wanted = std::clamp(step.flow->fastest() * step.h(), 1.0 * samples_,
                                   distances ? most_for_distances : most_samples);
  return static_cast<int>(std::exp2(std::ceil(std::log2(wanted))));
}

/// Whether every event is a distance that is too large to vanish in the whole step; safe_: which.
bool EventSearch::cannot_happen(const DenseStep& step, const State& start, const State& end) {
  Sample &a = window_[0], &b = window_[1];
  step.at(0, a.point);
  a.state = start;
  // The bound of a flow is one for short times.
  if (step.flow)
    speed_.assign(a.point.q.size(), 0.0);
  else
    step.speed_bound(0, 1, step.from, step.to, speed_);
  guard(a);
  std::fill(safe_.begin(), safe_.end(), 0);
  for (std::size_t e = 0; e < distance_.size(); ++e) distance_[e] = std::isfinite(a.rate[e]);
  any_guard_ = std::ranges::any_of(distance_, [](char d) { return d != 0; });
  if (!any_guard_ || step.flow) return false;
  b.state = end;
  functions(end, b.z);
  keep_side(end.t, b.z);
  guard(b);
  bool all = true;
  any_guard_ = false;
  for (std::size_t e = 0; e < a.z.size(); ++e) {
    const bool guarded = std::isfinite(a.rate[e]) && std::isfinite(b.rate[e]);
    safe_[e] = guarded && (a.guard[e] > 0) == (b.guard[e] > 0) && (a.z[e] > 0) == (b.z[e] > 0) &&
               std::abs(a.guard[e]) + std::abs(b.guard[e]) > a.rate[e] * step.h();
    all = all && safe_[e];
    any_guard_ =
        any_guard_ || (!safe_[e] && (std::isfinite(a.rate[e]) || std::isfinite(b.rate[e])));
  }
  return all;
}

/// The first event inside the step, or -1; theta where its function vanishes.
int EventSearch::find(const DenseStep& step, const State& start, const State& end, double& theta) {
  found_ = -1;
  window_[0].theta = 0;
  functions(start, window_[0].z);
  keep_side(start.t, window_[0].z);
  z_start_ = window_[0].z;
  if (cannot_happen(step, start, end)) return -1;
  enclosure_.begin(start, step.h(), distance_);
  if (enclosure_.watches_any() && !step.flow && is_quiet(step)) return -1;
  const int count = sample_count(step);
  const double finest =
      step.flow ? std::max<double>(count, step.flow->fastest() * step.h()) : count;
  const double least = resolution_ > 0 ? resolution_ / step.h() : default_resolution / finest;
  Sample *a = nullptr, *b = &window_[0], *c = &window_[1], *spare = &window_[2];
  if (enclosure_.watches_any()) sample(step, 0, *b);
  b->z = z_start_;
  for (int k = 1; k <= count; ++k) {
    sample(step, static_cast<double>(k) / count, *c);
    if (any_guard_) {
      // Without a flow the bound is that of the whole step.
      if (step.flow) step.speed_bound(b->theta, c->theta, b->point, c->point, speed_);
      if (k == 1) guard(*b);
      guard(*c);
    }
    for (int e = 0; e < source_.count(); ++e) {
      if (ignored_[e] || safe_[e]) continue;
      const double root = first_root(step, e, a, *b, *c, least);
      if (root < 0 || root > theta) continue;
      theta = root;
      found_ = e;
    }
    if (found_ >= 0) break;
    Sample* last = a ? a : spare;
    a = b;
    b = c;
    c = last;
  }
  return found_;
}

/// The first zero that is found between b and c, where a is the sample before (or null); -1: none.
/// A flow may swing often between two samples: there distances are enclosed whatever their signs.
double EventSearch::first_root(const DenseStep& step, int e, const Sample* a, const Sample& b,
                               const Sample& c, double least) {
  const auto mark = [e](const Sample& at) {
    return Mark{at.theta, at.z[e], at.guard[e], std::isfinite(at.rate[e])};
  };
  const Mark from = mark(b), to = mark(c);
  if (enclosure_.watches(e) && !safe_[e]) {
    const double shortest_time = time_accuracy * std::max(1.0, std::abs(step.from.t));
    const double root = crossing(step, e, b, c, shortest_time / step.h(), 0);
    if (root >= 0 || !a) return root;
    return root_in_dip(step, e, *a, b, c);
  }
  const bool enclosed = step.flow && distance_[e] && (from.known || to.known);
  if (!enclosed) {
    double root = root_between(step, e, b, c);
    if (root < 0 && a) root = root_in_dip(step, e, *a, b, c);
    if (root >= 0 || !any_guard_ || (b.z[e] > 0) != (c.z[e] > 0) || !from.known || !to.known)
      return root;
  }
  return passage(step, e, from, to, c.rate[e], least);
}

void EventSearch::sample(const DenseStep& step, double theta, Sample& out) {
  out.theta = theta;
  step.at(theta, out.point);
  (void)problem_.state_at(out.point, step.consistency(), out.state);
  if (enclosure_.watches_any()) {
    look(step, theta, 1.0 / sample_count(step), out);
    return;
  }
  functions(out.state, out.z);
  keep_side(out.point.t, out.z);
}

void EventSearch::guard(Sample& at) {
  source_.guards(at.state, speed_, at.guard, at.rate);
}

bool EventSearch::counts(int event, int direction) const {
  const auto e = static_cast<std::size_t>(event);
  return e >= rules_.size() || rules_[e].direction == 0 || rules_[e].direction == direction;
}

/// Newton on the length of true steps, from the length where the dense output has the event.
EventSearch::Refined EventSearch::refine(int event, const DenseStep& step, const State& end,
                                         double& length,
                                         const std::function<Eval(double)>& repeat) {
  constexpr int most = 8;
  const double least = shortest * std::max(1.0, std::abs(step.from.t));
  const double expected = length, accuracy = time_accuracy * std::max(1.0, std::abs(step.from.t));
  // Just after an event sides are remembered, not seen: what changes then happens at the start.
  const double remembered = std::max(0.0, side_until_ - step.from.t);
  double shift = std::numeric_limits<double>::infinity(), last_length = 0, last_z = 0;
  for (int i = 0; i <= most; ++i) {
    length = std::max(length, least);
    if (repeat(length) != Eval::ok) return Refined::failed;
    functions(end, z_end_);
    const double last = std::abs(shift);
    // Two true steps show how the function changes with their length, unless they are the same.
    const bool secant = i > 0 && std::abs(length - last_length) > accuracy;
    const double slope =
        secant ? (z_end_[event] - last_z) / (length - last_length) : slope_at_end(step, event);
    last_length = length;
    last_z = z_end_[event];
    shift = -z_end_[event] / slope;
    if (!std::isfinite(shift)) return z_end_[event] == 0 ? Refined::reached : Refined::grazing;
    if (std::abs(shift) < 1e-14 * std::max(1.0, std::abs(end.t)) ||
        std::abs(shift) < 1e-12 * length)
      return Refined::reached;
    // Rounding of the function: as near as it gets.
    if (std::abs(shift) < accuracy && std::abs(shift) > 0.5 * last) return Refined::reached;
    if (length <= 2 * remembered && length + shift <= remembered) return Refined::reached;
    // Before the start, or far from where it was seen: true steps do not have this event.
    if (length + shift < -least || std::abs(length + shift - expected) > 0.5 * expected + least)
      return Refined::grazing;
    length += shift;
  }
  return std::abs(shift) < accuracy ? Refined::reached : Refined::grazing;
}

/// The state a short time beyond the end of the step, along the parabola there: the quintic of a
/// very short step would magnify rounding.
void EventSearch::beyond(const DenseStep& step, double time, State& state) {
  point_ = step.to;
  point_.t += time;
  add_scaled(time, step.to.dq, point_.q);
  add_scaled(0.5 * time * time, step.to.ddq, point_.q);
  add_scaled(time, step.to.ddq, point_.dq);
  add_scaled(time, step.to.dz, point_.z);
  (void)problem_.state_at(point_, ChartProblem::Consistency::as_interpolated, state);
}

double EventSearch::slope_at_end(const DenseStep& step, int event) {
  // Long enough that the difference is above rounding, short enough for the parabola.
  const double time = std::max(1e-3 * step.h(), 1e-8 * std::max(1.0, std::abs(step.to.t)));
  beyond(step, time, probe_);
  functions(probe_, z_before_);
  return (z_before_[event] - z_end_[event]) / time;
}

void EventSearch::act(int e, int direction, State& end, double time, DriverReport& report) {
  const EventRule& rule = rules_[e];
  switch (rule.act(end, direction, time, after_)) {
    case EventEffect::none:
    case EventEffect::changed:
      return;
    case EventEffect::hand_over:
      if (report.reason != Reason::finished && !report.handed_over) return;
      report.reason = Reason::stopped;
      report.handed_over = true;
      report.message = fmt::format("event '{}' changes the equations", rule.name);
      return;
    case EventEffect::failed:
      report.handed_over = false;
      report.reason = Reason::evaluation_failed;
      report.message =
          fmt::format("t = {:.9g}: the action of event '{}' is not possible", end.t, rule.name);
      report.advice = "an impulse needs a function of positions that the motion can change";
      return;
  }
}

void EventSearch::pass(const DenseStep& step, State& end, DriverReport& report) {
  const double accuracy = time_accuracy * std::max(1.0, std::abs(end.t));
  const double time = std::max(1e-6 * step.h(), accuracy);
  beyond(step, time, after_);
  functions(after_, z_inside_);
  for (int e = 0; e < source_.count(); ++e) {
    const int direction = z_inside_[e] > 0 ? 1 : -1;
    // An event that counts one way only may have passed the other way since the start.
    const bool one_way = !counts(e, 1) || !counts(e, -1);
    const bool passed = (e == found_ && one_way) || (z_start_[e] > 0) != (z_inside_[e] > 0);
    if (!passed || !counts(e, direction)) continue;
    happen(e, direction, end, time, report);
  }
  end_chatter(end.t, time, report);
  source_.switch_modes(after_, end);
  // The side on which the functions of the new modes begin.
  after_.modes = end.modes;
  functions(after_, z_side_);
  side_until_ = end.t + time;
  for (std::size_t e = 0; e < rules_.size(); ++e)
    if (rules_[e].level && z_start_[e] > 0 && z_inside_[e] > 0 && !(z_side_[e] > 0))
      happen(static_cast<int>(e), -1, end, time, report);
}

/// Events each of which follows the last as soon as it can be seen: no motion lies in between.
void EventSearch::end_chatter(double t, double time, DriverReport& report) {
  last_.crowd = t - last_.t <= crowded * std::max(last_.time, time) ? last_.crowd + 1 : 0;
  last_.t = t;
  last_.time = time;
  const int other = std::exchange(last_.event, found_);
  if (last_.crowd < largest_crowd || found_ < 0) return;
  const auto name = [this](int e) {
    const auto i = static_cast<std::size_t>(e);
    return e >= 0 && i < rules_.size() ? fmt::format("'{}'", rules_[i].name) : std::string("?");
  };
  report.handed_over = false;
  report.reason = Reason::too_many_steps;
  report.message = fmt::format("t = {:.9g}: {} events at the same time, the last ones {} and {}", t,
                               last_.crowd, name(other), name(found_));
  report.advice = "actions that undo each other never end: let the way back need a little more";
}

void EventSearch::happen(int e, int direction, State& end, double time, DriverReport& report) {
  report.events.push_back({end.t, e, direction});
  ++report.counters.events;
  if (static_cast<std::size_t>(e) >= rules_.size()) return;
  if (rules_[e].act) act(e, direction, end, time, report);
  if (!rules_[e].stop) return;
  report.reason = Reason::stopped;
  report.handed_over = false;
  report.message = fmt::format("event '{}'", rules_[e].name);
}

/// Zero of an event between two samples, or -1.
double EventSearch::root_between(const DenseStep& step, int e, const Sample& a, const Sample& b) {
  if ((a.z[e] > 0) == (b.z[e] > 0) || !counts(e, b.z[e] > 0 ? 1 : -1)) return -1;
  return locate(step, e, a.theta, b.theta, a.z[e], b.z[e]);
}

/// A dip towards zero at the middle one of three samples is followed to its bottom, so that a
/// function that crosses zero twice between two samples is not missed.
double EventSearch::root_in_dip(const DenseStep& step, int e, const Sample& a, const Sample& b,
                                const Sample& c) {
  const double za = a.z[e], zb = b.z[e], zc = c.z[e];
  if ((za > 0) != (zb > 0) || (zb > 0) != (zc > 0) || std::abs(zb) >= std::abs(za) ||
      std::abs(zb) > std::abs(zc) || !may_reach_zero(std::abs(za), std::abs(zb), std::abs(zc)))
    return -1;
  const double inside = bottom(step, e, a.theta, c.theta, zb > 0);
  return inside < 0 ? -1 : root_near(step, e, a.theta, inside, c.theta);
}

/// The first zero of a distance between a and b, or -1: halves as long as it could vanish in
/// between, down to `least`. Between two places where nothing is known of it signs must do: halving
/// would learn nothing.
double EventSearch::passage(const DenseStep& step, int e, const Mark& a, const Mark& b, double rate,
                            double least) {
  const bool passed = (a.z > 0) != (b.z > 0);
  const double width = b.theta - a.theta;
  const double room = (a.known ? std::abs(a.distance) : 0) + (b.known ? std::abs(b.distance) : 0);
  if (!passed && room > rate * width * step.h()) return -1;
  if (width <= least || (!a.known && !b.known))
    return passed && counts(e, b.z > 0 ? 1 : -1) ? locate(step, e, a.theta, b.theta, a.z, b.z) : -1;
  Mark middle{0.5 * (a.theta + b.theta), 0, 0, true};
  step.at(middle.theta, point_);
  (void)problem_.state_at(point_, step.consistency(), probe_);
  functions(probe_, z_end_);
  keep_side(point_.t, z_end_);
  middle.z = z_end_[e];
  // The bound of a flow gets much better for shorter times.
  double rates[2] = {rate, rate};
  for (int side = 0; side < (step.flow ? 2 : 1); ++side) {
    if (step.flow)
      step.speed_bound(side == 0 ? a.theta : middle.theta, side == 0 ? middle.theta : b.theta,
                       point_, point_, speed_);
    source_.guards(probe_, speed_, z_inside_, z_before_);
    rates[side] = std::min(rate, z_before_[e]);
    middle.distance = z_inside_[e];
    middle.known = middle.known && std::isfinite(z_before_[e]);
  }
  const double left = passage(step, e, a, middle, rates[0], least);
  return left >= 0 ? left : passage(step, e, middle, b, rates[1], least);
}

void EventSearch::at(const DenseStep& step, double theta, Vector& z) {
  step.at(theta, point_);
  (void)problem_.state_at(point_, step.consistency(), probe_);
  functions(probe_, z);
  keep_side(point_.t, z);
}

/// Just after an event its function is zero up to the accuracy of its time: the side is known.
void EventSearch::keep_side(double t, Vector& z) const {
  if (t >= side_until_) return;
  constexpr double least = std::numeric_limits<double>::min();  // an exact zero has no side
  for (std::size_t e = 0; e < z.size(); ++e)
    if (z_side_[e] != 0) z[e] = std::copysign(std::max(std::abs(z[e]), least), z_side_[e]);
}

}  // namespace kardan
