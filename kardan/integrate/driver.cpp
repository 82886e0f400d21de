#include "kardan/integrate/driver.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "kardan/integrate/events.h"
#include "kardan/integrate/growth.h"
#include "kardan/integrate/input_watch.h"
#include "kardan/integrate/onset.h"
#include "kardan/integrate/path_check.h"
#include "kardan/integrate/singular_passage.h"
#include "kardan/integrate/step_sizes.h"

namespace kardan {
namespace {

/// The length of a step may change by so much of it without being taken again: the cube is what a
/// parabola leaves, far below the tolerance.
double nearly(const DriverOptions& options) {
  return options.fixed_step > 0 ? 1e-5 : 0.05 * std::cbrt(std::min(options.tolerance, 1e-3));
}
/// [steps] Around a singular position the bases before tell where it is: no restart so near to it.
constexpr double away_from_singular = 10;

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
        stepper_(method.make(complete_options(method.options, options.method_options))),
        scale_(options.scale ? *options.scale : problem.default_scale(options.tolerance)),
        stop_times_(options.stop_times),
        events_(problem, options),
        inputs_(options.fixed_step > 0 ? nullptr : options.inputs, method, scale_, t_end),
        path_(problem, scale_,
              options.fixed_step > 0 ? PathCheck::Steps::fixed : PathCheck::Steps::controlled),
        sizes_(method, options),
        growth_(method.order, t_end - (options.from ? options.from->memory.start : state.t)) {
    dense_.flow = stepper_->flow();
    dense_.problem = &problem;
    std::sort(stop_times_.begin(), stop_times_.end());
  }

  DriverReport run() {
    begin_report();
    if (t_end_ < state_.t) {
      report_.diagnosis = Diagnosis::end_before_start;
      stop(Reason::refused,
           fmt::format("the end, t = {:.9g}, lies before the start, t = {:.9g}", t_end_, state_.t),
           "give a later end");
      return finish();
    }
    if (!(options_.tolerance > 0) || !std::isfinite(options_.tolerance)) {
      report_.diagnosis = Diagnosis::options_wrong;
      stop(Reason::refused, fmt::format("the tolerance is {}", options_.tolerance),
           "give a positive one");
      return finish();
    }
    try {
      const StopScope scope(options_.interrupt);
      go();
    } catch (const Stopped& stopped) {
      end_interrupted(stopped.why());
    } catch (const std::exception& e) {
      if (observing_) throw;  // an observer may
      stop(Reason::evaluation_failed, thrown_message(state_.t, e), "");
    }
    return finish();
  }

 private:
  void go() {
    if (!rebase()) return;
    if (!(memory_.h > 0))  // that of a run that goes on, if it is one
      memory_.h = options_.fixed_step > 0 ? options_.fixed_step
                  : options_.first_step > 0
                      ? options_.first_step
                      : resolve(std::min(sizes_.first(problem_, state_, scale_, t_end_),
                                         path_first_step()));
    begun_with_ = memory_.h;
    while (state_.t < t_end_ - 4 * std::numeric_limits<double>::epsilon() *
                                   std::max(std::abs(t_end_), std::abs(memory_.start))) {
      if (report_.counters.steps >= options_.max_steps) {
        report_.diagnosis = Diagnosis::too_many_steps;
        stop(Reason::too_many_steps,
             fmt::format("t = {:.9g}: {} steps were taken", state_.t, options_.max_steps),
             "raise max_steps, or ask for less accuracy");
        break;
      }
      if (!step()) break;
    }
  }

  void begin_report() {
    if (options_.from) {
      report_ = *options_.from;
      report_.reason = Reason::finished;
      memory_ = report_.memory;
      return;
    }
    report_.smallest_step = std::numeric_limits<double>::infinity();
    memory_.start = state_.t;
  }

  DriverReport finish() {
    report_.t = state_.t;
    report_.memory = memory_;
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
    report_.diagnosis = problem_.diagnosis();
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
    double rejected_h = 0, rejected_error = 0;  // of the attempt before
    for (;;) {
      if (interrupted()) return false;
      double h = memory_.h;
      if (options_.largest_step > 0) h = std::min(h, options_.largest_step);
      foreseen_ = {};
      if (options_.fixed_step == 0 && !rejected && StepSizes::may_look(memory_)) h = foresee(h);
      if (fresh_) h = resolve(h);
      fresh_ = false;
      h = following_growth(h);
      // The last step is stretched, or the last two are halved, so that no sliver remains.
      const double wanted = h, left = next_stop() - state_.t;
      if (options_.fixed_step == 0) h = around_singular(h, problem_.singular_time() - state_.t);
      const double before = h;
      if (h >= left || h > 0.999 * left)
        h = left;
      else if (options_.fixed_step == 0 && 2 * h > left)
        h = 0.5 * left;
      if (h != before && next_stop() == t_end_) bent_ = true;
      const double asked = h;
      break_ = inputs_.ahead(state_, h);
      if (break_.breaks && break_.h == 0) {  // no time passes
        if (!pass_break()) return false;
        continue;
      }
      h = break_.h;
      const bool bounded = h < asked && !break_.breaks;  // by inputs
      if (h < floor && h < left && !break_.breaks)
        return may_be_told_apart(h) ? too_far(h, floor) : too_small(h);

      double error = 0;
      const Eval e = attempt(h, error);
      if (e == Eval::fatal) {
        report_.diagnosis = failure_;
        stop(Reason::evaluation_failed, fmt::format("t = {:.9g}: {}", state_.t, problem_.culprit()),
             "");
        return false;
      }
      if (e != Eval::ok) {
        ++report_.counters.failed;
        if (options_.fixed_step > 0) return too_small(h);
        memory_.h = 0.25 * h;
        rejected = true;
        continue;
      }
      if (error > 1 && options_.fixed_step == 0) {
        ++report_.counters.rejected;
        failure_ = path_.diagnosis();
        memory_.h = sizes_.after_rejection(h, error, rejected_h, rejected_error);
        rejected = true;
        rejected_h = h;
        rejected_error = error;
        continue;
      }
      if (const double seen = inputs_.along(state_, next_); seen < (1 - 1e-9) * h) {
        ++report_.counters.rejected;
        memory_.h = std::max(seen, 0.1 * h);
        rejected = true;
        continue;
      }
      memory_.foreseen = StepSizes::compare(memory_, foreseen_, h, error);
      memory_.h = options_.fixed_step > 0
                      ? options_.fixed_step
                      : sizes_.next(h, error, memory_, rejected ? 1.0 : options_.growth);
      // A step cut short by a stop time, or before a singular position, tells nothing against the
      // one it was cut from.
      if (options_.fixed_step == 0 && h < wanted && !rejected && !bounded)
        memory_.h = std::max(memory_.h, wanted);
      memory_.last_error = error;
      memory_.last_h = h;
      return conclude(h, error);
    }
  }

  /// An input has a kink or a jump here: on behind it. No time passes but for rounding.
  bool pass_break() {
    state_.t = std::min(break_.behind, t_end_);
    if (!rebase()) return false;
    stepper_->accept(After::event);
    if (break_.jumps) {
      memory_.last_error = 0;
      memory_.foreseen = 0;
      memory_.h = std::min(memory_.h, sizes_.first(problem_, state_, scale_, t_end_));
      fresh_ = true;
    }
    return true;
  }

  /// The next stop time, or the end.
  double next_stop() const {
    const double past =
        4 * std::numeric_limits<double>::epsilon() * std::max(std::abs(t_end_), std::abs(state_.t));
    for (double t : stop_times_)
      if (t > state_.t + past) return std::min(t, t_end_);
    return t_end_;
  }

  /// The step has not fallen, and is long enough where it stands: it is the end that is too far
  /// away.
  bool may_be_told_apart(double h) const {
    constexpr double fallen = 1e-3, digits = 1e3;
    return h >= options_.smallest_step &&
           h >= digits * std::numeric_limits<double>::epsilon() * std::abs(state_.t) &&
           h >= fallen * std::max(report_.largest_step, begun_with_);
  }
  bool too_far(double h, double floor) {
    report_.diagnosis = Diagnosis::options_wrong;
    stop(Reason::step_too_small,
         fmt::format(
             "t = {:.9g}: steps of {:.2g} s are needed, and up to t_end = {:.9g} s times are "
             "only told apart by {:.2g} s",
             state_.t, h, t_end_, floor),
         "end the run earlier");
    return false;
  }

  bool too_small(double h) {
    report_.diagnosis = failure_;
    const std::string named =
        failure_ == Diagnosis::none ? std::string() : fmt::format(" [{}]", to_string(failure_));
    stop(
        Reason::step_too_small,
        fmt::format("t = {:.9g}: the step fell to {:.2g} s{}{}", state_.t, h, named,
                    problem_.culprit().empty() ? "" : "; trouble with " + problem_.culprit()),
        "the motion may end here (a singular position, a contradiction of drivers, a force that is "
        "not finite): look at the last states, loosen the tolerance, or take radau5, which passes "
        "singular positions");
    return false;
  }

  /// Of equations that are new: a step that the method's estimate can judge. Explicit methods
  /// cannot step over anything, and flows need not.
  double resolve(double h) {
    if (method_.is_explicit || dense_.flow || options_.fixed_step > 0) return h;
    return onset_.resolved_step(problem_, state_, scale_, h, report_.counters);
  }

  /// The step wished, or the one that the linearized equations ask for instead.
  double foresee(double h) {
    if (!foresees_ || problem_.begin_step(h) != Eval::ok || linearize() != Eval::ok) return h;
    const auto linear_error = [this](double trial) {
      foresees_ = stepper_->foresee(start(), trial, trial_, report_.counters);
      if (!foresees_) return -1.0;
      if (options_.estimate == ErrorEstimate::filtered)
        stepper_->filter_error(start(), trial, trial_.error);
      const double error = measure(state_, trial);
      return std::isfinite(error) ? error : -1.0;
    };
    foreseen_ = fresh_ ? sizes_.begin(h, linear_error) : sizes_.foresee(h, memory_, linear_error);
    return foreseen_.h;
  }

  /// The step wished, or one that does not pass over growing modes.
  double following_growth(double h) {
    if (method_.is_explicit || method_.exact_if_linear || options_.fixed_step > 0) return h;
    return growth_.limit(h, [this, h]() -> const LocalJacobian* {
      if (!options_.free_form)
        return problem_.begin_step(h) == Eval::ok && linearize() == Eval::ok ? &jacobian_ : nullptr;
      return jacobian_in(*options_.free_form, state_, jacobian_);
    });
  }

  Eval linearize() {
    if (!method_.needs_jacobian || has_jacobian_) return Eval::ok;
    if (Eval e = problem_.jacobian(jacobian_); e != Eval::ok) return e;
    ++report_.counters.jacobians;
    has_jacobian_ = true;
    return Eval::ok;
  }

  StepStart start() const {
    return {state_.t, &problem_.base(), &problem_.base_rate(), &jacobian_, &state_, &scale_};
  }

  /// The estimate in trial_ of a step that ends at `end`, in units of what is allowed.
  double measure(const State& end, double h) {
    const double error = method_.error_weight * problem_.error_norm(trial_.error, end, scale_);
    return error / sizes_.allowance(h, state_.t + h - begun());
  }
  /// [s] When the equations became what they are.
  double begun() const { return report_.events.empty() ? memory_.start : report_.events.back().t; }

  enum class Attempt { whole, shortened };
  Eval attempt(double h, double& error, Attempt kind = Attempt::whole) {
    if (Eval e = problem_.begin_step(h); e != Eval::ok) return e;
    if (Eval e = linearize(); e != Eval::ok) return e;
    const Eval reached = kind == Attempt::whole
                             ? stepper_->attempt(problem_, start(), h, trial_, report_.counters)
                             : stepper_->shorten(problem_, start(), h, trial_, report_.counters);
    if (reached != Eval::ok) {
      failure_ =
          stepper_->diagnosis() != Diagnosis::none ? stepper_->diagnosis() : problem_.diagnosis();
      return reached;
    }
    if (options_.estimate == ErrorEstimate::filtered)
      stepper_->filter_error(start(), h, trial_.error);
    if (Eval e = close(h); e != Eval::ok) return e;
    problem_.base_point(dense_.from);
    stepper_->look_at_end(dense_.from, dense_.to, h, trial_.error);
    error = measure(next_, h);
    return std::isfinite(error) ? follow_path(error) : Eval::recoverable;
  }

  /// What lets the step grow by no more than a factor counts as an error that does.
  Eval follow_path(double& error) {
    const double factor = path_.allowed(dense_);
    if (factor < 1 && options_.fixed_step > 0) {
      failure_ = path_.diagnosis();
      return Eval::recoverable;
    }
    error = std::max(error, std::pow(factor, -sizes_.power()));
    return Eval::ok;
  }

  double path_first_step() {
    problem_.base_point(dense_.from);
    return path_.first_step(dense_.from);
  }

  /// The end of the trial, as a state.
  Eval close(double h) {
    if (Eval e = problem_.finish(state_.t + h, trial_.y, next_, dense_.to); e != Eval::ok) {
      failure_ = problem_.diagnosis();
      return e;
    }
    ++report_.counters.evaluations;
    return Eval::ok;
  }

  /// The trial, which ends at h, ended a little later or earlier: a parabola is exact there.
  Eval nudge(double h, double time) {
    nudge_rate_.resize(problem_.second(), problem_.first());
    if (Eval e = problem_.rate(state_.t + h, trial_.y, nudge_rate_); e != Eval::ok) return e;
    add_scaled(time, trial_.y.u, trial_.y.x);
    add_scaled(0.5 * time * time, nudge_rate_.a, trial_.y.x);
    add_scaled(time, nudge_rate_.a, trial_.y.u);
    add_scaled(time, nudge_rate_.b, trial_.y.z);
    return close(h + time);
  }

  /// The step to next_ is good: look for events inside, tell the observer, move on.
  bool conclude(double h, double error) {
    bool event = false;
    if (problem_.events().count() > 0) {
      const EventSearch::Ending ending =
          events_.end_step(dense_, state_, next_, h, [this, length = h](double trial) mutable {
            const double change = trial - std::exchange(length, trial);
            if (method_.problem == ProblemKind::ode && !dense_.flow &&
                std::abs(change) < nearly(options_) * trial)
              return nudge(trial - change, change);
            double trial_error = 0;
            const Eval reached = attempt(trial, trial_error, Attempt::shortened);
            return trial_error > 1 && options_.fixed_step == 0 ? Eval::recoverable : reached;
          });
      if (ending.eval != Eval::ok) {
        memory_.h =
            0.5 * ending.length;  // the event was not reached: try again with a smaller step
        return true;
      }
      h = ending.length;
      event = ending.event;
    }
    ++report_.counters.steps;
    report_.smallest_step = std::min(report_.smallest_step, h);
    report_.largest_step = std::max(report_.largest_step, h);
    const StepView view{state_.t + h, h, error, &next_, &dense_, &problem_, &report_.counters};
    observing_ = true;
    const std::string wish = observer_ ? observer_(view) : std::string();
    observing_ = false;
    if (event) {
      events_.pass(dense_, next_, report_);
      memory_.last_error = 0;  // the errors before an event tell nothing about those after it
      memory_.foreseen = 0;
      fresh_ = true;
      path_.restart();
    }
    state_ = next_;
    if (report_.reason != Reason::finished && (wish.empty() || !report_.handed_over)) {
      (void)rebase();  // accelerations and multipliers there
      return false;
    }
    if (!wish.empty()) {
      report_.handed_over = false;
      report_.diagnosis = Diagnosis::stopped;
      stop(Reason::stopped, wish, "");
      return false;
    }
    if (break_.breaks && !event) return pass_break();
    if (!rebase()) return false;
    stepper_->accept(event ? After::event : After::step);
    event ? growth_.forget() : growth_.count();
    if (!event && may_restart()) report_.reason = Reason::paused;
    return report_.reason == Reason::finished;
  }

  bool may_restart() const {
    return state_.t >= options_.pause_at && !bent_ && events_.settled(state_.t) &&
           std::abs(problem_.singular_time() - state_.t) > away_from_singular * memory_.h;
  }

  bool interrupted() {
    const std::string why = options_.interrupt ? options_.interrupt() : std::string();
    if (why.empty()) return false;
    end_interrupted(why);
    return true;
  }

  void end_interrupted(const std::string& why) {
    report_.diagnosis = Diagnosis::interrupted;
    stop(Reason::interrupted, fmt::format("t = {:.9g}: {}", state_.t, why), "");
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
  EventSearch events_;
  InputWatch inputs_;
  InputWatch::Reach break_;  // of the step tried last
  PathCheck path_;
  LocalJacobian jacobian_;
  Trial trial_;
  LocalRate nudge_rate_;
  DenseStep dense_;
  State next_;
  DriverReport report_;
  StepMemory memory_;
  StepSizes sizes_;
  Onset onset_;
  GrowthWatch growth_;
  StepSizes::Foreseen foreseen_;  // the step tried last
  double begun_with_ = 0;         // [s] the first step tried
  bool bent_ = false;             // a step was chosen to meet t_end
  bool has_jacobian_ = false;
  bool foresees_ = true;  // the method can
  bool fresh_ = false;    // an event has changed the equations
  bool observing_ = false;
  Diagnosis failure_ = Diagnosis::none;  // of the last attempt that failed
};

}  // namespace

DriverReport integrate(ChartProblem& problem, const Method& method, State& state, double t_end,
                       const DriverOptions& options, const Observer& observer) {
  if (method.integrate) return method.integrate(problem, method, state, t_end, options, observer);
  return Driver(problem, method, state, t_end, options, observer).run();
}

}  // namespace kardan
