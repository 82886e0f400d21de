#pragma once
/// Andrews' mechanism in seven angles with its consistent start, and the error reached at the end.

#include <algorithm>
#include <cmath>

#include "kardan/formulation/assembly.h"
#include "support/general_problems.h"

namespace kardan {

struct AndrewsReference {
  test::GeneralProblem problem = test::general_problem("andrews");
  ConsistentStart start = assemble(*problem.system, problem.system->start(), {});
  const State& end() const { return problem.reference.back().state; }

  double error(const double* p) const {
    double largest = 0;
    for (std::size_t i = 0; i < end().p.size(); ++i)
      largest = std::max(largest, std::abs(p[i] - end().p[i]) / (1 + std::abs(end().p[i])));
    return largest;
  }
};

inline const AndrewsReference& andrews() {
  static const AndrewsReference one;
  return one;
}

}  // namespace kardan
