#pragma once
/// Second-order problems with constraints, in all coordinates of the chart:
///
///   x' = T(x)^-1 v,   M v' = f(t, x, v, z) - G' lambda,   z' = b,
///   0 = g(t, x),   0 = rate(t, x, v) = G v + g_t
///
/// x = 0 and T = I at the base. The first holonomic() rows of G belong to g, which is zero for the
/// rest: those constrain velocities only. G v' = gamma is their derivative. Rows that follow from
/// others are left out by the problem. Local points have u = x', errors too; everything else
/// here speaks of v.

#include "kardan/integrate/problem.h"
#include "kardan/linalg/sparse.h"

namespace kardan {

/// The equations at a point.
struct Motion {
  Vector g, rate, gamma;  // by row
  SparseMatrix G;
  Vector f, b;
  SparseMatrix M;
  // Derivatives at given accelerations a and multipliers lambda; auxiliary variables w, which
  // evaluations eliminate, stand beside z: (b; d) by x, v, (z; w), and f by (z; w).
  SparseMatrix f_p, f_v;  // (f - M a - G' lambda) by the tangent T dx; f by v
  SparseMatrix rate_p;
  SparseMatrix aux_p, aux_v, aux_aux, force_aux;
};

class ConstrainedProblem : public ChartProblem {
 public:
  ProblemKind kind() const override { return ProblemKind::constrained; }

  virtual int rows() const = 0;
  virtual int holonomic() const = 0;
  virtual int auxiliary() const = 0;  // length of w

  /// v = T(x) u and back; rows of G times T(x).
  virtual void to_velocities(const Vector& x, const Vector& u, Vector& v) const = 0;
  virtual void to_chart(const Vector& x, const Vector& v, Vector& u) const = 0;
  virtual void chart_columns(const Vector& x, SparseMatrix& G) const = 0;

  /// What an evaluation shall compute; later ones include the earlier, but `forces` is f and b
  /// alone, the constraints staying those evaluated before.
  enum class What { positions, velocities, forces, all };
  virtual Eval evaluate(double t, const Vector& x, const Vector& v, const Vector& z, What what) = 0;
  /// At the point evaluated last.
  virtual Eval differentiate(const Vector& a, const Vector& lambda) = 0;
  /// Results of the last evaluation inside the step; those at the base.
  virtual const Motion& motion() const = 0;
  virtual const Motion& base_motion() const = 0;

  /// Factors M and G of the last evaluation.
  virtual Eval factor() = 0;
  enum class Place { base, stage };
  /// M a + G' lambda = f, G a = c, with the factors of the base or of the last factor(): a holds f
  /// on entry, lambda holds c.
  virtual void solve(Place place, Vector& a, Vector& lambda) = 0;

  /// Multipliers at the base that go with base_rate(), by row of this problem.
  virtual void base_multipliers(Vector& lambda) const = 0;
  /// Whether the base follows the one before without a change of the equations between them.
  virtual bool continues() const = 0;

  /// Multipliers a method has found for a time inside its step, by row of this problem.
  virtual void note_multipliers(double t, const Vector& lambda) = 0;
};

}  // namespace kardan
