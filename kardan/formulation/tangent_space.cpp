#include "kardan/formulation/tangent_space.h"

#include "kardan/formulation/state_space.h"

namespace kardan {

Formulation tangent_space() {
  Formulation f = state_space();
  f.name = "tangent_space";
  f.summary = "independent coordinates in an orthonormal basis of the tangent space";
  f.source = "Liang, Lance 1987; Potra, Yen 1991";
  f.make = [](const System& system, const OptionValues&) -> std::unique_ptr<ChartProblem> {
    return std::make_unique<StateSpace>(system, span_tangent_space);
  };
  return f;
}

}  // namespace kardan
