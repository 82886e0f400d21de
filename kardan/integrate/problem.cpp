#include "kardan/integrate/problem.h"

#include <algorithm>

namespace kardan {

std::string_view to_string(ProblemKind kind) {
  constexpr std::string_view names[] = {"ode", "constrained", "dae"};
  return names[static_cast<int>(kind)];
}

void ChartProblem::weigh_one_by_one(const State& state, const ErrorScale& scale, Local& weights) {
  Local unit;
  unit.resize(second_order(), first_order());
  weights = unit;
  for (auto [e, w] : {std::pair(&unit.x, &weights.x), std::pair(&unit.u, &weights.u),
                      std::pair(&unit.z, &weights.z)})
    for (std::size_t i = 0; i < e->size(); ++i) {
      (*e)[i] = 1;
      (*w)[i] = error_norm(unit, state, scale);
      (*e)[i] = 0;
    }
}

}  // namespace kardan
