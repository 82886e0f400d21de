#pragma once
/// Step sizes from errors: after accepted and rejected steps, and from what the linearized
/// equations foresee. Errors are in units of what is allowed.

#include <functional>

#include "kardan/integrate/driver.h"

namespace kardan {

class StepSizes {
 public:
  StepSizes(const Method& method, const DriverOptions& options);

  /// The error per second is held below the tolerance, not the error of a step.
  bool per_unit_step() const { return per_unit_; }

  /// After a step of h with this error; at most `growth` times as long.
  double next(double h, double error, const StepMemory& memory, double growth) const;

  /// After a rejection, and maybe one before it (of a longer step; 0: none). Two in a row tell the
  /// power with which the error really falls: a lower one than the method's beside a kink or where
  /// stiffness reduces its order.
  double after_rejection(double h, double error, double last_h, double last_error) const;

  struct Foreseen {
    double h = 0;
    double error = 0;  ///< 0: unknown
  };
  /// The error that the linearized equations have in a step; negative: unknown.
  using LinearError = std::function<double(double h)>;
  /// A step that they allow, starting from the wish `h`: behind a jump of the equations the steps
  /// before tell nothing of the modes that it excites, but the Jacobian knows them. It is longer
  /// than the wish only where errors have been `ratio` (not 0) of those foreseen.
  Foreseen foresee(double h, double ratio, const LinearError& linear_error) const;

  /// The ratio to rely upon after a step, or 0.
  static double ratio(const Foreseen& foreseen, double h, double error);

 private:
  Foreseen shrink(Foreseen tried, const LinearError& linear_error) const;
  /// The factor between steps that the error asks for.
  double elementary(double error) const;

  const DriverOptions& options_;
  bool per_unit_;
  double power_;  // of h with which the error, or the error per second, goes to zero
  double safety_;
};

}  // namespace kardan
