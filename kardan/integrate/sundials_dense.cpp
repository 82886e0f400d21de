#include "kardan/integrate/sundials_dense.h"

#include <sundials/sundials_dense.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "kardan/base/stop.h"
#include "kardan/base/stoppable.h"

namespace kardan {
namespace {

/// A matrix under factorization: its own, for the thread that factors may outlive the run.
struct Factors {
  std::vector<realtype> entries;
  std::vector<realtype*> columns;
  std::vector<sunindextype> pivots;
  sunindextype singular_at = 0;  // a column, from 1; 0: none

  explicit Factors(SUNMatrix A) : pivots(SUNDenseMatrix_Columns(A)) {
    const sunindextype n = SUNDenseMatrix_Columns(A);
    entries.assign(SUNDenseMatrix_Data(A), SUNDenseMatrix_Data(A) + n * n);
    for (sunindextype j = 0; j < n; ++j) columns.push_back(entries.data() + j * n);
  }
  void run() {
    const auto n = static_cast<sunindextype>(columns.size());
    singular_at = SUNDlsMat_denseGETRF(columns.data(), n, n, pivots.data());
  }
};

}  // namespace

/// SUNDIALS' functions see the content that they know.
struct SundialsDense::Content : _SUNLinearSolverContent_Dense {
  explicit Content(const _SUNLinearSolverContent_Dense& own) : _SUNLinearSolverContent_Dense(own) {}

  void* made = nullptr;  // by SUNDIALS, which frees it
  Guard guard;
};

SundialsDense::SundialsDense(N_Vector y, SUNMatrix matrix, SUNContext context, Guard guard)
    : solver_(SUNLinSol_Dense(y, matrix, context)),
      content_(std::make_unique<Content>(
          *static_cast<_SUNLinearSolverContent_Dense*>(solver_->content))) {
  _SUNLinearSolverContent_Dense* const seen = content_.get();
  content_->made = std::exchange(solver_->content, static_cast<void*>(seen));
  content_->guard = std::move(guard);
  solver_->ops->setup = setup;
}

SundialsDense::~SundialsDense() {
  solver_->content = content_->made;
  SUNLinSolFree(solver_);
}

int SundialsDense::setup(SUNLinearSolver solver, SUNMatrix A) {
  const sunindextype n = SUNDenseMatrix_Columns(A);
  if (n < long_loop) return SUNLinSolSetup_Dense(solver, A);
  auto* const content =
      static_cast<Content*>(static_cast<_SUNLinearSolverContent_Dense*>(solver->content));
  const auto factors = std::make_shared<Factors>(A);
  const Eval done = content->guard([&factors] {
    run_stoppably([factors] { factors->run(); });
    return Eval::ok;
  });
  if (done != Eval::ok) return SUNLS_PACKAGE_FAIL_UNREC;
  std::ranges::copy(factors->entries, SUNDenseMatrix_Data(A));
  std::ranges::copy(factors->pivots, content->pivots);
  content->last_flag = factors->singular_at;
  return factors->singular_at > 0 ? SUNLS_LUFACT_FAIL : SUNLS_SUCCESS;
}

Eval copy_columns(const Matrix& from, SUNMatrix to) {
  for (int j = 0; j < from.cols(); ++j) {
    if (from.rows() >= long_loop) stop_point();
    realtype* column = SUNDenseMatrix_Column(to, j);
    for (int i = 0; i < from.rows(); ++i) column[i] = from(i, j);
  }
  return Eval::ok;
}

}  // namespace kardan
