#include "kardan/run/linearize.h"

#include <fmt/format.h>

#include <cmath>

#include "kardan/run/channels.h"

namespace kardan {
namespace {

/// [m/s^2, rad/s^2] what a balance leaves of accelerations.
constexpr double at_rest = 1e-6;

}  // namespace

Linearization linearize(const Prepared& prepared, ModeShapes shapes, ModesOf of,
                        const FieldMap& functions) {
  Linearization out;
  const System& system = *prepared.system;
  if (!system.frictions().empty()) {
    out.status = Eval::fatal;
    out.message = "dry friction has no linear equations";
    out.advice = "leave 'friction' out, or give it a damper's place";
    return out;
  }
  StateSpace problem(system);
  out.status = problem.rebase(prepared.start.state);
  SteadyMotion steady;
  if (out.status == Eval::ok)
    out.status = find_modes(system, problem, of, shapes, steady, out.modes);
  if (!steady.reason.empty() && !steady.steady) {
    out.message = "the motion is neither a balance nor steady: " + steady.reason;
    out.advice =
        "find a balance (`kardan equilibrium`), or freeze the equations at this instant "
        "(`--frozen`): eigenvalues then tell how stiff they are, not how small motions grow";
    return out;
  }
  if (out.status != Eval::ok) {
    out.message =
        "the equations could not be linearized: " +
        (problem.culprit().empty() ? "the eigenvalues were not found" : problem.culprit());
    out.advice = "check the model at its start (`kardan check`)";
    return out;
  }
  std::vector<std::string> all;
  for (int i : out.modes.independent) all.push_back(system.coordinate_name(i));
  for (int i : out.modes.independent) all.push_back(system.velocity_name(i));
  for (int i : out.modes.drift) all.push_back(system.coordinate_name(i));
  for (int i = 0; i < system.sizes().v; ++i) out.coordinates.push_back(system.coordinate_name(i));
  for (const VariableInfo& r : system.states()) {
    all.push_back(r.name);
    out.coordinates.push_back(r.name);
  }
  std::vector<char> kept(all.size(), 0);
  for (int i : out.modes.kept) kept[i] = 1;
  for (std::size_t i = 0; i < all.size(); ++i)
    (kept[i] ? out.variables : out.cyclic).push_back(all[i]);
  for (double a : problem.accelerations())
    out.largest_acceleration = std::max(out.largest_acceleration, std::abs(a));
  for (const Mode& m : out.modes.modes) out.zero += m.zero;
  out.remarks = kinks_at(system, prepared.start.state);
  if (steady.generator.rows() == 0 && out.largest_acceleration > at_rest)
    out.remarks.push_back(
        fmt::format("not at rest: the largest acceleration is {:.3g}", out.largest_acceleration));
  FoundChannels found = find_channels(prepared, functions, out.modes);
  out.status = found.status;
  out.message = std::move(found.message);
  out.advice = std::move(found.advice);
  out.channels = std::move(found.channels);
  out.remarks.insert(out.remarks.end(), found.remarks.begin(), found.remarks.end());
  return out;
}

}  // namespace kardan
