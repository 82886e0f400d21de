#pragma once
/// What formulations say is at fault where equations cannot be evaluated or solved: one name for
/// one cause, whatever the formulation.

#include <string>

#include "kardan/system/system.h"

namespace kardan {

struct AssemblyReport;

inline constexpr const char* singular_accelerations =
    "the accelerations (mass matrix and constraints are singular together)";
inline constexpr const char* derivatives_not_finite = "derivatives that are not finite";
inline constexpr const char* auxiliary_not_determined =
    "the auxiliary variables, which are not determined";
/// A row that was left out as redundant and does not hold.
std::string contradicting_row(const System& system, int row);

/// Why the equations could not be evaluated at `state`: the force, or the constraint, that is not
/// finite there.
std::string not_finite_culprit(const System& system, const State& state, Workspace& ws);

/// What to do where the mass matrix is singular: the bodies that lack mass or inertia, by name.
std::string advice_on_mass(const Blueprint& blueprint);

/// True where a force, a constraint or the mass at `state` is not finite; the report then says
/// which, and where it stands in its file.
bool blame_not_finite(const System& system, const State& state, Workspace& ws,
                      AssemblyReport& report);

}  // namespace kardan
