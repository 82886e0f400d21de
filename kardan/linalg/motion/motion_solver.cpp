#include "kardan/linalg/motion/motion_solver.h"

#include <limits>

namespace kardan {
namespace {

/// Nearer than this to depending on each other constraints are watched, with all they weigh: no
/// singular position is foretold from farther away (squared, as pivots are).
constexpr double far_away = 0.3 * 0.3;

}  // namespace

MotionSolver::MotionSolver(const SparseMatrix& M, std::shared_ptr<const SparsePattern> G) {
  if (NullSpaceSolver::serves(G->cols, G->rows) && M.pattern->is_full() && G->is_full())
    free_.emplace(G->cols, G->rows);
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
  by_free_ =
      free_ && free_->factor(M.values, G.values) == Eval::ok && free_->pivot_ratio() >= far_away;
  if (by_free_) return Eval::ok;
  if (whole_) return whole_->factor(M.values, G.values, none_, 1.0);
  if (Eval e = eliminated_->factor_mass(M.values); e != Eval::ok) return e;
  return eliminated_->factor(G.values);
}

int MotionSolver::failed_row() const {
  return eliminated_ ? eliminated_->failed_row() : -1;
}

double MotionSolver::pivot_ratio() const {
  if (by_free_) return free_->pivot_ratio();
  return eliminated_ ? eliminated_->pivot_ratio() : 1;
}

int MotionSolver::weakest_row() const {
  return eliminated_ && !by_free_ ? eliminated_->weakest_row() : -1;
}

double MotionSolver::work() const {
  return eliminated_ ? eliminated_->work() : std::numeric_limits<double>::infinity();
}

void MotionSolver::solve(Vector& a, Vector& lambda) {
  if (by_free_)
    free_->solve(a, lambda);
  else if (whole_)
    whole_->solve(a, lambda);
  else
    eliminated_->solve(a, lambda);
}

}  // namespace kardan
