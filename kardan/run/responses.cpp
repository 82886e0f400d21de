#include "kardan/run/responses.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "kardan/linalg/complex_lu.h"
#include "kardan/linalg/exponential.h"

namespace kardan {

FrequencyResponse frequency_response(const Linearization& l,
                                     const std::vector<double>& frequencies) {
  const Matrix &A = l.modes.A, &B = l.channels.B, &C = l.channels.C, &D = l.channels.D;
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

StepResponse step_response(const Linearization& l, double t_end, int steps) {
  const Matrix &A = l.modes.A, &B = l.channels.B, &C = l.channels.C, &D = l.channels.D;
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

std::vector<double> telling_frequencies(const Linearization& l, int count) {
  double low = std::numeric_limits<double>::infinity(), high = 0;
  for (const Mode& m : l.modes.modes) {
    if (m.zero) continue;
    low = std::min(low, std::abs(m.value));
    high = std::max(high, std::abs(m.value));
  }
  if (high == 0) low = high = 1;
  constexpr double decade = 10, widest = 1e6;
  low /= decade;
  high = std::min(high * decade, low * widest);
  std::vector<double> out;
  for (int i = 0; i < count; ++i)
    out.push_back(low * std::pow(high / low, static_cast<double>(i) / (count - 1)));
  return out;
}

double telling_time(const Linearization& l) {
  double slowest = std::numeric_limits<double>::infinity(), growth = 0, turning = 0;
  for (const Mode& m : l.modes.modes) {
    if (m.zero) continue;
    if (m.value.real() < 0) slowest = std::min(slowest, -m.value.real());
    growth = std::max(growth, m.value.real());
    turning = std::max(turning, std::abs(m.value));
  }
  // Rounding makes a damping of what has none.
  constexpr double lifetimes = 5, growths = 3, turns = 60, undamped = 1e-9;
  if (growth > undamped * turning) return growths / growth;
  if (std::isfinite(slowest) && slowest > undamped * turning) return lifetimes / slowest;
  return turning > 0 ? turns / turning : 1;
}

}  // namespace kardan
