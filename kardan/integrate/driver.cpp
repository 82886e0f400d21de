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

namespace {

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
        scale_(problem.default_scale(options.tolerance)),
        z_start_(problem.events()),
        z_inside_(problem.events()),
        z_end_(problem.events()) {}

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
      const double left = t_end_ - state_.t;
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
      const double factor =
          options_.safety * std::pow(std::max(error, 1e-10), -1.0 / (method_.error_order + 1));
      if (error > 1 && options_.fixed_step == 0) {
        ++report_.counters.rejected;
        h_ = h * std::clamp(factor, options_.shrink, 0.9);
        rejected = true;
        continue;
      }
      double next = h * std::clamp(factor, options_.shrink, rejected ? 1.0 : options_.growth);
      if (options_.fixed_step > 0) next = options_.fixed_step;
      const bool went_on = conclude(h, error);
      h_ = next;
      return went_on;
    }
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
    const StepStart start{state_.t, &problem_.base(), &problem_.base_rate(), &jacobian_};
    if (Eval e = stepper_->attempt(problem_, start, h, trial_, report_.counters); e != Eval::ok)
      return e;
    if (Eval e = problem_.finish(state_.t + h, trial_.y, next_, dense_.to); e != Eval::ok) return e;
    ++report_.counters.evaluations;
    problem_.base_point(dense_.from);
    error = problem_.error_norm(trial_.error, next_, scale_);
    return std::isfinite(error) ? Eval::ok : Eval::recoverable;
  }

  /// The step to next_ is good: look for events inside, tell the observer, move on.
  bool conclude(double h, double error) {
    bool event = false;
    if (problem_.events() > 0) {
      double theta = 1, theta_after = 1;
      event = find_event(theta, theta_after);
      if (event) {
        dense_.at(std::min(1.0, theta_after), probe_point_);
        (void)problem_.state_at(probe_point_, ChartProblem::Consistency::as_interpolated, after_);
        after_.modes = state_.modes;
        if (theta < 1) {
          h *= theta;
          double ignored = 0;
          // The step that ends at the event; its dense output served to find it.
          if (attempt(h, ignored) != Eval::ok) {
            h_ = 0.5 * h;
            return true;
          }
        }
        record_events();
      }
    }
    ++report_.counters.steps;
    report_.smallest_step = std::min(report_.smallest_step, h);
    report_.largest_step = std::max(report_.largest_step, h);
    const StepView view{state_.t + h, h, error, &next_, &dense_, &problem_};
    const std::string wish = observer_ ? observer_(view) : std::string();
    if (event) problem_.switch_modes(after_, next_);
    state_ = next_;
    if (!wish.empty()) {
      stop(Reason::stopped, wish, "");
      return false;
    }
    return rebase();
  }

  /// First sign change of an event function inside the step: theta at the root, and a little after.
  bool find_event(double& theta, double& theta_after) {
    const int count = problem_.events();
    problem_.event_functions(state_, z_start_);
    double last = 0;
    z_before_ = z_start_;
    int samples = options_.event_samples;
    for (int k = 1; k <= samples; ++k) {
      const double s = static_cast<double>(k) / samples;
      events_at(s, z_inside_);
      double first = 2;
      for (int e = 0; e < count; ++e) {
        // A function that starts at zero (just after its event) does not count until it has left.
        if (z_before_[e] == 0 || z_inside_[e] == 0 || (z_before_[e] > 0) == (z_inside_[e] > 0))
          continue;
        if (recent(e, last, s)) continue;
        first = std::min(first, locate(e, last, s));
      }
      if (first <= 1) {
        theta = first;
        theta_after = std::min(1.0, first + 1e-3 * (s - last));
        return true;
      }
      z_before_ = z_inside_;
      last = s;
    }
    return false;
  }

  /// The crossing that has just been handled shows up again as round-off at the start of a step.
  bool recent(int e, double a, double b) const {
    return a == 0 && !report_.events.empty() &&
           report_.events.back().t >= state_.t - 1e-12 * std::max(1.0, std::abs(state_.t)) &&
           std::abs(z_start_[e]) < 1e-9 * std::max(1.0, std::abs(z_inside_[e])) && b > 0;
  }

  void events_at(double s, Vector& z) {
    dense_.at(s, probe_point_);
    (void)problem_.state_at(probe_point_, ChartProblem::Consistency::as_interpolated, probe_);
    problem_.event_functions(probe_, z);
  }

  /// Root of event e between a and b: regula falsi with the Illinois rule, halving when it lags.
  double locate(int e, double a, double b) {
    double fa = z_before_[e], fb = z_inside_[e];
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

  void record_events() {
    Vector z(problem_.events());
    problem_.event_functions(after_, z);
    for (int e = 0; e < problem_.events(); ++e) {
      if ((z_start_[e] > 0) == (z[e] > 0)) continue;
      report_.events.push_back({next_.t, e, z[e] > 0 ? 1 : -1});
      ++report_.counters.events;
    }
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
  Vector z_start_, z_inside_, z_end_, z_before_;
  LocalJacobian jacobian_;
  Trial trial_;
  DenseStep dense_;
  ChartPoint probe_point_;
  State next_, probe_, after_;
  DriverReport report_;
  double h_ = 0;
  bool has_jacobian_ = false;
};

}  // namespace

DriverReport integrate(ChartProblem& problem, const Method& method, State& state, double t_end,
                       const DriverOptions& options, const Observer& observer) {
  return Driver(problem, method, state, t_end, options, observer).run();
}

}  // namespace kardan
