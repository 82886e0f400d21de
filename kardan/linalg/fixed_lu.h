#pragma once
/// A = L U for sparse matrices of one pattern, with pivots that are given: what is left to do for
/// new values is a walk along lists that were made once. Rows and columns come in an order that
/// makes A lower block triangular; blocks left of the diagonal are not factored but used as they
/// are. U has a diagonal of ones, so that bounds of its entries do not depend on how the rows of A
/// are scaled.

#include <memory>
#include <span>
#include <vector>

#include "kardan/linalg/kernels.h"
#include "kardan/linalg/matrix.h"
#include "kardan/linalg/sparse.h"

namespace kardan {

/// In this order rows and columns are eliminated: row[k] with column[k]. Block b holds the places
/// [block_start[b], block_start[b + 1]).
struct PivotOrder {
  std::vector<int> row, column, block_start;
};

/// Only compile allocates.
class FixedLu {
 public:
  /// Finds where L and U have entries. `values` of the matrix that chose the pivots scale the
  /// columns for `growth`.
  void compile(const SparsePattern& pattern, PivotOrder order, std::span<const double> values);
  /// Takes the pivots of another one, of the same pattern; cheap where it has them already.
  void adopt(const FixedLu& other);

  /// False at a pivot that is zero or not finite; then no solve may follow.
  [[nodiscard]] bool factor(std::span<const double> values);

  /// The largest entry of U with columns scaled: not above 1/threshold where every pivot is at
  /// least threshold times the largest entry it could have been.
  double growth() const { return growth_; }
  /// Smallest pivot over the largest entry of its row, for the values factored.
  double pivot_ratio(std::span<const double> values) const;

  int size() const { return lists_ ? static_cast<int>(lists_->order.row.size()) : 0; }
  long nonzeros() const { return static_cast<long>(lu_.value.size()) + size(); }

  void solve(std::span<double> x);
  void solve(Matrix& X);
  void solve_transposed(std::span<double> x);

 private:
  /// What does not depend on values.
  struct Lists {
    PivotOrder order;
    FactorPattern factors;
    std::vector<int> lower_start;        // of each row: behind the entries left of its block
    std::vector<int> load_start, place;  // per row in order: where its values go
    std::vector<int> from;               // and which of A's they are
    Vector scale;                        // 1 / largest entry of each column, in order
  };
  class Compiler;
  void make_room();

  std::shared_ptr<const Lists> lists_;
  FactorValues lu_;
  double growth_ = 0.0;
  Vector row_;  // scattered row under elimination; zero between rows
  Vector x_;
  Matrix X_;       // a panel of right-hand sides
  int panel_ = 0;  // its width
};

}  // namespace kardan
