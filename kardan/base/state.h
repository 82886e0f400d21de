#pragma once
/// The variables of the general equations at one time, as a value. Everything that must survive a
/// step, a checkpoint or a restart is here.

#include <vector>

namespace kardan {

struct State {
  double t = 0;           // [s]
  std::vector<double> p;  // positions (spatial bodies: x, y, z, qw, qx, qy, qz)
  std::vector<double> v;  // velocities (spatial bodies: world velocity, body-frame spin)
  std::vector<double> r;  // dynamic force variables
  std::vector<double> w;  // auxiliary variables
  std::vector<double> s;  // contact point variables
  // Multipliers of all constraint rows, where f, b or d depend on them (Sizes::multiplier_forces).
  std::vector<double> lambda;
  std::vector<int> turns;  // full turns of continuous angles
  std::vector<int> modes;  // switch positions of elements with kinks
};

/// Sizes of the general equations (1)-(9).
struct Sizes {
  int p = 0, v = 0, r = 0, w = 0, s = 0;
  int lambda = 0;  // holonomic constraints
  int mu = 0;      // nonholonomic constraints
  int e = 0;       // invariants
  int events = 0, modes = 0, turns = 0;
  bool multiplier_forces = false;  // f, b or d depend on lambda, mu
  int constraints() const { return lambda + mu; }
};

}  // namespace kardan
