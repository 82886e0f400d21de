#pragma once
/// All variables of runs on a common grid of times, and how far two runs are apart.

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "kardan/run/simulate.h"

namespace kardan {

/// Makes a model ready to run; called once a run, perhaps from several threads.
using PrepareRun = std::function<Prepared()>;

/// Values at equidistant times, by name of the quantity.
struct Trajectory {
  std::vector<std::string> names;  ///< of quantities, then of multipliers
  std::vector<double> times;
  std::vector<Vector> rows;  ///< one a time, in the order of the names
};

/// Positions, velocities, dynamic, auxiliary and contact variables and multipliers of a run at the
/// grid of options.every; nothing where it failed. A run
/// that an event has stopped counts up to there.
std::optional<Trajectory> trajectory(Prepared& prepared, const SimulateOptions& options,
                                     RunReport& report, Diagnostics& diagnostics,
                                     Evidence evidence = Evidence::gathered);

/// By components that both have, over the times that both have. Of a quaternion and its negative,
/// which stand for one orientation, the nearer counts.
std::vector<ComponentError> component_errors(const System& system, const Trajectory& run,
                                             const Trajectory& reference);

/// Reached error: the largest of all components and times, positions (with dynamic variables) and
/// velocities apart; without what is auxiliary.
struct ReachedError {
  double position = 0, velocity = 0;
};
ReachedError reached_error(const std::vector<ComponentError>& components);
/// The same at one of the times.
ReachedError reached_error(const std::vector<ComponentError>& components, std::size_t time);

}  // namespace kardan
