#pragma once
/// Four right-hand sides side by side: matrices of four columns, each row of which is worked on as
/// one. What costs most of a small solve, finding the way through the factors, is then paid once.

#include <span>

#include "kardan/linalg/sparse.h"

namespace kardan {

inline constexpr int lanes = 4;

/// y += a x, four numbers each
inline void add_scaled_lanes(double a, const double* __restrict x, double* __restrict y) {
  for (int i = 0; i < lanes; ++i) y[i] += a * x[i];
}

/// Y += factor A X, in the rows of Y from `row` on
void multiply_add_lanes(double factor, const SparseMatrix& A, const Matrix& X, Matrix& Y,
                        int row = 0);
/// Y += P X, for as many rows as Y and P have both
void multiply_add_lanes(const Matrix& P, const Matrix& X, Matrix& Y);
/// Y += P' D X, in the rows of Y from `row` on, D diagonal
void multiply_transposed_add_lanes(const Matrix& P, std::span<const double> D, const Matrix& X,
                                   Matrix& Y, int row);

/// L with reflections, as RowSpace keeps them.
struct Reflections {
  const Matrix* L;
  const int* row;        // of the right-hand side
  const double* head;    // first entries of the vectors
  const double* factor;  // 2 / |vector|^2
  const int* end;        // of the vectors
  int rank;
};
/// X := Q [L^-1 B; 0]
void solve_lanes(const Reflections& A, const Matrix& B, Matrix& X);

}  // namespace kardan
