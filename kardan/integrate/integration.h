#pragma once
/// An integration under way, step by step. What a step has found stands until the next one begins:
/// the end of the step, its dense output, and the problem in the chart of both. So whoever goes step
/// by step may look into the step, may let it be, or may go on from another state, inside it or not.

#include "kardan/integrate/driver_options.h"

namespace kardan {

class Integration {
 public:
  virtual ~Integration() = default;

  /// From the start to the end, every step told to the observer; step by step it is told nothing.
  virtual DriverReport run() = 0;

  /// Once, before the first step. False: the integration has ended, as end() tells.
  virtual bool enter() = 0;
  /// Completes the step made last: on to its end, and what an event there does. False: the
  /// integration has ended.
  virtual bool settle() = 0;
  /// Settles, and makes another step. False: the integration has ended, before a step was made.
  virtual bool step() = 0;
  /// The step made last.
  virtual StepView view() const = 0;
  /// No step from now on goes beyond `t` [s]; infinite: as far as t_end allows.
  virtual void stop_at(double t) = 0;
  /// How the equations differ behind a state from those before it.
  enum class Change { none, kink, jump };
  /// The next step begins at the state that the caller has put where the integration keeps its own,
  /// whatever became of the last one. False: the integration has ended.
  virtual bool go_on_from_here(Change change) = 0;
  virtual const DriverReport& report() const = 0;  ///< so far
  /// The report; after it nothing is left to go on with.
  virtual DriverReport end() = 0;
};

}  // namespace kardan
