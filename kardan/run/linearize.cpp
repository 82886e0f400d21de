#include "kardan/run/linearize.h"

#include <cmath>

namespace kardan {
namespace {

constexpr const char* planar_q[] = {"x", "y", "angle"};
constexpr const char* planar_v[] = {"vx", "vy", "omega"};
/// Rotations in the body frame: about its axes, as the spin is.
constexpr const char* spatial_q[] = {"x", "y", "z", "rx", "ry", "rz"};
constexpr const char* spatial_v[] = {"vx", "vy", "vz", "wx", "wy", "wz"};

/// Names of all positions (as changes) or velocities, in the order of v.
std::vector<std::string> names(const System& system, const char* const* planar,
                               const char* const* spatial) {
  std::vector<std::string> out;
  for (std::size_t b = 1; b < system.bodies().size(); ++b)
    for (int k = 0; k < system.bodies()[b].v_count; ++k)
      out.push_back(system.blueprint().bodies[b].name + "." +
                    (system.dimension() == 2 ? planar : spatial)[k]);
  return out;
}

}  // namespace

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
  const auto q = names(system, planar_q, spatial_q), v = names(system, planar_v, spatial_v);
  for (int i : out.modes.independent) out.variables.push_back(q[i]);
  for (int i : out.modes.independent) out.variables.push_back(v[i]);
  for (int i : out.modes.drift) out.variables.push_back(q[i]);
  out.coordinates = q;
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
