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
/// All patterns are made at construction; nothing allocates afterwards.

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
  int failed_row() const { return used().factors->failed_row(); }
  /// Smallest share of a row that is left after removing its components along others.
  double pivot_ratio() const { return used().factors->pivot_ratio(); }
  int weakest_row() const { return used().factors->weakest_row(); }
  /// A hub was found, and served in the last factorization.
  bool has_hub() const { return hub_ >= 0; }
  bool used_hub() const { return around_hub_; }
  /// Multiplications of a factorization, about.
  double work() const { return has_hub() ? rest_.work : whole_.work; }

  /// In place: a holds f on entry, y holds c.
  void solve(std::span<double> a, std::span<double> y);

 private:
  /// A connected part of M: its columns and the lower triangle of its factor's inverse, by rows.
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
  /// S, of all blocks or without the hub.
  struct Schur {
    std::vector<int> place;  // of each product of two segments, in order
    Vector values;
    std::unique_ptr<SparseCholesky> factors;
    double work = 0;
  };
  const Schur& used() const { return around_hub_ ? rest_ : whole_; }
  void find_pattern(Schur& schur, int without) const;
  void find_hub();
  /// Calls use(size, block, segments) for every block but one.
  template <class Use>
  void each_block(int without, Use&& use) const;
  void turn(int block);
  [[nodiscard]] Eval factor(Schur& schur, int without);
  [[nodiscard]] Eval factor_around_hub();
  void move_hub(std::span<double> t);

  std::shared_ptr<const SparsePattern> M_, G_;
  std::vector<Block> blocks_;
  std::vector<int> columns_;        // of all blocks, block by block
  std::vector<int> place_;          // of each column: where it stands in columns_
  std::vector<int> L_from_;         // place in the values of M of each entry of L_, or -1
  std::vector<Segment> segments_;   // by block
  std::vector<int> segment_start_;  // of each block
  std::vector<int> Y_place_;        // of each value of G: where it stands in Y_
  Vector mass_;                     // factored last
  bool factored_ = false;
  Vector L_, Y_, w_;
  Schur whole_, rest_;
  bool around_hub_ = false;
  int hub_ = -1;
  std::vector<int> hub_row_;  // of each of the hub's segments: its place in the order of rest_
  Matrix Z_, DZ_, square_;    // L^-1 P G_h, D^-1 times it, and the product of both
  Vector hub_L_;              // factor of the hub's matrix
  int failed_column_ = -1;
};

}  // namespace kardan
