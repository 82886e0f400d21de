#include "kardan/linalg/linear_solver.h"

#include <cassert>
#include <utility>

namespace kardan {

LinearSolver::LinearSolver(std::shared_ptr<const SparsePattern> pattern,
                           LinearSolverOptions options)
    : pattern_(std::move(pattern)) {
  assert(pattern_);
  if (pattern_->rows != pattern_->cols) {
    analyzed_ = Eval::fatal;
    return;
  }
  if (size() <= options.dense_limit) return;
  SparseLu sparse;
  analyzed_ = sparse.analyze(pattern_);
  const double all = static_cast<double>(size()) * size();
  if (analyzed_ != Eval::ok || sparse.predicted_nonzeros() < options.dense_fill * all) {
    solver_ = std::move(sparse);
  }
}

Eval LinearSolver::factor(std::span<const double> values) {
  assert(static_cast<int>(values.size()) == pattern_->nonzeros());
  pivots_ = Pivots::none;
  if (analyzed_ != Eval::ok) return analyzed_;
  if (Dense* dense = std::get_if<Dense>(&solver_)) {
    copy_to_dense(*pattern_, values, dense->A);
    const Eval result = dense->lu.factor(dense->A);
    if (result == Eval::ok) pivots_ = Pivots::fresh;
    return result;
  }
  SparseLu& sparse = std::get<SparseLu>(solver_);
  const Eval result = reuse_ == Reuse::yes ? sparse.refactor(values) : sparse.factor(values);
  reuse_ = result == Eval::ok ? Reuse::yes : Reuse::no;
  pivots_ = sparse.pivots();
  return result;
}

void LinearSolver::adopt_pivots(const LinearSolver& other) {
  SparseLu* sparse = std::get_if<SparseLu>(&solver_);
  if (sparse == nullptr) return;
  reuse_ = other.pivots_ == Pivots::none ? Reuse::no : Reuse::yes;
  if (reuse_ == Reuse::yes) sparse->adopt_pivots(std::get<SparseLu>(other.solver_));
}

void LinearSolver::solve(std::span<double> x) {
  assert(pivots_ != Pivots::none);
  if (Dense* dense = std::get_if<Dense>(&solver_)) return dense->lu.solve(x);
  std::get<SparseLu>(solver_).solve(x);
}

void LinearSolver::solve(Matrix& X) {
  assert(pivots_ != Pivots::none);
  if (Dense* dense = std::get_if<Dense>(&solver_)) return dense->lu.solve(X);
  std::get<SparseLu>(solver_).solve(X);
}

void LinearSolver::solve_transposed(std::span<double> x) {
  assert(pivots_ != Pivots::none);
  if (Dense* dense = std::get_if<Dense>(&solver_)) return dense->lu.solve_transposed(x);
  std::get<SparseLu>(solver_).solve_transposed(x);
}

double LinearSolver::pivot_ratio() const {
  if (const Dense* dense = std::get_if<Dense>(&solver_)) return dense->lu.pivot_ratio();
  return std::get<SparseLu>(solver_).pivot_ratio();
}

double LinearSolver::rcond() {
  assert(pivots_ != Pivots::none);
  if (Dense* dense = std::get_if<Dense>(&solver_)) return dense->lu.rcond();
  return std::get<SparseLu>(solver_).rcond();
}

}  // namespace kardan
