#pragma once
/// The angle that a weld or slider in the plane holds at zero. Bodies that stand a full turn apart
/// stand alike, so it is counted from the full turn nearest to the given start.

#include <cmath>
#include <numbers>

#include "kardan/elements/builder.h"

namespace kardan {

inline Angle<2> weld_angle(Builder<2>& b, int A, int B) {
  Angle<2> angle = b.angle(A, B);
  constexpr double turn = 2 * std::numbers::pi;
  angle.offset -= turn * std::round(b.start_value(angle, A, B) / turn);
  return angle;
}

}  // namespace kardan
