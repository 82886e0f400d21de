#pragma once
/// Accelerations, multipliers and auxiliary variables where forces depend on multipliers: Newton's
/// method on all of
///
///   M a = f(w, lambda) - G' lambda,   0 = d(w, lambda),   G a = gamma     (G and lambda: all rows)

#include "kardan/system/system.h"

namespace kardan {

/// Starts at the w and lambda of the state and leaves the solution there. Recoverable where it is
/// not found, or not unique: forces that depend on multipliers need independent constraints.
Eval solve_coupled_accelerations(const System& system, State& state, Vector& a, Vector& lambda,
                                 Workspace& ws);

}  // namespace kardan
