#pragma once
/// The solution of a linear system with a polynomial load,
///
///   w' = A w + c_1 t^(p-1)/(p-1)! + ... + c_(p-1) t + c_p,   w(0) = 0,
///
/// that is w(t) = sum_k t^k phi_k(tA) c_(p-k+1), by products with A alone: Arnoldi's method on
/// [A c_1 .. c_p; 0 K], in substeps whose error is estimated and controlled (R. B. Sidje, Expokit,
/// ACM Trans. Math. Softw. 24, 1998; the augmented matrix: A. H. Al-Mohy, N. J. Higham, SIAM J.
/// Sci. Comput. 33, 2011). The substeps are kept, so that w is known at every time in between.

#include <span>
#include <vector>

#include "kardan/linalg/exponential.h"

namespace kardan {

class KrylovAction {
 public:
  /// Solves up to t = h with an error of about `tolerance` times the largest |w| (infinity norm).
  /// `loads` are c_1 .. c_p. recoverable when it does not succeed.
  [[nodiscard]] Eval prepare(const Matrix& A, std::span<const Vector* const> loads, double h,
                             double tolerance);
  /// w(t) for 0 <= t <= h.
  void at(double t, Vector& w);
  /// Products with A so far, over all calls of prepare.
  long products() const { return products_; }
  int substeps() const { return used_; }

 private:
  static constexpr int dimension = 30;  // of the Krylov space
  struct Substep {
    double start = 0, length = 0;
    double beta = 0;  // size of the start vector
    int columns = 0;  // of the basis that count
    Vector w;         // at the start
    Matrix V;         // basis, by rows
    Matrix H;         // small matrix, with the two rows of the corrected scheme
  };
  void load(const Matrix& A, std::span<const Vector* const> loads, const Substep& step);
  int arnoldi(const Matrix& A, Substep& step, double& next_size);
  void product(const Matrix& A, std::span<const double> x, std::span<double> y);
  void combine(const Substep& step, double t, Vector& w);

  int n_ = 0, p_ = 0, used_ = 0;
  long products_ = 0;
  std::vector<Substep> steps_;
  std::vector<Vector> loads_;  // of the substep, scaled
  double scale_ = 1;
  Vector next_, first_column_, w_end_;
  Matrix small_, small_exp_;
  MatrixExponential exponential_;
};

}  // namespace kardan
