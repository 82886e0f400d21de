#include "kardan/formulation/coupled_accelerations.h"

#include <cmath>

#include "kardan/linalg/dense_lu.h"

namespace kardan {
namespace {

/// A step of this relative size is round-off.
constexpr double converged_multipliers = 1e-13;
constexpr int most_coupled_iterations = 30;
/// Below this reciprocal condition multipliers are not determined.
constexpr double undetermined = 1e-14;

/// A(row + i, col + j) += factor S(i, j), columns of S from `from` on.
void add(const SparseMatrix& S, double factor, int from, int row, int col, Matrix& A) {
  const SparsePattern& p = *S.pattern;
  for (int i = 0; i < p.rows; ++i)
    for (int k = p.row_start[i]; k < p.row_start[i + 1]; ++k)
      if (p.column[k] >= from) A(row + i, col + p.column[k] - from) += factor * S.values[k];
}

/// [M, -f_w, G' - f_lambda; 0, d_w, d_lambda; G, 0, 0]
void assemble_matrix(const Sizes& n, const Workspace& ws, Matrix& A) {
  const int rows = n.constraints(), at_w = n.v, at_lambda = n.v + n.w;
  A.resize(at_lambda + rows, at_lambda + rows);
  A.set_zero();
  add(ws.M, 1, 0, 0, 0, A);
  add(ws.force_aux, -1, n.r, 0, at_w, A);
  add(ws.force_lambda, -1, 0, 0, at_lambda, A);
  add(ws.G, 1, 0, at_lambda, 0, A);
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < n.v; ++j) A(j, at_lambda + i) += A(at_lambda + i, j);
  const Matrix own = ws.aux_aux.to_dense(), by_lambda = ws.aux_lambda.to_dense();
  for (int i = 0; i < n.w; ++i) {
    for (int j = 0; j < n.w; ++j) A(at_w + i, at_w + j) = own(n.r + i, n.r + j);
    for (int j = 0; j < rows; ++j) A(at_w + i, at_lambda + j) = by_lambda(n.r + i, j);
  }
}

}  // namespace

Eval solve_coupled_accelerations(const System& system, State& state, Vector& a, Vector& lambda,
                                 Workspace& ws) {
  const Sizes& n = system.sizes();
  const int rows = n.constraints();
  a.assign(n.v, 0.0);
  state.lambda.resize(rows, 0.0);
  Matrix A;
  DenseLu lu;
  for (int iteration = 0; iteration < most_coupled_iterations; ++iteration) {
    if (Eval e = system.evaluate(state, Request::all(), ws); e != Eval::ok) return e;
    if (Eval e = system.differentiate(state, a, {}, ws); e != Eval::ok) return e;
    assemble_matrix(n, ws, A);
    if (Eval e = lu.factor(A); e != Eval::ok) return e;
    if (iteration == 0 && lu.rcond() < undetermined) return Eval::recoverable;
    Vector x = ws.f;
    ws.M.multiply_add(-1, a, x);
    ws.G.multiply_transposed_add(-1, state.lambda, x);
    for (double d : ws.d) x.push_back(-d);
    Vector miss = ws.gamma;
    ws.G.multiply_add(-1, a, miss);
    x.insert(x.end(), miss.begin(), miss.end());
    lu.solve(x);
    double size = 0;
    const auto step = [&](Vector& values, int from) {
      for (std::size_t i = 0; i < values.size(); ++i) {
        values[i] += x[from + i];
        size = std::max(size, std::abs(x[from + i]) / (1 + std::abs(values[i])));
      }
    };
    step(a, 0);
    step(state.w, n.v);
    step(state.lambda, n.v + n.w);
    if (!all_finite(x)) return Eval::recoverable;
    if (size < converged_multipliers) {
      lambda = state.lambda;
      return Eval::ok;
    }
  }
  return Eval::recoverable;
}

}  // namespace kardan
