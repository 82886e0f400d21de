#include "kardan/integrate/ros2w.h"

namespace kardan {

const RosenbrockTableau& ros2w_tableau() {
  static constexpr double gamma = 1.7071067811865475244;
  static const RosenbrockTableau t{.stages = 2,
                                   .gamma = gamma,
                                   .alpha = {{}, {1.0}},
                                   .gamma_ij = {{}, {-2 * gamma}},
                                   .b = {0.5, 0.5},
                                   .b_hat = {1.0, 0.0}};
  return t;
}

Method ros2w() {
  return {.name = "ros2w",
          .summary = "W-method, right for any Jacobian, 2 stages",
          .source = "Verwer, Spee, Blom, Hundsdorfer 1999",
          .order = 2,
          .error_order = 1,
          .needs_jacobian = true,
          // The estimate is the difference from a method of order 1 and vanishes with its own error
          // only: pendulum, double pendulum, Andrews' mechanism, rolling disc at 1e-3 to 1e-6.
          .error_weight = 2,
          .duties = {{Task::fixed_steps_without_derivatives}, {Task::reference, {}, 4}},
          .make = [](const OptionValues&) { return make_rosenbrock(ros2w_tableau()); }};
}

}  // namespace kardan
