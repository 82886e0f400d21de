#pragma once
/// The constraints near a point of the chart to first order (state_space.h), and what is evaluated
/// at a point.

#include <memory>
#include <vector>

#include "kardan/base/state.h"
#include "kardan/base/vec.h"
#include "kardan/formulation/parametrization.h"
#include "kardan/linalg/linear_solver.h"
#include "kardan/linalg/matrix.h"

namespace kardan {

struct Tangent {
  double t = 0;
  Vector free, dependent;  // (x, zeta) and y of the point
  Matrix H;                // y by (x, zeta)
  Vector H_t;              // y by t
  Vector bend;             // y'' with x'' = zeta'' = 0, at the base
  Matrix B;                // q by (x, zeta)
  Matrix H_u, U;           // (y', zeta') and q' by u, where there are nonholonomic rows
  std::unique_ptr<LinearSolver> velocity;  // factors of [G; H] T [D Z]
  std::unique_ptr<LinearSolver> position;  // of G T D, where there are nonholonomic rows
  LinearSolver& positions() { return position ? *position : *velocity; }
  const Matrix& velocities() const { return position ? U : B; }
};

/// A point of the chart with everything that was evaluated there.
struct EvaluatedPoint {
  State state;
  Vector q, dq, ddq;        // in the chart
  Vector a, lambda;         // of the equations
  std::vector<Mat3d> turn;  // T of every spatial body
  Vector G;                 // values of G T
  Tangent tangent;
};

/// The blocks of G T that belong to dependent coordinates, and to free ones.
class DependentBlocks {
 public:
  DependentBlocks() = default;
  /// `split` must outlive this.
  DependentBlocks(const Parametrization& split, const SparsePattern& constraint);

  /// Makes room for the tangents of another choice.
  void prepare(Tangent& tangent) const;
  /// The dependent blocks from values of G T. Away from the base they start from its pivots, so
  /// that rejected attempts leave no trace.
  [[nodiscard]] Eval factor(const Vector& G, Tangent& tangent);
  [[nodiscard]] Eval factor_near(const Tangent& base, const Vector& G, Tangent& tangent);
  /// The free directions, with the factors.
  void expand(const Vector& G, const Vector& g_t, Tangent& tangent) const;
  /// Of the free directions: 1 where they are those of the choice.
  double length(const Tangent& tangent) const;
  /// Smallest pivot of the dependent coordinates: it falls linearly towards a singular position.
  double regularity(Tangent& tangent) const;
  /// Entries of the block that belongs to velocities.
  int nonzeros() const { return velocity_.pattern()->nonzeros(); }

 private:
  const Parametrization* split_ = nullptr;
  DependentBlock velocity_, position_;
  FreeBlock free_, free_velocity_;  // of H and H_u
  Vector velocity_values_, position_values_;
};

}  // namespace kardan
