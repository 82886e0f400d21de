#include "kardan/run/linearize.h"

#include <cmath>

namespace kardan {

Linearization linearize(const Prepared& prepared, ModeShapes shapes) {
  Linearization out;
  const System& system = *prepared.system;
  StateSpace problem(system);
  out.status = problem.rebase(prepared.start.state);
  if (out.status == Eval::ok) out.status = find_modes(problem, shapes, out.modes);
  if (out.status != Eval::ok) {
    out.message =
        "the equations could not be linearized: " +
        (problem.culprit().empty() ? "the eigenvalues were not found" : problem.culprit());
    out.advice = "check the model at its start (`kardan check`)";
    return out;
  }
  for (int i : out.modes.independent) out.variables.push_back(system.coordinate_name(i));
  for (int i : out.modes.independent) out.variables.push_back(system.velocity_name(i));
  for (int i : out.modes.drift) out.variables.push_back(system.coordinate_name(i));
  for (int i = 0; i < system.sizes().v; ++i) out.coordinates.push_back(system.coordinate_name(i));
  for (const VariableInfo& r : system.states()) {
    out.variables.push_back(r.name);
    out.coordinates.push_back(r.name);
  }
  for (double a : problem.accelerations())
    out.largest_acceleration = std::max(out.largest_acceleration, std::abs(a));
  for (const Mode& m : out.modes.modes) out.zero += m.zero;
  return out;
}

}  // namespace kardan
