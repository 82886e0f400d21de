#pragma once
/// Residuals of the constraints and tangents in the model's own units.

#include <span>

#include "kardan/system/system.h"

namespace kardan {

struct Residuals {
  double position = 0, velocity = 0, acceleration = 0;  // largest, scaled by the model's scales
};

/// Scaled residuals of the constraints at three levels; acceleration only where `a` is given, there
/// by the size of the terms a row adds up where that is above the model's scale.
Residuals constraint_residuals(const System& system, const State& state, std::span<const double> a,
                               Workspace& ws);

/// The state with as many multipliers as the system wants: others have more or fewer constraints.
State fitted(const System& system, State state);

/// Unscaled residual r of a row at a level (0 position, 1 velocity, 2 acceleration), scaled.
double scaled_residual(const System& system, int row, int level, double r);

/// The state with all bodies displaced by up to `size` of the length scale (and as many radians),
/// always in the same way.
State shaken(const System& system, const State& state, double size);

/// True for a rotation, false for a displacement.
bool is_rotation(const System& system, int column);
/// Scale of a tangent column: metres for translations, 1 rad for rotations.
double column_scale(const System& system, int column);

}  // namespace kardan
