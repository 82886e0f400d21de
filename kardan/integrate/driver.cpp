#include "kardan/integrate/driver.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "kardan/integrate/course.h"
#include "kardan/integrate/growth.h"
#include "kardan/integrate/onset.h"
#include "kardan/integrate/singular_passage.h"
#include "kardan/integrate/step_sizes.h"

namespace kardan {
namespace {

/// The length of a step may change by so much of it without being taken again: the cube is what a
/// parabola leaves, far below the tolerance.
double nearly(const DriverOptions& options) {
  return options.fixed_step > 0 ? 1e-5 : 0.05 * std::cbrt(std::min(options.tolerance, 1e-3));
}
class Driver final : public Integration {
 public:
  Driver(ChartProblem& problem, const Method& method, State& state, double t_end,
         const DriverOptions& options, const Observer& observer)
      : run_(problem, method, state, t_end, options, observer),
        stepper_(method.make(complete_options(method.options, options.method_options))),
        can_(stepper_->abilities()),
        sizes_(method, options),
        growth_(method.order, t_end - (options.from ? options.from->memory.start : state.t),
                method.is_explicit ? Unseen::oscillations : Unseen::all_that_grows) {
    run_.dense.flow = can_.flow;
    run_.dense.problem = &problem;
  }

  DriverReport run() override {
    return run_.run([this] { return begin(); }, [this] { return make() && complete(); });
  }

  bool enter() override {
    return run_.enter([this] { return begin(); });
  }
  bool settle() override {
    return run_.guarded([this] { return complete(); });
  }
  bool step() override {
    if (!settle()) return false;
    while (!run_.over()) {
      if (!run_.guarded([this] { return make(); })) return false;
      if (made_) return true;
    }
    return false;
  }
  StepView view() const override { return run_.view(); }
  void stop_at(double t) override { run_.stop_at(t); }
  const DriverReport& report() const override { return run_.report; }
  DriverReport end() override { return run_.finish(); }

  bool go_on_from_here(Change change) override {
    made_ = false;
    break_ = {};
    run_.inputs.forget();
    return run_.guarded([&] { return rebase() && forget(change); });
  }

 private:
  bool begin() {
    if (!rebase()) return false;
    if (!(memory_.h > 0))  // that of a run that goes on, if it is one
      memory_.h = options_.fixed_step > 0   ? options_.fixed_step
                  : options_.first_step > 0 ? options_.first_step
                                            : resolve(std::min(first_step(), path_first_step()));
    begun_with_ = memory_.h;
    return true;
  }

  double first_step() {
    return sizes_.first(problem_, run_.state, run_.scale, run_.t_end, trial_.error);
  }

  bool rebase() {
    has_jacobian_ = false;
    return run_.rebase();
  }

  /// One accepted step, with as many attempts as it takes; none where an event in it was not reached.
  bool make() {
    const double floor =
        std::max(options_.smallest_step, 16 * std::numeric_limits<double>::epsilon() *
                                             std::max(std::abs(state_.t), std::abs(run_.t_end)));
    bool rejected = false;
    double rejected_h = 0, rejected_error = 0;  // of the attempt before
    for (;;) {
      if (run_.interrupted()) return false;
      double h = memory_.h;
      if (options_.largest_step > 0) h = std::min(h, options_.largest_step);
      foreseen_ = {};
      if (options_.fixed_step == 0 && !rejected && StepSizes::may_look(memory_)) h = foresee(h);
      if (fresh_) h = resolve(h);
      fresh_ = false;
      h = std::min(h, std::exchange(unreached_, std::numeric_limits<double>::infinity()));
      h = following_growth(h);
      // The last step is stretched, or the last two are halved, so that no sliver remains.
      const double wanted = h, stop = run_.next_stop(), left = stop - state_.t;
      if (options_.fixed_step == 0) h = around_singular(h, problem_.singular_time() - state_.t);
      const double before = h;
      if (h >= left || h > 0.999 * left)
        h = left;
      else if (options_.fixed_step == 0 && 2 * h > left)
        h = 0.5 * left;
      if (h != before && stop == run_.t_end) stretched_to_end_ = true;
      const double asked = h;
      break_ = run_.inputs.ahead(state_, h);
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
        run_.stop(Reason::evaluation_failed, failure_,
                  fmt::format("t = {:.9g}: {}", state_.t, problem_.culprit()));
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
        failure_ = run_.path.diagnosis();
        memory_.h = sizes_.after_rejection(h, error, rejected_h, rejected_error);
        rejected = true;
        rejected_h = h;
        rejected_error = error;
        continue;
      }
      if (const double seen = run_.inputs.along(state_, run_.next); seen < (1 - 1e-9) * h) {
        ++report_.counters.rejected;
        memory_.h = std::max(seen, 0.1 * h);
        rejected = true;
        continue;
      }
      memory_.foreseen = StepSizes::compare(memory_, foreseen_, h, error);
      memory_.h = options_.fixed_step > 0
                      ? options_.fixed_step
                      : sizes_.next(h, error, memory_, rejected ? 1.0 : options_.growth);
      // A step cut short by a stop time, or before a singular position, says nothing against the
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
    run_.pass(break_);
    return rebase() && forget(break_.jumps ? Change::jump : Change::kink);
  }

  /// What steps before the base say nothing about any more.
  bool forget(Change change) {
    if (can_.history) can_.history->accept(After::event);
    if (change == Change::jump) {
      memory_.last_error = 0;
      memory_.foreseen = 0;
      memory_.h = std::min(memory_.h, first_step());
      fresh_ = true;
    }
    return true;
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
    run_.stop(Reason::step_too_small, Diagnosis::options_wrong,
              fmt::format("t = {:.9g}: steps of {:.2g} s are needed, and up to t_end = {:.9g} s "
                          "times are only told apart by {:.2g} s",
                          state_.t, h, run_.t_end, floor),
              "end the run earlier");
    return false;
  }

  bool too_small(double h) {
    const std::string named =
        failure_ == Diagnosis::none ? std::string() : fmt::format(" [{}]", to_string(failure_));
    run_.no_step(failure_, fmt::format("{} {:.2g} s{}",
                                       options_.fixed_step > 0 ? "no step could be made of"
                                                               : "the step fell to",
                                       h, named));
    return false;
  }

  /// Of equations that are new: a step that the method's estimate can judge. Explicit methods
  /// cannot step over anything, and flows need not.
  double resolve(double h) {
    if (method_.is_explicit || can_.flow || options_.fixed_step > 0) return h;
    return onset_.resolved_step(problem_, state_, run_.scale, h, report_.counters);
  }

  /// The step proposed, or the one that the linearized equations ask for instead.
  double foresee(double h) {
    if (!can_.foresight || problem_.begin_step(h) != Eval::ok || linearize() != Eval::ok) return h;
    const auto linear_error = [this](double trial) {
      if (!can_.foresight->foresee(start(), trial, trial_, report_.counters)) {
        can_.foresight = nullptr;
        return -1.0;
      }
      filter(trial);
      const double error = measure(state_, trial);
      return std::isfinite(error) ? error : -1.0;
    };
    foreseen_ = fresh_ ? sizes_.begin(h, linear_error) : sizes_.foresee(h, memory_, linear_error);
    return foreseen_.h;
  }

  /// The step proposed, or one that does not pass over growing modes.
  double following_growth(double h) {
    const bool shows_all = method_.is_explicit && !method_.damps_swinging;
    if (shows_all || method_.exact_if_linear) return h;
    if (method_.is_explicit && !options_.free_form) return h;  // nothing has a Jacobian
    const double longest = growth_.limit(h, [this, h]() -> const LocalJacobian* {
      if (!options_.free_form)
        return problem_.begin_step(h) == Eval::ok && linearize() == Eval::ok ? &jacobian_ : nullptr;
      return jacobian_in(*options_.free_form, state_, jacobian_);
    });
    if (options_.fixed_step == 0) return longest;
    constexpr double a_little = 1.001;
    double& passed_over = report_.growth_passed_over;
    if (longest * a_little < h && !(passed_over > 0 && passed_over < longest))
      passed_over = longest;
    return h;
  }

  Eval linearize() {
    if (!method_.needs_jacobian || has_jacobian_) return Eval::ok;
    if (Eval e = problem_.jacobian(jacobian_); e != Eval::ok) return e;
    ++report_.counters.jacobians;
    has_jacobian_ = true;
    return Eval::ok;
  }

  StepStart start() const {
    return {state_.t, &problem_.base(), &problem_.base_rate(), &jacobian_, &state_, &run_.scale};
  }

  /// The estimate in trial_ of a step that ends at `end`, in units of what is allowed.
  double measure(const State& end, double h) {
    const double error = method_.error_weight * problem_.error_norm(trial_.error, end, run_.scale);
    return error / sizes_.allowance(h, state_.t + h - run_.begun());
  }
  void filter(double h) {
    if (can_.filter && options_.estimate == ErrorEstimate::filtered)
      can_.filter->filter_error(start(), h, trial_.error);
  }

  enum class Attempt { whole, shortened };
  Eval attempt(double h, double& error, Attempt kind = Attempt::whole) {
    if (Eval e = problem_.begin_step(h); e != Eval::ok) return e;
    if (Eval e = linearize(); e != Eval::ok) return e;
    trial_.failure = Diagnosis::none;
    const Eval reached =
        kind == Attempt::shortened && can_.shortener
            ? can_.shortener->shorten(problem_, start(), h, trial_, report_.counters)
            : stepper_->attempt(problem_, start(), h, trial_, report_.counters);
    if (reached != Eval::ok) {
      failure_ = trial_.failure != Diagnosis::none ? trial_.failure : problem_.diagnosis();
      return reached;
    }
    filter(h);
    if (Eval e = close(h); e != Eval::ok) return e;
    DenseStep& dense = run_.dense;
    problem_.base_point(dense.from);
    if (can_.end_check)
      can_.end_check->look_at_end(problem_, dense.from, dense.to, h, trial_.error);
    error = measure(run_.next, h);
    return std::isfinite(error) ? follow_path(error) : Eval::recoverable;
  }

  /// What lets the step grow by no more than a factor counts as an error that does.
  Eval follow_path(double& error) {
    const double factor = run_.path.allowed(run_.dense);
    if (factor < 1 && options_.fixed_step > 0) {
      failure_ = run_.path.diagnosis();
      return Eval::recoverable;
    }
    error = std::max(error, std::pow(factor, -sizes_.power()));
    return Eval::ok;
  }

  double path_first_step() {
    problem_.base_point(run_.dense.from);
    return run_.path.first_step(run_.dense.from);
  }

  /// The end of the trial, as a state.
  Eval close(double h) {
    if (Eval e = problem_.finish(state_.t + h, trial_.y, run_.next, run_.dense.to); e != Eval::ok) {
      failure_ = problem_.diagnosis();
      return e;
    }
    ++report_.counters.evaluations;
    return Eval::ok;
  }

  /// The trial, which ends at h, ended a little later or earlier: a parabola is exact there.
  Eval nudge(double h, double time) {
    nudge_rate_.resize(problem_.second_order(), problem_.first_order());
    if (Eval e = problem_.rate(state_.t + h, trial_.y, nudge_rate_); e != Eval::ok) return e;
    add_scaled(time, trial_.y.u, trial_.y.x);
    add_scaled(0.5 * time * time, nudge_rate_.a, trial_.y.x);
    add_scaled(time, nudge_rate_.a, trial_.y.u);
    add_scaled(time, nudge_rate_.b, trial_.y.z);
    return close(h + time);
  }

  /// The step is good: look for events inside, and inform the observer.
  bool conclude(double h, double error) {
    bool event = false;
    if (problem_.events().count() > 0) {
      const EventSearch::Ending ending = run_.events.end_step(
          run_.dense, state_, run_.next, h, [this, length = h](double trial) mutable {
            const double change = trial - std::exchange(length, trial);
            if (method_.problem == ProblemKind::ode && !can_.flow &&
                std::abs(change) < nearly(options_) * trial)
              return nudge(trial - change, change);
            double trial_error = 0;
            const Eval reached = attempt(trial, trial_error, Attempt::shortened);
            return trial_error > 1 && options_.fixed_step == 0 ? Eval::recoverable : reached;
          });
      if (ending.eval != Eval::ok) {
        // The event was not reached: again with a smaller step, whatever else is foreseen.
        memory_.h = unreached_ = 0.5 * ending.length;
        return true;
      }
      h = ending.length;
      event = ending.event;
    }
    if (event) {
      memory_.last_error = 0;  // the errors before an event say nothing about those after it
      memory_.foreseen = 0;
      fresh_ = true;
    }
    run_.note(h, error, event);
    made_ = true;
    event_ = event;
    return true;
  }

  /// On to the end of the step made last, if there is one.
  bool complete() {
    if (!std::exchange(made_, false)) return true;
    const Course::Taken taken = run_.complete();
    if (taken == Course::Taken::ended_by_event) (void)rebase();  // accelerations, multipliers there
    if (taken != Course::Taken::goes_on) return false;
    if (break_.breaks && !event_) return pass_break();
    if (!rebase()) return false;
    if (can_.history) can_.history->accept(event_ ? After::event : After::step);
    event_ ? growth_.forget() : growth_.count();
    if (!event_ && may_restart()) report_.reason = Reason::paused;
    return report_.reason == Reason::finished;
  }

  bool may_restart() const {
    return run_.may_pause() && !stretched_to_end_ &&
           std::abs(problem_.singular_time() - state_.t) > away_from_singular * memory_.h;
  }

  Course run_;
  ChartProblem& problem_ = run_.problem;
  const Method& method_ = run_.method;
  State& state_ = run_.state;
  const DriverOptions& options_ = run_.options;
  DriverReport& report_ = run_.report;
  StepMemory& memory_ = run_.report.memory;
  std::unique_ptr<Stepper> stepper_;
  StepAbilities can_;        // of the stepper, as far as they serve
  InputWatch::Reach break_;  // of the step tried last
  LocalJacobian jacobian_;
  Trial trial_;
  LocalRate nudge_rate_;
  StepSizes sizes_;
  Onset onset_;
  GrowthWatch growth_;
  StepSizes::Foreseen foreseen_;       // the step tried last
  double begun_with_ = 0;              // [s] the first step tried
  bool stretched_to_end_ = false;      // a step was chosen to meet t_end
  bool made_ = false, event_ = false;  // a step that is not complete yet; it ends with an event
  bool has_jacobian_ = false;
  bool fresh_ = false;                   // an event has changed the equations
  // [s] The next step tried is no longer: an event in a longer one was not reached.
  double unreached_ = std::numeric_limits<double>::infinity();
  Diagnosis failure_ = Diagnosis::none;  // of the last attempt that failed
};

}  // namespace

DriverReport integrate(ChartProblem& problem, const Method& method, State& state, double t_end,
                       const DriverOptions& options, const Observer& observer) {
  return make_integration(problem, method, state, t_end, options, observer)->run();
}

std::unique_ptr<Integration> make_integration(ChartProblem& problem, const Method& method,
                                              State& state, double t_end,
                                              const DriverOptions& options,
                                              const Observer& observer) {
  if (method.integrate) return method.integrate(problem, method, state, t_end, options, observer);
  return std::make_unique<Driver>(problem, method, state, t_end, options, observer);
}

}  // namespace kardan
