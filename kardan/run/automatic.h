#pragma once
/// `--method auto`: method and formulation from the model and a short probe at its start.
///
/// The probe counts and never looks at a clock, so that the same input gives the same choice:
///
/// 1. What the model has rules methods out: forces that depend on multipliers, invariants to be
///    kept, derivatives that are missing, fixed steps.
/// 2. A few evaluations give rho, the fastest rate of the equations at the start (power method).
///    Stability alone asks an explicit method for rho (t_end - t) / limit steps. When those are
///    few, it is taken, unless the run is short and what is fast is damped: then the steps of an
///    implicit method are known from the tolerance, or from a run at a loose one.
/// 3. When they are very many and the fastest rate is that of something damped, an implicit method
///    is taken: what is fast dies out at once, however small the first steps have to be.
/// 4. Otherwise an implicit method takes a few steps until its step has settled; where that does
///    not decide, an explicit one does so too. The counted work of either for the whole run, in
///    evaluations, decides.

#include <string>

#include "kardan/run/choice.h"
#include "kardan/run/report.h"
#include "kardan/system/system.h"

namespace kardan {

/// The choice for a run from `start`, consistent, of equations and options that are good.
[[nodiscard]] AutomaticChoice choose_automatically(const System& system, const State& start,
                                                   const SimulateOptions& options);

/// The same by 2 to 4 alone: of equations that are known not to be linear.
[[nodiscard]] AutomaticChoice choose_by_probe(const System& system, const State& start,
                                              const SimulateOptions& options);

/// Of a run with `method` that has come to `state` with steps of length h and so much work, counted:
/// a method that promises the rest for much less of it. Some steps of all from there decide, which
/// cost a few percent of that work; without a method: there is none.
[[nodiscard]] AutomaticChoice find_cheaper(const System& system, const State& state,
                                           const SimulateOptions& options,
                                           const std::string& method, double h, double work);

}  // namespace kardan
