#pragma once
/// A step as results and journals store it: eleven numbers.

#include <cmath>
#include <optional>

#include "kardan/run/simulate.h"

namespace kardan {

struct StoredStep {
  double time, size, error, rejected, position, velocity, acceleration, kinetic, potential, work,
      unbalanced;
};

[[nodiscard]] inline StoredStep to_stored(const StepRecord& s) {
  return {.time = s.t,
          .size = s.h,
          .error = s.error,
          .rejected = static_cast<double>(s.rejected),
          .position = s.residuals.position,
          .velocity = s.residuals.velocity,
          .acceleration = s.residuals.acceleration,
          .kinetic = s.kinetic,
          .potential = s.potential,
          .work = s.work,
          .unbalanced = s.unbalanced};
}

/// Nothing where the number of rejected attempts is none.
[[nodiscard]] inline std::optional<StepRecord> from_stored(const StoredStep& s) {
  constexpr double most = 9007199254740992;  // 2^53: up to here doubles count
  if (!(s.rejected >= 0 && s.rejected <= most && s.rejected == std::floor(s.rejected)))
    return std::nullopt;
  StepRecord r;
  r.t = s.time;
  r.h = s.size;
  r.error = s.error;
  r.rejected = static_cast<long>(s.rejected);
  r.residuals = {s.position, s.velocity, s.acceleration};
  r.kinetic = s.kinetic;
  r.potential = s.potential;
  r.work = s.work;
  r.unbalanced = s.unbalanced;
  return r;
}

}  // namespace kardan
