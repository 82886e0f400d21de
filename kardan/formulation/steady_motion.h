#pragma once
/// Steady motions: those that a symmetry of the equations carries along. For a group with the
/// generator K that leaves the equations z' = F(z) as they are, and a state z0 with F(z0) = K(z0),
///
///   z(t) = exp(t K) z0,   and of small motions seen from it   eta' = (DF - DK)(z0) eta:
///
/// a constant matrix, while DF along the motion changes with the axes of turning bodies. K is
/// looked for among displacements and turns of every mechanism as a whole, turns of a body about an
/// axis of symmetry of its inertia, displacements of single coordinates (of equations without
/// bodies), and time. Of these, sums that are no symmetry are found by derivatives of accelerations
/// and constraints along them, at the state and at consistent states nearby. Where a turn of a body
/// about its own axis explains its motion the frame does not turn with it.
///
/// Displacements along the group (where a disc stands on the plane, how far a wheel has turned) are
/// cyclic: they lead to the same motion at another place, and carry the frame's own rates. They are
/// taken out: modes are those of what remains.

#include <string>

#include "kardan/formulation/state_space.h"

namespace kardan {

struct SteadyMotion {
  bool steady = false;
  std::string reason;  ///< where it is not
  /// Over y = (x, u, zeta, r), where the frame turns: DK, and a basis of the displacements along
  /// the group. Empty: the frame does not turn, and DK = 0.
  Matrix generator, orbit;
};

/// At the base of the problem, whose jacobian() was evaluated last.
SteadyMotion find_steady_motion(const System& system, const StateSpace& problem);

}  // namespace kardan
