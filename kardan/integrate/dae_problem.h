#pragma once
/// Implicit problems in the chart of a step:
///
///   0 = F(t, y, y'),   y = (x, u, z | algebraic unknowns)
///
/// x, u and z are those of Local; y' enters for them alone, and the first rows of F are
/// (x', u', z') - ...: E = F_y' is the unit matrix there and zero elsewhere. F may have more rows
/// than y has unknowns: which of them count, and which of their combinations, a linearization
/// decides when it is made (selectors), so that a method which drives its corrections to zero
/// solves the equations that the linearization has chosen. Methods and driver know no bodies or
/// joints.

#include <algorithm>
#include <cmath>
#include <complex>
#include <memory>
#include <span>

#include "kardan/integrate/problem.h"

namespace kardan {

/// A linearization with as many equations as unknowns, in an order of its own, for methods that
/// want that.
class SquareLinearization {
 public:
  virtual ~SquareLinearization() = default;
  /// c E + A, and the rows of F that belong to it.
  virtual void matrix(double c, Matrix& out) const = 0;
  virtual void square(std::span<const double> F, std::span<const double> y,
                      std::span<double> out) const = 0;
  /// From now on the rows stay those chosen last.
  virtual void freeze() = 0;
};

/// A = F_y at a point, kept; what does not depend on c is factored once.
class DaeLinearization {
 public:
  virtual ~DaeLinearization() = default;

  /// By how much round-off in F is magnified in y because constraints nearly depend on each other.
  virtual double condition() const = 0;
  /// Factors c E + A for a real c and for complex ones.
  [[nodiscard]] virtual Eval factor(double real, std::span<const std::complex<double>> complex) = 0;
  /// y := (c E + A)^-1 F for the real c.
  virtual void solve(std::span<const double> F, std::span<double> y) = 0;
  /// The same for all c at once: y[0] for the real one and F[0], y[1] + i y[2] for the first
  /// complex one, and so on.
  virtual void solve(std::span<const Vector> F, std::span<Vector> y) = 0;
  /// The same as a square one; null where combinations of rows are chosen at every point.
  virtual SquareLinearization* as_square() = 0;
};

/// The largest part of an error in its unit.
inline double size_in(const Local& units, const Local& e) {
  double largest = 0;
  const auto weigh = [&](const Vector& parts, const Vector& by) {
    for (std::size_t i = 0; i < parts.size(); ++i)
      largest = std::max(largest, std::abs(parts[i]) / by[i]);
  };
  weigh(e.x, units.x);
  weigh(e.u, units.u);
  weigh(e.z, units.z);
  return largest;
}

class DaeProblem : public ChartProblem {
 public:
  ProblemKind kind() const final { return ProblemKind::dae; }
  Eval jacobian(LocalJacobian&) final { return Eval::fatal; }
  Eval jacobian_at(double, const Local&, Derivatives, LocalJacobian&) final { return Eval::fatal; }
  bool past(double&, Local&, LocalRate&) final { return false; }

  /// What error_norm divides the parts of an error by.
  virtual void error_units(const State& state, const ErrorScale& scale, Local& units) = 0;

  virtual int unknowns() const = 0;   // length of y
  virtual int equations() const = 0;  // length of F
  /// y and y' (zero for algebraic unknowns) at the base.
  virtual const Vector& base_values() const = 0;
  virtual const Vector& base_rates() const = 0;

  virtual Eval residual(double t, std::span<const double> y, std::span<const double> dy,
                        std::span<double> F) = 0;

  virtual std::unique_ptr<DaeLinearization> make_linearization() const = 0;
  virtual Eval linearize(double t, std::span<const double> y, DaeLinearization& out) = 0;

  /// Moves y to the nearest point on which the algebraic equations that a linearization uses hold,
  /// with derivatives of that point itself: where those of a step do not serve for all its stages.
  virtual Eval close(double t, std::span<double> y) = 0;

  /// y from the chart of the base before the present one to the present chart.
  virtual void carry(std::span<double> y) = 0;

  /// Index of u where it is above 1: its errors count times h^(index - 1), since those of the
  /// stages are that much larger (Hairer, Lubich, Roche 1989; RADAU5).
  virtual int velocity_index() const = 0;
};

}  // namespace kardan
