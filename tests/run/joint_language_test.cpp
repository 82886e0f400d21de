/// Coordinates of joints as quantities, forces that are formulas, motors, couplings, cables, cams
/// and written constraints: each against a closed form or another element that says the same.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "kardan/base/rotation.h"
#include "run/event_runs.h"
#include "support/difference_check.h"

namespace kardan {
namespace {

using test::Ran;
using test::run_model;

double quantity(const System& system, const State& state, const std::string& name) {
  const auto q = system.find_quantity(name);
  EXPECT_TRUE(q) << name;
  const auto ws = system.make_workspace();
  return q ? system.quantity(*q, state, 0, {}, {}, *ws) : NAN;
}
double at_end(const Ran& r, const std::string& name) {
  EXPECT_EQ(r.report.driver.reason, Reason::finished) << r.report.driver.message;
  return quantity(*r.prepared.system, r.end(), name);
}

// --- coordinates of joints ---------------------------------------------------------------------

TEST(JointQuantities, CountFullTurnsInThePlaneAndInSpace) {
  const std::string plane =
      "kardan: 1\ndimension: 2\nbodies: {w: {mass: 1, inertia: 1}}\njoints: {pin: {type: revolute, "
      "bodies: [ground, w], at: [0, 0]}}\ndrivers: {m: {type: driver, joint: pin, motion: 5*t}}\n";
  const std::string space =
      "kardan: 1\nbodies: {w: {mass: 1, inertia: [1, 1, 1]}}\njoints: {pin: {type: revolute, "
      "bodies: [ground, w], at: [0, 0, 0], axis: [1, 2, 3]}}\ndrivers: {m: {type: driver, joint: "
      "pin, motion: 5*t}}\n";
  for (const std::string& model : {plane, space}) {
    const Ran r = run_model(model, "rn4", 3);
    EXPECT_NEAR(at_end(r, "pin.angle"), 15, 1e-9);
    EXPECT_NEAR(at_end(r, "pin.rate"), 5, 1e-9);
    EXPECT_NEAR(at_end(r, "m.angle"), 15, 1e-9);
    EXPECT_EQ(r.prepared.system->quantity_unit(*r.prepared.system->find_quantity("pin.angle")),
              "rad");
    EXPECT_EQ(r.prepared.system->quantity_unit(*r.prepared.system->find_quantity("pin.rate")),
              "rad/s");
  }
}

std::unique_ptr<System> posed(const std::string& joint, const Mat3d& R) {
  const Quaternion q = quaternion_from_matrix(R);
  return test::compiled(fmt::format(
      "kardan: 1\nbodies: {{b: {{mass: 1, inertia: [1, 2, 3], quaternion: [{:.17g}, {:.17g}, "
      "{:.17g}, {:.17g}]}}}}\njoints: {{j: {{type: {}, between: [ground, b]}}}}\n",
      q.w, q.x, q.y, q.z, joint));
}
Mat3d about(int axis, double angle) {
  Vec3d v;
  v[axis] = angle;
  return rotation_exp(v);
}

TEST(JointQuantities, OfUniversalAndSphericalAreTheTurnsThatMakeThePose) {
  const double x = 0.7, y = -0.4, z = 1.9;
  const auto universal = posed("universal", about(0, x) * about(1, y));
  EXPECT_NEAR(quantity(*universal, universal->start(), "j.angle_x"), x, 1e-14);
  EXPECT_NEAR(quantity(*universal, universal->start(), "j.angle_y"), y, 1e-14);
  const auto ball = posed("spherical", about(2, z) * about(1, y) * about(0, x));
  EXPECT_NEAR(quantity(*ball, ball->start(), "j.yaw"), z, 1e-14);
  EXPECT_NEAR(quantity(*ball, ball->start(), "j.pitch"), y, 1e-14);
  EXPECT_NEAR(quantity(*ball, ball->start(), "j.roll"), x, 1e-14);
  const auto bent = posed("constant_velocity", rotation_exp({0.3, 0, 0}));
  EXPECT_NEAR(quantity(*bent, bent->start(), "j.angle_x"), 0.3, 1e-14);
  EXPECT_NEAR(quantity(*bent, bent->start(), "j.angle_y"), 0, 1e-14);
}

/// Rates are the changes of the values along the motion, and gradients those by p and v.
TEST(JointQuantities, HaveTheirRatesAndGradients) {
  const auto system = test::compiled(R"yaml(
kardan: 1
bodies:
  a: {mass: 1, inertia: [1, 2, 3], position: [0.3, 0.1, 0.2], rotation: [0.2, 0.3, -0.1]}
  b: {mass: 1, inertia: [2, 1, 3], position: [1, 0.2, 0.1], rotation: [-0.3, 0.2, 0.4]}
joints:
  uni: {type: universal, between: [a, b]}
  ball: {type: spherical, between: [a, b]}
  cyl: {type: cylindrical, between: [a, b]}
  cv: {type: constant_velocity, between: [a, b]}
  screw: {type: screw, between: [ground, b], pitch: 0.1}
)yaml");
  State s = test::random_point(*system, 3, 0.1).state;
  const auto ws = system->make_workspace();
  const std::pair<const char*, const char*> pairs[] = {
      {"uni.angle_x", "uni.rate_x"},    {"uni.angle_y", "uni.rate_y"},
      {"ball.yaw", "ball.yaw_rate"},    {"ball.pitch", "ball.pitch_rate"},
      {"ball.roll", "ball.roll_rate"},  {"cyl.angle", "cyl.rate"},
      {"cyl.position", "cyl.speed"},    {"cv.angle_x", "cv.rate_x"},
      {"cv.angle_y", "cv.rate_y"},      {"screw.angle", "screw.rate"},
      {"screw.position", "screw.speed"}};
  const auto n = static_cast<std::size_t>(system->sizes().v);
  constexpr double h = 1e-5;
  const auto moved = [&](std::size_t column, double by) {
    Vector way(n);
    way[column] = by;
    State out = s;
    system->retract(s.p, way, out.p);
    return out;
  };
  for (const auto& [value, rate] : pairs) {
    const Quantity q = *system->find_quantity(value), q1 = *system->find_quantity(rate);
    Vector by_p(n), by_v(n), rate_p(n), rate_v(n);
    system->quantity(q, s, 1, by_p, by_v, *ws);
    const double r = system->quantity(q1, s, 1, rate_p, rate_v, *ws);
    double along = 0;
    for (std::size_t c = 0; c < n; ++c) {
      along += by_p[c] * s.v[c];
      EXPECT_EQ(by_v[c], 0) << value;
      EXPECT_NEAR(rate_v[c], by_p[c], 1e-13) << rate;
      const State plus = moved(c, h), minus = moved(c, -h);
      EXPECT_NEAR(by_p[c],
                  (quantity(*system, plus, value) - quantity(*system, minus, value)) / (2 * h),
                  1e-8)
          << value;
      EXPECT_NEAR(rate_p[c],
                  (quantity(*system, plus, rate) - quantity(*system, minus, rate)) / (2 * h), 1e-8)
          << rate;
    }
    EXPECT_NEAR(r, along, 1e-12) << rate;
  }
}

// --- forces of anything ------------------------------------------------------------------------

void expect_exact(const std::string& model, int modes = 1) {
  const auto system = test::compiled(model);
  ASSERT_TRUE(system);
  for (const unsigned seed : {1u, 2u, 3u}) {
    test::DerivativePoint at = test::random_point(*system, seed, 0.1);
    const auto ws = system->make_workspace();
    system->choose_modes(at.state, *ws);
    const test::DerivativeReport report = test::check_derivatives(*system, at);
    EXPECT_LE(report.worst, 1e-6) << report.where;
    EXPECT_GE(report.compared, 20);
  }
  EXPECT_GE(system->sizes().modes, modes - 1);
}

constexpr const char* mixed = R"yaml(
kardan: 1
gravity: [0, 0, -9.81]
bodies:
  a: {mass: 1, inertia: [1, 2, 3], position: [1, 0.2, 0], angular_velocity: [0.3, 0.2, 0.1]}
  b: {mass: 2, inertia: [1, 1, 2], position: [0, 1, 0.5], velocity: [1, 0, 2], markers: {m: {at: [0.1, 0.3, 0.2], rotation: [0.3, 0.1, 0]}}}
  c: {kind: point, mass: 1, position: [0, 0, 2]}
joints: {hinge: {type: revolute, bodies: [ground, a], at: [0, 0, 0], axis: [0, 1, 0]}}
sensors:
  late: {type: expression, value: "gap.x*c.z + a.qx"}
  gap: {type: point, between: [a, b]}
forces:
  act: {type: actuator, joint: hinge, time_constant: 0.2, command: "sin(t)*b.vx - 0.3*hinge.rate"}
  push: {type: force, on: b.m, fx: "late*t - 2*c.vz", fy: "act.state*b.y", fz: "sin(hinge.angle)", frame: body}
  pull: {type: force, on: b.m, fx: "a.wx*b.wy", fz: "3*gap.vx + hinge.rate^2"}
  turn: {type: torque, on: a, tx: "b.x*c.y", tz: "exp(0.1*hinge.angle)*t"}
  twist: {type: torque, on: b.m, ty: "c.vx - a.z", frame: body}
  line: {type: spring_damper, between: [b.m, c], law: "-3*(length - 1)*hinge.rate + abs(rate)*late", force: 2*a.vx}
  coil: {type: rotational_spring_damper, joint: hinge, law: "-angle^3 + max(c.x, b.x)*rate", torque: gap.y}
)yaml";

TEST(Formulas, HaveExactDerivativesByEverything) {
  expect_exact(mixed, 3);
}

TEST(Formulas, OfSpringsMoveAsTheElementDoes) {
  const std::string head = R"yaml(
kardan: 1
dimension: 2
gravity: [0, -9.81]
bodies:
  a: {mass: 1, inertia: 1, position: [0.3, -1]}
  b: {mass: 2, inertia: 1, position: [0.1, -2.2], velocity: [1, 0]}
forces:
  top: {type: spring_damper, between: [ground, a], stiffness: 40, free_length: 0.8}
)yaml";
  const Ran element = run_model(head +
                                    "  s: {type: spring_damper, between: [a, b], stiffness: 30, "
                                    "damping: 0.4, free_length: 1}\n",
                                "rodasp", 2, 1e-10);
  const Ran formula = run_model(
      head +
          "  f: {type: force, on: a, fx: -pull*(a.x - b.x)/gap, fy: -pull*(a.y - b.y)/gap}\n"
          "  g: {type: force, on: b, fx: pull*(a.x - b.x)/gap, fy: pull*(a.y - b.y)/gap}\n"
          "sensors:\n"
          "  pull: {type: expression, value: 30*(gap - 1) + 0.4*gap.rate}\n"
          "  gap: {type: coordinate, between: [a, b]}\n",
      "rodasp", 2, 1e-10);
  for (int k = 0; k < 6; ++k) EXPECT_NEAR(formula.end().p[k], element.end().p[k], 1e-7);
}

/// Quadratic drag by abs: v = v0/(1 + c v0 t); a stretch of constant braking: parabolas.
TEST(Formulas, WithKinksEndStepsThere) {
  for (const char* method : {"rn4", "dopri5", "radau5"}) {
    const Ran drag = run_model(
        "kardan: 1\ndimension: 2\nbodies: {b: {kind: point, mass: 2, velocity: [3, 0]}}\nforces: "
        "{air: {type: force, on: b, fx: -0.8*b.vx*abs(b.vx)}}\n",
        method, 4, 1e-9);
    EXPECT_NEAR(drag.end().v[0], 3 / (1 + 0.4 * 3 * 4.0), 1e-7) << method;
    const Ran brake = run_model(
        "kardan: 1\ndimension: 2\nbodies: {b: {kind: point, mass: 1, velocity: [4, 0]}}\nforces: "
        "{rail: {type: force, on: b, fx: \"b.x > 2 ? -3 : 0\"}}\n",
        method, 1.5, 1e-9);
    ASSERT_EQ(brake.times("rail.fx.switch", 1).size(), 1u) << method;
    EXPECT_NEAR(brake.times("rail.fx.switch", 1)[0], 0.5, 1e-9) << method;
    EXPECT_NEAR(brake.end().p[0], 2 + 4 - 1.5, 1e-8) << method;
    EXPECT_NEAR(brake.end().v[0], 1, 1e-8) << method;
  }
}

// --- motors ------------------------------------------------------------------------------------

constexpr const char* driven_arm = R"yaml(
kardan: 1
dimension: 2
bodies: {arm: {mass: 2, inertia: 0.5, position: [0.5, 0]}}
joints: {pin: {type: revolute, bodies: [ground, arm], at: [0, 0]}}
)yaml";  // about the pin: 0.5 + 2*0.25 = 1

TEST(Motor, PrescribesAngleRateAndTorque) {
  const Ran angle = run_model(std::string(driven_arm) +
                                  "drivers: {m: {type: motor, joint: pin, angle: "
                                  "sin(t)}}\n",
                              "rn4", 2);
  EXPECT_NEAR(at_end(angle, "pin.angle"), std::sin(2), 1e-9);
  const Ran rate = run_model(
      std::string(driven_arm) + "drivers: {m: {type: motor, joint: pin, rate: 3*t^2}}\n", "rn4", 2);
  EXPECT_NEAR(at_end(rate, "pin.angle"), 8, 1e-7);
  EXPECT_NEAR(at_end(rate, "pin.rate"), 12, 1e-7);
  const Ran torque = run_model(
      std::string(driven_arm) + "drivers: {m: {type: motor, joint: pin, torque: -4*pin.angle + 4}}\n",
      "rn4", 2);
  EXPECT_NEAR(at_end(torque, "pin.angle"), 1 - std::cos(4), 1e-7);
  EXPECT_NEAR(at_end(torque, "m.torque"), 4 * std::cos(4), 1e-6);
  EXPECT_NEAR(at_end(torque, "m.power"), 4 * std::cos(4) * 2 * std::sin(4), 1e-6);
}

/// kp = 25, kd = 6 about 1 kg m^2: e = exp(-3 t) (cos 4t + 3/4 sin 4t) of a step.
TEST(Motor, WithGainsIsADampedOscillatorAndHasNoState) {
  const Ran r = run_model(
      std::string(driven_arm) + "drivers: {m: {type: motor, joint: pin, angle: 0.5, kp: 25, kd: 6}}\n",
      "rn4", 0.7, 1e-10);
  const double t = 0.7;
  EXPECT_NEAR(at_end(r, "pin.angle"),
              0.5 - 0.5 * std::exp(-3 * t) * (std::cos(4 * t) + 0.75 * std::sin(4 * t)), 1e-8);
  EXPECT_EQ(r.prepared.system->sizes().r, 0);
  EXPECT_EQ(r.prepared.system->sizes().w, 0);
}

/// At its limit it gives a constant torque; it leaves the limit where kp e + kd e' falls below.
TEST(Motor, GivesNoMoreThanItsLimit) {
  const Ran r =
      run_model(std::string(driven_arm) +
                    "drivers: {m: {type: motor, joint: pin, angle: 10, kp: 25, kd: 5, limit: 3}}\n",
                "rn4", 1, 1e-10);
  EXPECT_NEAR(at_end(r, "pin.angle"), 1.5, 1e-9);
  EXPECT_NEAR(at_end(r, "m.torque"), 3, 1e-12);
  EXPECT_NEAR(at_end(r, "m.power"), 9, 1e-8);
}

TEST(Motor, FollowsAsAControllerDoes) {
  const Ran motor = run_model(std::string(driven_arm) +
                                  "drivers: {m: {type: motor, joint: pin, angle: 0.3*sin(2*t), kp: "
                                  "30, kd: 4, ki: 8}}\n",
                              "rodasp", 2, 1e-10);
  const Ran controller = run_model(std::string(driven_arm) +
                                       "forces: {m: {type: controller, joint: pin, reference: "
                                       "0.3*sin(2*t), kp: 30, kd: 4, ki: 8}}\n",
                                   "rodasp", 2, 1e-10);
  EXPECT_NEAR(at_end(motor, "pin.angle"), at_end(controller, "pin.angle"), 1e-8);
  EXPECT_NEAR(at_end(motor, "m.integral"), at_end(controller, "m.state"), 1e-8);
  EXPECT_NEAR(at_end(motor, "m.torque"), at_end(controller, "m.output"), 1e-7);
}

TEST(Driver, IsCountedFromTheStart) {
  const Ran r = run_model(
      "kardan: 1\ndimension: 2\nbodies: {b: {mass: 1, inertia: 1, position: [2, 1]}}\njoints: "
      "{rail: {type: prismatic, between: [{body: ground, at: [0, 1]}, b]}}\ndrivers: {d: {type: "
      "driver, joint: rail, motion: 0.5*t, from: start}}\n",
      "rn4", 1);
  EXPECT_NEAR(at_end(r, "rail.position"), 2.5, 1e-9);
}

// --- couplings ---------------------------------------------------------------------------------

constexpr const char* wheels = R"yaml(
kardan: 1
dimension: 2
bodies:
  one: {mass: 1, inertia: 2}
  two: {mass: 1, inertia: 3, position: [1, 0]}
joints:
  p: {type: revolute, bodies: [ground, one], at: [0, 0]}
  q: {type: revolute, bodies: [ground, two], at: [1, 0]}
drivers: {m: {type: motor, joint: p, torque: 10}}
)yaml";

/// (J_1 + i^2 J_2) phi'' = T for phi_2 = i phi_1.
TEST(Couplings, ReduceInertias) {
  const auto turned = [](double ratio) { return 0.5 * 10 / (2 + ratio * ratio * 3); };
  const std::tuple<const char*, double> cases[] = {
      {"{type: coupler, joints: [p, q], ratio: -0.5}", -0.5},
      {"{type: coupler, joints: [p, q], law: 1.5*first}", 1.5},
      {"{type: belt, joints: [p, q], radii: [0.1, 0.25]}", 0.4},
      {"{type: belt, joints: [p, q], radii: [0.1, -0.05]}", -2},
      {"{type: chain, joints: [p, q], teeth: [48, 16], pitch: 0.0127}", 3},
      {"{type: constraint, expression: q.angle - 2*p.angle, unit: rad}", 2}};
  for (const auto& [element, ratio] : cases) {
    const std::string model = std::string(wheels) + "elements: {c: " + element + "}\n";
    for (const char* method : {"rn4", "radau5"}) {
      const Ran r = run_model(model, method, 1);
      EXPECT_NEAR(at_end(r, "p.angle"), turned(ratio), 1e-7) << element << " " << method;
      EXPECT_NEAR(at_end(r, "q.angle"), ratio * turned(ratio), 1e-7) << element << " " << method;
    }
    expect_exact(model);
  }
}

TEST(Couplings, OfABeltInSpaceCountTurns) {
  const Ran r = run_model(R"yaml(
kardan: 1
bodies:
  one: {mass: 1, inertia: [1, 1, 2]}
  two: {mass: 1, inertia: [1, 1, 3], position: [1, 0, 0]}
joints:
  p: {type: revolute, bodies: [ground, one], at: [0, 0, 0], axis: [0, 0, 1]}
  q: {type: revolute, bodies: [ground, two], at: [1, 0, 0], axis: [0, 0, 1]}
  b: {type: belt, joints: [p, q], radii: [0.3, 0.1]}
drivers: {m: {type: motor, joint: p, rate: 6}}
)yaml",
                          "rn4", 3);
  EXPECT_NEAR(at_end(r, "p.angle"), 18, 1e-7);
  EXPECT_NEAR(at_end(r, "q.angle"), 54, 1e-7);
}

/// The scotch yoke: x = r sin(phi), whatever the load.
TEST(Couplings, ByAFunctionHoldIt) {
  const std::string model = R"yaml(
kardan: 1
dimension: 2
bodies:
  crank: {mass: 1, inertia: 0.1}
  yoke: {mass: 2, inertia: 0.1, position: [1, 0]}
joints:
  p: {type: revolute, bodies: [ground, crank], at: [0, 0]}
  rail: {type: prismatic, bodies: [ground, yoke], at: [1, 0], axis: [1, 0]}
  c: {type: coupler, joints: [p, rail], law: 0.3*sin(first), from: zero}
drivers: {m: {type: motor, joint: p, rate: 7}}
forces: {load: {type: force, on: yoke, fx: -40*rail.position}}
)yaml";
  const Ran r = run_model(model, "rn4", 2);
  EXPECT_NEAR(at_end(r, "rail.position"), 0.3 * std::sin(14.0), 1e-9);
  EXPECT_NEAR(at_end(r, "rail.speed"), 0.3 * 7 * std::cos(14.0), 1e-8);
  expect_exact(model);
}

// --- cables ------------------------------------------------------------------------------------

/// Atwood's machine: a = g (m_2 - m_1)/(m_1 + m_2).
TEST(Cables, ThatAreTautMoveAtwoodsMachine) {
  const std::string model = R"yaml(
kardan: 1
dimension: 2
gravity: [0, -9.81]
bodies:
  left: {kind: point, mass: 1, position: [-1, -1]}
  right: {kind: point, mass: 3, position: [1, -1]}
drivers:
  rope: {type: taut_cable, between: [left, {body: ground, at: [-1, 0]}, {body: ground, at: [1, 0]}, right]}
)yaml";
  const Ran r = run_model(model, "rn4", 0.4);
  EXPECT_NEAR(r.end().p[3], -1 - 0.5 * 9.81 / 2 * 0.16, 1e-8);
  EXPECT_NEAR(at_end(r, "rope.length"), 4, 1e-9);
  expect_exact(model);
}

/// It falls slack for h, then swings about the rest of the spring: both in closed form.
TEST(Cables, HangSlackAndPull) {
  const double g = 9.81, k = 500, m = 2, free = 1.5;
  const std::string model = R"yaml(
kardan: 1
dimension: 2
gravity: [0, -9.81]
bodies: {ball: {kind: point, mass: 2, position: [0, -1]}}
forces: {rope: {type: cable, between: [ground, ball], stiffness: 500, free_length: 1.5}}
)yaml";
  const double fall = std::sqrt(2 * 0.5 / g), v = g * fall, w = std::sqrt(k / m);
  for (const char* method : {"rn4", "dopri5", "radau5"}) {
    const Ran r = run_model(model, method, 0.4, 1e-10);
    ASSERT_GE(r.report.driver.events.size(), 1u) << method;
    EXPECT_NEAR(r.report.driver.events[0].t, fall, 1e-9) << method;
    const double t = 0.4 - fall,
                 down = m * g / k - m * g / k * std::cos(w * t) + v / w * std::sin(w * t);
    EXPECT_NEAR(at_end(r, "rope.length"), free + down, 1e-7) << method;
    EXPECT_NEAR(at_end(r, "rope.tension"), k * down, 1e-4) << method;
  }
}

// --- cams --------------------------------------------------------------------------------------

constexpr const char* cam = R"yaml(
kardan: 1
dimension: 2
gravity: [0, -9.81]
bodies:
  wheel: {mass: 1, inertia: 0.1}
  follower: {mass: 0.5, inertia: 0.01, position: [0, 0.1]}
joints:
  shaft: {type: revolute, bodies: [ground, wheel], at: [0, 0]}
  guide: {type: prismatic, bodies: [ground, follower], at: [0, 0.1], axis: [0, 1]}
)yaml";

TEST(Cams, LiftTheirFollower) {
  const std::string model =
      std::string(cam) +
      "drivers:\n  m: {type: motor, joint: shaft, rate: 12}\n"
      "  c: {type: cam, joints: [shaft, guide], lift: 0.02*(1 - cos(angle))}\n";
  const Ran r = run_model(model, "rn4", 1.3);
  EXPECT_NEAR(at_end(r, "guide.position"), 0.02 * (1 - std::cos(12 * 1.3)), 1e-9);
  expect_exact(model);
}

/// omega^2 h = 32 m/s^2 > g: it flies where h omega^2 cos(phi) < -g, at phi = acos(-g/32) to first
/// order in g/k, and lands again.
TEST(Cams, LetTheirFollowerGo) {
  const std::string model =
      std::string(cam) +
      "drivers:\n  m: {type: motor, joint: shaft, rate: 40}\n"
      "  c: {type: cam, joints: [shaft, guide], lift: 0.02*(1 - cos(angle)), stiffness: 4e6, "
      "damping: 2000}\n";
  const Ran r = run_model(model, "radau5", 0.06, 1e-9);
  const double leaves = std::acos(-9.81 / 32) / 40;
  double first = 0;
  for (const EventRecord& e : r.report.driver.events)
    if (first == 0 && e.t > 0.02) first = e.t;
  EXPECT_NEAR(first, leaves, 2e-4);
  expect_exact(model);
}

// --- written constraints -----------------------------------------------------------------------

TEST(WrittenConstraints, AreTheJointsThatTheyDescribe) {
  const std::string head =
      "kardan: 1\ndimension: 2\ngravity: [0, -9.81]\nbodies: {b: {mass: 1, inertia: 0.2, "
      "position: "
      "[0.6, -0.8], velocity: [0.8, 0.6], angular_velocity: 0.7}}\n";
  const Ran rod =
      run_model(head + "joints: {j: {type: distance, between: [ground, b]}}\n", "rn4", 1);
  const Ran row = run_model(
      head + "drivers: {j: {type: constraint, expression: b.x^2 + b.y^2 - 1}}\n", "rn4", 1);
  for (int k = 0; k < 3; ++k) EXPECT_NEAR(row.end().p[k], rod.end().p[k], 1e-8);
  const std::string skate =
      "kardan: 1\ndimension: 2\nbodies: {b: {mass: 1, inertia: 0.2, velocity: "
      "[1, 0], angular_velocity: 0.7, markers: {e: {at: [0.3, 0]}}}}\n"
      "forces: {f: {type: force, on: b, fy: 2*sin(3*t)}}\n";
  const Ran edge = run_model(skate + "joints: {j: {type: knife_edge, on: b}}\n", "rn4", 2);
  const Ran written = run_model(
      skate +
          "drivers: {j: {type: constraint, expression: b.vy*cos(b.angle) - b.vx*sin(b.angle)}}\n",
      "rn4", 2);
  ASSERT_EQ(written.prepared.system->sizes().mu, 1);
  for (int k = 0; k < 3; ++k) EXPECT_NEAR(written.end().p[k], edge.end().p[k], 1e-7);
}

TEST(WrittenConstraints, HaveExactDerivatives) {
  const std::string bodies = std::string(mixed);
  expect_exact(bodies +
               "drivers:\n"
               "  place: {type: constraint, expression: \"gap.x*sin(2*t) + a.qx*c.z - "
               "0.2*hinge.angle^2\"}\n"
               "  flow: {type: constraint, expression: \"gap.vx*(1 + c.x^2) - sin(t)*hinge.rate + "
               "b.wy*a.qw - c.vz*t + late\"}\n");
}

TEST(WrittenConstraints, MayDependOnTimeAndWorkIsCounted) {
  const Ran r = run_model(
      "kardan: 1\ndimension: 2\nbodies: {b: {kind: point, mass: 1, position: [0, "
      "0.5]}}\ndrivers: "
      "{x: {type: constraint, expression: b.x - 0.2*sin(3*t)}, y: {type: constraint, expression: "
      "b.y - 0.5 - b.x^2}}\n",
      "rn4", 1);
  EXPECT_NEAR(r.end().p[0], 0.2 * std::sin(3.0), 1e-9);
  EXPECT_NEAR(r.end().p[1], 0.5 + 0.04 * std::sin(3.0) * std::sin(3.0), 1e-9);
}

// --- fields of joints --------------------------------------------------------------------------

TEST(JointFields, ActAlongTheJoint) {
  const std::string head =
      "kardan: 1\ndimension: 2\nbodies: {b: {mass: 2, inertia: 1, position: [1, 0]}}\njoints: "
      "{r: "
      "{type: prismatic, between: [ground, b], ";
  const Ran spring = run_model(head + "spring: 18, rest: 0.5}}\n", "rn4", 2);
  EXPECT_NEAR(at_end(spring, "r.position"), 0.5 + 0.5 * std::cos(6.0), 1e-7);
  const Ran damped = run_model(head + "spring: 50, damping: 12}}\n", "rn4", 1);
  EXPECT_NEAR(at_end(damped, "r.position"), std::exp(-3.0) * (std::cos(4.0) + 0.75 * std::sin(4.0)),
              1e-7);
  EXPECT_TRUE(spring.report.remarks.empty());
}

/// From rest at 1 towards the dead zone of half a unit: a quarter swing, then it coasts.
TEST(JointFields, HaveBacklash) {
  const Ran r = run_model(
      "kardan: 1\ndimension: 2\nbodies: {b: {mass: 2, inertia: 1, position: [1, 0]}}\njoints: "
      "{r: "
      "{type: prismatic, between: [ground, b], spring: 18, backlash: 1}}\n",
      "rn4", 0.8, 1e-10);
  const double quarter = std::numbers::pi / 6;
  EXPECT_NEAR(at_end(r, "r.position"), 0.5 - 1.5 * (0.8 - quarter), 1e-8);
}

/// A stop gives way as a spring does: half a swing, and back with the speed of before.
TEST(JointFields, HaveStopsThatSayThatTheyAreSprings) {
  const Ran r = run_model(
      "kardan: 1\ndimension: 2\nbodies: {b: {mass: 2, inertia: 1, velocity: [3, 0]}}\njoints: "
      "{r: "
      "{type: prismatic, between: [ground, b], limits: [-1, 1.5], limit_stiffness: 2e4}}\n",
      "rn4", 1, 1e-10);
  const double there = 0.5, inside = std::numbers::pi / 100;
  EXPECT_NEAR(at_end(r, "r.position"), 1.5 - 3 * (1 - there - inside), 1e-7);
  ASSERT_EQ(r.report.remarks.size(), 1u);
  EXPECT_NE(r.report.remarks[0].find("stiff springs"), std::string::npos);
}

TEST(JointFields, HaveFrictionThatSaysThatItIsSmoothed) {
  const Ran r = run_model(
      "kardan: 1\ndimension: 2\nbodies: {b: {mass: 2, inertia: 1, velocity: [3, 0]}}\njoints: "
      "{r: "
      "{type: prismatic, between: [ground, b], friction: 4}}\n",
      "radau5", 1, 1e-9);
  EXPECT_NEAR(at_end(r, "r.speed"), 1, 1e-5);
  ASSERT_EQ(r.report.remarks.size(), 1u);
  EXPECT_NE(r.report.remarks[0].find("smoothed"), std::string::npos);
}

}  // namespace
}  // namespace kardan
