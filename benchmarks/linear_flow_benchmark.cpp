/// A step of local linearization (flow, end and estimate) by Padé and by Krylov, against the number
/// of variables and |A| h: where the one takes over from the other.

#include <benchmark/benchmark.h>

#include <cmath>

#include "kardan/linalg/linear_flow.h"

namespace {

using namespace kardan;

/// A chain of n masses, lightly coupled all to all.
Matrix coupled_masses(int n) {
  Matrix A(2 * n, 2 * n);
  for (int i = 0; i < n; ++i) {
    A(i, n + i) = 1;
    A(n + i, i) -= 0.25;
    if (i > 0) {
      A(n + i, i - 1) += 0.25;
      A(n + i - 1, i) += 0.25;
      A(n + i - 1, i - 1) -= 0.25;
    }
    for (int j = 0; j < n; ++j) A(n + i, j) += 1e-3 * std::sin(7.1 * i + 3.3 * j) / n;
  }
  return A;
}

void linear_flow(benchmark::State& state, FlowKind kind) {
  const int n = static_cast<int>(state.range(0)) / 2;
  const auto size = static_cast<double>(state.range(1));
  const Matrix A = coupled_masses(n);
  Vector f(2 * n), none(2 * n), w, e;
  for (int i = 0; i < 2 * n; ++i) f[i] = std::sin(1.0 + i);
  LinearFlow flow;
  for (auto _ : state) {
    if (flow.prepare(A, f, none, size, kind, 1e-12) != Eval::ok)
      return state.SkipWithError("fails");
    flow.at(size, w);
    if (flow.third(f, size, e) != Eval::ok) return state.SkipWithError("fails");
    benchmark::DoNotOptimize(w.data());
  }
}
BENCHMARK_CAPTURE(linear_flow, pade, FlowKind::pade)
    ->ArgsProduct({{20, 40, 80, 160, 320}, {10, 100, 1000}})
    ->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(linear_flow, krylov, FlowKind::krylov)
    ->ArgsProduct({{20, 40, 80, 160, 320}, {10, 100, 1000}})
    ->Unit(benchmark::kMicrosecond);

}  // namespace
