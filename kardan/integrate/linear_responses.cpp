#include "kardan/integrate/linear_responses.h"

#include <cmath>
#include <limits>

#include "kardan/linalg/complex_lu.h"
#include "kardan/linalg/exponential.h"

namespace kardan {

FrequencyResponse frequency_response(const LinearChannels& l,
                                     const std::vector<double>& frequencies) {
  const auto& [A, B, C, D] = l;
  const int n = A.rows();
  FrequencyResponse out;
  ComplexMatrix pencil;
  pencil.resize(n);
  std::vector<Complex> x(static_cast<std::size_t>(n));
  for (const double w : frequencies) {
    auto& at = out.emplace_back(static_cast<std::size_t>(C.rows()),
                                std::vector<Complex>(static_cast<std::size_t>(B.cols())));
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j) pencil(i, j) = Complex(-A(i, j), i == j ? w : 0);
    ComplexLu lu;
    const bool regular = lu.factor(pencil) == Eval::ok;
    for (int k = 0; k < B.cols(); ++k) {
      for (int i = 0; i < n; ++i) x[static_cast<std::size_t>(i)] = B(i, k);
      if (regular) lu.solve(x);
      for (int o = 0; o < C.rows(); ++o) {
        Complex sum = D(o, k);
        for (int i = 0; i < n; ++i) sum += C(o, i) * x[static_cast<std::size_t>(i)];
        at[static_cast<std::size_t>(o)][static_cast<std::size_t>(k)] =
            regular ? sum : Complex(std::numeric_limits<double>::quiet_NaN());
      }
    }
  }
  return out;
}

StepResponse step_response(const LinearChannels& l, double t_end, int steps) {
  const auto& [A, B, C, D] = l;
  const int n = A.rows(), m = B.cols();
  // (y, u)' = [A B; 0 0] (y, u)
  Matrix whole(n + m, n + m), E;
  whole.set_zero();
  const double h = t_end / steps;
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) whole(i, j) = h * A(i, j);
    for (int k = 0; k < m; ++k) whole(i, n + k) = h * B(i, k);
  }
  MatrixExponential exponential;
  if (exponential.compute(whole, E) != Eval::ok) return {};
  Matrix y(n, m);
  y.set_zero();
  StepResponse out;
  for (int s = 0; s <= steps; ++s) {
    auto& at = out.emplace_back(static_cast<std::size_t>(C.rows()),
                                std::vector<double>(static_cast<std::size_t>(m)));
    for (int o = 0; o < C.rows(); ++o)
      for (int k = 0; k < m; ++k) {
        double sum = D(o, k);
        for (int i = 0; i < n; ++i) sum += C(o, i) * y(i, k);
        at[static_cast<std::size_t>(o)][static_cast<std::size_t>(k)] = sum;
      }
    Matrix next(n, m);
    for (int i = 0; i < n; ++i)
      for (int k = 0; k < m; ++k) {
        double sum = E(i, n + k);
        for (int j = 0; j < n; ++j) sum += E(i, j) * y(j, k);
        next(i, k) = sum;
      }
    y = std::move(next);
  }
  return out;
}

}  // namespace kardan
