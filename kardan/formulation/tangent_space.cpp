#include "kardan/formulation/tangent_space.h"

#include "kardan/formulation/state_space.h"

namespace kardan {

Formulation tangent_space() {
  Formulation f = state_space();
  f.name = "tangent_space";
  f.free_form = false;
  f.summary = "independent coordinates in an orthonormal basis of the tangent space";
  f.source = "Mani, Haug, Atkinson 1985; Potra, Rheinboldt 1991";
  f.make = [](const System& system, const OptionValues& values) -> std::unique_ptr<ChartProblem> {
    return std::make_unique<StateSpace>(system, span_tangent_space, accelerations_option(values));
  };
  return f;
}

}  // namespace kardan
