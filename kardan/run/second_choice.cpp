#include "kardan/run/second_choice.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

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
/// Of what is allowed: an exact flow has no such error. After so many of them it is none.
constexpr double no_rounding = 0.1;
constexpr int most_held_back = 20;

}  // namespace

void SecondChoice::begin(const Method& method) {
  exact_if_linear_ = method.exact_if_linear;
  held_back_ = 0;
  back_ = not_linear_ = false;
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
  return not_linear_ ? "not linear" : "";
}

bool SecondChoice::goes_on(const State& state, double& first_step) {
  first_step = options_.driver.first_step;
  const bool stopped = report_.driver.reason == Reason::stopped;
  if (stopped && back_) {
    take_up_again();
  } else if (stopped && not_linear_) {
    choose_again(state);
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

void SecondChoice::take_up_again() {
  AutomaticChoice& choice = report_.automatic;
  choice.method = std::exchange(choice.first, {});
  if (choice.passes <= most_told) choice.why += fmt::format(" to t = {:.6g}", report_.driver.t);
}

/// False: there is no other method.
bool SecondChoice::pass() {
  const Reason reason = report_.driver.reason;
  const bool ended = reason == Reason::step_too_small || reason == Reason::evaluation_failed;
  AutomaticChoice& choice = report_.automatic;
  const Method& other = method_for(Task::whatever_comes);
  if (choice.method.empty() || !ended || report_.method == other.name) return false;
  const double t = report_.driver.t, step = report_.driver.largest_step;
  if (choice.passes == 0)
    choice.why +=
        fmt::format("; it ended there ({}), '{}' went on", report_.driver.message, other.name);
  else if (choice.passes < most_told)
    choice.why += fmt::format(", again from t = {:.6g}", t);
  else if (choice.passes == most_told)
    choice.why += ", and so on";
  if (choice.passes == 0 || t - choice.back_at > worth_share * step) choice.first = choice.method;
  ++choice.passes;
  choice.back_at = t + away_share * step;
  choice.method = name_for(Task::whatever_comes);
  return true;
}

}  // namespace kardan
