#include "kardan/linalg/lanes.h"

#include <algorithm>

#include "kardan/linalg/dispatch.h"

namespace kardan {
namespace {

KARDAN_DISPATCHED
void sparse(double factor, int rows, const int* start, const int* column, const double* values,
            const Four* X, Four* Y) {
  for (int i = 0; i < rows; ++i) {
    Four sum{};
    for (int k = start[i]; k < start[i + 1]; ++k) sum += values[k] * X[column[k]];
    Y[i] += factor * sum;
  }
}

/// R rows of the same without a hole.
template <int R>
KARDAN_INLINE void full_rows(double factor, int cols, const double* A, const Four* X, Four* Y) {
  Four sum[R]{};
  for (int j = 0; j < cols; ++j)
    for (int i = 0; i < R; ++i) sum[i] += A[i * cols + j] * X[j];
  for (int i = 0; i < R; ++i) Y[i] += factor * sum[i];
}

KARDAN_DISPATCHED
void full(double factor, int rows, int cols, const double* A, const Four* X, Four* Y) {
  for (; rows >= 4; rows -= 4, A += 4 * cols, Y += 4) full_rows<4>(factor, cols, A, X, Y);
  if (rows == 3) full_rows<3>(factor, cols, A, X, Y);
  if (rows == 2) full_rows<2>(factor, cols, A, X, Y);
  if (rows == 1) full_rows<1>(factor, cols, A, X, Y);
}

KARDAN_DISPATCHED
void dense(int rows, int cols, const double* P, const Four* X, Four* Y) {
  for (int i = 0; i < rows; ++i, P += cols) {
    Four sum = Y[i];
    for (int j = 0; j < cols; ++j) sum += P[j] * X[j];
    Y[i] = sum;
  }
}

KARDAN_DISPATCHED
void transposed(int rows, int cols, const double* P, const double* D, const Four* X, Four* Y) {
  for (int i = 0; i < rows; ++i, P += cols) {
    const Four x = D[i] * X[i];
    for (int j = 0; j < cols; ++j) Y[j] += P[j] * x;
  }
}

KARDAN_DISPATCHED
void reflect(int rank, int cols, const double* L, const int* row, const double* head,
             const double* factor, const int* end, const Four* B, Four* X) {
  for (int k = 0; k < rank; ++k) {
    const double* l = L + cols * k;
    Four sum = B[row[k]];
    for (int j = 0; j < k; ++j) sum -= l[j] * X[j];
    X[k] = sum / l[k];
  }
  for (int k = rank - 1; k >= 0; --k) {
    const double* v = L + cols * k;
    Four c = head[k] * X[k];
    for (int j = k + 1; j < end[k]; ++j) c += v[j] * X[j];
    c *= -factor[k];
    X[k] += head[k] * c;
    for (int j = k + 1; j < end[k]; ++j) X[j] += v[j] * c;
  }
}

const Four* rows_of(const Matrix& X) {
  return reinterpret_cast<const Four*>(X.data());
}
Four* rows_of(Matrix& X, int row = 0) {
  return reinterpret_cast<Four*>(X.row(row));
}

}  // namespace

void multiply_add_lanes(double factor, const SparseMatrix& A, const Matrix& X, Matrix& Y, int row) {
  const SparsePattern& p = *A.pattern;
  if (p.nonzeros() == p.rows * p.cols)
    return full(factor, p.rows, p.cols, A.values.data(), rows_of(X), rows_of(Y, row));
  sparse(factor, p.rows, p.row_start.data(), p.column.data(), A.values.data(), rows_of(X),
         rows_of(Y, row));
}

void multiply_add_lanes(const Matrix& P, const Matrix& X, Matrix& Y) {
  dense(std::min(P.rows(), Y.rows()), P.cols(), P.data(), rows_of(X), rows_of(Y));
}

void multiply_transposed_add_lanes(const Matrix& P, std::span<const double> D, const Matrix& X,
                                   Matrix& Y, int row) {
  transposed(P.rows(), P.cols(), P.data(), D.data(), rows_of(X), rows_of(Y, row));
}

void solve_lanes(const Reflections& A, const Matrix& B, Matrix& X) {
  std::fill(X.row(A.rank), X.data() + X.size(), 0.0);
  reflect(A.rank, A.L->cols(), A.L->data(), A.row, A.head, A.factor, A.end, rows_of(B), rows_of(X));
}

}  // namespace kardan
