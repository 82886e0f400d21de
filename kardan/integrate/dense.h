#pragma once
/// Dense output: between the ends of a step the chart coordinates follow the quintic that has their
/// positions, velocities and accelerations (order 5 in q, 4 in q' for exact ends), first-order
/// variables the cubic of Hermite.

#include "kardan/integrate/problem.h"

namespace kardan {

class DenseStep {
 public:
  static constexpr int order = 4;  ///< of positions and velocities, where the ends are as good
  ChartPoint from, to;

  double h() const { return to.t - from.t; }
  /// The chart point at from.t + theta h.
  void at(double theta, ChartPoint& out) const;
};

}  // namespace kardan
