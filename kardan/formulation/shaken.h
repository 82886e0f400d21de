#pragma once
/// A state beside a given one: to leave singular positions, and to look at what they have nearby.

#include "kardan/system/system.h"

namespace kardan {

/// The state with all bodies displaced by up to `size` of the length scale (and as many radians),
/// always in the same way.
State shaken(const System& system, const State& state, double size);

}  // namespace kardan
