#pragma once
/// Central differences of order eight (Fornberg, Math. Comp. 51 (1988), table 1):
/// truncation h^8 f^(9)/630, rounding about eps/h, so 1e-9 relative is safe with h = 1e-2 for
/// functions that vary on the scale of 1.

#include <cmath>

namespace kardan::test {

template <class F>
double difference(const F& f, double x, double h = 1e-2) {
  constexpr double c[4] = {4.0 / 5.0, -1.0 / 5.0, 4.0 / 105.0, -1.0 / 280.0};
  double sum = 0.0;
  for (int k = 1; k <= 4; ++k) sum += c[k - 1] * (f(x + k * h) - f(x - k * h));
  return sum / h;
}

/// |got - wanted| against max(1, |wanted|).
inline double relative_error(double got, double wanted) {
  return std::abs(got - wanted) / std::fmax(1.0, std::abs(wanted));
}

}  // namespace kardan::test
