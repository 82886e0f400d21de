#pragma once
/// Static balance, or steady motion at given velocities:
///
///   0 = f(p, v, w) - G' lambda - H' mu,   0 = g(p),   0 = d
///   and, for parameters to be found, one wish each.
///
/// Newton on all of it, with the mass matrix times a small number added to the stiffness so that
/// directions in which nothing pulls (a vehicle's way along the road) stay where they are; if
/// Newton fails, damped relaxation: the same steps with a large multiple of the mass matrix that
/// shrinks as the forces balance.

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "kardan/formulation/assembly.h"
#include "kardan/system/system.h"

namespace kardan {

/// Compiles the model again for other parameter values; null if that is impossible.
using SystemFactory = std::function<std::unique_ptr<System>(const ParameterValues&)>;

struct ForceImbalance {
  std::string body;
  double force = 0;   ///< [N]
  double torque = 0;  ///< [N m]
};

struct EquilibriumReport {
  Eval status = Eval::ok;
  std::string message, advice;
  int iterations = 0;
  bool relaxed = false;                   ///< damped relaxation was needed
  double largest_acceleration = 0;        ///< [m/s^2 or rad/s^2] of the balanced state
  std::vector<ForceImbalance> imbalance;  ///< what does not balance, largest first, on failure
  std::vector<WishResult> wishes;
};

struct Equilibrium {
  std::unique_ptr<System> system;  ///< for the parameters found
  ParameterValues parameters;      ///< those that were solved for
  ConsistentStart start;           ///< the balanced state, with accelerations and multipliers
  EquilibriumReport report;
};

/// Balances the model that `factory` makes, starting from its own start.
Equilibrium find_equilibrium(const SystemFactory& factory, Diagnostics& diagnostics);

}  // namespace kardan
