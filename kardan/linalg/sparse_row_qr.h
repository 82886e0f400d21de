#pragma once
/// B = Q R for the transpose B = A' of a sparse matrix with rows of unit length, keeping only R,
/// and leaving out the columns of B (rows of A) that depend on the ones before them.
///
/// Multifrontal: column k gathers the rows of B that begin there and what its children left, is
/// eliminated by one Householder reflection, and leaves at most as many rows as it has columns to
/// the column it touches next (J. W. H. Liu, SIAM J. Sci. Stat. Comput. 7 (1986) 1190). The work
/// depends on the fill of R alone: linear in the rows for chains and trees, whatever the number of
/// columns of A.
///
/// Rank: a column whose remainder has norm at most `tolerance` is dependent, and the remainder is
/// dropped (M. T. Heath, SIAM J. Sci. Stat. Comput. 3 (1982) 223). All dropped parts together
/// perturb B by at most tolerance sqrt(dropped columns) in the Frobenius norm. Without column
/// pivoting R may still be singular to the tolerance with no small pivot: see `extremes`.

#include <span>
#include <utility>
#include <vector>

#include "kardan/linalg/matrix.h"
#include "kardan/linalg/sparse.h"

namespace kardan {

class SparseRowQr {
 public:
  /// `order` lists the rows of A to factor, in the order of elimination; the last `declared` of
  /// them are dependent by declaration.
  SparseRowQr(const SparseMatrix& A, std::vector<int> order, int declared, double tolerance);

  /// Positions in the order.
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
  /// Rows over a common list of columns (positions), the first of which is eliminated next.
  struct Front {
    std::vector<int> columns;
    std::vector<double> values;  // row-major
    int rows = 0;
  };
  struct Entry {
    int index;
    double value;
  };

  void gather_columns(const SparseMatrix& A);
  void factor(int declared, double tolerance);
  Front assemble(int k, std::vector<Front>& children);
  void keep_pivot_row(int k, const Front& front);
  void transpose();
  void multiply(std::span<const double> x, std::span<double> y) const;
  void multiply_transposed(std::span<const double> x, std::span<double> y) const;
  void solve(std::span<double> x) const;
  void solve_transposed(std::span<double> x) const;

  int size() const { return static_cast<int>(order_.size()); }
  std::span<const Entry> row(int k) const {
    return {entries_.data() + row_start_[k], entries_.data() + row_start_[k + 1]};
  }

  std::vector<int> order_;
  // Columns of A as lists of positions, listed under their first position.
  std::vector<std::size_t> column_start_;
  std::vector<Entry> column_entries_;
  std::vector<std::vector<int>> beginning_at_;

  std::vector<double> diagonal_;  // of R; zero where dependent
  std::vector<std::size_t> row_start_;
  std::vector<Entry> entries_;  // R right of the diagonal, by rows
  std::vector<std::size_t> above_start_;
  std::vector<Entry> above_;  // the same by columns

  std::vector<int> local_;  // scratch: position -> column of the front
  Vector solution_;         // scratch of combination, zero between calls
};

/// Rows of A in an order that keeps the R of A' sparse (COLAMD).
std::vector<int> fill_reducing_row_order(const SparsePattern& pattern);

}  // namespace kardan
