#include "kardan/integrate/events.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace kardan {
namespace {

/// [s, or of t] To this the time of an event can be known where positions are known to some 1e-14
/// of their scale and pass with some 1e-3 of theirs; events closer together happen together.
constexpr double time_accuracy = 1e-10;
/// [s, or of t] The shortest step to an event: time must move on.
constexpr double shortest = 1e-14;

/// Whether a dip through three samples may reach zero between them: the parabola does, were it four
/// times as deep below the middle sample as it is.
bool may_reach_zero(double a, double b, double c) {
  const double slope = 0.5 * (c - a), curvature = a - 2 * b + c;
  return b <= 4 * slope * slope / (2 * curvature);
}

}  // namespace

EventSearch::EventSearch(ChartProblem& problem, const DriverOptions& options)
    : problem_(problem),
      rules_(options.events),
      samples_(options.event_samples),
      z_inside_(problem.events()),
      z_before_(problem.events()),
      z_end_(problem.events()),
      z_side_(problem.events()),
      z_(samples_ + 1, Vector(problem.events())) {}

int EventSearch::find(const DenseStep& step, const State& start, double& theta) {
  problem_.event_functions(start, z_[0]);
  keep_side(start.t, z_[0]);
  for (int k = 1; k <= samples_; ++k) at(step, static_cast<double>(k) / samples_, z_[k]);
  const int count = problem_.events();
  found_ = -1;
  for (int e = 0; e < count; ++e) {
    const double root = first_root(step, e);
    if (root > theta || root < 0) continue;
    theta = root;
    found_ = e;
  }
  return found_;
}

bool EventSearch::counts(int event, int direction) const {
  const auto e = static_cast<std::size_t>(event);
  return e >= rules_.size() || rules_[e].direction == 0 || rules_[e].direction == direction;
}

Eval EventSearch::refine(int event, const DenseStep& step, const State& end, double& length,
                         const std::function<Eval(double)>& repeat) {
  constexpr int most = 8;
  const double least = shortest * std::max(1.0, std::abs(step.from.t));
  for (int i = 0;; ++i) {
    length = std::max(length, least);
    if (Eval e = repeat(length); e != Eval::ok) return e;
    if (i == most) return Eval::ok;
    problem_.event_functions(end, z_end_);
    const double shift = -z_end_[event] / slope_at_end(step, event);
    if (!std::isfinite(shift) || std::abs(shift) < 1e-14 * std::max(1.0, std::abs(end.t)) ||
        std::abs(shift) < 1e-12 * length)
      return Eval::ok;
    length += std::clamp(shift, -0.5 * length, 0.5 * length);
  }
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
  problem_.event_functions(probe_, z_before_);
  return (z_before_[event] - z_end_[event]) / time;
}

void EventSearch::pass(const DenseStep& step, State& end, DriverReport& report) {
  const double time = std::max(1e-6 * step.h(), time_accuracy * std::max(1.0, std::abs(end.t)));
  beyond(step, time, after_);
  problem_.event_functions(after_, z_inside_);
  for (int e = 0; e < problem_.events(); ++e) {
    const int direction = z_inside_[e] > 0 ? 1 : -1;
    // z_[0]: at the start of this step. An event that counts one way only may have passed the
    // other way since.
    const bool one_way = !counts(e, 1) || !counts(e, -1);
    const bool passed = (e == found_ && one_way) || (z_[0][e] > 0) != (z_inside_[e] > 0);
    if (!passed || !counts(e, direction)) continue;
    report.events.push_back({end.t, e, direction});
    ++report.counters.events;
    if (static_cast<std::size_t>(e) >= rules_.size() || !rules_[e].stop) continue;
    report.reason = Reason::stopped;
    report.message = fmt::format("event '{}'", rules_[e].name);
  }
  problem_.switch_modes(after_, end);
  // The side on which the functions of the new modes begin.
  after_.modes = end.modes;
  problem_.event_functions(after_, z_side_);
  side_until_ = end.t + time;
}

/// First zero of an event in the step, or -1. A dip towards zero between samples is followed to
/// its bottom, so that a function that crosses zero twice between two samples is not missed.
double EventSearch::first_root(const DenseStep& step, int e) {
  const double spacing = 1.0 / samples_;
  for (int k = 1; k <= samples_; ++k) {
    const double a = z_[k - 1][e], b = z_[k][e];
    if ((a > 0) != (b > 0)) {
      if (!counts(e, b > 0 ? 1 : -1)) continue;
      return locate(step, e, (k - 1) * spacing, k * spacing, a, b);
    }
    if (k == samples_) break;
    const double c = z_[k + 1][e];
    if ((b > 0) == (c > 0) && std::abs(b) < std::abs(a) && std::abs(b) <= std::abs(c) &&
        may_reach_zero(std::abs(a), std::abs(b), std::abs(c))) {
      const double inside = bottom(step, e, (k - 1) * spacing, (k + 1) * spacing, b > 0);
      if (inside < 0) continue;
      at(step, inside, z_end_);
      const double other = z_end_[e];
      if (counts(e, other > 0 ? 1 : -1))
        return locate(step, e, (k - 1) * spacing, inside, a, other);
      return locate(step, e, inside, (k + 1) * spacing, other, c);
    }
  }
  return -1;
}

/// A point between a and b where the function has the other sign, or -1 (golden section).
double EventSearch::bottom(const DenseStep& step, int e, double a, double b, bool positive) {
  constexpr double golden = 0.38196601125010515;
  auto value = [&](double s) {
    at(step, s, z_end_);
    return positive ? z_end_[e] : -z_end_[e];
  };
  double x = a + golden * (b - a), y = b - golden * (b - a);
  double fx = value(x), fy = value(y);
  for (int i = 0; i < 40; ++i) {
    if (fx < 0) return x;
    if (fy < 0) return y;
    if (fx < fy) {
      b = y;
      y = x;
      fy = fx;
      x = a + golden * (b - a);
      fx = value(x);
    } else {
      a = x;
      x = y;
      fx = fy;
      y = b - golden * (b - a);
      fy = value(y);
    }
  }
  return -1;
}

void EventSearch::at(const DenseStep& step, double theta, Vector& z) {
  step.at(theta, point_);
  (void)problem_.state_at(point_, ChartProblem::Consistency::as_interpolated, probe_);
  problem_.event_functions(probe_, z);
  keep_side(point_.t, z);
}

/// Just after an event its function is zero up to the accuracy of its time: the side is known.
void EventSearch::keep_side(double t, Vector& z) const {
  if (t >= side_until_) return;
  constexpr double least = std::numeric_limits<double>::min();  // an exact zero has no side
  for (std::size_t e = 0; e < z.size(); ++e)
    z[e] = std::copysign(std::max(std::abs(z[e]), least), z_side_[e]);
}

/// Root of an event between a and b: regula falsi with the Illinois rule, halving when it lags.
double EventSearch::locate(const DenseStep& step, int e, double a, double b, double fa, double fb) {
  for (int i = 0; i < 100 && b - a > 1e-15 * b; ++i) {
    double s = (a * fb - b * fa) / (fb - fa);
    if (!(s > a && s < b) || i % 4 == 3) s = 0.5 * (a + b);
    at(step, s, z_end_);
    const double fs = z_end_[e];
    if (fs == 0) return s;
    if ((fs > 0) == (fa > 0)) {
      a = s;
      fa = fs;
      fb *= 0.5;
    } else {
      b = s;
      fb = fs;
      fa *= 0.5;
    }
  }
  return b;
}

}  // namespace kardan
