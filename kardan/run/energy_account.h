#pragma once
/// How far energy may be from its balance where every step has kept the tolerance. A local error
/// (dx, dv) of a step changes the energy by
///
///   dE = v' M dv - (M a)' dx
///
/// (forces with a potential and constraints together: M a is what is left of them along motions
/// that the constraints allow), and what follows keeps that energy: errors of steps add up, and are
/// not magnified. Steps whose estimate is at the tolerance may so leave
///
///   sum over steps, coordinates  |M v| (abs_v + rel |v|) + |M a| (abs_x + rel |x|)
///
/// and an estimate may fall short of the error by `doubt`.

#include "kardan/integrate/problem.h"
#include "kardan/system/system.h"

namespace kardan {

class EnergyAccount {
 public:
  /// The estimate of a step and its error may be apart by this factor.
  static constexpr double doubt = 3;

  /// From now on these equations hold, with these tolerances.
  void use(const System& system, const ErrorScale& scale, const State& state, Workspace& ws);
  /// [J] What the tolerance leaves open in a step that ends at `state` with accelerations `a`.
  double of_step(const State& state, const Vector& a) const;
  /// [J] Of the energies that the masses exchange at the model's accelerations over its length:
  /// sums of forces that cancel are rounded by so much, times rounding.
  double unit() const;

 private:
  const System* system_ = nullptr;
  ErrorScale scale_;
  Vector mass_;  // of every velocity: the sum of its row of |M|
};

/// The joint, driver or force that does most at a state: by power among drivers, else by reaction,
/// else by force; empty where there is none.
[[nodiscard]] std::string busiest_element(const System& system, const State& state,
                                          const Vector& lambda, Workspace& ws);

}  // namespace kardan
