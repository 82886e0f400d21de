#pragma once
/// Constrained motion with the accelerations eliminated by hand,
///
///   [ M  G' ] [a]   [f]          S = G M^-1 G',   S y = G M^-1 f - c,   M a = f - G' y
///   [ G  0  ] [y] = [c]
///
/// for M positive definite, block diagonal with small blocks (the connected parts of its pattern),
/// and rows of G that are independent. M = L L' block by block and Y = G L^-T give S = Y Y'.
///
/// A block that many rows touch, like the chassis of a vehicle, fills S. Where that pays it is a
/// hub h: its accelerations are eliminated last, and S is that of the other blocks o,
///
///   S = G_o M_o^-1 G_o',   (M_h + G_h' S^-1 G_h) a_h = f_h - G_h' S^-1 (G_o M_o^-1 f_o - c)
///
/// as long as the rows are independent on the other blocks alone; else all blocks are eliminated.
/// All patterns are made at construction, and shared by copies; nothing allocates afterwards.

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "kardan/base/eval.h"
#include "kardan/linalg/motion/elimination_plan.h"
#include "kardan/linalg/sparse.h"

namespace kardan {

class MassElimination {
 public:
  MassElimination(std::shared_ptr<const SparsePattern> M, std::shared_ptr<const SparsePattern> G);

  int columns() const { return plan_->M->rows; }
  int rows() const { return plan_->G->rows; }

  /// recoverable when M is not positive definite: failed_column() says where.
  [[nodiscard]] Eval factor_mass(std::span<const double> M);
  int failed_column() const { return failed_column_; }

  /// After factor_mass. recoverable when the rows depend on each other: failed_row() says which
  /// one depends on others.
  [[nodiscard]] Eval factor(std::span<const double> G);
  int failed_row() const { return row_at(used().failed_row()); }
  /// Smallest share of a row that is left after removing its components along others.
  double pivot_ratio() const { return used().pivot_ratio(); }
  int weakest_row() const { return row_at(used().weakest_row()); }
  /// A hub was found, and served in the last factorization.
  bool has_hub() const { return plan_->hub >= 0; }
  bool used_hub() const { return around_hub_; }
  /// Multiplications of a factorization, about.
  double work() const { return plan_->work; }

  /// In place: a holds f on entry, y holds c.
  void solve(std::span<double> a, std::span<double> y);

 private:
  const GramCholesky& used() const { return around_hub_ ? *rest_ : whole_; }
  int row_at(int lane) const;
  [[nodiscard]] Eval factor_around_hub();
  void move_hub();

  std::shared_ptr<const EliminationPlan> plan_;
  Vector mass_;  // factored last
  bool factored_ = false;
  Vector L_;  // inverses of the blocks' factors
  Vector Y_, w_;
  Vector t_;  // of the rows, four lanes a node
  GramCholesky whole_;
  std::optional<GramCholesky> rest_;
  bool around_hub_ = false;
  Matrix Z_, DZ_, square_;  // L^-1 P G_h, D^-1 times it, and the product of both
  Vector hub_L_;            // factor of the hub's matrix
  int failed_column_ = -1;
};

}  // namespace kardan
