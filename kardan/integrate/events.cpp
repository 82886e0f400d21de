#include "kardan/integrate/events.h"

#include <algorithm>
#include <cmath>

namespace kardan {

EventSearch::EventSearch(ChartProblem& problem, int samples)
    : problem_(problem),
      samples_(samples),
      z_inside_(problem.events()),
      z_before_(problem.events()),
      z_end_(problem.events()),
      z_side_(problem.events()),
      z_(samples + 1, Vector(problem.events())) {}

int EventSearch::find(const DenseStep& step, const State& start, double& theta) {
  problem_.event_functions(start, z_[0]);
  for (int k = 1; k <= samples_; ++k) at(step, static_cast<double>(k) / samples_, z_[k]);
  const int count = problem_.events();
  // Just after an event its function is zero up to rounding: the side is known.
  if (has_side_ && start.t == side_t_)
    for (int e = 0; e < count; ++e) z_[0][e] = std::copysign(z_[0][e], z_side_[e]);
  int found = -1;
  for (int e = 0; e < count; ++e) {
    const double root = first_root(step, e);
    if (root > theta || root < 0) continue;
    theta = root;
    found = e;
  }
  return found;
}

Eval EventSearch::refine(int event, const DenseStep& step, const State& end, double& length,
                         const std::function<Eval(double)>& repeat) {
  constexpr int most = 8;
  for (int i = 0;; ++i) {
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

double EventSearch::slope_at_end(const DenseStep& step, int event) {
  constexpr double back = 1e-3;
  at(step, 1 - back, z_inside_);
  at(step, 1, z_before_);
  return (z_before_[event] - z_inside_[event]) / (back * step.h());
}

void EventSearch::pass(const DenseStep& step, State& end, DriverReport& report) {
  constexpr double beyond = 1e-6;  // of the step: far above round-off of the located time
  step.at(1 + beyond, point_);
  (void)problem_.state_at(point_, ChartProblem::Consistency::as_interpolated, after_);
  problem_.event_functions(after_, z_inside_);
  for (int e = 0; e < problem_.events(); ++e) {
    if ((z_[0][e] > 0) == (z_inside_[e] > 0)) continue;  // z_[0]: at the start of this step
    report.events.push_back({end.t, e, z_inside_[e] > 0 ? 1 : -1});
    ++report.counters.events;
  }
  problem_.switch_modes(after_, end);
  // The side on which the functions of the new modes begin.
  after_.modes = end.modes;
  problem_.event_functions(after_, z_side_);
  side_t_ = end.t;
  has_side_ = true;
}

/// First zero of an event in the step, or -1. A dip towards zero between samples is followed to
/// its bottom, so that a function that crosses zero twice between two samples is not missed.
double EventSearch::first_root(const DenseStep& step, int e) {
  const double spacing = 1.0 / samples_;
  for (int k = 1; k <= samples_; ++k) {
    const double a = z_[k - 1][e], b = z_[k][e];
    if ((a > 0) != (b > 0)) return locate(step, e, (k - 1) * spacing, k * spacing, a, b);
    if (k == samples_) break;
    const double c = z_[k + 1][e];
    if ((b > 0) == (c > 0) && std::abs(b) < std::abs(a) && std::abs(b) <= std::abs(c)) {
      const double inside = bottom(step, e, (k - 1) * spacing, (k + 1) * spacing, b > 0);
      if (inside < 0) continue;
      at(step, inside, z_end_);
      return locate(step, e, (k - 1) * spacing, inside, a, z_end_[e]);
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
