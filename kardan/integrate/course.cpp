#include "kardan/integrate/course.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <exception>
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
  (void)enter([&] {
    bool going = begin();
    while (going && !over()) going = step();
    return going;
  });
  return finish();
}

bool Course::enter(const std::function<bool()>& begin) {
  begin_report();
  return !refused() && guarded(begin);
}

bool Course::guarded(const std::function<bool()>& part) {
  try {
    const StopScope scope(options.interrupt);
    return part();
  } catch (const Stopped& stopped) {
    end_interrupted(stopped.why());
  } catch (const std::exception& e) {
    if (observing_) throw;  // an observer may
    stop(Reason::evaluation_failed, Diagnosis::none, thrown_message(state.t, e));
  }
  return false;
}

bool Course::over() {
  if (!(state.t < t_end - rounding_of(t_end, report.memory.start))) return true;
  if (report.counters.steps < options.max_steps) return false;
  stop(Reason::too_many_steps, Diagnosis::too_many_steps,
       fmt::format("t = {:.9g}: {} steps were taken", state.t, options.max_steps),
       "raise max_steps, or ask for less accuracy");
  return true;
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
  const double last = std::min(stop_, t_end);
  for (double t : stop_times_)
    if (t > state.t + past) return std::min(t, last);
  return last;
}

double Course::begun() const {
  return report.events.empty() ? report.memory.start : report.events.back().t;
}

void Course::note(double h, double error, bool with_event) {
  ++report.counters.steps;
  report.smallest_step = std::min(report.smallest_step, h);
  report.largest_step = std::max(report.largest_step, h);
  h_ = h;
  error_ = error;
  with_event_ = with_event;
  observing_ = true;
  stop_request_ = observer_ ? observer_(view()) : std::string();
  observing_ = false;
}

StepView Course::view() const {
  return {state.t + h_,     h_,     error_,         &next, &dense, &problem,
          &report.counters, &state, &report.events, ends};
}

Course::Taken Course::complete() {
  if (with_event_) {
    events.pass(dense, next, report);
    path.restart();
  }
  state = next;
  if (report.reason != Reason::finished && (stop_request_.empty() || !report.handed_over))
    return Taken::ended_by_event;
  if (stop_request_.empty()) return Taken::goes_on;
  report.handed_over = false;
  stop(Reason::stopped, Diagnosis::stopped, stop_request_);
  return Taken::ended_by_observer;
}

void Course::pass(const InputWatch::Reach& reach) {
  state.t = std::min(reach.behind, t_end);
}

bool Course::may_pause() const {
  return state.t >= options.pause_at && events.settled(state.t);
}

}  // namespace kardan
