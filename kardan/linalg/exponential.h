#pragma once
/// exp(A) of a dense matrix by scaling and squaring with diagonal Padé approximants: N. J. Higham,
/// The scaling and squaring method for the matrix exponential revisited, SIAM J. Matrix Anal. Appl.
/// 26 (2005). The degree is the cheapest whose backward error is below round-off.

#include <vector>

#include "kardan/base/eval.h"
#include "kardan/linalg/dense_lu.h"
#include "kardan/linalg/matrix.h"

namespace kardan {

/// Scratch: nothing allocates once a matrix of that size has been treated.
class MatrixExponential {
 public:
  /// E = exp(A); recoverable when A or the result is not finite.
  [[nodiscard]] Eval compute(const Matrix& A, Matrix& E);
  /// The same without squaring, for |A|_1 up to 5.37; recoverable beyond.
  [[nodiscard]] Eval compute_small(const Matrix& A, Matrix& E);

  /// |A|_1 up to which degree 7 serves: Table 2.3 of the paper.
  static constexpr double largest_for_degree_7 = 9.504178996162932e-1;

 private:
  Eval pade(const Matrix& A, int m, Matrix& E);  // of degree m

  Matrix scaled_, square_, power_[4], odd_, even_, high_;
  DenseLu lu_;
};

/// phi_0(A) = exp(A), ..., phi_k(A) = sum_j A^j / (j + k)!, the functions of exponential methods,
/// from one exponential of a matrix k + 1 times as large: for checks.
[[nodiscard]] Eval phi_functions(const Matrix& A, int k, std::vector<Matrix>& phi);

/// C = A B with the processor's wide instructions; C is neither A nor B.
void multiply_fast(const Matrix& A, const Matrix& B, Matrix& C);

/// Powers of two d so that rows and columns of diag(d)^-1 A diag(d) have norms of similar size
/// (Parlett, Reinsch, Numer. Math. 13, 1969): A is overwritten.
void balance(Matrix& A, Vector& d);

}  // namespace kardan
