#pragma once
/// Step sizes from errors: after accepted and rejected steps, and from what the linearized
/// equations foresee. Errors are in units of what is allowed.

#include <functional>

#include "kardan/integrate/driver_options.h"

namespace kardan {

class StepSizes {
 public:
  StepSizes(const Method& method, const DriverOptions& options);

  /// The error that a step of h may have, in tolerances, where the equations are what they are for
  /// `since` at its end. Where the error per second is held below the tolerance (Gil et al. 2013,
  /// Eq. 39), seconds count but soon after an event, which may be over in microseconds: there each
  /// e-fold of time gets the same share of the tolerance. Errors add up to (t_end - t) tolerances
  /// and some for each event.
  double allowance(double h, double since) const;

  /// Of h, with which errors in units of what is allowed go to zero.
  double power() const { return power_; }

  /// Hairer, Norsett, Wanner I, II.4: a step that would change the state, the base of the problem,
  /// by a small share of its tolerance-scaled size. `scratch` has room for a point.
  double first(ChartProblem& problem, const State& state, const ErrorScale& scale, double t_end,
               Local& scratch) const;

  /// After a step of h with this error; at most `growth` times as long. Where the error was as
  /// foreseen, the next one will be known too: half the safety is enough.
  double next(double h, double error, const StepMemory& memory, double growth) const;

  /// After a rejection, and maybe one before it (of a longer step; 0: none). Two in a row show the
  /// power with which the error really falls: a lower one than the method's beside a kink or where
  /// stiffness reduces its order.
  double after_rejection(double h, double error, double last_h, double last_error) const;

  struct Foreseen {
    double h = 0;
    double error = 0;  ///< 0: unknown
  };
  /// The error that the linearized equations have in a step; negative: unknown.
  using LinearError = std::function<double(double h)>;
  /// Behind a jump of the equations: a step that they allow, at most h. The steps before say
  /// nothing of the modes that it excites, but the Jacobian knows them.
  Foreseen begin(double h, const LinearError& linear_error) const;
  /// The step that they ask for instead of `h`, shorter or longer, where errors have been
  /// `memory.foreseen` of those foreseen; else `h`, with the error foreseen for it.
  Foreseen foresee(double h, const StepMemory& memory, const LinearError& linear_error) const;

  /// True where it is time to look: after an event, but not for a few steps after errors were not
  /// as foreseen.
  static bool may_look(const StepMemory& memory) { return memory.foreseen >= 0; }
  /// memory.foreseen after a step.
  static double compare(const StepMemory& memory, const Foreseen& foreseen, double h, double error);

 private:
  Foreseen shrink(Foreseen tried, const LinearError& linear_error) const;
  /// The factor between steps that would lead to the error allowed.
  double allowed(double error) const;

  const DriverOptions& options_;
  bool per_unit_;
  int error_order_;
  double power_;  // of h with which the error, or the error per second, goes to zero
  double safety_, foreseen_safety_;
};

}  // namespace kardan
