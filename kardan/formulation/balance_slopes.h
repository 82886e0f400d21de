#pragma once
/// How a balance changes with the parameters it looks for: twice as many systems as parameters, and
/// much the same for another balance of the same model, whose search may begin with them.

#include "kardan/formulation/equilibrium.h"

namespace kardan {

struct BalanceSlopes {
  std::vector<Vector> residual;  ///< of the equations, by parameter
  std::vector<Vector> wish;      ///< of the wishes
};

/// The same search as of equilibrium.h, which is made here too. `begin`: slopes for the first steps (null, or those
/// of another layout: found here); where they do not do, they are made anew.
Equilibrium find_equilibrium(const SystemFactory& factory, Diagnostics& diagnostics,
                             const BalanceSlopes* begin, BalanceSlopes* found = nullptr);

}  // namespace kardan
