#pragma once
/// Evidence about a motion that does not come from the method that found it: another method, of the
/// other kind (one that resolves every mode against one that steps over the fast ones), on another
/// formulation and in steps of its own; and the same method from a start that is disturbed by about
/// the rounding of its numbers, which shows by how much what cannot be known has grown.

#include <optional>
#include <string>
#include <vector>

#include "kardan/run/trajectory.h"

namespace kardan {

/// Methods that may cross one of this name, best first: of the other kind and on another
/// formulation, then one of the same kind on another formulation.
[[nodiscard]] std::vector<std::string> crossing_methods(const std::string& method);

/// Of these the ones whose tight runs are to be the references of the method, since its own, of low
/// order, would take too many steps; empty: its own are.
[[nodiscard]] std::vector<std::string> reference_methods(const std::string& method);

/// Tolerances of other methods are not below this.
constexpr double tightest_crossing = 1e-13;
/// A run of another method over the same times, in steps of its own.
[[nodiscard]] SimulateOptions crossing_options(const SimulateOptions& asked,
                                               const std::string& method, double tolerance,
                                               int most_steps);

/// In words what is not the same; empty: they agree to `accuracy`.
[[nodiscard]] std::string difference(const System& system, const Trajectory& a, const Trajectory& b,
                                     double accuracy, double& apart);

struct Crossing {
  std::string method;   ///< that came to the end; empty: none did
  double apart = 0;     ///< reached difference from the motion in question
  std::string differs;  ///< in words, where it is another motion; else empty
  long steps = 0;       ///< of all runs
};

/// Compares `motion`, which `asked.method` has found, with what other methods find: apart by more
/// than `accuracy`, and not nearer with a tighter tolerance, they contradict it. Their runs are
/// given up after `most_steps`.
[[nodiscard]] Crossing cross(const PrepareRun& make, const SimulateOptions& asked,
                             const std::string& method, const Trajectory& motion, double accuracy,
                             int most_steps);

/// The factor by which an error at the start has grown: largest reached difference of `motion`,
/// found with `options`, from a run that starts beside it, over that distance. Nothing where there
/// is no such run.
[[nodiscard]] std::optional<double> magnification(const PrepareRun& make,
                                                  const SimulateOptions& options,
                                                  const Trajectory& motion, long& steps);

/// What auxiliary, contact and multiplier components of two runs have that is not alike: more than
/// a tenth of a component's largest value at several times; the name of one, or empty.
[[nodiscard]] std::string unlike_component(const std::vector<ComponentError>& components);

}  // namespace kardan
