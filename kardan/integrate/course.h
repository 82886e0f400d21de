#pragma once
/// The course of a run, whatever makes its steps: how it begins, the times at which steps shall
/// end, what is said and counted about a step that is taken, and how the run ends. All drivers
/// share it, so that a run ends with the same words and the same record whatever its method.

#include <functional>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "kardan/integrate/driver_options.h"
#include "kardan/integrate/events.h"
#include "kardan/integrate/input_watch.h"
#include "kardan/integrate/path_check.h"

namespace kardan {

class Course {
 public:
  Course(ChartProblem& equations, const Method& chosen, State& start, double end,
         const DriverOptions& asked, const Observer& observer);
  Course(const Course&) = delete;
  Course& operator=(const Course&) = delete;

  /// Calls `begin`, and `step` until it is false or the end is reached. Both say why they are
  /// false, by stop() or one of its kind.
  DriverReport run(const std::function<bool()>& begin, const std::function<bool()>& step);
  /// The same in parts: the beginning, and whatever belongs to a step, in which functions of the
  /// model may throw. False after stop().
  bool enter(const std::function<bool()>& begin);
  DriverReport finish();
  bool guarded(const std::function<bool()>& part);
  /// Whether the end is reached, or too many steps were taken.
  bool over();
  /// Steps end at `t` at the latest.
  void stop_at(double t) { stop_ = t; }

  void stop(Reason reason, Diagnosis diagnosis, std::string message, std::string advice = "");
  /// `what` failed at the present state, which is the model's affair, or the formulation's.
  void not_evaluated(Diagnosis diagnosis, std::string_view what);
  /// `what` says how the step failed.
  void no_step(Diagnosis diagnosis, std::string_view what);
  /// Whether somebody wants the run to end; then it has.
  bool interrupted();

  /// Moves the base of the problem to the state. False after stop().
  bool rebase();

  /// [s] Below this times are the same.
  double rounding() const;
  /// The next time at which a step shall end.
  double next_stop() const;
  /// [s] When the equations became what they are.
  double begun() const;

  /// The step to `next` is taken: counts it, informs the observer, acts at the event it ends with,
  /// and moves the state on.
  enum class Taken { goes_on, ended_by_event, ended_by_observer };
  /// In two parts: when it is noted, counted and told, the state is still that of its start.
  void note(double h, double error, bool with_event);
  Taken complete();
  /// Of the step noted last.
  StepView view() const;
  /// The state moves behind a kink or a jump of an input. No time passes but for rounding.
  void pass(const InputWatch::Reach& reach);
  /// Whether a run that shall pause may do so here, as far as events go.
  bool may_pause() const;

  ChartProblem& problem;
  const Method& method;
  State& state;
  const double t_end;
  const DriverOptions& options;
  const ErrorScale scale;
  EventSearch events;
  InputWatch inputs;
  PathCheck path;
  DenseStep dense;
  State next;
  DriverReport report;
  int ends = 0;  ///< of steps, that multistep methods make the step from

 private:
  void begin_report();
  bool refused();
  void end_interrupted(const std::string& why);

  const Observer& observer_;
  std::vector<double> stop_times_;  // sorted
  double stop_ = std::numeric_limits<double>::infinity();
  // The step noted last.
  double h_ = 0, error_ = 0;
  bool with_event_ = false;
  std::string stop_request_;
  bool observing_ = false;
};

}  // namespace kardan
