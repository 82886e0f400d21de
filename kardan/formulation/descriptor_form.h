#pragma once
/// What a form of the equations in all coordinates (descriptor.h) is made of: its rows, their
/// places, and the derivatives that a linearization takes.

#include <vector>

#include "kardan/base/vec.h"
#include "kardan/linalg/constraint_space.h"
#include "kardan/linalg/matrix.h"
#include "kardan/linalg/sparse.h"

namespace kardan {

/// Which combinations of kinematics and dynamics count. Both are chosen with every linearization;
/// unit rows stay the same as long as pivoting finds the same coordinates.
enum class Selectors { orthonormal, unit_rows };
/// How the differential part of a step's matrix is factored.
enum class StepDecomposition { lu, qr };

/// Which rows of F count, and what is done after a step.
struct DescriptorForm {
  bool position = false, velocity = false, acceleration = false;  ///< levels of the constraints
  bool select_kinematics = false, select_dynamics = false;
  bool ggl = false;         ///< with multipliers eta in the kinematics
  bool project = false;     ///< the end of a step is closed on positions and velocities
  bool invariants = false;  ///< and on the invariants of the equations
  int velocity_index = 1;
  RowDecomposition algebraic = RowDecomposition::automatic;
  StepDecomposition differential = StepDecomposition::lu;
  Selectors selectors = Selectors::orthonormal;
};

/// Places in y and in F.
struct DescriptorLayout {
  int n = 0, r = 0, m = 0, holonomic = 0, w = 0, eta = 0;
  // y
  int q() const { return 0; }
  int v() const { return n; }
  int z() const { return 2 * n; }
  int a() const { return 2 * n + r; }
  int lambda() const { return 3 * n + r; }
  int aux() const { return 3 * n + r + m; }
  int multiplier() const { return 3 * n + r + m + w; }  // eta
  int unknowns() const { return 3 * n + r + m + w + eta; }
  // F: kinematics, dynamics, force elements as q, v, r; then
  int balance() const { return 2 * n + r; }
  int acceleration() const { return 3 * n + r; }
  int d() const { return 3 * n + r + m; }
  int position() const { return 3 * n + r + m + w; }
  int velocity() const { return 3 * n + r + 2 * m + w; }
  int equations() const { return 3 * n + r + 3 * m + w; }
};

/// Chart of a spatial body's rotation at a point: first index in v, T, T^-1, and the derivative of
/// T y by theta at y = T^-1 w.
struct RotationChart {
  int v = 0;
  Mat3d T, T_inverse, gradient;
};

/// Derivatives of F at a point, in body tangents.
struct DescriptorDerivatives {
  SparseMatrix G, M, rate_p, accel_p, accel_v, f_p, f_v, aux_p, aux_v, aux_aux, force_aux,
      force_lambda, aux_lambda;
  std::vector<RotationChart> rotations;
  Vector column_scale;  // unit of each tangent direction
};

}  // namespace kardan
