#pragma once
/// What is measured of a state: named scalars, energy, momentum.

#include "kardan/base/rotation.h"

namespace kardan {

/// A named scalar of the motion: a coordinate, a velocity, a sensor.
struct Quantity {
  enum class Kind {
    position,
    velocity,
    sensor,
    state,
    auxiliary,
    contact,
    time,
    expression
  } kind = Kind::position;
  int body = 0;
  int index = 0;  // component of the body, index of the sensor or variable
};

struct Energy {
  double kinetic = 0, potential = 0;  // [J]
  double applied_power = 0;           // [W] of all forces without a potential (damping included)
  bool known = true;                  // false: the equations do not give them; energies are NaN
};

struct Momentum {
  Vec3d linear;   // [kg m/s]
  Vec3d angular;  // [kg m^2/s] about the world origin
};

}  // namespace kardan
