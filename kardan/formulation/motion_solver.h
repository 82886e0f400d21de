#pragma once
/// M a + G' lambda = f, G a = c: by Cholesky factors of G M^-1 G' where M is positive definite,
/// else by factors of the whole matrix, which the constraints make regular. Small dense systems
/// with few free directions are solved through these (linalg/null_space_solver.h) where the
/// constraints are far from depending on each other.

#include <optional>

#include "kardan/formulation/saddle.h"
#include "kardan/linalg/mass_elimination.h"
#include "kardan/linalg/null_space_solver.h"

namespace kardan {

class MotionSolver {
 public:
  /// `G`: independent rows. The values of `M` decide how to solve.
  MotionSolver(const SparseMatrix& M, std::shared_ptr<const SparsePattern> G);

  /// The same, with the patterns of one that was made for it.
  MotionSolver(const MotionSolver& alike, const SparseMatrix& M,
               std::shared_ptr<const SparsePattern> G);

  [[nodiscard]] Eval factor(const SparseMatrix& M, const SparseMatrix& G);
  /// Row that depends on others after a failure; -1: M and G are singular together.
  int failed_row() const;
  /// Smallest share of a row that is left without its components along others; 1: not known.
  double pivot_ratio() const;
  /// Whether that was measured without regard to masses: then it is no neighbour of one that was
  /// not.
  bool by_free_directions() const { return by_free_; }
  /// The row of which that is left; -1: not known.
  int weakest_row() const;
  /// Multiplications of a factorization, about; infinite where the whole matrix is factored.
  double work() const;
  /// In place: a holds f on entry, lambda holds c.
  void solve(Vector& a, Vector& lambda);

 private:
  std::optional<MassElimination> eliminated_;
  std::optional<Saddle> whole_;
  std::optional<NullSpaceSolver> free_;
  bool by_free_ = false;  // the last factors are those of free_
  Matrix none_;
};

}  // namespace kardan
