#pragma once
/// M a + G' lambda = f, G a = c, by the cheapest solver that serves.
///
/// All that solve it, what each needs and promises, and why it is there. Cost: one factorization
/// and one solution, in units of the cheapest that serves on models of 10 to 900 unknowns
/// (`kardan_benchmarks --benchmark_filter=motion/`; docs/understand/measurements.md).
///
///   solver           needs                          promises                            cost
///   NullSpaceSolver  full matrices, at most 16 a    M may be singular along             1
///                    and 4 free directions, rows    constrained directions; refuses
///                    far from dependent             rows it would lose digits by
///   MassElimination  M positive definite in small   linear work for chains and trees;   1 to 1.3
///                    blocks, independent rows       names the row that depends on
///                                                   others
///   MotionMatrix     the caller knows which rows    also auxiliary unknowns and         1 to 5
///                    are redundant                  forces that depend on multipliers;
///                                                   M as for NullSpaceSolver
///   Saddle           M regular on the directions    rows of any rank: lambda of least   4 to 10
///                    that the rows leave free       norm, the contradiction as residual
///   TwoPointSolver   independent rows               G' and G of two positions; its      as LU
///                                                   matrix is not symmetric
///   MotionSolver     independent rows               the first of NullSpaceSolver,
///                                                   MassElimination and Saddle
///
/// MotionSolver decides between the last two by the values of M at its start, and for the first
/// with each factorization: it serves while no row is near to depending on others.

#include <optional>

#include "kardan/linalg/motion/mass_elimination.h"
#include "kardan/linalg/motion/null_space_solver.h"
#include "kardan/linalg/motion/saddle.h"

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
