#pragma once
/// B = Q R for the transpose B = A' of a sparse matrix with rows of unit length, keeping only R,
/// and leaving out the columns of B (rows of A) that depend on the ones before them.
///
/// Multifrontal: column k gathers the rows of B that begin there and what its children left, is
/// eliminated by one Householder reflection, and leaves at most as many rows as it has columns to
/// the column it touches next (J. W. H. Liu, SIAM J. Sci. Stat. Comput. 7 (1986) 1190). The work
/// depends on the fill of R alone: linear in the rows for chains and trees with a bounded number
/// of rows on each column of A, whatever the number of columns.
///
/// Crowded columns of A: one that very many rows touch (of a hub) would fill R, for its row of B
/// stays in all fronts. What is left of such rows of B to the right of a front are combinations of
/// them: a front and its rows of R keep their few coefficients T instead of the many entries, and
/// an entry is computed where a front comes to its column. So a star is as cheap as a chain.
///
/// Rank: a column whose remainder has norm at most `tolerance` is dependent, and the remainder is
/// dropped (M. T. Heath, SIAM J. Sci. Stat. Comput. 3 (1982) 223). All dropped parts together
/// perturb B by at most tolerance sqrt(dropped columns) in the Frobenius norm. A column with a
/// weak but larger remainder is put off until others had their turn. Pivoting being confined to
/// fronts, R may still be singular to the tolerance with no small pivot: see `extremes`.

#include <span>
#include <utility>
#include <vector>

#include "kardan/linalg/matrix.h"
#include "kardan/linalg/sparse.h"

namespace kardan {

class SparseRowQr {
 public:
  /// When a row may become independent.
  enum class Standing {
    any,    ///< in its turn
    last,   ///< only if the others leave more than the tolerance of it
    never,  ///< it is dependent by declaration
  };

  /// `order` lists the rows of A to factor, about in the order of elimination; `standing` has an
  /// entry for every row of A.
  SparseRowQr(const SparseMatrix& A, std::vector<int> order, const std::vector<Standing>& standing,
              double tolerance);

  /// The rows of A in the order of their elimination, the dependent ones last; "positions" below
  /// are places in this list.
  const std::vector<int>& order() const { return order_; }
  bool is_independent(int position) const { return diagonal_[position] != 0.0; }

  /// The dependent row at `position` as (independent position, coefficient), coefficients up to
  /// `drop` left out.
  std::vector<std::pair<int, double>> combination(int position, double drop);

  /// Estimates of the extreme singular values of the independent rows. `weakest` (by position) are
  /// the coefficients of unit length for which the combination of rows is about `smallest` long.
  struct Extremes {
    double largest = 1.0;
    double smallest = 1.0;
    Vector weakest;
  };
  Extremes extremes() const;

 private:
  /// Rows over a common list of columns (positions). The first `candidates` columns are complete:
  /// no other front has rows with entries there. Of these the first `eligible` may become pivots.
  /// In later columns that are not listed a row is the combination of the crowded ones whose
  /// coefficients follow its entries.
  struct Front {
    std::vector<int> columns;
    std::vector<int> crowded;
    std::vector<double> values;  // row-major
    int rows = 0;
    int candidates = 0;
    int eligible = 0;
    int needed = 0;  // rows that were left when it was looked last whether fewer would do

    std::size_t width() const { return columns.size() + crowded.size(); }
  };
  /// Remainders above which a column is eliminated.
  struct Threshold {
    double weak, dependent;
  };
  struct Entry {
    int index;
    double value;
  };
  class Remainder;
  /// Lists one behind the other: list k is [start[k], start[k + 1]).
  struct Lists {
    std::vector<std::size_t> start{0};
    std::vector<Entry> entries;

    std::span<const Entry> operator[](int k) const {
      return {entries.data() + start[k], entries.data() + start[k + 1]};
    }
    void end_list() { start.push_back(entries.size()); }
  };

  void gather_columns(const SparseMatrix& A);
  void gather_crowded(const SparseMatrix& A);
  void factor(double tolerance);
  Front assemble(int k, std::vector<Front>& children);
  void list_columns(int k, const std::vector<Front>& children, Front& front);
  void list_crowded(int k, const std::vector<Front>& children, Front& front);
  double* add_child(const Front& child, const Front& front, double* row);
  double* add_own_rows(int k, const Front& front, double* row);
  void keep_row(const Front& front, int done);
  int parent(const Front& front) const;
  int eliminate(Front& front, Threshold threshold);
  Front remaining(const Front& front, int done, double tolerance);
  void drop(const Front& front, int done);
  void relabel();
  void transpose();
  void multiply(std::span<const double> x, std::span<double> y) const;
  void multiply_transposed(std::span<const double> x, std::span<double> y) const;
  void solve(std::span<double> x) const;
  void solve_transposed(std::span<double> x) const;

  int size() const { return static_cast<int>(order_.size()); }

  std::vector<int> order_;
  std::vector<Standing> standing_;  // by position before elimination
  // Columns of A as lists of positions, listed under their first position.
  std::vector<std::size_t> column_start_;
  std::vector<Entry> column_entries_;
  std::vector<std::vector<int>> beginning_at_;

  std::vector<int> crowd_;         // of a column of A: its number among the crowded, or -1
  std::vector<std::size_t> next_;  // of each: its entry in the next column of B
  std::vector<std::size_t> crowd_end_;
  Lists crowded_;  // entries in crowded columns, by position

  std::vector<int> eliminated_;   // columns of B in the order of their elimination
  std::vector<int> dropped_at_;   // how many were eliminated when a dependent one was dropped
  std::vector<double> diagonal_;  // of R; zero where dependent
  /// R right of the diagonal, by rows, is rows_ + combined_ * (crowded rows of B).
  Lists rows_, combined_;
  Lists above_;  // rows_ by columns

  std::vector<int> touched_;  // scratch of reflections
  Vector remainder_;          // scratch of eliminate: squared norms of candidates
  std::vector<int> local_;    // scratch: position -> column of the front
  std::vector<int> place_;    // scratch: number of a crowded column -> place in the front
  Vector solution_;           // scratch of combination, zero between calls
};

/// Rows of A in an order that keeps the R of A' sparse (COLAMD).
std::vector<int> fill_reducing_row_order(const SparsePattern& pattern);

}  // namespace kardan
