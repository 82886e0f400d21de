#pragma once
/// The flow of a linear system, known at every time of a step:
///
///   w' = A w + f + t g,   w(0) = 0,   0 <= t <= h,
///
/// w(t) = t phi_1(tA) f + t^2 phi_2(tA) g: the last column of exp(t [A g f; 0 0 1; 0 0 0]).
///
/// pade: exponentials of A h/2^s (Padé), A h/2^(s-1), ..., A h by squaring, all kept. A time is a
/// sum of those lengths, so that w costs a product with a vector for each of them, and a short
/// Taylor series for what is left: exact to round-off everywhere. A is balanced first, so that
/// units do not count as size. krylov: products with A alone, to a tolerance.

#include <vector>

#include "kardan/linalg/exponential.h"
#include "kardan/linalg/krylov_action.h"

namespace kardan {

/// automatic: whichever is cheaper, by the number of variables and |A| h.
enum class FlowKind { automatic, pade, krylov };

class LinearFlow {
 public:
  /// recoverable when A is not finite or too large for h. `tolerance` is Krylov's, relative.
  [[nodiscard]] Eval prepare(const Matrix& A, const Vector& f, const Vector& g, double h,
                             FlowKind kind, double tolerance);
  /// w(t)
  void at(double t, Vector& w);
  /// t^3 phi_3(tA) v, 0 <= t <= h: the solution at t of w' = A w + t^2/2 v. Krylov gives a few
  /// digits of it.
  [[nodiscard]] Eval third(const Vector& v, double t, Vector& w);

  double h() const { return h_; }
  /// A bound of the fastest rate of the motion: |A|_1, balanced [1/s].
  double rate() const { return rate_; }
  /// |w_i(s) - w_i(t)| for |s - t| <= span is at most this, where `w` is w(t).
  void deviation(double t, const Vector& w, double span, Vector& bound);
  FlowKind kind() const { return kind_; }  // pade or krylov

 private:
  /// What one length adds: w(t + length) = E w(t) + a + t b + c.
  struct Level {
    double length = 0;
    Matrix E;
    Vector a, b, c;
    Vector x[3];  // length^k phi_k v of third()
  };
  Eval prepare_ladder();
  void taylor(double t, Vector& w);
  void taylor_phi(double t, Vector (&x)[3]);

  FlowKind kind_ = FlowKind::pade;
  double h_ = 0, rate_ = 0;
  bool constant_ = true;       // g = 0
  Matrix A_;                   // balanced for pade
  Vector d_, f_, g_;           // f, g balanced likewise
  std::vector<Level> levels_;  // level i has the length h/2^i
  int last_ = 0;               // the shortest in use
  Vector term_, term_g_, product_, v_, x_[3];
  Matrix scaled_;
  MatrixExponential exponential_;
  KrylovAction krylov_, krylov_error_;
  Vector zero_;
};

}  // namespace kardan
