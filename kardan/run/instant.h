#pragma once
/// A time of the motion, with all that follows at it.

#include "kardan/base/state.h"
#include "kardan/system/equations.h"

namespace kardan {

/// A time of the motion: a state with its accelerations and multipliers (empty where not known).
struct Instant {
  const State* state = nullptr;
  const Vector* a = nullptr;
  const Vector* lambda = nullptr;  ///< of all constraint rows
};

}  // namespace kardan
