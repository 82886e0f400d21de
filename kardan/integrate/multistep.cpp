#include "kardan/integrate/multistep.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace kardan {
namespace {

/// Steps aim below what the path allows, and are shortened to this share at once.
constexpr double path_safety = 0.8, most_shrink = 0.1;

}  // namespace

MultistepDriver::MultistepDriver(ChartProblem& problem, const Method& method, State& state,
                                 double t_end, const DriverOptions& options,
                                 const Observer& observer)
    : problem_(problem),
      method_(method),
      state_(state),
      t_end_(t_end),
      options_(options),
      observer_(observer),
      scale_(options.scale ? *options.scale : problem.default_scale(options.tolerance)),
      stop_times_(options.stop_times),
      events_(problem, options),
      inputs_(options.inputs, method, scale_, t_end),
      path_(problem, scale_, PathCheck::Steps::controlled) {
  stop_times_.push_back(t_end);
  std::ranges::sort(stop_times_);
}

DriverReport MultistepDriver::run() {
  if (options_.from) {
    report_ = *options_.from;
    report_.reason = Reason::finished;
  } else {
    report_.smallest_step = std::numeric_limits<double>::infinity();
  }
  if (!refusal().empty()) {
    stop(Reason::refused, Diagnosis::options_wrong,
         fmt::format("'{}' has its own step control", method_.name),
         fmt::format("leave out {}", refusal()));
    return finish();
  }
  if (t_end_ < state_.t) {
    stop(Reason::refused, Diagnosis::end_before_start,
         fmt::format("the end, t = {:.9g}, lies before the start, t = {:.9g}", t_end_, state_.t),
         "give a later end");
    return finish();
  }
  try {
    const StopScope scope(options_.interrupt);
    go();
  } catch (const Stopped& stopped) {
    end_interrupted(stopped.why());
  } catch (const std::exception& e) {
    if (observing_) throw;  // an observer may
    stop(Reason::evaluation_failed, Diagnosis::none, thrown_message(state_.t, e), "");
  }
  return finish();
}

void MultistepDriver::go() {
  const double slack = rounding();
  bool going = restart(options_.from ? 0 : options_.first_step);
  if (going && !options_.from) longest_ = path_.first_step(dense_.to);
  while (going && state_.t < t_end_ - slack) {
    if (report_.counters.steps >= options_.max_steps) {
      stop(Reason::too_many_steps, Diagnosis::too_many_steps,
           fmt::format("t = {:.9g}: {} steps were taken", state_.t, options_.max_steps),
           "raise max_steps, or ask for less accuracy");
      break;
    }
    going = !interrupted() && follow_growth() && step();
  }
}

bool MultistepDriver::interrupted() {
  const std::string why = options_.interrupt ? options_.interrupt() : std::string();
  if (!why.empty()) end_interrupted(why);
  return !why.empty();
}

void MultistepDriver::end_interrupted(const std::string& why) {
  stop(Reason::interrupted, Diagnosis::interrupted, fmt::format("t = {:.9g}: {}", state_.t, why),
       "");
}

/// The option it would have to ignore, if any.
std::string MultistepDriver::refusal() const {
  const DriverOptions usual;
  if (options_.fixed_step > 0) return "the fixed step, or bound it by the largest step";
  if (options_.safety != usual.safety) return "safety";
  if (options_.growth != usual.growth) return "growth";
  if (options_.shrink != usual.shrink) return "shrink";
  if (options_.keep_below != usual.keep_below) return "keep_below";
  if (options_.control != usual.control) return "control";
  if (options_.estimate != usual.estimate) return "estimate";
  return "";
}

double MultistepDriver::rounding() const {
  return 4 * std::numeric_limits<double>::epsilon() *
         std::max(std::abs(t_end_), std::abs(state_.t));
}

/// The next time at which a step shall end.
double MultistepDriver::next_stop() const {
  for (double t : stop_times_)
    if (t > state_.t + rounding()) return std::min(t, t_end_);
  return t_end_;
}

void MultistepDriver::unpack(const double* from, Local& to) const {
  to.resize(problem_.second(), problem_.first());
  for (Vector* part : {&to.x, &to.u, &to.z}) {
    std::copy_n(from, part->size(), part->begin());
    from += part->size();
  }
}

double* MultistepDriver::weigh(int count, double* to) {
  problem_.error_weights(state_, scale_, weights_);
  const double factor = std::sqrt(static_cast<double>(count)) * method_.error_weight;
  for (const Vector* part : {&weights_.x, &weights_.u, &weights_.z})
    for (const double w : *part) *to++ = factor * w;
  return to;
}

DriverReport MultistepDriver::finish() {
  // Whoever looks at the problem after the run finds it at the end, unless the run was asked to end
  // and that would take long.
  if (report_.reason != Reason::refused && !thrown_ && problem_at_ != state_.t) {
    try {
      const StopScope scope(options_.interrupt);
      (void)problem_.rebase(state_);
    } catch (const Stopped&) {
      problem_at_ = std::numeric_limits<double>::quiet_NaN();
    }
  }
  report_.t = state_.t;
  if (report_.counters.steps == 0) report_.smallest_step = 0;
  return std::move(report_);
}

void MultistepDriver::stop(Reason reason, Diagnosis diagnosis, std::string message,
                           std::string advice) {
  report_.reason = reason;
  report_.diagnosis = diagnosis;
  report_.message = std::move(message);
  report_.advice = std::move(advice);
}

void MultistepDriver::no_step(Diagnosis diagnosis) {
  const std::string culprit = problem_.culprit();
  stop(Reason::step_too_small, diagnosis,
       fmt::format("t = {:.9g}: {} found no step that is small enough{}", state_.t, method_.name,
                   culprit.empty() ? "" : "; trouble with " + culprit),
       "the motion may end here (a singular position, a contradiction of drivers, a force that is "
       "not finite): look at the last states, loosen the tolerance, or take radau5, which passes "
       "singular positions");
}

/// Moves the base to the state and begins there.
bool MultistepDriver::restart(double first) {
  if (problem_.rebase(state_) != Eval::ok) {
    stop(Reason::evaluation_failed, problem_.diagnosis(),
         fmt::format("t = {:.9g}: the equations could not be evaluated: {}", state_.t,
                     problem_.culprit()),
         "check the model at this state (`kardan check`), or choose another formulation");
    return false;
  }
  ++report_.counters.evaluations;
  problem_at_ = state_.t;
  problem_.base_point(dense_.to);
  last_h_ = 0;
  return begin(first);
}

/// The integrator's steps are bounded by what grows; where they are longer, it begins anew.
bool MultistepDriver::follow_growth() {
  if (method_.is_explicit || !options_.free_form) return true;
  constexpr double lengthens = 10;  // by which it may lengthen a step; the first one more
  const double wish = last_h_ > 0 ? lengthens * last_h_ : next_stop() - state_.t;
  const double longest =
      growth_.limit(wish, [this] { return jacobian_in(*options_.free_form, state_, jacobian_); });
  const bool bounded = longest < wish;
  if (bounded || bounded_) bound_steps(bounded ? longest : options_.largest_step);
  bounded_ = bounded;
  return longest >= last_h_ || restart(0.5 * longest);
}

bool MultistepDriver::step() {
  const bool fresh = problem_at_ == state_.t;
  std::swap(dense_.from, dense_.to);
  double t = state_.t, end = next_stop();
  // A stop behind the step to be tried would shorten the one after it to what is left.
  if (next_step() > longest_) end = std::min(end, t + longest_);
  const double wish = std::min({next_step(), end - t, seen_});
  break_ = inputs_.ahead(state_, wish);
  if (break_.breaks && break_.h == 0) return pass_break();
  if (break_.h < end - t && (break_.breaks || break_.h < wish || seen_ == wish)) end = t + break_.h;
  break_.breaks = break_.breaks && end == t + break_.h;
  const int answer = advance(end, t);
  count();
  if (thrown_) std::rethrow_exception(thrown_);
  Eval e = answer < 0 ? Eval::recoverable : Eval::ok;
  // A step below round-off is none, whatever the library says.
  if (e == Eval::ok && t - state_.t < rounding() && t < end - rounding()) e = Eval::recoverable;
  if (e == Eval::ok) e = end_at(t);
  if (e != Eval::ok) {
    // Away from the base the chart may be at fault: once more from a new one.
    if (!fresh && !not_evaluated(answer)) return restart(0);
    explain(answer);
    return false;
  }
  seen_ = inputs_.along(state_, next_);
  if (seen_ < (1 - 1e-9) * (t - state_.t)) {
    ++report_.counters.rejected;
    return restart(seen_);
  }
  seen_ = std::numeric_limits<double>::infinity();
  break_.breaks = break_.breaks && t >= end - rounding();
  const double h = t - state_.t, factor = path_.allowed(dense_);
  if (factor < 1) return retake(h, factor);
  longest_ = path_safety * factor * h;
  return conclude(h, problem_.advance(dense_.to));
}

/// The step from the state once more, with the memory of none.
bool MultistepDriver::retake(double h, double factor) {
  ++report_.counters.rejected;
  longest_ = std::max(path_safety * factor, most_shrink) * h;
  if (longest_ < 4 * rounding()) {
    no_step(path_.diagnosis());
    return false;
  }
  return restart(longest_);
}

/// An input has a kink or a jump here: on behind it. No time passes but for rounding.
bool MultistepDriver::pass_break() {
  state_.t = std::min(break_.behind, t_end_);
  return restart(0);
}

Eval MultistepDriver::end_at(double t) {
  ++report_.counters.evaluations;
  unpack(values(), y_);
  return problem_.finish(t, y_, next_, dense_.to);
}

bool MultistepDriver::conclude(double h, bool chart_holds) {
  unpack(errors(), y_);
  const double error = method_.error_weight * problem_.error_norm(y_, next_, scale_);
  bool event = false;
  if (problem_.events().count() > 0) {
    const double whole = h;
    const EventSearch::Ending ending =
        events_.end_step(dense_, state_, next_, h, [&](double trial) {
          h = std::min(trial, whole);
          return look_back(state_.t + h) == 0 ? end_at(state_.t + h) : Eval::recoverable;
        });
    event = ending.event;
    if (ending.eval != Eval::ok) {
      explain(0);
      return false;
    }
  }
  ++report_.counters.steps;
  last_h_ = h;
  event ? growth_.forget() : growth_.count();
  report_.smallest_step = std::min(report_.smallest_step, h);
  report_.largest_step = std::max(report_.largest_step, h);
  const StepView view{state_.t + h, h, error, &next_, &dense_, &problem_, &report_.counters};
  observing_ = true;
  const std::string wish = observer_ ? observer_(view) : std::string();
  observing_ = false;
  if (event) {
    events_.pass(dense_, next_, report_);
    path_.restart();
  }
  state_ = next_;
  if (report_.reason != Reason::finished && (wish.empty() || !report_.handed_over)) return false;
  if (!wish.empty()) {
    report_.handed_over = false;
    stop(Reason::stopped, Diagnosis::stopped, wish, "");
    return false;
  }
  if (state_.t >= t_end_ - rounding()) return true;
  if (break_.breaks && !event) return pass_break();
  if (!event && state_.t >= options_.pause_at && events_.settled(state_.t)) {
    report_.reason = Reason::paused;
    return false;
  }
  return event || !chart_holds ? restart(0) : true;
}

}  // namespace kardan
