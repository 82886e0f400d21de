#pragma once
/// A consistent start without the list of what is left free, which costs as much again.

#include "kardan/formulation/assembly.h"

namespace kardan {

[[nodiscard]] ConsistentStart find_start(const System& system, State guess,
                                         const std::vector<BoundWish>& wishes);

}  // namespace kardan
