#include "kardan/formulation/motion_solver.h"

#include <limits>

namespace kardan {

MotionSolver::MotionSolver(const SparseMatrix& M, std::shared_ptr<const SparsePattern> G) {
  eliminated_.emplace(M.pattern, G);
  if (eliminated_->factor_mass(M.values) == Eval::ok) return;
  eliminated_.reset();
  whole_.emplace(M.pattern, std::move(G));
}

MotionSolver::MotionSolver(const MotionSolver& alike, const SparseMatrix& M,
                           std::shared_ptr<const SparsePattern> G)
    : eliminated_(alike.eliminated_) {
  if (!eliminated_) whole_.emplace(M.pattern, std::move(G));
}

Eval MotionSolver::factor(const SparseMatrix& M, const SparseMatrix& G) {
  if (whole_) return whole_->factor(M.values, G.values, none_, 1.0);
  if (Eval e = eliminated_->factor_mass(M.values); e != Eval::ok) return e;
  return eliminated_->factor(G.values);
}

int MotionSolver::failed_row() const {
  return eliminated_ ? eliminated_->failed_row() : -1;
}

double MotionSolver::pivot_ratio() const {
  return eliminated_ ? eliminated_->pivot_ratio() : 1;
}

int MotionSolver::weakest_row() const {
  return eliminated_ ? eliminated_->weakest_row() : -1;
}

double MotionSolver::work() const {
  return eliminated_ ? eliminated_->work() : std::numeric_limits<double>::infinity();
}

void MotionSolver::solve(Vector& a, Vector& lambda) {
  if (whole_)
    whole_->solve(a, lambda);
  else
    eliminated_->solve(a, lambda);
}

}  // namespace kardan
