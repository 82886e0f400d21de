#include "kardan/formulation/shaken.h"

#include <cstdint>

#include "kardan/formulation/assembly.h"

namespace kardan {

State shaken(const System& system, const State& state, double size) {
  Vector delta(system.sizes().v);
  std::uint64_t random = 20010601;
  for (std::size_t i = 0; i < delta.size(); ++i) {
    // Knuth's MMIX generator; its high bits as a number in (-1, 1).
    random = random * 6364136223846793005ULL + 1442695040888963407ULL;
    const double number = static_cast<double>(static_cast<std::int64_t>(random)) / 0x1p63;
    delta[i] = size * column_scale(system, static_cast<int>(i)) * number;
  }
  State moved = state;
  system.retract(state.p, delta, moved.p);
  const auto ws = system.make_workspace();
  system.follow_turns(state, moved, *ws);
  return moved;
}

}  // namespace kardan
