#pragma once
/// What a tolerance means, for all formulations: an error counts in units of
///
///   absolute + relative * size
///
/// of its coordinate, velocity or dynamic variable. Absolute tolerances come from the model's
/// scales. The size of a variable does not depend on where the model stands in the world, nor on a
/// common velocity of what floats:
///
///   displacement   distance from the mean of the places at which the body's mechanism is fixed
///                  to the ground or touches it, or, of one that floats, from the mean of its
///                  bodies; at most the mechanism's own extent
///   velocity       relative to the ground, or, of one that floats, to the mean of its bodies, at
///                  the end of a step; where velocities are unknowns beside positions (descriptor
///                  forms) the largest along the step, since there one that passes zero has errors
///                  of what it is before and after
///   angle          in the plane by how far it has turned since the start of the model; rotations
///                  in space count by their change, size 0
///   spins, r       their value; so do coordinates of equations without bodies
///
/// The displacement, the rotation, the velocity and the spin of a body are vectors: their sizes
/// and errors are lengths, so that neither the directions of the world's axes nor those of the
/// body's own matter.
///
/// Bodies that joints, drivers, forces or contacts connect belong to one mechanism.

#include <span>
#include <vector>

#include "kardan/integrate/dae_problem.h"
#include "kardan/system/mechanisms.h"
#include "kardan/system/system.h"

namespace kardan {

class ErrorUnits {
 public:
  explicit ErrorUnits(const System& system);

  /// Absolute tolerances from the model's scales, `tolerance` for the relative one.
  ErrorScale default_scale(double tolerance) const;

  /// Units of the errors of all displacements and rotations (x), velocities (u) and dynamic
  /// variables (z) at a state. `before`: velocities that count as
  /// well, if they are larger.
  void units(const State& state, std::span<const double> before, const ErrorScale& scale,
             Local& out);
  /// The largest error in its unit, of vectors their lengths; no number where one of them is none.
  double norm(const Local& errors, const State& state, std::span<const double> before,
              const ErrorScale& scale);

  /// The same of displacements and rotations, or of velocities, alone.
  double largest(std::span<const double> errors, std::span<const double> units) const;

 private:
  /// Where a mechanism is at a state.
  struct Standing {
    Vec3d place;          // positions are counted from here
    Vec3d speed, before;  // velocities from these: now, and at the other end of the step
    double extent = 0;    // no displacement counts more
  };
  Standing standing(const Mechanism& m, const State& state, std::span<const double> before) const;
  void measure(const Mechanism& m, const State& state, std::span<const double> before);
  void add_vector(int first, int count);

  const System& system_;
  std::vector<Mechanism> mechanisms_;
  struct Part {
    int first, end;
  };
  std::vector<Part> vectors_;   // of bodies; each coordinate of equations is one of its own
  Vector position_, velocity_;  // sizes
  Local units_;
};

}  // namespace kardan
