#pragma once
/// Whether a balance is stable, by the eigenvalues of small motions about it.

#include <string>

#include "kardan/run/prepare.h"

namespace kardan {

enum class Stability {
  stable,    ///< every small motion dies out
  undamped,  ///< none grows, and some go on: without damping, or along directions without forces
  unstable,  ///< some motion grows
  unknown
};
std::string_view to_string(Stability);

struct StabilityReport {
  Stability kind = Stability::unknown;
  double growth = 0;  ///< [1/s] of an unstable motion, the fastest
  std::string moves;  ///< what it moves most
  std::string why;    ///< not known
};

/// At prepared.start, which is in balance.
StabilityReport find_stability(const Prepared& prepared);

}  // namespace kardan
