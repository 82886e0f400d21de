#include "kardan/run/second_choice.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "kardan/formulation/catalog.h"
#include "kardan/formulation/residuals.h"
#include "kardan/run/automatic.h"

namespace kardan {
namespace {

/// Where an explicit method on all coordinates ends, at a singular position for one, the method for
/// whatever comes may go on: of the largest step before, its first one; how far it leads away from
/// there; and how far the first choice has to come, or it is not taken up again.
constexpr double begin_share = 0.1, away_share = 0.5, worth_share = 1;
/// Places of which the report says when.
constexpr int most_told = 3;
/// Of what is allowed: an exact flow has no such error. After this many of them it is none.
constexpr double no_rounding = 0.1;
constexpr int most_held_back = 20;
/// Steps of a run after which it is looked at first, and how many times as many until the next time.
constexpr long first_look = 500, later_looks = 4;

bool is_time_to_look(long steps) {
  while (steps > first_look && steps % later_looks == 0) steps /= later_looks;
  return steps == first_look;
}

/// Methods that go on where another one has failed, in this order.
constexpr Task others[] = {Task::whatever_comes, Task::stiff, Task::not_stiff_with_events,
                           Task::not_stiff, Task::fixed_steps};

}  // namespace

void SecondChoice::begin(const Method& method) {
  exact_if_linear_ = method.exact_if_linear;
  held_back_ = 0;
  back_ = not_linear_ = false;
  cheaper_ = {};
  // A part that goes on where it paused counts on.
  before_ = report_.driver.reason == Reason::paused ? Counters() : report_.driver.counters;
}

Watchers SecondChoice::watching(const Watchers& watchers) {
  Watchers out = watchers;
  if (report_.automatic.method.empty()) return out;
  out.observer = [this, &watchers](const StepView& step) -> std::string {
    if (watchers.observer)
      if (std::string stop_request = watchers.observer(step); !stop_request.empty())
        return stop_request;
    return step.t < options_.t_end ? reason_to_change(step) : std::string();
  };
  return out;
}

std::string SecondChoice::reason_to_change(const StepView& step) {
  const AutomaticChoice& choice = report_.automatic;
  back_ = !choice.first.empty() && step.t >= choice.back_at;
  if (back_) return "passed";
  if (exact_if_linear_ && step.error > no_rounding) ++held_back_;
  not_linear_ = held_back_ >= most_held_back;
  if (not_linear_) return "not linear";
  if (choice.first.empty() && !exact_if_linear_) look_for_cheaper(step);
  return cheaper_.method.empty() ? "" : "cheaper";
}

void SecondChoice::look_for_cheaper(const StepView& step) {
  Counters all = *step.counters;
  for (long Counters::*count :
       {&Counters::steps, &Counters::evaluations, &Counters::jacobians, &Counters::factorizations})
    all.*count += before_.*count;
  if (!is_time_to_look(all.steps)) return;
  Diagnostics discarded;
  const std::string& now = report_.automatic.method;
  const int variables = step.problem->second_order() + step.problem->first_order();
  const double work = counted_work(choose_method(now, discarded), variables, all);
  cheaper_ = find_cheaper(system_, fitted(system_, *step.state), options_, now, step.h, work);
  report_.automatic.evaluations += cheaper_.evaluations;
}

bool SecondChoice::goes_on(const State& state, double& first_step) {
  first_step = options_.driver.first_step;
  const bool stopped = report_.driver.reason == Reason::stopped;
  if (stopped && back_) {
    take_up_again();
  } else if (stopped && not_linear_) {
    choose_again(state);
  } else if (stopped && !cheaper_.method.empty()) {
    take_cheaper();
  } else {
    // What "auto" has chosen fails: the method that stands most goes on.
    if (!pass()) return false;
    // Steps that creep up to a singular position do not pass it.
    first_step = begin_share * report_.driver.largest_step;
  }
  report_.driver.message.clear();
  report_.driver.advice.clear();
  return true;
}

void SecondChoice::choose_again(const State& state) {
  const AutomaticChoice next = choose_by_probe(system_, fitted(system_, state), options_);
  AutomaticChoice& choice = report_.automatic;
  choice.method = next.method;
  choice.why += fmt::format("; it is not, seen at t = {:.6g}: {}", report_.driver.t, next.why);
  choice.evaluations += next.evaluations;
}

void SecondChoice::take_cheaper() {
  AutomaticChoice& choice = report_.automatic;
  choice.method = cheaper_.method;
  choice.why += fmt::format("; from t = {:.6g} on {}", report_.driver.t, cheaper_.why);
}

void SecondChoice::take_up_again() {
  AutomaticChoice& choice = report_.automatic;
  choice.method = std::exchange(choice.first, {});
  if (choice.passes <= most_told) choice.why += fmt::format(" to t = {:.6g}", report_.driver.t);
}

/// The next method that may go on where this one has failed; empty: there is none. One that failed
/// without having passed is followed by those behind it alone.
std::string SecondChoice::next_other(Progress progress) const {
  const AutomaticChoice& choice = report_.automatic;
  Diagnostics discarded;
  bool reached = progress == Progress::some;
  for (const Task task : others) {
    const std::string name = name_for(task);
    const bool fails = name == choice.method || name == choice.first;
    if (reached && !fails && treats(*choose_method(name, discarded).formulation, system_))
      return name;
    reached = reached || name == choice.method;
  }
  return {};
}

/// False: there is no other method.
bool SecondChoice::pass() {
  const Reason reason = report_.driver.reason;
  const bool ended = reason == Reason::step_too_small || reason == Reason::evaluation_failed;
  AutomaticChoice& choice = report_.automatic;
  if (choice.method.empty() || !ended) return false;
  const double t = report_.driver.t, step = report_.driver.largest_step;
  const Progress progress =
      choice.passes > 0 && t < choice.back_at ? Progress::none : Progress::some;
  const std::string other = next_other(progress);
  if (other.empty()) return false;
  const std::string_view name = std::string_view(other).substr(0, other.find('@'));
  if (choice.passes == 0)
    choice.why += fmt::format("; it ended there ({}), '{}' went on", report_.driver.message, name);
  else if (choice.passes < most_told)
    choice.why += progress == Progress::none ? fmt::format(", then '{}'", name)
                                             : fmt::format(", again from t = {:.6g}", t);
  else if (choice.passes == most_told)
    choice.why += ", and so on";
  const bool worth = choice.passes == 0 || t - choice.back_at > worth_share * step;
  if (progress == Progress::some && worth) choice.first = choice.method;
  ++choice.passes;
  choice.back_at = t + away_share * step;
  choice.method = other;
  return true;
}

}  // namespace kardan
