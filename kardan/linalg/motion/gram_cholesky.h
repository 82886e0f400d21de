#pragma once
/// S = L D L', with rows reordered, for S = sum of Y Y' over groups of columns of Y.
///
/// Rows of Y that meet the same groups stand side by side in nodes of up to four rows, the lanes of
/// a vector register. What a node has in a group is a tile: column by column, four lanes each,
/// those without a row zero. The factors hold a tile for every two nodes that meet, or come to meet
/// by fill, and every loop runs over four rows at once.
///
/// The order comes from the pattern alone (approximate minimum degree), there are no pivots to
/// choose: the same values give the same bits whatever was factored before, and nothing allocates
/// after construction.

#include <memory>
#include <span>
#include <vector>

#include "kardan/base/eval.h"
#include "kardan/linalg/matrix.h"

namespace kardan {

/// Where the tiles of Y stand, in its values.
struct GramTile {
  int node = 0, values = 0;
};
/// Tiles that share columns.
struct GramGroup {
  int columns = 0;
  int first_tile = 0, tiles = 0;
};

/// The pattern of S and of its factors, by nodes.
class GramPlan {
 public:
  /// `sizes`: rows of each node, 1 to 4. The group `without` is left out; -1: none is.
  GramPlan(std::vector<int> sizes, std::span<const GramGroup> groups,
           std::span<const GramTile> tiles, int without);

  int nodes() const { return static_cast<int>(size.size()); }
  /// Entries of L below its diagonal, counted in rows.
  double factor_nonzeros() const;
  /// Multiplications of a factorization, without those of Y Y'.
  double work() const;

  // Rows and columns are named by their nodes; `order` is that of elimination.
  std::vector<int> size, order;
  std::vector<int> first;  // rows before those of each node
  /// A tile of S: its column, and the products of tiles of Y it sums up; by rows, in order, the one
  /// on the diagonal last.
  struct Product {
    int row_tile, column_tile, columns;
  };
  std::vector<int> row_start, column, product_start;
  std::vector<Product> products;
  // L by columns, and the columns of each of its rows; both in order.
  std::vector<int> L_start, L_row, row_of_L_start, row_of_L;

 private:
  void find_order(std::span<const std::vector<int>> near);
  void analyze();
  double rows_below(int node) const;
};

class GramCholesky {
 public:
  explicit GramCholesky(std::shared_ptr<const GramPlan> plan);

  /// recoverable when S is not positive definite to working precision: a pivot that is not above
  /// `smallest_pivot` of its diagonal entry, or not finite. Then no solve may follow.
  [[nodiscard]] Eval factor(std::span<const double> Y);

  /// A row of S as four times its node plus its lane.
  /// The one whose pivot failed; -1 after a factorization that succeeded.
  int failed_row() const { return failed_; }
  /// Smallest pivot over its diagonal entry: how much of a row is left after removing what depends
  /// on the rows eliminated before it.
  double pivot_ratio() const { return pivot_ratio_; }
  /// The row with that pivot.
  int weakest_row() const { return weakest_; }

  // The parts of x := S^-1 x, for vectors of four lanes a node, those without a row zero.
  /// x := L^-1 x
  void solve_lower(std::span<double> x) const;
  /// x := D^-1 x
  void scale(std::span<double> x) const;
  /// x := L^-T x
  void solve_upper(std::span<double> x) const;
  /// X := L^-1 X for matrices with the rows of the nodes one after the other, a multiple of four
  /// wide.
  void solve_lower(Matrix& X) const;
  /// D^-1, four lanes a node.
  std::span<const double> inverse_pivots() const { return inverse_; }

  /// Below this a pivot is rounding of its diagonal entry.
  static constexpr double smallest_pivot = 1e-14;

 private:
  std::shared_ptr<const GramPlan> plan_;
  std::vector<int> filled_;  // end of what is known of each column of L
  Vector L_;                 // by columns: tiles below the diagonal
  Vector inside_;            // inverse of the unit lower triangle of each tile on the diagonal
  Vector inverse_;           // pivots
  Vector row_;               // a row of tiles at work, zero between rows
  int failed_ = -1, weakest_ = 0;
  double pivot_ratio_ = 0;
};

}  // namespace kardan
