#pragma once
/// A x = b for square sparse A whose pattern falls into small blocks: rows and columns are put into
/// block triangular form once, and every diagonal block is factored dense, with pivots of its own
/// values. That is what the dependent coordinates of mechanisms give: a block a loop, or a joint.

#include <limits>
#include <memory>
#include <span>
#include <vector>

#include "kardan/base/eval.h"
#include "kardan/linalg/dense_lu.h"
#include "kardan/linalg/matrix.h"
#include "kardan/linalg/sparse.h"

namespace kardan {

/// Nothing allocates after the first factor and solve.
class BlockLu {
 public:
  /// Finds the blocks. recoverable when the pattern is structurally singular or a block is larger
  /// than wanted (nothing of its size is then allocated), fatal when it is not square or memory
  /// runs out.
  [[nodiscard]] Eval analyze(std::shared_ptr<const SparsePattern> pattern,
                             int largest_wanted = std::numeric_limits<int>::max());

  int size() const { return pattern_ ? pattern_->rows : 0; }
  int blocks() const { return static_cast<int>(blocks_.size()); }
  int largest_block() const { return largest_; }

  /// recoverable when A is exactly singular or a value is not finite; then no solve may follow.
  [[nodiscard]] Eval factor(std::span<const double> values);

  /// x := A^-1 x
  void solve(std::span<double> x);
  /// X := A^-1 X, the columns of X being the right-hand sides.
  void solve(Matrix& X);
  /// x := A^-T x
  void solve_transposed(std::span<double> x);
  /// As DenseLu::rcond.
  double rcond();

 private:
  struct Entry {
    int row;     // within the block
    int column;  // within the block, or of A for entries left of it
    int value;
  };
  struct Block {
    std::vector<int> rows, columns;  // of A
    std::vector<Entry> inside, left;
    Matrix A, X;
    Vector x;
    DenseLu lu;
  };

  void scale_rows(std::span<const double> values);

  std::shared_ptr<const SparsePattern> pattern_;
  std::vector<Block> blocks_;
  int largest_ = 0;
  Vector values_;  // of the last factor
  Vector b_, x_, signs_;
  Vector row_scale_;
  double norm_ = 0.0;
};

}  // namespace kardan
