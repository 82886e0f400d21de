#pragma once
/// What an event has done to velocities, so that it can be done again to a motion nearby.

#include <vector>

#include "kardan/run/stops.h"

namespace kardan {

/// The impulse of one stop; or, where there is friction, of all that touch at once.
struct Blow {
  int stop = -1;
  double restitution = 0;
  Vector all;              ///< restitution of every stop, where there is friction
  std::vector<int> modes;  ///< of the state when it came
};

/// Since the last step.
struct Happened {
  int event = -1;  ///< the first that acted, among the event functions; -1: none
  std::vector<Blow> blows;
};

/// The impulses again, in their order; the modes of the state end as the last one found them.
[[nodiscard]] Eval repeat(const std::vector<Blow>& blows, Stops& stops, State& state);

}  // namespace kardan
