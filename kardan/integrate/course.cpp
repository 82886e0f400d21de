#include "kardan/integrate/course.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <exception>
#include <limits>
#include <new>
#include <utility>

namespace kardan {
namespace {

constexpr const char* look_at_model =
    "check the model at this state (`kardan check`), or choose another formulation";

/// Of a run that ended because a function of the model threw `e`.
std::string thrown_message(double t, const std::exception& e) {
  // Not the model's fault.
  if (dynamic_cast<const std::bad_alloc*>(&e))
    return fmt::format("t = {:.9g}: the memory is used up", t);
  return fmt::format("t = {:.9g}: a function of the model failed: {}", t, e.what());
}

/// Of numbers as large as these.
double rounding_of(double a, double b) {
  return 4 * std::numeric_limits<double>::epsilon() * std::max(std::abs(a), std::abs(b));
}

}  // namespace

Course::Course(ChartProblem& equations, const Method& chosen, State& start, double end,
               const DriverOptions& asked, const Observer& observer)
    : problem(equations),
      method(chosen),
      state(start),
      t_end(end),
      options(asked),
      scale(asked.scale ? *asked.scale : equations.default_scale(asked.tolerance)),
      events(equations, asked),
      inputs(asked.fixed_step > 0 ? nullptr : asked.inputs, chosen, scale, end),
      path(equations, scale,
           asked.fixed_step > 0 ? PathCheck::Steps::fixed : PathCheck::Steps::controlled),
      observer_(observer),
      stop_times_(asked.stop_times) {
  std::ranges::sort(stop_times_);
}

DriverReport Course::run(const std::function<bool()>& begin, const std::function<bool()>& step) {
  begin_report();
  if (refused()) return finish();
  try {
    const StopScope scope(options.interrupt);
    bool going = begin();
    while (going && state.t < t_end - rounding_of(t_end, report.memory.start)) {
      if (report.counters.steps >= options.max_steps) {
        stop(Reason::too_many_steps, Diagnosis::too_many_steps,
             fmt::format("t = {:.9g}: {} steps were taken", state.t, options.max_steps),
             "raise max_steps, or ask for less accuracy");
        break;
      }
      going = step();
    }
  } catch (const Stopped& stopped) {
    end_interrupted(stopped.why());
  } catch (const std::exception& e) {
    if (observing_) throw;  // an observer may
    stop(Reason::evaluation_failed, Diagnosis::none, thrown_message(state.t, e));
  }
  return finish();
}

void Course::begin_report() {
  if (options.from) {
    report = *options.from;
    report.reason = Reason::finished;
    return;
  }
  report.smallest_step = std::numeric_limits<double>::infinity();
  report.memory.start = state.t;
}

bool Course::refused() {
  if (t_end < state.t)
    stop(Reason::refused, Diagnosis::end_before_start,
         fmt::format("the end, t = {:.9g}, lies before the start, t = {:.9g}", t_end, state.t),
         "give a later end");
  else if (!(options.tolerance > 0) || !std::isfinite(options.tolerance))
    stop(Reason::refused, Diagnosis::options_wrong,
         fmt::format("the tolerance is {}", options.tolerance), "give a positive one");
  return report.reason == Reason::refused;
}

DriverReport Course::finish() {
  report.t = state.t;
  if (report.counters.steps == 0) report.smallest_step = 0;
  return std::move(report);
}

void Course::stop(Reason reason, Diagnosis diagnosis, std::string message, std::string advice) {
  report.reason = reason;
  report.diagnosis = diagnosis;
  report.message = std::move(message);
  report.advice = std::move(advice);
}

void Course::not_evaluated(Diagnosis diagnosis, std::string_view what) {
  stop(Reason::evaluation_failed, diagnosis, fmt::format("t = {:.9g}: {}", state.t, what),
       look_at_model);
}

void Course::no_step(Diagnosis diagnosis, std::string_view what) {
  const std::string culprit = problem.culprit();
  stop(Reason::step_too_small, diagnosis,
       fmt::format("t = {:.9g}: {}{}", state.t, what,
                   culprit.empty() ? "" : "; trouble with " + culprit),
       options.fixed_step > 0
           ? "steps of fixed length have no error control: take a shorter one, or an implicit "
             "method, or leave the length to the error control"
           : "the motion may end here (a singular position, a contradiction of drivers, a force "
             "that is "
             "not finite): look at the last states, loosen the tolerance, or take radau5, which "
             "passes "
             "singular positions");
}

bool Course::interrupted() {
  const std::string why = options.interrupt ? options.interrupt() : std::string();
  if (!why.empty()) end_interrupted(why);
  return !why.empty();
}

void Course::end_interrupted(const std::string& why) {
  stop(Reason::interrupted, Diagnosis::interrupted, fmt::format("t = {:.9g}: {}", state.t, why));
}

bool Course::rebase() {
  if (problem.rebase(state) == Eval::ok) {
    ++report.counters.evaluations;
    return true;
  }
  not_evaluated(problem.diagnosis(), "the equations could not be evaluated: " + problem.culprit());
  return false;
}

double Course::rounding() const {
  return rounding_of(t_end, state.t);
}

double Course::next_stop() const {
  const double past = rounding();
  for (double t : stop_times_)
    if (t > state.t + past) return std::min(t, t_end);
  return t_end;
}

double Course::begun() const {
  return report.events.empty() ? report.memory.start : report.events.back().t;
}

Course::Taken Course::take(double h, double error, bool with_event) {
  ++report.counters.steps;
  report.smallest_step = std::min(report.smallest_step, h);
  report.largest_step = std::max(report.largest_step, h);
  const StepView view{state.t + h,      h,      error,         &next, &dense, &problem,
                      &report.counters, &state, &report.events};
  observing_ = true;
  const std::string stop_request = observer_ ? observer_(view) : std::string();
  observing_ = false;
  if (with_event) {
    events.pass(dense, next, report);
    path.restart();
  }
  state = next;
  if (report.reason != Reason::finished && (stop_request.empty() || !report.handed_over))
    return Taken::ended_by_event;
  if (stop_request.empty()) return Taken::goes_on;
  report.handed_over = false;
  stop(Reason::stopped, Diagnosis::stopped, stop_request);
  return Taken::ended_by_observer;
}

void Course::pass(const InputWatch::Reach& reach) {
  state.t = std::min(reach.behind, t_end);
}

bool Course::may_pause() const {
  return state.t >= options.pause_at && events.settled(state.t);
}

}  // namespace kardan
