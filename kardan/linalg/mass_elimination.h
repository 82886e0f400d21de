#pragma once
/// Constrained motion with the accelerations eliminated by hand,
///
///   [ M  G' ] [a]   [f]          S = G M^-1 G',   S y = G M^-1 f - c,   M a = f - G' y
///   [ G  0  ] [y] = [c]
///
/// for M positive definite, block diagonal with small blocks (the connected parts of its pattern),
/// and rows of G that are independent. M = L L' block by block and Y = G L^-T give S = Y Y'. All
/// patterns are made at construction; nothing allocates afterwards.

#include <memory>
#include <span>
#include <vector>

#include "kardan/base/eval.h"
#include "kardan/linalg/sparse.h"
#include "kardan/linalg/sparse_cholesky.h"

namespace kardan {

class MassElimination {
 public:
  MassElimination(std::shared_ptr<const SparsePattern> M, std::shared_ptr<const SparsePattern> G);

  int columns() const { return M_->rows; }
  int rows() const { return G_->rows; }

  /// recoverable when M is not positive definite: failed_column() tells where.
  [[nodiscard]] Eval factor_mass(std::span<const double> M);
  int failed_column() const { return failed_column_; }

  /// After factor_mass. recoverable when the rows depend on each other: failed_row() tells which
  /// one depends on others.
  [[nodiscard]] Eval factor(std::span<const double> G);
  int failed_row() const { return schur_->failed_row(); }
  /// Smallest share of a row that is left after removing its components along others.
  double pivot_ratio() const { return schur_->pivot_ratio(); }

  /// In place: a holds f on entry, y holds c.
  void solve(std::span<double> a, std::span<double> y);

 private:
  /// A connected part of M: its columns and the lower triangle of its factor, by rows, with the
  /// reciprocals of the diagonal.
  struct Block {
    int first_column = 0, size = 0;  // into columns_
    int factor = 0;                  // into L_
  };
  /// The part of a row of G in one block.
  struct Segment {
    int row = 0, block = 0;
    int values = 0;  // into Y_
  };
  void find_blocks();
  void find_segments();
  void find_schur_pattern();

  std::shared_ptr<const SparsePattern> M_, G_;
  std::vector<Block> blocks_;
  std::vector<int> columns_;        // of all blocks, block by block
  std::vector<int> place_;          // of each column: where it stands in columns_
  std::vector<int> L_from_;         // place in the values of M of each entry of L_, or -1
  std::vector<Segment> segments_;   // by block
  std::vector<int> segment_start_;  // of each block
  std::vector<int> Y_place_;        // of each value of G: where it stands in Y_
  std::vector<int> S_place_;        // of each product of two segments, in order
  Vector mass_;                     // factored last
  bool factored_ = false;
  Vector L_, Y_, S_, w_;
  std::unique_ptr<SparseCholesky> schur_;
  int failed_column_ = -1;
};

}  // namespace kardan
