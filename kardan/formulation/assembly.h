#pragma once
/// Consistent initial values: from a guess that may be far off to positions, velocities,
/// accelerations and multipliers that satisfy all equations and all their hidden consequences.
///
///   positions       g = 0 and position wishes, by damped Gauss-Newton steps, each the smallest in
///                   the mass metric
///   velocities      G v + g_t = 0, H v + h = 0 and velocity wishes, nearest to the given ones in
///                   the mass metric
///   w               d = 0
///   accelerations   M a + G' lambda + H' mu = f,  G a = gamma  (with every time-dependent term)

#include <string>
#include <vector>

#include "kardan/formulation/assembly_report.h"
#include "kardan/formulation/wishes.h"
#include "kardan/system/system.h"

namespace kardan {

struct ConsistentStart {
  State state;
  Vector a;       ///< accelerations
  Vector lambda;  ///< multipliers of all constraint rows (lambda, then mu)
  AssemblyReport report;
};

/// Assembles from `guess` (the model's start by default), honouring wishes by priority.
ConsistentStart assemble(const System& system, State guess, const std::vector<BoundWish>& wishes);

/// The given positions and velocities unchanged, refused where they are not consistent or miss an
/// exact wish.
ConsistentStart take_as_given(const System& system, State given,
                              const std::vector<BoundWish>& wishes);

/// How `to` differs from the start `from` that was given, in the scales of the model.
StartChanges find_changes(const System& system, const State& from, const State& to);

/// Names of as many coordinates, or velocities, as constraints and exact wishes leave free.
std::vector<std::string> free_coordinates(const System& system, const State& state,
                                          const std::vector<BoundWish>& wishes, WishLevel level,
                                          Workspace& ws);

}  // namespace kardan
