#pragma once
/// What a driver is asked for, what its observers see, and what it reports.

#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "kardan/base/inputs.h"
#include "kardan/base/stop.h"
#include "kardan/integrate/dense.h"
#include "kardan/integrate/method.h"
#include "kardan/integrate/problem.h"

namespace kardan {

/// How the next step follows from the errors of this one and the last.
enum class StepControl {
  elementary,  ///< h (1/err)^(1/k): Hairer, Norsett, Wanner I, II.4
  pi,          ///< h (1/err)^(0.7/k) err_last^(0.4/k): Gustafsson; Hairer & Wanner II, IV.2
  predictive   ///< the smaller of elementary and the trend of the last two: the same book, IV.8
};
std::string_view to_string(StepControl);

/// Whether the estimate is filtered with (I - h gamma J)^-1 (methods that have the factors).
enum class ErrorEstimate { plain, filtered };
std::string_view to_string(ErrorEstimate);

/// Whether the error of a step is compared with the tolerance, or its error per second.
enum class ErrorMeasure { of_method, per_step, per_unit_step };
std::string_view to_string(ErrorMeasure);

/// What an action at an event did.
enum class EventEffect {
  none,
  changed,    ///< the state, or the equations
  hand_over,  ///< the equations have others: integration ends here, to go on with them
  failed      ///< the state cannot be changed that way
};

/// Which passages of an event function count, and what happens then.
struct EventRule {
  int direction = 0;  ///< +1: becoming positive, -1: becoming negative, 0: both
  bool stop = false;
  /// Negative values count as a passage whatever brought them about: the function may jump when an
  /// event changes the equations.
  bool level = false;
  std::string name;  ///< for the message
  /// Changes `state` when the function passes in `direction`, and `after`, which is `state` a short
  /// `time` later.
  std::function<EventEffect(State& state, int direction, double time, State& after)> act = {};
};

/// What only the driver's user knows of events.
struct EventKnowledge {
  std::vector<int> sides = {};  ///< signs at the start; 0: none is known
  /// Changes the values of event functions at a state.
  std::function<void(const State&, std::span<double>)> adjust = {};
};

/// `paused`: at a restart point, where the run may go on (DriverOptions::pause_at).
enum class Reason {
  finished,
  stopped,
  step_too_small,
  too_many_steps,
  evaluation_failed,
  refused,
  interrupted,
  paused
};
std::string_view to_string(Reason);

struct EventRecord {
  double t = 0;
  int event = 0;
  int direction = 0;  // +1: the function became positive
};

/// What the step control knows after a step.
struct StepMemory {
  double start = 0;                   ///< [s] of the run
  double h = 0;                       ///< [s] the step to try next
  double last_error = 0, last_h = 0;  ///< of the last step; 0: none
  /// Its error in units of that which the linearized equations foresaw; 0: not known; below: so
  /// many steps shall not look, since it was far from it, or since there was no event yet.
  double foreseen = -1e18;
};

struct DriverReport {
  Reason reason = Reason::finished;
  Diagnosis diagnosis = Diagnosis::none;  ///< the same under a name, where one is known
  std::string message, advice;
  bool handed_over = false;  // `stopped`, to go on with other equations
  double t = 0;              // reached
  Counters counters;
  std::vector<EventRecord> events;
  double smallest_step = 0, largest_step = 0;
  /// [s] Fixed steps that follow what grows are no longer than this; 0: all did.
  double growth_passed_over = 0;
  StepMemory memory;  // with which a paused run goes on
};

struct DriverOptions {
  double tolerance = 1e-6;   ///< relative, and absolute in the problem's units
  double first_step = 0;     ///< [s] 0: automatic
  double smallest_step = 0;  ///< [s] 0: round-off of t
  double largest_step = 0;   ///< [s] 0: the whole interval
  double fixed_step = 0;     ///< [s] > 0: no error control
  double safety = 0.8;       ///< aim below the tolerance: a rejection costs a whole step
  double growth = 5, shrink = 0.2;
  double keep_below = 1;  ///< the step is kept while it could grow by less than this factor
  StepControl control = StepControl::elementary;
  ErrorEstimate estimate = ErrorEstimate::plain;
  int max_steps = 10'000'000;
  ErrorMeasure error_per = ErrorMeasure::of_method;  ///< what is held below the tolerance
  int event_samples = 12;  ///< points inside a step at which events are looked for
  /// [s] What lasts longer than this is not missed; 0: a thousandth of the samples' distance.
  double event_resolution = 0;
  OptionValues method_options = {};     ///< resolved; empty: the method's defaults
  std::vector<double> stop_times = {};  ///< [s] a step ends at each of them
  InputSource* inputs = nullptr;       ///< not to be passed over; steps of fixed length ignore them
  std::vector<EventRule> events = {};  ///< by event; those without one count both ways
  EventKnowledge known_events = {};
  /// The same motion on coordinates that are free, whose Jacobian shows what grows (growth.h);
  /// null: the problem itself.
  ChartProblem* free_form = nullptr;
  std::optional<ErrorScale> scale = {};  ///< per variable; else the problem's, from `tolerance`
  /// Asked before every attempt and, every 20 ms, by long loops within one; a reason ends the run
  /// as interrupted, at the end of its last step.
  StopQuestion interrupt = {};
  /// [s] The first restart point at or after this time ends the run as paused: the end of a step
  /// that owes nothing to an event, to a singular position nearby or to t_end. What follows from
  /// there depends on the state and the report alone.
  double pause_at = std::numeric_limits<double>::infinity();
  std::optional<DriverReport> from = {};  ///< of a paused run, which goes on
};

/// An accepted step, for observers.
struct StepView {
  double t = 0, h = 0, error = 0;
  const State* state = nullptr;  // at the end
  const DenseStep* dense = nullptr;
  ChartProblem* problem = nullptr;     // with the chart of `dense`
  const Counters* counters = nullptr;  // of the run so far
  const State* start = nullptr;        // at the start, with what an event there has changed
  const std::vector<EventRecord>* events = nullptr;  // before the step
  int ends = 0;  // of steps before it, that a multistep method made it from
};

}  // namespace kardan
