#pragma once
/// Dense output: between the ends of a step the chart coordinates follow the quintic that has their
/// positions, velocities and accelerations (order 5 in q, 4 in q' for exact ends), first-order
/// variables the cubic of Hermite. Methods that know their solution inside the step give the free
/// coordinates instead; those that depend on them are then found by ChartProblem::state_at.

#include "kardan/integrate/method.h"

namespace kardan {

class DenseStep {
 public:
  ChartPoint from, to;
  StepFlow* flow = nullptr;         // of the method, or null
  ChartProblem* problem = nullptr;  // whose chart the flow is in

  double h() const { return to.t - from.t; }
  /// The chart point at from.t + theta h.
  void at(double theta, ChartPoint& out) const;
  /// Speeds no chart coordinate exceeds between a and b (shares of the step). For coordinates that
  /// depend on those of a flow: twice the largest at a and b, `at_a` and `at_b`.
  void speed_bound(double a, double b, const ChartPoint& at_a, const ChartPoint& at_b,
                   Vector& speed) const;
  /// How a state is to be made from a point of this step.
  ChartProblem::Consistency consistency() const {
    return flow ? ChartProblem::Consistency::projected : ChartProblem::Consistency::as_interpolated;
  }
};

}  // namespace kardan
