#pragma once
/// Small motions about a state: y' = A y for y = (x, u, zeta, r), the changes of the independent
/// coordinates, of their rates, of the positions without a free velocity (where there are
/// nonholonomic constraints) and of the dynamic variables, with the exact A of the state-space
/// form; A e = lambda e. At a state that is not in balance or steady motion these are the modes of
/// the frozen equations.

#include <complex>
#include <string>
#include <vector>

#include "kardan/formulation/state_space.h"

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
  std::vector<Mode> modes;       ///< ascending in real part, then in imaginary part
};

enum class ModeShapes { leave, find };

/// recoverable when the eigenvalue iteration fails.
[[nodiscard]] Eval find_modes(StateSpace& problem, ModeShapes shapes, Modes& out);

}  // namespace kardan
