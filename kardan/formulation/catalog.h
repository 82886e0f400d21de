#pragma once
/// The formulations: how equations of motion become problems that methods can treat. A new one is
/// one file and one line in catalog.cpp.

#include <functional>
#include <memory>
#include <string_view>
#include <vector>

#include "kardan/integrate/options.h"
#include "kardan/integrate/problem.h"
#include "kardan/system/system.h"

namespace kardan {

struct Formulation {
  std::string_view name, summary, source;
  ProblemKind problem = ProblemKind::ode;
  bool jacobian_anywhere = false;  ///< answers jacobian_at(), not at the base alone
  std::vector<OptionInfo> options = {};
  /// Reports what of the system it cannot treat, by name.
  std::function<void(const System&, Diagnostics&)> refuse = {};
  std::function<std::unique_ptr<ChartProblem>(const System&, const OptionValues&)> make = {};
};

const std::vector<Formulation>& formulations();
const Formulation* find_formulation(std::string_view name);

}  // namespace kardan
