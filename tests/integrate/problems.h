#pragma once
/// Small models with known solutions.

#include <cmath>
#include <string_view>

#include "kardan/base/state.h"

namespace kardan::test {

/// A unit mass around a centre of attraction 1/l^2: an ellipse of eccentricity 0.3, half axis 1,
/// started at the near end; free, nonlinear, with period 2 pi.
inline constexpr std::string_view kepler = R"(
kardan: 1
name: kepler
dimension: 2
gravity: [0, 0]
parameters: {e: 0.3}
bodies:
  planet: {kind: point, mass: 1, position: [1 - e, 0], velocity: [0, sqrt((1 + e)/(1 - e))]}
forces:
  sun: {type: spring_damper, between: [ground, planet], law: -1/length^2}
)";

inline State kepler_state(double t) {
  constexpr double e = 0.3;
  double E = t;
  for (int i = 0; i < 50; ++i) E -= (E - e * std::sin(E) - t) / (1 - e * std::cos(E));
  const double rate = 1 / (1 - e * std::cos(E)), side = std::sqrt(1 - e * e);
  State s;
  s.t = t;
  s.p = {std::cos(E) - e, side * std::sin(E)};
  s.v = {-std::sin(E) * rate, side * std::cos(E) * rate};
  return s;
}

/// A symmetric top without weight, its centre held by a ball joint: about the fixed angular
/// momentum it turns with L/J1, about its own axis with w3 (1 - J3/J1).
inline constexpr std::string_view symmetric_top = R"(
kardan: 1
name: symmetric top
dimension: 3
gravity: [0, 0, 0]
bodies:
  top: {mass: 2, inertia: [1, 1, 0.5], angular_velocity: [0.8, 0, 2]}
joints:
  ball: {type: spherical, between: [ground, top]}
)";

/// Quaternion (w, x, y, z) of the turn by `angle` about the unit vector (x, y, z), times q.
struct Quaternion {
  double w, x, y, z;
};
inline Quaternion operator*(const Quaternion& a, const Quaternion& b) {
  return {
      a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z, a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
      a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x, a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w};
}

inline State symmetric_top_state(double t) {
  constexpr double J1 = 1, J3 = 0.5, w1 = 0.8, w3 = 2;
  const double Lx = J1 * w1, Lz = J3 * w3, L = std::hypot(Lx, Lz);
  const double precession = L / J1 * t, spin = w3 * (1 - J3 / J1) * t;
  const double s = std::sin(precession / 2);
  const Quaternion q = Quaternion{std::cos(precession / 2), s * Lx / L, 0, s * Lz / L} *
                       Quaternion{std::cos(spin / 2), 0, 0, std::sin(spin / 2)};
  State state;
  state.t = t;
  state.p = {0, 0, 0, q.w, q.x, q.y, q.z};
  state.v = {0, 0, 0, w1 * std::cos(spin), -w1 * std::sin(spin), w3};
  return state;
}

/// A bead on a rod that turns with 2 rad/s under gravity: its distance is
/// r = cosh(2t) + B sinh(2t) + g/8 sin(2t), B = -g/8, from rest on the rod at r = 1.
inline constexpr std::string_view bead_on_turning_rod = R"(
kardan: 1
name: bead on a turning rod
dimension: 2
gravity: [0, -9.81]
bodies:
  rod: {mass: 1, inertia: 0.3, angular_velocity: 2}
  bead: {kind: point, mass: 0.5, position: [1, 0], velocity: [0, 2]}
joints:
  pivot: {type: revolute, between: [ground, rod]}
  line: {type: point_on_line, between: [rod, bead]}
drivers:
  turn: {type: driver, between: [ground, rod], motion: 2*t}
)";

inline State bead_state(double t) {
  constexpr double W = 2, g = 9.81, c = g / (2 * W * W);
  const double r = std::cosh(W * t) + c * (std::sin(W * t) - std::sinh(W * t));
  const double dr = W * (std::sinh(W * t) + c * (std::cos(W * t) - std::cosh(W * t)));
  const double C = std::cos(W * t), S = std::sin(W * t);
  State s;
  s.t = t;
  s.p = {0, 0, W * t, r * C, r * S};
  s.v = {0, 0, W, dr * C - r * W * S, dr * S + r * W * C};
  return s;
}

/// A double pendulum whose pivot is shaken along x and whose first link is driven unevenly: every
/// time derivative of the constraints acts.
inline constexpr std::string_view shaken_pendulum = R"(
kardan: 1
name: shaken pendulum
dimension: 3
gravity: [0, 0, -9.81]
bodies:
  car: {mass: 1, inertia: [0.1, 0.1, 0.1]}
  arm: {mass: 1, inertia: [0.1, 0.1, 0.02], position: [0, 0, -0.5], markers: {top: {at: [0, 0, 0.5]}, tip: {at: [0, 0, -0.5]}}}
  bob: {mass: 1, inertia: [0.1, 0.15, 0.02], position: [0.5, 0, -1], angular_velocity: [0, 0, 0], markers: {top: {at: [-0.5, 0, 0]}}}
joints:
  rail: {type: prismatic, bodies: [ground, car], at: [0, 0, 0], axis: [1, 0, 0]}
  pin: {type: revolute, bodies: [car, arm], at: [0, 0, 0], axis: [0, 1, 0]}
  ball: {type: spherical, between: [arm.tip, bob.top]}
drivers:
  shake: {type: driver, coordinate: x, between: [ground, car], motion: 0.2*sin(3*t)}
  swing:
    type: driver
    coordinate: angle
    bodies: [car, arm]
    at: [0, 0, 0]
    axis: [0, 1, 0]
    motion: 0.5*t + 0.3*(1 - cos(2*t))
)";

/// A pendulum pulled by a lagging motor and steered by a PID controller: dynamic and auxiliary
/// variables that act on a constrained, nonlinear motion.
inline constexpr std::string_view steered_pendulum = R"(
kardan: 1
name: steered pendulum
dimension: 2
gravity: [0, -9.81]
bodies:
  upper: {mass: 1, inertia: 0.1, position: [0.5, 0], markers: {root: {at: [-0.5, 0]}, tip: {at: [0.5, 0]}}}
  lower: {mass: 0.7, inertia: 0.08, position: [1.5, 0], markers: {root: {at: [-0.5, 0]}}}
joints:
  pivot: {type: revolute, between: [ground, upper.root]}
  hinge: {type: revolute, between: [upper.tip, lower.root]}
forces:
  motor: {type: actuator, coordinate: angle, between: [ground, upper], time_constant: 0.2, command: 6*cos(3*t), initial: 1}
  steering: {type: controller, coordinate: angle, between: [upper, lower], kp: 20, kd: 2, ki: 8, reference: 0.5*sin(2*t)}
)";

/// A controlled mass on a rail with the poles -1, -2, -3: the error is
/// -2.5 exp(-t) + 8 exp(-2t) - 4.5 exp(-3t).
inline constexpr std::string_view controlled_mass = R"(
kardan: 1
name: controlled mass
dimension: 2
gravity: [0, 0]
bodies:
  mass: {mass: 1, inertia: 1}
joints:
  rail: {type: prismatic, between: [ground, mass]}
forces:
  control: {type: controller, coordinate: x, between: [ground, mass], kp: 11, kd: 6, ki: 6, reference: 1}
)";

inline State controlled_mass_state(double t) {
  const double a = -2.5 * std::exp(-t), b = 8 * std::exp(-2 * t), c = -4.5 * std::exp(-3 * t);
  State s;
  s.t = t;
  s.p = {1 - (a + b + c), 0, 0};
  s.v = {a + 2 * b + 3 * c, 0, 0};
  s.r = {-a - b / 2 - c / 3 + (-2.5 + 8.0 / 2 - 4.5 / 3)};
  return s;
}

/// Two links of length 1 whose ends are driven apart: stretched at t = 0.7.
inline constexpr std::string_view stretched_arm = R"(
kardan: 1
name: stretched arm
dimension: 2
gravity: [0, 0]
bodies:
  upper: {mass: 1, inertia: 0.1, position: [0.325, 0.37996710383], angle: 0.863211890069541, markers: {root: {at: [-0.5, 0]}, tip: {at: [0.5, 0]}}}
  lower: {mass: 1, inertia: 0.1, position: [0.975, 0.37996710383], angle: -0.863211890069541, markers: {root: {at: [-0.5, 0]}, tip: {at: [0.5, 0]}}}
joints:
  shoulder: {type: revolute, between: [ground, upper.root]}
  elbow: {type: revolute, between: [upper.tip, lower.root]}
  rail: {type: point_on_line, between: [ground, lower.tip]}
drivers:
  pull: {type: driver, coordinate: x, between: [ground, lower.tip], motion: 1.3 + t}
)";

/// Two drivers of one angle that agree until t = 0.7: the second is redundant, then a
/// contradiction.
inline constexpr std::string_view contradiction = R"(
kardan: 1
name: contradiction
dimension: 2
gravity: [0, -9.81]
bodies:
  crank: {mass: 1, inertia: 0.3, position: [0.5, 0], markers: {root: {at: [-0.5, 0]}, tip: {at: [0.5, 0]}}}
  rod: {mass: 1, inertia: 0.3, position: [1.5, 0], markers: {root: {at: [-0.5, 0]}}}
joints:
  pivot: {type: revolute, between: [ground, crank.root]}
  hinge: {type: revolute, between: [crank.tip, rod.root]}
drivers:
  first: {type: driver, between: [ground, crank], motion: 0.5*t^2}
  second: {type: driver, between: [ground, crank], motion: "t < 0.7 ? 0.5*t^2 : 0.5*t^2 + (t - 0.7)^3"}
)";

/// From t = 1/2 on the force is no number.
inline constexpr std::string_view not_a_number = R"(
kardan: 1
name: not a number
dimension: 2
gravity: [0, -9.81]
bodies:
  bob: {kind: point, mass: 1, position: [1, 0]}
joints:
  rod: {type: distance, between: [ground, bob], length: 1}
forces:
  broken: {type: spring_damper, between: [{body: ground, at: [2, 2]}, bob], law: sqrt(0.5 - t)}
)";

}  // namespace kardan::test
