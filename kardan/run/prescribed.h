#pragma once
/// Refuses drivers and constraints of written equations that no motion can follow: position,
/// velocity and acceleration of what they prescribe must be continuous over the whole run; of
/// conditions on velocities, these.

#include "kardan/base/diagnostics.h"
#include "kardan/system/system.h"

namespace kardan {

void refuse_kinks(const System& system, double from, double to, Diagnostics& diagnostics);

}  // namespace kardan
