#pragma once
/// Small motions about the consistent start of a model, with names.

#include <string>
#include <vector>

#include "kardan/formulation/modes.h"
#include "kardan/run/channels.h"

namespace kardan {

struct Linearization {
  Eval status = Eval::ok;
  std::string message, advice;  ///< when it failed
  Modes modes;
  std::vector<std::string> variables;    ///< of A: x, u, zeta and dynamic variables by name
  std::vector<std::string> cyclic;       ///< those that were taken out: along symmetries
  std::vector<std::string> coordinates;  ///< of mode shapes
  double largest_acceleration = 0;       ///< [m/s^2 or rad/s^2] 0 in balance or steady motion
  int zero = 0;                          ///< eigenvalues that are zero
  Channels channels;
  std::vector<std::string> remarks;  ///< what is not as small motions want it
};

/// Linearizes at prepared.start. A motion that is neither a balance nor steady is refused, unless
/// the equations are to be frozen there. `functions`: those of the model, some of which are inputs.
Linearization linearize(const Prepared& prepared, ModeShapes shapes, ModesOf of = ModesOf::motion,
                        const FieldMap& functions = {});

}  // namespace kardan
