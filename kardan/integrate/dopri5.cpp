#include "kardan/integrate/dopri5.h"

#include "kardan/integrate/explicit_runge_kutta.h"

namespace kardan {
namespace {

const ExplicitTableau& tableau() {
  static const ExplicitTableau t{
      .A = {{},
            {1.0 / 5},
            {3.0 / 40, 9.0 / 40},
            {44.0 / 45, -56.0 / 15, 32.0 / 9},
            {19372.0 / 6561, -25360.0 / 2187, 64448.0 / 6561, -212.0 / 729},
            {9017.0 / 3168, -355.0 / 33, 46732.0 / 5247, 49.0 / 176, -5103.0 / 18656},
            {35.0 / 384, 0, 500.0 / 1113, 125.0 / 192, -2187.0 / 6784, 11.0 / 84}},
      .c = {0, 1.0 / 5, 3.0 / 10, 4.0 / 5, 8.0 / 9, 1, 1},
      .error = {71.0 / 57600, 0, -71.0 / 16695, 71.0 / 1920, -17253.0 / 339200, 22.0 / 525,
                -1.0 / 40}};
  return t;
}

}  // namespace

Method dopri5() {
  return {.name = "dopri5",
          .summary = "explicit Runge-Kutta method, 7 stages",
          .source = "Dormand, Prince 1980",
          .order = 5,
          .error_order = 4,
          .is_explicit = true,
          // Pendulums and Andrews' mechanism at 1e-4 to 1e-9: without it up to 20 tolerances.
          .error_weight = 4,
          .evaluations = 6,
          .stability_limit = 3.25,  // Hairer, Wanner, Solving ODEs II, IV.2
          .duties = {{Task::not_stiff_with_events, "projected_ode"}, {Task::reference, {}, 3}},
          .make = [](const OptionValues&) { return make_explicit_stepper(tableau()); }};
}

}  // namespace kardan
