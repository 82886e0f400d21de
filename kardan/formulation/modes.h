#pragma once
/// Small motions about a state: y' = A y for y = (x, u, zeta, r), the changes of the independent
/// coordinates, of their rates, of the positions without a free velocity (where there are
/// nonholonomic constraints) and of the dynamic variables, with the exact A of the state-space
/// form; A e = lambda e. In a steady motion with turning bodies (steady_motion.h) A is seen from
/// the moving frame, and displacements along the symmetries are taken out of y. Frozen, A is that
/// of the chart at this instant, whatever the motion: its eigenvalues show how stiff the equations
/// are.

#include <complex>
#include <string>
#include <vector>

#include "kardan/formulation/steady_motion.h"

namespace kardan {

/// One eigenvalue; of a conjugate pair both are listed.
struct Mode {
  std::complex<double> value;  ///< [1/s]
  double frequency = 0;        ///< [Hz] |Im| / 2 pi
  double damping_ratio = 0;    ///< -Re / |value|; NaN for zero
  bool zero = false;           ///< below what rounding leaves of a (double) zero
  /// Change of every velocity coordinate's position (displacement in the world, rotation in the
  /// body frame), then of the dynamic variables; the largest is 1.
  std::vector<std::complex<double>> shape;
};

struct Modes {
  Matrix A;
  std::vector<int> independent;  ///< velocity index of every x
  std::vector<int> drift;        ///< velocity index of every zeta
  std::vector<int> kept;         ///< places in y of the rows of A
  std::vector<Mode> modes;       ///< ascending in real part, then in imaginary part
};

enum class ModeShapes { leave, find };
/// Of small motions about a balance or a steady motion, or of the equations at an instant.
enum class ModesOf { motion, frozen };

/// recoverable when the eigenvalue iteration fails, or, with a reason in `steady`, where the motion
/// is not steady.
[[nodiscard]] Eval find_modes(const System& system, StateSpace& problem, ModesOf of,
                              ModeShapes shapes, SteadyMotion& steady, Modes& out);

}  // namespace kardan
