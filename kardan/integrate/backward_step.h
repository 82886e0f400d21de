#pragma once
/// A single step of backward differentiation to any time, from ends of steps before it at any
/// distances: with the polynomial through them and the point sought,
///
///   y'(t) = f(t, y).
///
/// What the ends carry in fast modes is damped as it is where a method takes such steps itself;
/// a step of no length leaves it as it is.

#include <array>

#include "kardan/integrate/problem.h"
#include "kardan/linalg/dense_lu.h"

namespace kardan {

class BackwardStep {
 public:
  static constexpr int most = 6;  // ends
  struct End {
    double t = 0;
    Local y;  // in the chart of the problem
  };

  /// The ends, the latest first.
  std::array<End, most> ends;
  int count = 0;

  /// y at t behind the latest end, of as many ends as the order. The iteration stops where it changes y by little of `scale`.
  [[nodiscard]] Eval solve(ChartProblem& problem, double t, int order, const State& state,
                           const ErrorScale& scale, Local& y);

 private:
  void foretell(double t, int from, Local& y);
  void differentiate(double t, int order);
  [[nodiscard]] Eval factor(ChartProblem& problem, double t, const Local& y);

  std::array<double, most + 1> weights_{};  // of y and the ends in y'
  Local past_, difference_;
  LocalRate rate_;
  LocalJacobian jacobian_;
  Matrix matrix_;
  DenseLu lu_;
  Vector step_;
};

}  // namespace kardan
