/// Where the dense and the sparse factorization take the same time, and what the rank decision
/// costs. The chosen limits (LinearSolverOptions, row_dependencies.cpp) come from here.

#include <benchmark/benchmark.h>

#include "../tests/linalg/random_matrices.h"
#include "kardan/linalg/dense_lu.h"
#include "kardan/linalg/linear_solver.h"
#include "kardan/linalg/motion/mass_elimination.h"
#include "kardan/linalg/rank.h"

namespace {

using namespace kardan;
using namespace kardan::test;

constexpr int always_dense = 1 << 30;

/// One factorization and one solve of [M G'; G 0] of a chain, values as after a first step.
void factor_and_solve(benchmark::State& state, const SparseMatrix& A, LinearSolverOptions options) {
  LinearSolver solver(A.pattern, options);
  Vector b(A.rows(), 1.0), x(A.rows());
  if (solver.factor(A.values) != Eval::ok) return state.SkipWithError("singular");
  for (auto _ : state) {
    if (solver.factor(A.values) != Eval::ok) return state.SkipWithError("singular");
    x = b;
    solver.solve(x);
    benchmark::DoNotOptimize(x.data());
  }
  state.counters["size"] = A.rows();
}

void chain_dense(benchmark::State& state) {
  Random random(1);
  factor_and_solve(state, chain_saddle_point(static_cast<int>(state.range(0)), random),
                   {.dense_limit = always_dense});
}
BENCHMARK(chain_dense)->DenseRange(2, 10)->Arg(20);

void chain_sparse(benchmark::State& state) {
  Random random(1);
  factor_and_solve(state, chain_saddle_point(static_cast<int>(state.range(0)), random),
                   {.dense_limit = 0, .dense_fill = 2.0});
}
BENCHMARK(chain_sparse)->DenseRange(2, 10)->Arg(20)->Arg(100)->Arg(1000)->Arg(10000);

/// One factorization and one solve of a chain's accelerations, masses factored before.
void chain_accelerations(benchmark::State& state) {
  Random random(5);
  const SparseMatrix G = chain_jacobian(static_cast<int>(state.range(0)), 3, random);
  PatternBuilder diagonal(G.cols(), G.cols());
  for (int i = 0; i < G.cols(); ++i) diagonal.add(i, i);
  SparseMatrix M(diagonal.build());
  std::fill(M.values.begin(), M.values.end(), 1.0);
  MassElimination solver(M.pattern, G.pattern);
  if (solver.factor_mass(M.values) != Eval::ok) return state.SkipWithError("no masses");
  Vector a(G.cols()), y(G.rows());
  for (auto _ : state) {
    if (solver.factor(G.values) != Eval::ok) return state.SkipWithError("rows are dependent");
    std::fill(a.begin(), a.end(), 1.0);
    std::fill(y.begin(), y.end(), 1.0);
    solver.solve(a, y);
    benchmark::DoNotOptimize(a.data());
  }
}
BENCHMARK(chain_accelerations)->Arg(2)->Arg(10)->Arg(100)->Arg(1000);

/// Unstructured symmetric pattern of 150 unknowns with the given percentage of nonzeros.
SparseMatrix unstructured(int percent) {
  constexpr int size = 150;
  Random random(2);
  PatternBuilder builder(size, size);
  for (int i = 0; i < size; ++i) {
    builder.add(i, i);
    for (int j = 0; j < i; ++j) {
      if (random.index(100) >= percent) continue;
      builder.add(i, j);
      builder.add(j, i);
    }
  }
  SparseMatrix A(builder.build());
  for (double& value : A.values) value = random.value();
  return A;
}

void unstructured_dense(benchmark::State& state) {
  factor_and_solve(state, unstructured(static_cast<int>(state.range(0))),
                   {.dense_limit = always_dense});
}
BENCHMARK(unstructured_dense)->Arg(5)->Arg(10)->Arg(20)->Arg(40);

void unstructured_sparse(benchmark::State& state) {
  factor_and_solve(state, unstructured(static_cast<int>(state.range(0))),
                   {.dense_limit = 0, .dense_fill = 2.0});
}
BENCHMARK(unstructured_sparse)->Arg(2)->Arg(5)->Arg(10)->Arg(20)->Arg(40);

void dense_lu_factor(benchmark::State& state) {
  Random random(3);
  const int size = static_cast<int>(state.range(0));
  const Matrix A = random_matrix(size, size, random);
  DenseLu lu;
  for (auto _ : state) benchmark::DoNotOptimize(lu.factor(A));
}
BENCHMARK(dense_lu_factor)->Arg(6)->Arg(12)->Arg(24)->Arg(50)->Arg(100)->Arg(200);

void rank_dense(benchmark::State& state) {
  Random random(4);
  const Matrix G = chain_jacobian(static_cast<int>(state.range(0)), 3, random).to_dense();
  for (auto _ : state) benchmark::DoNotOptimize(find_row_dependencies(G).rank);
}
BENCHMARK(rank_dense)->Arg(10)->Arg(20)->Arg(22)->Arg(50)->Unit(benchmark::kMicrosecond);

/// Sparse from 22 bodies (63 rows) on.
void rank_by_size(benchmark::State& state) {
  Random random(4);
  const SparseMatrix G = chain_jacobian(static_cast<int>(state.range(0)), 3, random);
  for (auto _ : state) benchmark::DoNotOptimize(find_row_dependencies(G).rank);
}
BENCHMARK(rank_by_size)->Arg(22)->Arg(50)->Arg(1000)->Arg(10000)->Unit(benchmark::kMicrosecond);

}  // namespace
