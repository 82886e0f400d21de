#include "kardan/integrate/state_matrix.h"

#include "kardan/linalg/dense_lu.h"

namespace kardan {

Eval state_matrix(const LocalJacobian& local, Matrix& out) {
  StateMatrixScratch scratch;
  return state_matrix(local, out, scratch);
}

Eval state_matrix(const LocalJacobian& local, Matrix& out, StateMatrixScratch& scratch) {
  const int n = local.M.rows(), first = local.B_z.rows();
  out.resize(2 * n + first, 2 * n + first);
  out.set_zero();
  for (int i = 0; i < n; ++i) out(i, n + i) = 1;
  auto place = [&out](const Matrix& block, int row, int col) {
    for (int i = 0; i < block.rows(); ++i)
      std::copy_n(block.row(i), block.cols(), out.row(row + i) + col);
  };
  if (n > 0) {
    auto& [mass, block] = scratch;
    if (Eval e = mass.factor(local.M); e != Eval::ok) return e;
    for (const auto& [A, col] :
         {std::pair(&local.A_x, 0), std::pair(&local.A_u, n), std::pair(&local.A_z, 2 * n)}) {
      if (A->cols() == 0) continue;
      block = *A;
      mass.solve(block);
      place(block, n, col);
    }
  }
  place(local.B_x, 2 * n, 0);
  place(local.B_u, 2 * n, n);
  place(local.B_z, 2 * n, 2 * n);
  return Eval::ok;
}

Eval input_column(const LocalJacobian& still, const LocalJacobian& moving, Vector& out) {
  const std::size_t n = still.A_t.size(), first = still.B_t.size();
  Vector accelerations(n);
  for (std::size_t i = 0; i < n; ++i) accelerations[i] = moving.A_t[i] - still.A_t[i];
  if (n > 0) {
    DenseLu mass;
    if (Eval e = mass.factor(still.M); e != Eval::ok) return e;
    mass.solve(accelerations);
  }
  out.assign(2 * n + first, 0.0);
  std::copy(accelerations.begin(), accelerations.end(),
            out.begin() + static_cast<std::ptrdiff_t>(n));
  for (std::size_t i = 0; i < first; ++i) out[2 * n + i] = moving.B_t[i] - still.B_t[i];
  return Eval::ok;
}

}  // namespace kardan
