#pragma once
/// Random systems whose motion is known in closed form, the same for the same seed: driven linkages
/// (four-bars and slider-cranks whose crank is prescribed), gear trains that spin up, masses that
/// are pushed for a moment. They attack what no free coordinate controls: prescribed and dependent
/// motion, turns, inputs between samples.

#include <functional>
#include <map>
#include <string>

namespace kardan::test {

struct KnownMotion {
  std::string text;   ///< the model file
  double t_end = 1;   ///< [s]
  double length = 1;  ///< [m] its size; angles count in radians
  /// Names of coordinates, velocities or sensors, with their true values at t.
  struct Truth {
    std::function<double(double t)> at;
    double size = 1;  ///< of what an error counts against
  };
  std::map<std::string, Truth> truths;
};

KnownMotion driven_linkage(unsigned seed);
KnownMotion gear_train(unsigned seed);
KnownMotion pulsed_mass(unsigned seed);
KnownMotion pulsed_oscillator(unsigned seed);

}  // namespace kardan::test
