/// Accelerations, multipliers and w with every time-dependent term, against closed forms.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "support/models.h"

namespace kardan::test {
namespace {

/// phi(t) with its first two derivatives.
struct Motion {
  double value, d1, d2;
};

/// Assembles at time t.
ConsistentStart assembled_at(const System& system, double t) {
  State guess = system.start();
  guess.t = t;
  const ConsistentStart start = assemble(system, guess, {});
  EXPECT_EQ(start.report.status, Eval::ok) << start.report.message;
  return start;
}

constexpr const char* driven_crank = R"(
kardan: 1
dimension: 2
gravity: [0, -9.81]
bodies:
  crank: {mass: 3, inertia: 0.2, position: [0.4, 0], markers: {O: {at: [-0.4, 0]}}}
joints:
  foot: {type: revolute, between: [ground, crank.O]}
drivers:
  motor: {type: driver, between: [ground, crank.O], motion: 0.2 + 0.5*t - 0.3*t^2 + 0.7*t^3 + 0.1*sin(4*t)}
)";
Motion motor(double t) {
  return {0.2 + 0.5 * t - 0.3 * t * t + 0.7 * t * t * t + 0.1 * std::sin(4 * t),
          0.5 - 0.6 * t + 2.1 * t * t + 0.4 * std::cos(4 * t),
          -0.6 + 4.2 * t - 1.6 * std::sin(4 * t)};
}

TEST(Accelerations, OfADrivenCrankAreTheClosedForm) {
  const auto system = compiled(driven_crank);
  for (const double t : {0.0, 0.3, 0.9, 1.4}) {
    const ConsistentStart start = assembled_at(*system, t);
    const Motion phi = motor(t);
    const double r = 0.4, c = std::cos(phi.value), s = std::sin(phi.value);
    const Vector p{r * c, r * s, phi.value}, v{-r * s * phi.d1, r * c * phi.d1, phi.d1};
    const Vector a{-r * (s * phi.d2 + c * phi.d1 * phi.d1), r * (c * phi.d2 - s * phi.d1 * phi.d1),
                   phi.d2};
    EXPECT_LE(largest_difference(start.state.p, p), 1e-13) << t;
    EXPECT_LE(largest_difference(start.state.v, v), 1e-12) << t;
    EXPECT_LE(largest_difference(start.a, a), 1e-12) << t;
    // The motor's torque: J_O phi'' plus the weight's moment.
    const auto ws = system->make_workspace();
    const auto all =
        reactions(*system, start.state, start.lambda, analyse(*system, start.state, *ws), *ws);
    ASSERT_EQ(all.size(), 2u);
    EXPECT_NEAR(all[1].torque.z, (0.2 + 3 * r * r) * phi.d2 + 3 * 9.81 * r * c, 1e-11) << t;
    EXPECT_NEAR(all[0].force.x, 3 * a[0], 1e-11) << t;
    EXPECT_NEAR(all[0].force.y, 3 * (a[1] + 9.81), 1e-11) << t;
  }
}

TEST(Accelerations, OfADrivenSliderCrankAreTheClosedForm) {
  // x = r cos(phi) + sqrt(l^2 - r^2 sin^2(phi)), phi = 3 t + t^3, by the chain rule.
  const auto system = compiled(R"(
kardan: 1
dimension: 2
bodies:
  crank: {mass: 1, inertia: 0.1, position: [0.25, 0], markers: {O: {at: [-0.25, 0]}, A: {at: [0.25, 0]}}}
  rod: {mass: 1, inertia: 0.2, position: [1.25, 0], markers: {A: {at: [-0.75, 0]}, B: {at: [0.75, 0]}}}
  slider: {mass: 2, inertia: 0.1, position: [2, 0]}
joints:
  foot: {type: revolute, between: [ground, crank.O]}
  pin: {type: revolute, between: [crank.A, rod.A]}
  wrist: {type: revolute, between: [rod.B, slider]}
  guide: {type: prismatic, between: [ground, slider]}
drivers:
  motor: {type: driver, between: [ground, crank.O], motion: 3*t + t^3}
)");
  const double r = 0.5, l = 1.5;
  for (const double t : {0.05, 0.3, 0.55}) {
    // From the start forward in small steps, so that the same branch is kept.
    State guess = system->start();
    ConsistentStart start;
    for (double s = 0; s <= t + 1e-12; s += t / 8) {
      guess.t = s;
      start = assemble(*system, guess, {});
      ASSERT_EQ(start.report.status, Eval::ok) << start.report.message;
      guess = start.state;
    }
    const double phi = 3 * guess.t + std::pow(guess.t, 3), w = 3 + 3 * guess.t * guess.t,
                 alpha = 6 * guess.t;
    const double s = std::sin(phi), c = std::cos(phi), u = std::sqrt(l * l - r * r * s * s);
    const double x = r * c + u, dx = -r * s - r * r * s * c / u;
    const double ddx =
        -r * c - (r * r * (c * c - s * s) * u * u + std::pow(r * r * s * c, 2)) / (u * u * u);
    EXPECT_NEAR(value_of(*system, start.state, "slider.x"), x, 1e-13);
    EXPECT_NEAR(value_of(*system, start.state, "slider.vx"), dx * w, 1e-12);
    EXPECT_NEAR(acceleration_of(*system, start.a, "slider", 0), ddx * w * w + dx * alpha, 1e-11);
  }
}

TEST(Accelerations, FollowEveryDrivenCoordinateOfSpace) {
  // A bead led by three drivers along x, y, z, and one led by its distance.
  const auto system = compiled(R"(
kardan: 1
gravity: [0, 0, -9.81]
bodies:
  bead: {kind: point, mass: 2, position: [1, 0, 0]}
  ball: {kind: point, mass: 1, position: [0, 0, -1]}
drivers:
  x: {type: driver, between: [ground, bead], coordinate: x, motion: 1 + t^3}
  y: {type: driver, between: [ground, bead], coordinate: y, motion: sin(2*t)}
  z: {type: driver, between: [ground, bead], coordinate: z, motion: exp(-t)}
  reel: {type: driver, between: [ground, ball], coordinate: distance, motion: 1 + 0.2*t + t^2}
)");
  const double t = 0.6;
  const ConsistentStart start = assembled_at(*system, t);
  const double e = std::exp(-t);
  EXPECT_NEAR(start.state.p[0], 1 + t * t * t, 1e-13);
  EXPECT_NEAR(start.state.v[0], 3 * t * t, 1e-13);
  EXPECT_NEAR(start.a[0], 6 * t, 1e-13);
  EXPECT_NEAR(start.a[1], -4 * std::sin(2 * t), 1e-13);
  EXPECT_NEAR(start.state.v[2], -e, 1e-13);
  EXPECT_NEAR(start.a[2], e, 1e-13);
  // The ball hangs straight down on its growing string: z = -(1 + 0.2 t + t^2).
  EXPECT_NEAR(start.state.p[5], -(1 + 0.2 * t + t * t), 1e-12);
  EXPECT_NEAR(start.state.v[5], -(0.2 + 2 * t), 1e-12);
  EXPECT_NEAR(start.a[5], -2, 1e-12);
}

TEST(Accelerations, OfADrivenHingeInSpaceHaveItsCentripetalTerms) {
  const auto system = compiled(R"(
kardan: 1
gravity: [0, 0, -9.81]
bodies:
  arm: {mass: 2, inertia: [0.1, 0.3, 0.4], position: [0.5, 0, 0]}
joints:
  hinge: {type: revolute, bodies: [ground, arm], at: [0, 0, 0], axis: [0, 0, 1]}
drivers:
  motor: {type: driver, bodies: [ground, arm], at: [0, 0, 0], axis: [0, 0, 1], motion: 2*t + t^3}
)");
  const double t = 0.4, phi = 2 * t + t * t * t, w = 2 + 3 * t * t, alpha = 6 * t;
  const ConsistentStart start = assembled_at(*system, t);
  const double c = std::cos(phi), s = std::sin(phi), r = 0.5;
  const Vector a{r * (-alpha * s - w * w * c), r * (alpha * c - w * w * s), 0, 0, 0, alpha};
  EXPECT_NEAR(start.state.p[0], r * c, 1e-12);
  EXPECT_NEAR(start.state.v[5], w, 1e-12);
  EXPECT_LE(largest_difference(start.a, a), 1e-11);
}

TEST(Accelerations, UseForcesOfTimeAndDynamicVariables) {
  const auto system = compiled(R"(
kardan: 1
dimension: 2
bodies:
  cart: {mass: 2, inertia: 1, position: [1.5, 0]}
joints:
  rail: {type: prismatic, between: [ground, cart]}
forces:
  engine: {type: actuator, between: [ground, cart], coordinate: x, time_constant: 0.1, command: 5*t, initial: 3}
  push: {type: force, on: cart, fx: 4*t^2}
)");
  State guess = system->start();
  guess.t = 0.5;
  const ConsistentStart start = assemble(*system, guess, {});
  ASSERT_EQ(start.report.status, Eval::ok);
  EXPECT_EQ(start.state.r, Vector{3}) << "the actuator starts at 'initial'";
  EXPECT_NEAR(start.a[0], (3 + 4 * 0.25) / 2, 1e-14);
  const auto ws = system->make_workspace();
  ASSERT_EQ(system->evaluate(start.state, Request::all(), *ws), Eval::ok);
  EXPECT_NEAR(ws->b[0], (2.5 - 3) / 0.1, 1e-13) << "time_constant r' = command - r";
}

TEST(Accelerations, UseTheOutputOfControllers) {
  // w = kp e + kd e' + ki r with e = reference - y; r = 0 at the start.
  const auto system = compiled(R"(
kardan: 1
dimension: 2
bodies:
  cart: {mass: 2, inertia: 1, position: [1.5, 0], velocity: [0.7, 0]}
joints:
  rail: {type: prismatic, between: [ground, cart]}
forces:
  hold: {type: controller, between: [ground, cart], coordinate: x, kp: 30, kd: 4, ki: 5, reference: 2 + t^2}
)");
  State guess = system->start();
  guess.t = 0.5;
  guess.r[0] = 0.3;
  guess.w[0] = 1000;  // a guess far off
  const ConsistentStart start = assemble(*system, guess, {});
  ASSERT_EQ(start.report.status, Eval::ok);
  const double e = 2.25 - 1.5, rate = 1.0 - 0.7, w = 30 * e + 4 * rate + 5 * 0.3;
  EXPECT_NEAR(start.state.w[0], w, 1e-13);
  EXPECT_NEAR(start.a[0], w / 2, 1e-13);
  const auto ws = system->make_workspace();
  ASSERT_EQ(system->evaluate(start.state, Request::all(), *ws), Eval::ok);
  EXPECT_NEAR(ws->d[0], 0, 1e-13);
  EXPECT_NEAR(ws->b[0], e, 1e-15) << "r' = e";
}

TEST(Accelerations, OfARollingDiscInSteadyMotionAreCentripetal) {
  // The model says it: with spin_factor = 1 the centre runs on a circle about the origin at the
  // angular velocity `precession`, so that its acceleration is -precession^2 x.
  const auto system = compiled_shipped("rolling_disc");
  const ConsistentStart start = assembled(*system);
  ASSERT_EQ(start.report.status, Eval::ok) << start.report.message;
  EXPECT_LE(start.report.given.position, 1e-14) << "the given start is consistent";
  EXPECT_LE(start.report.given.velocity, 1e-14);
  EXPECT_NEAR(start.a[0], -4 * start.state.p[0], 1e-12);
  EXPECT_NEAR(start.a[1], -4 * start.state.p[1], 1e-12);
  EXPECT_NEAR(start.a[2], 0, 1e-12);
}

TEST(Accelerations, OfARollingSphereDownASlopeAreFiveSeventhsOfSliding) {
  const auto system = compiled(R"(
kardan: 1
gravity: [4, 0, -9]
bodies:
  ball: {mass: 3, inertia: [0.3, 0.3, 0.3], position: [0, 0, 0.5]}
contacts:
  rolling: {type: rolling_sphere, between: [ground, ball], radius: 0.5}
)");
  const ConsistentStart start = assembled(*system);
  ASSERT_EQ(start.report.status, Eval::ok);
  // J = 0.4 m R^2 = 0.3: a = g_x/(1 + 0.4)
  EXPECT_NEAR(start.a[0], 4 / 1.4, 1e-13);
  EXPECT_NEAR(start.a[4], 4 / 1.4 / 0.5, 1e-13);
  EXPECT_NEAR(start.a[2], 0, 1e-13);
}

/// A crank that stands upright but for phi carries a slider along x: its tip cannot rise, so that
/// nothing moves. The tip's row leaves sin(phi) of itself beside the others, and a joint is
/// doubled.
TEST(Accelerations, AreFoundNextToASingularPositionWithRedundantJoints) {
  for (const double phi : {0.1, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7}) {
    const double x = std::sin(phi), y = std::cos(phi);
    const std::string tip = fmt::format("at: [{:.17g}, {:.17g}]", x, y);
    const auto system = compiled(fmt::format(R"(
kardan: 1
dimension: 2
gravity: [3, -9.81]
bodies:
  crank: {{mass: 2, inertia: 0.3, position: [{:.17g}, {:.17g}]}}
  slider: {{mass: 1, inertia: 0.1, position: [{:.17g}, {:.17g}]}}
joints:
  pivot: {{type: revolute, bodies: [ground, crank], at: [0, 0]}}
  rail: {{type: prismatic, bodies: [ground, slider], {}, axis: [1, 0]}}
  pin: {{type: revolute, bodies: [crank, slider], {}}}
  twin: {{type: revolute, bodies: [crank, slider], {}}}
)",
                                             x / 2, y / 2, x, y, tip, tip, tip));
    const ConsistentStart start = assembled(*system);
    ASSERT_EQ(start.report.status, Eval::ok) << phi << ": " << start.report.message;
    // Round-off of reactions, which are as large as 1 / phi.
    for (const double a : start.a) EXPECT_NEAR(a, 0, 1e-14 / phi) << phi;
    EXPECT_LE(start.report.reached.acceleration, 1e-12) << phi;
  }
}

}  // namespace
}  // namespace kardan::test
