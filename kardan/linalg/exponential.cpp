#include "kardan/linalg/exponential.h"

#include <cmath>

#include "kardan/linalg/kernels.h"

namespace kardan {
namespace {

struct Degree {
  int degree;
  double largest;  // |A|_1 for a backward error below 2^-53: Higham 2005, Table 2.3
};
constexpr Degree degrees[] = {{3, 1.495585217958292e-2},
                              {5, 2.539398330063230e-1},
                              {7, MatrixExponential::largest_for_degree_7},
                              {9, 2.097847961257068},
                              {13, 5.371920351148152}};
constexpr int highest_degree = 13;
/// exp(A) overflows long before.
constexpr int most_squarings = 60;

/// The numerator's coefficients, c_0 = 1: c_j = (2m-j)! m! / ((2m)! (m-j)! j!).
void coefficients(int m, double* c) {
  c[0] = 1;
  for (int j = 1; j <= m; ++j) c[j] = c[j - 1] * (m - j + 1) / ((2.0 * m - j + 1) * j);
}

void add_matrix(double alpha, const Matrix& X, Matrix& Y) {
  add_scaled(alpha, X.values(), {Y.data(), Y.size()});
}

void add_diagonal(double alpha, Matrix& Y) {
  for (int i = 0; i < Y.rows(); ++i) Y(i, i) += alpha;
}

}  // namespace

/// r = (V - U)^-1 (V + U), U the odd part of the numerator, V the even one.
Eval MatrixExponential::pade(const Matrix& A, int m, Matrix& E) {
  const int n = A.rows();
  double c[highest_degree + 1];
  coefficients(m, c);
  const int powers = m < 13 ? (m - 1) / 2 : 3;  // A^2, A^4, ...
  // All of them at once: a later matrix may need a higher degree, and shall not allocate.
  for (Matrix& P : power_) P.resize(n, n);
  multiply_fast(A, A, power_[0]);
  for (int k = 1; k < powers; ++k) multiply_fast(power_[k - 1], power_[0], power_[k]);
  // Sum of c[first + 2k] A^(2k) for k = 0 .. powers.
  auto polynomial = [&](int first, Matrix& P) {
    P.resize(n, n);
    P.set_zero();
    add_diagonal(c[first], P);
    for (int k = 1; k <= powers && first + 2 * k <= m; ++k)
      add_matrix(c[first + 2 * k], power_[k - 1], P);
  };
  // With the terms above A^6 as A^6 times a polynomial.
  auto add_high = [&](int first, Matrix& P) {
    high_.resize(n, n);
    high_.set_zero();
    for (int k = 0; k < 3; ++k) add_matrix(c[first + 2 * (k + 4)], power_[k], high_);
    multiply_fast(power_[2], high_, square_);
    add_matrix(1, square_, P);
  };
  polynomial(1, even_);  // the odd part before its factor A
  if (m == highest_degree) add_high(1, even_);
  multiply_fast(A, even_, odd_);
  polynomial(0, even_);
  if (m == highest_degree) add_high(0, even_);
  E.resize(n, n);
  square_ = even_;
  for (std::size_t i = 0; i < E.size(); ++i) {
    E.data()[i] = even_.data()[i] + odd_.data()[i];
    square_.data()[i] -= odd_.data()[i];
  }
  if (Eval e = lu_.factor(square_); e != Eval::ok) return e;
  lu_.solve(E);
  return Eval::ok;
}

Eval MatrixExponential::compute_small(const Matrix& A, Matrix& E) {
  if (!all_finite(A.values())) return Eval::recoverable;
  if (A.rows() == 0) {
    E.resize(0, 0);
    return Eval::ok;
  }
  const double size = norm_one(A);
  for (const Degree& d : degrees)
    if (size <= d.largest) return pade(A, d.degree, E);
  return Eval::recoverable;
}

Eval MatrixExponential::compute(const Matrix& A, Matrix& E) {
  if (!all_finite(A.values())) return Eval::recoverable;
  const double size = A.rows() == 0 ? 0 : norm_one(A);
  int squarings = 0;
  while (std::ldexp(size, -squarings) > degrees[4].largest && squarings <= most_squarings)
    ++squarings;
  if (squarings > most_squarings) return Eval::recoverable;
  scaled_ = A;
  for (std::size_t i = 0; i < scaled_.size(); ++i)
    scaled_.data()[i] = std::ldexp(scaled_.data()[i], -squarings);
  if (Eval e = compute_small(scaled_, E); e != Eval::ok) return e;
  for (int k = 0; k < squarings; ++k) {
    multiply_fast(E, E, square_);
    std::swap(E, square_);
  }
  return all_finite(E.values()) ? Eval::ok : Eval::recoverable;
}

/// exp of [A I 0 ..; 0 0 I ..; ...] has phi_0, phi_1, ... in its first block row (Van Loan 1978).
Eval phi_functions(const Matrix& A, int k, std::vector<Matrix>& phi) {
  const int n = A.rows();
  Matrix C((k + 1) * n, (k + 1) * n), E;
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) C(i, j) = A(i, j);
    for (int b = 0; b < k; ++b) C(b * n + i, (b + 1) * n + i) = 1;
  }
  MatrixExponential exponential;
  if (Eval e = exponential.compute(C, E); e != Eval::ok) return e;
  phi.assign(k + 1, Matrix(n, n));
  for (int b = 0; b <= k; ++b)
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j) phi[b](i, j) = E(i, b * n + j);
  return Eval::ok;
}

void multiply_fast(const Matrix& A, const Matrix& B, Matrix& C) {
  C.resize(A.rows(), B.cols());
  C.set_zero();
  for (int i = 0; i < A.rows(); ++i) {
    RowSum sum(B.cols(), C.row(i));
    for (int k = 0; k < A.cols(); ++k)
      if (A(i, k) != 0) sum.add(A(i, k), B.row(k));
  }
}

void balance(Matrix& A, Vector& d) {
  const int n = A.rows();
  d.assign(n, 1.0);
  constexpr double worth = 0.95;  // a smaller gain is not worth a sweep: the paper's
  for (bool changed = true; changed;) {
    changed = false;
    for (int i = 0; i < n; ++i) {
      double column = 0, row = 0;
      for (int j = 0; j < n; ++j) {
        if (j == i) continue;
        column += std::abs(A(j, i));
        row += std::abs(A(i, j));
      }
      if (column == 0 || row == 0 || !std::isfinite(column + row)) continue;
      double f = 1, c = column;
      for (; c < row / 2; c *= 4) f *= 2;
      for (; c >= row * 2; c /= 4) f /= 2;
      if ((c + row) / f >= worth * (column + row)) continue;
      changed = true;
      d[i] *= f;
      for (int j = 0; j < n; ++j) A(i, j) /= f;
      for (int j = 0; j < n; ++j) A(j, i) *= f;
    }
  }
}

}  // namespace kardan
