#pragma once
/// How steps pass a position in which constraints depend on each other.

#include <algorithm>

namespace kardan {

/// It is passed best at this share of a step: between the first two stages of radau5 (0.155, 0.645)
/// and of dop853.
inline constexpr double passage_share = 0.4;

/// [steps] Around a singular position the bases before show where it is: no restart so near to it.
inline constexpr double away_from_singular = 10;

/// A step of at most h that passes a singular position, `ahead` from its start [s], with none of
/// its stages next to it, or ends where the next one can do so.
inline double around_singular(double h, double ahead) {
  // Shares of a step at which the position does no harm: before the first stage of radau5, or in
  // the middle between the first two. It matters to steps that would end within reach of it.
  constexpr double before_stages = 0.08, passage_from = 0.3, passage_to = 0.5,
                   next_to_singular = 1.5;
  if (!(ahead > 0) || ahead > next_to_singular * h) return h;
  const double share = ahead / h;
  if (share > passage_to) return std::min(h, ahead - passage_share * h);
  const bool harmless = share < before_stages || share >= passage_from;
  return harmless ? h : ahead / passage_share;
}

}  // namespace kardan
