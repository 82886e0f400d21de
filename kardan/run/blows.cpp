#include "kardan/run/blows.h"

namespace kardan {

Eval repeat(const std::vector<Blow>& blows, Stops& stops, State& state) {
  if (!stops.compiled()) return Eval::fatal;
  for (const Blow& blow : blows) {
    state.modes = blow.modes;
    if (!blow.all.empty()) {
      if (Eval e = stops.collide(state, blow.all); e != Eval::ok) return e;
      continue;
    }
    if (Eval e = stops.impulses().look(state); e != Eval::ok) return e;
    if (Eval e = stops.impulses().apply(blow.stop, blow.restitution, state); e != Eval::ok) return e;
  }
  return Eval::ok;
}

}  // namespace kardan
