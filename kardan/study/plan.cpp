#include "kardan/study/plan.h"

#include <cmath>

#include "kardan/study/normal.h"

namespace kardan {

void StudyPlan::sample(std::uint64_t run, std::span<double> out) const {
  design->point(run, out);
  for (std::size_t k = 0; k < distributions.size(); ++k)
    if (distributions[k]) out[k] = distributions[k]->at(out[k]);
  for (const CorrelatedGroup& group : correlated) {
    std::vector<double> z;
    for (std::size_t k = 0; k < group.mean.size(); ++k)
      z.push_back(normal_quantile(out[group.first + k]));
    for (std::size_t k = 0; k < z.size(); ++k) {
      double x = group.mean[k];
      for (std::size_t j = 0; j <= k; ++j) x += group.factor[k][j] * z[j];
      out[group.first + k] = x;
    }
  }
}

Expected<std::vector<std::vector<double>>, NotPositive> cholesky(
    const std::vector<std::vector<double>>& matrix) {
  std::vector<std::vector<double>> factor(matrix.size());
  for (std::size_t i = 0; i < matrix.size(); ++i) {
    factor[i].resize(i + 1);
    for (std::size_t j = 0; j <= i; ++j) {
      double sum = matrix[i][j];
      for (std::size_t k = 0; k < j; ++k) sum -= factor[i][k] * factor[j][k];
      if (j < i) {
        factor[i][j] = sum / factor[j][j];
        continue;
      }
      // A variance that is rounding of what it is the rest of is none.
      constexpr double rounding = 1e-12;
      if (!(sum > rounding * matrix[i][i])) return NotPositive{i, sum};
      factor[i][i] = std::sqrt(sum);
    }
  }
  return factor;
}

}  // namespace kardan
