#include "kardan/integrate/driver.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace kardan {

std::string_view to_string(Reason r) {
  switch (r) {
    case Reason::finished:
      return "finished";
    case Reason::stopped:
      return "stopped";
    case Reason::step_too_small:
      return "step_too_small";
    case Reason::too_many_steps:
      return "too_many_steps";
    case Reason::evaluation_failed:
      return "evaluation_failed";
  }
  return "";
}

std::string_view to_string(StepControl c) {
  switch (c) {
    case StepControl::elementary:
      return "elementary";
    case StepControl::pi:
      return "pi";
    case StepControl::predictive:
      return "predictive";
  }
  return "";
}

std::string_view to_string(ErrorEstimate e) {
  return e == ErrorEstimate::plain ? "plain" : "filtered";
}

namespace {

/// Errors below this ask for the largest growth anyway; above, their ratio is a trend.
constexpr double smallest_error = 1e-10;
/// Exponents of the PI controller, times k (Gustafsson; Hairer & Wanner II, IV.2).
constexpr double pi_now = 0.7, pi_last = 0.4;

class Driver {
 public:
  Driver(ChartProblem& problem, const Method& method, State& state, double t_end,
         const DriverOptions& options, const Observer& observer)
      : problem_(problem),
        method_(method),
        state_(state),
        t_end_(t_end),
        options_(options),
        observer_(observer),
        stepper_(method.make()),
        scale_(options.scale ? *options.scale : problem.default_scale(options.tolerance)),
        stop_times_(options.stop_times),
        z_inside_(problem.events()),
        z_before_(problem.events()),
        z_end_(problem.events()),
        z_side_(problem.events()) {
    std::sort(stop_times_.begin(), stop_times_.end());
  }

  DriverReport run() {
    report_.smallest_step = std::numeric_limits<double>::infinity();
    if (!rebase()) return finish();
    h_ = options_.fixed_step > 0   ? options_.fixed_step
         : options_.first_step > 0 ? options_.first_step
                                   : first_step();
    const double start = state_.t;
    while (state_.t < t_end_ - 4 * std::numeric_limits<double>::epsilon() *
                                   std::max(std::abs(t_end_), std::abs(start))) {
      if (report_.counters.steps >= options_.max_steps) {
        stop(Reason::too_many_steps,
             fmt::format("t = {:.9g}: {} steps were taken", state_.t, options_.max_steps),
             "raise max_steps, or ask for less accuracy");
        break;
      }
      if (!step()) break;
    }
    return finish();
  }

 private:
  DriverReport finish() {
    report_.t = state_.t;
    if (report_.counters.steps == 0) report_.smallest_step = 0;
    return std::move(report_);
  }

  void stop(Reason reason, std::string message, std::string advice) {
    report_.reason = reason;
    report_.message = std::move(message);
    report_.advice = std::move(advice);
  }

  bool rebase() {
    if (problem_.rebase(state_) == Eval::ok) {
      ++report_.counters.evaluations;
      has_jacobian_ = false;
      return true;
    }
    stop(Reason::evaluation_failed,
         fmt::format("t = {:.9g}: the equations could not be evaluated: {}", state_.t,
                     problem_.culprit()),
         "check the model at this state (`kardan check`), or choose another formulation");
    return false;
  }

  /// One accepted step, with as many attempts as it takes.
  bool step() {
    const double floor =
        std::max(options_.smallest_step, 16 * std::numeric_limits<double>::epsilon() *
                                             std::max(std::abs(state_.t), std::abs(t_end_)));
    bool rejected = false;
    for (;;) {
      double h = h_;
      if (options_.largest_step > 0) h = std::min(h, options_.largest_step);
      // The last step is stretched, or the last two are halved, so that no sliver remains.
      const double wanted = h, left = next_stop() - state_.t;
      if (h >= left || h > 0.999 * left)
        h = left;
      else if (options_.fixed_step == 0 && 2 * h > left)
        h = 0.5 * left;
      if (h < floor && h < left) return too_small(h);

      double error = 0;
      const Eval e = attempt(h, error);
      if (e == Eval::fatal) {
        stop(Reason::evaluation_failed, fmt::format("t = {:.9g}: {}", state_.t, problem_.culprit()),
             "");
        return false;
      }
      if (e != Eval::ok) {
        ++report_.counters.failed;
        if (options_.fixed_step > 0) return too_small(h);
        h_ = 0.25 * h;
        rejected = true;
        continue;
      }
      if (error > 1 && options_.fixed_step == 0) {
        ++report_.counters.rejected;
        h_ = h * std::clamp(elementary(error), options_.shrink, 0.9);
        rejected = true;
        continue;
      }
      h_ = options_.fixed_step > 0 ? options_.fixed_step
                                   : next_step(h, error, rejected ? 1.0 : options_.growth);
      // A step cut short by a stop time tells nothing against the one it was cut from.
      if (options_.fixed_step == 0 && h < wanted && !rejected) h_ = std::max(h_, wanted);
      last_error_ = std::max(error, smallest_error);
      last_h_ = h;
      return conclude(h, error);
    }
  }

  /// The next stop time, or the end.
  double next_stop() const {
    const double past =
        4 * std::numeric_limits<double>::epsilon() * std::max(std::abs(t_end_), std::abs(state_.t));
    for (double t : stop_times_)
      if (t > state_.t + past) return std::min(t, t_end_);
    return t_end_;
  }

  double elementary(double error) const {
    return options_.safety *
           std::pow(std::max(error, smallest_error), -1.0 / (method_.error_order + 1));
  }

  /// Every controller settles where the elementary one does: at the error safety^k.
  double next_step(double h, double error, double growth) const {
    const double k = method_.error_order + 1, now = std::max(error, smallest_error);
    double factor = elementary(error);
    if (last_error_ > 0 && options_.control == StepControl::pi)
      factor = std::pow(options_.safety, pi_now - pi_last) * std::pow(now, -pi_now / k) *
               std::pow(last_error_, pi_last / k);
    if (last_error_ > 0 && options_.control == StepControl::predictive)
      factor *= std::min(1.0, h / last_h_ * std::pow(last_error_ / now, 1 / k));
    if (factor >= 1 && factor < options_.keep_below) factor = 1;
    return h * std::clamp(factor, options_.shrink, growth);
  }

  bool too_small(double h) {
    stop(
        Reason::step_too_small,
        fmt::format("t = {:.9g}: the step fell to {:.2g} s{}", state_.t, h,
                    problem_.culprit().empty() ? "" : "; trouble with " + problem_.culprit()),
        "the motion may end here (a singular position, a contradiction of drivers, a force that is "
        "not finite): look at the last states, or loosen the tolerance");
    return false;
  }

  Eval attempt(double h, double& error) {
    if (method_.needs_jacobian && !has_jacobian_) {
      if (Eval e = problem_.jacobian(jacobian_); e != Eval::ok) return e;
      ++report_.counters.jacobians;
      has_jacobian_ = true;
    }
    const StepStart start{state_.t,   &problem_.base(), &problem_.base_rate(),
                          &jacobian_, &state_,          &scale_};
    if (Eval e = stepper_->attempt(problem_, start, h, trial_, report_.counters); e != Eval::ok)
      return e;
    if (options_.estimate == ErrorEstimate::filtered)
      stepper_->filter_error(start, h, trial_.error);
    if (Eval e = problem_.finish(state_.t + h, trial_.y, next_, dense_.to); e != Eval::ok) return e;
    ++report_.counters.evaluations;
    problem_.base_point(dense_.from);
    error = method_.error_weight * problem_.error_norm(trial_.error, next_, scale_);
    return std::isfinite(error) ? Eval::ok : Eval::recoverable;
  }

  /// The step to next_ is good: look for events inside, tell the observer, move on.
  bool conclude(double h, double error) {
    const bool event = problem_.events() > 0 && end_at_event(h);
    if (h == 0) return true;  // the event was not reached: try again with a smaller step
    has_side_ = false;
    ++report_.counters.steps;
    report_.smallest_step = std::min(report_.smallest_step, h);
    report_.largest_step = std::max(report_.largest_step, h);
    const StepView view{state_.t + h, h, error, &next_, &dense_, &problem_};
    const std::string wish = observer_ ? observer_(view) : std::string();
    if (event) pass_event();
    state_ = next_;
    if (!wish.empty()) {
      stop(Reason::stopped, wish, "");
      return false;
    }
    return rebase();
  }

  /// If an event lies inside the step, repeats the step so that it ends there: the dense output
  /// tells roughly where, Newton on the length of true steps where exactly. h = 0 on failure.
  bool end_at_event(double& h) {
    double theta = 1;
    const int e = find_event(theta);
    if (e < 0) return false;
    double length = theta * h;
    for (int i = 0; i < 8; ++i) {
      double error = 0;
      const Eval reached = attempt(length, error);
      if (reached != Eval::ok || (error > 1 && options_.fixed_step == 0)) {
        h_ = 0.5 * length;
        h = 0;
        return false;
      }
      problem_.event_functions(next_, z_end_);
      const double shift = -z_end_[e] / slope_at_end(e, length);
      if (!std::isfinite(shift) || std::abs(shift) < 1e-14 * std::max(1.0, std::abs(next_.t)) ||
          std::abs(shift) < 1e-12 * length)
        break;
      length += std::clamp(shift, -0.5 * length, 0.5 * length);
    }
    h = length;
    return true;
  }

  double slope_at_end(int e, double h) {
    constexpr double back = 1e-3;
    events_at(1 - back, z_inside_);
    events_at(1, z_before_);
    return (z_before_[e] - z_inside_[e]) / (back * h);
  }

  /// Records what happens at the end of the step and changes the modes to those just beyond it.
  void pass_event() {
    constexpr double beyond = 1e-6;  // of the step: far above round-off of the located time
    dense_.at(1 + beyond, probe_point_);
    (void)problem_.state_at(probe_point_, ChartProblem::Consistency::as_interpolated, after_);
    problem_.event_functions(after_, z_inside_);
    for (int e = 0; e < problem_.events(); ++e) {
      if ((z_[0][e] > 0) == (z_inside_[e] > 0)) continue;  // z_[0]: at the start of this step
      report_.events.push_back({next_.t, e, z_inside_[e] > 0 ? 1 : -1});
      ++report_.counters.events;
    }
    problem_.switch_modes(after_, next_);
    // The side on which the functions of the new modes begin.
    after_.modes = next_.modes;
    problem_.event_functions(after_, z_side_);
    has_side_ = true;
    last_error_ = 0;  // the errors before an event tell nothing about those after it
  }

  /// The first event inside the step, or -1; theta where its function vanishes.
  int find_event(double& theta) {
    const int count = problem_.events(), samples = options_.event_samples;
    z_.resize(samples + 1);
    for (int k = 0; k <= samples; ++k) {
      z_[k].resize(count);
      if (k == 0)
        problem_.event_functions(state_, z_[0]);
      else
        events_at(static_cast<double>(k) / samples, z_[k]);
    }
    // Just after an event its function is zero up to rounding: the side is known.
    if (has_side_)
      for (int e = 0; e < count; ++e) z_[0][e] = std::copysign(z_[0][e], z_side_[e]);
    int found = -1;
    for (int e = 0; e < count; ++e) {
      const double root = first_root(e, samples);
      if (root > theta || root < 0) continue;
      theta = root;
      found = e;
    }
    return found;
  }

  /// First zero of event e in the step, or -1. A dip towards zero between samples is followed to
  /// its bottom, so that a function that crosses zero twice between two samples is not missed.
  double first_root(int e, int samples) {
    const double spacing = 1.0 / samples;
    for (int k = 1; k <= samples; ++k) {
      const double a = z_[k - 1][e], b = z_[k][e];
      if ((a > 0) != (b > 0)) return locate(e, (k - 1) * spacing, k * spacing, a, b);
      if (k == samples) break;
      const double c = z_[k + 1][e];
      if ((b > 0) == (c > 0) && std::abs(b) < std::abs(a) && std::abs(b) <= std::abs(c)) {
        const double inside = bottom(e, (k - 1) * spacing, (k + 1) * spacing, b > 0);
        if (inside < 0) continue;
        events_at(inside, z_end_);
        return locate(e, (k - 1) * spacing, inside, a, z_end_[e]);
      }
    }
    return -1;
  }

  /// A point between a and b where the function has the other sign, or -1 (golden section).
  double bottom(int e, double a, double b, bool positive) {
    constexpr double golden = 0.38196601125010515;
    auto value = [&](double s) {
      events_at(s, z_end_);
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

  void events_at(double s, Vector& z) {
    dense_.at(s, probe_point_);
    (void)problem_.state_at(probe_point_, ChartProblem::Consistency::as_interpolated, probe_);
    problem_.event_functions(probe_, z);
  }

  /// Root of event e between a and b: regula falsi with the Illinois rule, halving when it lags.
  double locate(int e, double a, double b, double fa, double fb) {
    for (int i = 0; i < 100 && b - a > 1e-15 * b; ++i) {
      double s = (a * fb - b * fa) / (fb - fa);
      if (!(s > a && s < b) || i % 4 == 3) s = 0.5 * (a + b);
      events_at(s, z_end_);
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

  /// Hairer, Norsett, Wanner I, II.4: a step that would change the state by a small share of its
  /// tolerance-scaled size.
  double first_step() {
    Local e = problem_.base();
    const LocalRate& r = problem_.base_rate();
    // What a unit time would change, measured as an error.
    e.x = problem_.base().u;
    e.u = r.a;
    e.z = r.b;
    const double change = problem_.error_norm(e, state_, scale_);
    const double span = t_end_ - state_.t;
    if (!(change > 0)) return 1e-3 * span;
    // change * tolerance is the change of the state per second in units of its own size.
    const double h = std::pow(options_.tolerance, 1.0 / (method_.error_order + 1)) * 0.1 /
                     (change * options_.tolerance);
    return std::min(h, 0.01 * span);
  }

  ChartProblem& problem_;
  const Method& method_;
  State& state_;
  double t_end_;
  const DriverOptions& options_;
  const Observer& observer_;
  std::unique_ptr<Stepper> stepper_;
  ErrorScale scale_;
  std::vector<double> stop_times_;  // sorted
  Vector z_inside_, z_before_, z_end_, z_side_;
  std::vector<Vector> z_;  // samples of the event functions
  bool has_side_ = false;  // z_side_ tells the signs at the start
  LocalJacobian jacobian_;
  Trial trial_;
  DenseStep dense_;
  ChartPoint probe_point_;
  State next_, probe_, after_;
  DriverReport report_;
  double h_ = 0;
  double last_error_ = 0, last_h_ = 0;  // of the last accepted step; 0: none
  bool has_jacobian_ = false;
};

}  // namespace

DriverReport integrate(ChartProblem& problem, const Method& method, State& state, double t_end,
                       const DriverOptions& options, const Observer& observer) {
  return Driver(problem, method, state, t_end, options, observer).run();
}

}  // namespace kardan
