#pragma once
/// Inner loops of dense work on short, wide rows. Compiled for the instruction sets a processor may
/// have and chosen at run time; every element is computed in the same order on all of them, so that
/// the results are the same to the last bit.

#include <span>
#include <vector>

#include "kardan/linalg/matrix.h"
#include "kardan/linalg/sparse.h"

namespace kardan {

/// y += sum_k c[k] rows[k], the rows being `width` long.
void add_combination(int count, const double* c, const double* const* rows, int width, double* y);

/// P A = L U in place for an n x n matrix, row by row, with partial pivoting: row k is exchanged
/// with row pivot[k]. False at a pivot that is zero or not finite.
bool eliminate(int n, double* lu, int* pivot);

/// x := U^-1 L^-1 x
void substitute(int n, const double* lu, double* x);
/// The same for all columns of X, an n x width matrix.
void substitute(int n, const double* lu, int width, double* X);

/// Where the factors of a lower block triangular matrix have entries: in every row what is left of
/// the diagonal (L in its own block, A left of it), then what is right of it (U, with ones on the
/// diagonal).
struct FactorPattern {
  std::vector<int> block_start;
  std::vector<int> row_start, row_middle, column;
};
struct FactorValues {
  std::vector<double> value;    ///< over the pattern
  std::vector<double> inverse;  ///< of L's diagonal
};
/// x := A^-1 x
void substitute(const FactorPattern& at, const FactorValues& lu, double* x);
/// The same for all columns of X, which has rows of the given width.
void substitute(const FactorPattern& at, const FactorValues& lu, int width, double* X);
/// x := A^-T x
void substitute_transposed(const FactorPattern& at, const FactorValues& lu, double* x);

/// y += A x
void add_products(const Matrix& A, std::span<const double> x, std::span<double> y);

/// Y += factor A X, or A(rows) X with the listed rows of A; Y may be wider than X.
void add_products(double factor, const SparseMatrix& A, const Matrix& X, Matrix& Y);
void add_products(double factor, const SparseMatrix& A, std::span<const int> rows, const Matrix& X,
                  Matrix& Y);

/// C = A'B in the lower half (and in whole columns of four): A and B have `rows` rows, C is square,
/// and all are `width` wide, a multiple of four.
void multiply_lower(int rows, int width, const double* A, const double* B, double* C);

/// X := T X for three rows of X, one after the other, each `width` long, a multiple of four; T by
/// rows.
void turn_rows(const double* T, int width, double* X);

/// Y = A X for rows of a sparse matrix; column c of it belongs to row c - first of X. X and Y have
/// rows of the given width, a multiple of four.
struct SparseRows {
  int rows, first;
  const int *row_start, *column;
  const double* value;
};
void multiply_rows(const SparseRows& A, int width, const double* X, double* Y);

/// X(row[p]) -= c[p] x for the listed rows of X; x and they are `width` long, a multiple of four.
void subtract_from_rows(int count, const int* row, const double* c, int width, const double* x,
                        double* X);

/// The largest absolute entry of a row and the sum of them all; the sum is not finite where an
/// entry is not.
struct RowSize {
  double largest, sum;
};
RowSize row_size(int width, const double* row);

/// True when no entry is infinite or NaN: all_finite for long rows.
bool row_is_finite(std::span<const double> row);

/// Gathers the terms of such a sum one by one.
class RowSum {
 public:
  RowSum(int width, double* y) : width_(width), y_(y) {}
  ~RowSum() { flush(); }
  RowSum(const RowSum&) = delete;
  RowSum& operator=(const RowSum&) = delete;

  void add(double c, const double* row) {
    if (count_ == most) flush();
    c_[count_] = c;
    rows_[count_++] = row;
  }

 private:
  static constexpr int most = 48;
  void flush() {
    add_combination(count_, c_, rows_, width_, y_);
    count_ = 0;
  }
  int width_, count_ = 0;
  double* y_;
  double c_[most];
  const double* rows_[most];
};

}  // namespace kardan
