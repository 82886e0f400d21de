#pragma once
/// What a formulation is: a way from equations of motion to a problem that methods can treat.

#include <functional>
#include <memory>
#include <string_view>
#include <vector>

#include "kardan/integrate/options.h"
#include "kardan/integrate/problem.h"
#include "kardan/system/system.h"

namespace kardan {

/// In evaluations of all coordinates, measured by instructions on models of 2 to 100 bodies.
struct Work {
  double evaluation = 1, jacobian = 0;
  double step = 0;  ///< beyond its evaluations: the projection and the end of the step
};

struct Formulation {
  std::string_view name, summary, source;
  ProblemKind problem = ProblemKind::ode;
  bool jacobian_anywhere = false;  ///< answers jacobian_at(), not at the base alone
  bool free_form = false;          ///< the one in which coordinates are free and Jacobians exact
  /// Positions are not closed at the ends of steps, by design: joints open in the course of a run.
  bool drifts = false;
  int velocity_index = 1;  ///< of the velocities, where there are constraints; above 1: algebraic
  Work work = {};
  std::vector<OptionInfo> options = {};
  /// Reports what of the system it cannot treat, by name.
  std::function<void(const System&, Diagnostics&)> refuse = {};
  std::function<std::unique_ptr<ChartProblem>(const System&, const OptionValues&)> make = {};
};

}  // namespace kardan
