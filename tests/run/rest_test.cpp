/// Stops that come to rest: held as constraints, released where they would pull.

#include <gtest/gtest.h>

#include <cmath>

#include "run/event_runs.h"

namespace kardan {
namespace {

using test::Ran;

Ran run_to_end(const std::string& text, const std::string& method, double t_end,
               double tolerance = 1e-9) {
  Ran out = test::run_model(text, method, t_end, tolerance);
  EXPECT_EQ(out.report.driver.reason, Reason::finished) << out.report.driver.message;
  return out;
}

constexpr double g = 9.81;

std::string ball(const std::string& restitution, const std::string& more = "",
                 const std::string& stop = "ball.z") {
  return "kardan: 1\ngravity: [0, 0, -9.81]\n"
         "bodies: {ball: {kind: point, mass: 2, position: [0, 0, 1], velocity: [0.5, 0, 0]}}\n" +
         more + "when: {hit: {expression: \"" + stop +
         "\", direction: falling, action: {impulse: {restitution: " + restitution + "}}}}\n";
}

class Rest : public testing::TestWithParam<const char*> {
 protected:
  bool is(const char* start) const { return std::string(GetParam()).rfind(start, 0) == 0; }
  /// Of order 2, local linearization takes many steps where the motion is not linear.
  double tolerance() const { return is("llm") ? 1e-5 : 1e-9; }
  /// Methods that integrate all coordinates leave their error in the positions.
  double kept() const { return is("hem5") || is("llm@index1_ode") ? tolerance() : 1e-13; }
};

/// Bounces accumulate at t = (1 + e)/(1 - e) of the first fall. The bounces left out are lost in
/// the tolerance: 2 v^2/g < 10 tol, and what is left of the series then takes 2 v/g e/(1 - e).
TEST_P(Rest, FollowsAccumulatingBounces) {
  const double fall = std::sqrt(2 / g), e = 0.5, end = 3;
  for (double tolerance : {1e-6, 1e-9}) {
    const Ran r = run_to_end(ball("0.5"), GetParam(), end, tolerance);
    const auto rests = r.times("hit.rest", 1);
    ASSERT_EQ(rests.size(), 1u);
    const double left = std::sqrt(20 * tolerance / g) * e / (1 - e);
    EXPECT_NEAR(rests[0], fall * (1 + e) / (1 - e), left + 100 * tolerance);
    EXPECT_NEAR(r.end().t, end, 1e-12);
    EXPECT_NEAR(r.end().p[2], 0, 1e-15);
    EXPECT_NEAR(r.end().v[2], 0, 1e-15);
    // Along the floor it goes on.
    EXPECT_NEAR(r.end().p[0], 0.5 * end, 1e-9);
    EXPECT_NEAR(r.end().v[0], 0.5, 1e-12);
    EXPECT_TRUE(r.times("hit.rest", -1).empty());
    // All energy but that of the slide is lost in the impulses.
    EXPECT_NEAR(r.report.energy.work, -2 * g, 1000 * tolerance);
    EXPECT_LE(r.report.energy.balance_error, 1000 * tolerance);
    EXPECT_LE(r.report.residuals.velocity, 1e-12);
  }
}

TEST_P(Rest, FollowsAnImpulseWithoutRestitutionAtOnce) {
  const Ran r = run_to_end(ball("0"), GetParam(), 2);
  const auto rests = r.times("hit.rest", 1);
  ASSERT_EQ(rests.size(), 1u);
  ASSERT_EQ(r.times("hit", -1).size(), 1u);
  EXPECT_NEAR(rests[0], std::sqrt(2 / g), 1e-8);
  EXPECT_NEAR(r.end().p[2], 0, 1e-15);
  EXPECT_NEAR(r.end().v[2], 0, 1e-15);
}

/// A force 4 t lifts 2 kg off at t = 2 g/4; then m z'' = 4 (t - t0).
TEST_P(Rest, EndsWhereAForceLifts) {
  const Ran r = run_to_end(ball("0", "forces: {lift: {type: force, on: ball, fz: 4*t}}\n"),
                           GetParam(), 6, tolerance());
  const auto leaves = r.times("hit.rest", -1);
  ASSERT_EQ(leaves.size(), 1u);
  EXPECT_NEAR(leaves[0], g / 2, 1e-9) << "the reaction is known without error";
  const double dt = 6 - g / 2;
  EXPECT_NEAR(r.end().p[2], 2 * dt * dt * dt / 6, 100 * tolerance());
  EXPECT_NEAR(r.end().v[2], dt * dt, 100 * tolerance());
}

/// The floor swings: z_floor = 0.1 sin(12 t). A ball that starts with it is left where the floor
/// would have to pull, sin(12 t) = g/14.4, and comes back to it.
TEST_P(Rest, EndsWhereTheFloorFallsFaster) {
  const double A = 0.1, w = 12;
  const std::string text =
      "kardan: 1\ngravity: [0, 0, -9.81]\n"
      "bodies: {ball: {kind: point, mass: 2, velocity: [0, 0, 1.2]}}\n"
      "when: {hit: {expression: ball.z - 0.1*sin(12*t), direction: falling, action: {impulse: "
      "{restitution: 0}}}}\n";
  const Ran r = run_to_end(text, GetParam(), 0.7, tolerance());
  const auto leaves = r.times("hit.rest", -1), rests = r.times("hit.rest", 1);
  ASSERT_GE(leaves.size(), 1u);
  ASSERT_GE(rests.size(), 2u);
  EXPECT_EQ(rests[0], 0) << "at rest from the start";
  const double t0 = std::asin(g / (A * w * w)) / w;
  EXPECT_NEAR(leaves[0], t0, 1e-9) << "the reaction is known without error";
  // The flight, and where it ends.
  const auto gap = [&](double t) {
    const double s = t - t0;
    return A * std::sin(w * t0) + A * w * std::cos(w * t0) * s - g / 2 * s * s -
           A * std::sin(w * t);
  };
  double a = t0 + 0.05, b = t0 + 0.6;
  ASSERT_GT(gap(a), 0);
  while (gap(b) > 0) b += 0.01;
  for (int i = 0; i < 200; ++i) (gap(0.5 * (a + b)) > 0 ? a : b) = 0.5 * (a + b);
  EXPECT_NEAR(rests[1], a, 10 * tolerance());
  // The floor works on the ball while it carries it: the balance holds.
  EXPECT_LE(r.report.energy.balance_error, 1000 * tolerance());
}

/// A ball on a ball on the floor; the lower one is lifted with the other on it.
TEST_P(Rest, HoldsSeveralStopsAtOnce) {
  const std::string text =
      "kardan: 1\ngravity: [0, 0, -9.81]\n"
      "bodies:\n"
      "  low: {kind: point, mass: 2, position: [0, 0, 0.5]}\n"
      "  high: {kind: point, mass: 1, position: [0, 0, 1]}\n"
      "forces: {lift: {type: force, on: low, fz: 10*t}}\n"
      "when:\n"
      "  floor: {expression: low.z, direction: falling, action: {impulse: {restitution: 0.3}}}\n"
      "  pair: {expression: high.z - low.z - 0.1, direction: falling, action: {impulse: "
      "{restitution: 0.3}}}\n";
  const Ran r = run_to_end(text, GetParam(), 3.5, tolerance());
  const auto leaves = r.times("floor.rest", -1);
  ASSERT_GE(leaves.size(), 1u);
  // Both rest before, and leave together: 10 t = 3 g.
  EXPECT_NEAR(leaves.back(), 3 * g / 10, 1e-8);
  EXPECT_GE(r.times("pair.rest", 1).size(), 1u);
  const double s = 3.5 - 3 * g / 10, z = 10 * s * s * s / 18;
  EXPECT_NEAR(r.end().p[2], z, 1000 * tolerance());
  EXPECT_NEAR(r.end().p[5] - r.end().p[2], 0.1, kept());
  EXPECT_NEAR(r.end().v[5], r.end().v[2], 1e-12);
}

/// A plate on two feet is lifted at the right one: it leaves first, at half the weight.
TEST_P(Rest, EndsForOneOfTwoStops) {
  const std::string text =
      "kardan: 1\ndimension: 2\ngravity: [0, -9.81]\n"
      "bodies: {plate: {mass: 2, inertia: 0.2, position: [0, 0.2], markers: {right: {at: [0.5, "
      "0]}}}}\n"
      "forces: {lift: {type: force, on: plate.right, fy: 5*t}}\n"
      "when:\n"
      "  left: {expression: plate.y - 0.5*sin(plate.angle), direction: falling, action: {impulse: "
      "{restitution: 0}}}\n"
      "  right: {expression: plate.y + 0.5*sin(plate.angle), direction: falling, action: {impulse: "
      "{restitution: 0}}}\n";
  const Ran r = run_to_end(text, GetParam(), 2.3, tolerance());
  ASSERT_EQ(r.times("left.rest", 1).size(), 1u);
  ASSERT_EQ(r.times("right.rest", 1).size(), 1u);
  ASSERT_EQ(r.times("right.rest", -1).size(), 1u);
  EXPECT_NEAR(r.times("right.rest", -1)[0], g / 5, 1e-8);
  EXPECT_TRUE(r.times("left.rest", -1).empty());
  const State& end = r.end();
  EXPECT_GT(end.p[2], 0.01);
  EXPECT_NEAR(end.p[1] - 0.5 * std::sin(end.p[2]), 0, kept());
}

/// A pendulum falls on a stop, rests there with no freedom left, and is pulled off.
TEST_P(Rest, HoldsAPendulum) {
  const std::string text =
      "kardan: 1\ndimension: 2\ngravity: [0, -9.81]\n"
      "bodies: {rod: {mass: 1, inertia: 0.1, position: [0.5, 0], angle: pi/2, "
      "markers: {pin: {at: [0, 0.5]}}}}\n"
      "joints: {pin: {type: revolute, between: [ground, rod.pin]}}\n"
      "forces: {pull: {type: torque, on: rod, tz: t}}\n"
      "when: {stop: {expression: rod.angle - 1, direction: falling, action: {impulse: "
      "{restitution: 0.4}}}}\n";
  // The weight at the arm 0.5 sin(angle) against the torque.
  const double leave = g * 0.5 * std::sin(1.0);
  const Ran r = run_to_end(text, GetParam(), leave + 0.5, tolerance());
  ASSERT_EQ(r.times("stop.rest", 1).size(), 1u);
  ASSERT_EQ(r.times("stop.rest", -1).size(), 1u);
  EXPECT_NEAR(r.times("stop.rest", -1)[0], leave, 1e-8);
  EXPECT_GT(r.end().p[2], 1);
  EXPECT_LE(r.report.energy.balance_error, 1000 * tolerance());
}

INSTANTIATE_TEST_SUITE_P(Methods, Rest,
                         testing::Values("rn4", "dopri5", "llm", "bdf", "radau5", "hem5",
                                         "llm@index1_ode"));

/// The weight of 2 kg against a force 8 t: at rest, then off at t = 2 g/8, with every method.
TEST(RestWithAllMethods, IsHeldAndReleased) {
  for (const Method& method : methods()) {
    SCOPED_TRACE(method.name);
    const Ran r = run_to_end(ball("0.5", "forces: {lift: {type: force, on: ball, fz: 8*t}}\n"),
                             std::string(method.name), 3, 1e-5);
    EXPECT_EQ(r.times("hit.rest", 1).size(), 1u);
    ASSERT_EQ(r.times("hit.rest", -1).size(), 1u);
    EXPECT_NEAR(r.times("hit.rest", -1)[0], 2 * g / 8, 1e-10);
    const double s = 3 - 2 * g / 8;
    EXPECT_NEAR(r.end().p[2], 4 * s * s * s / 6, 1e-4);
  }
}

TEST(RestWithFixedSteps, IsExactForLocalLinearization) {
  Ran out;
  Diagnostics diagnostics;
  out.prepared = prepare(test::model_of(ball("0.5")), {}, diagnostics);
  SimulateOptions options;
  options.method = "llm";
  options.t_end = 5;
  options.driver.fixed_step = 0.1;
  options.driver.tolerance = 1e-14;
  out.report = simulate(out.prepared, options, {}, {}, diagnostics);
  ASSERT_EQ(out.report.driver.reason, Reason::finished) << out.report.driver.message;
  const auto rests = out.times("hit.rest", 1);
  ASSERT_EQ(rests.size(), 1u);
  // Until a bounce lasts a millionth of all of them.
  EXPECT_NEAR(rests[0], 3 * std::sqrt(2 / g), 1e-6 * 3 * std::sqrt(2 / g));
  EXPECT_NEAR(out.end().p[2], 0, 1e-15);
}

/// Without anything that presses, a ball stays where it was stopped.
TEST(RestWithoutForce, Stays) {
  const Ran r = run_to_end(
      "kardan: 1\nbodies: {ball: {kind: point, mass: 1, position: [0, 0, 1], velocity: [0, 0, "
      "-1]}}\n"
      "when: {wall: {expression: ball.z, action: {impulse: {restitution: 0}}}}\n",
      "dopri5", 3);
  EXPECT_EQ(r.times("wall.rest", 1).size(), 1u);
  EXPECT_TRUE(r.times("wall.rest", -1).empty());
  EXPECT_NEAR(r.end().p[2], 0, 1e-15);
}

/// A switch that turns the weight around lets go at once.
TEST(RestAndParameters, AreDecidedAnewWhenForcesJump) {
  const Ran r = run_to_end(
      "kardan: 1\nparameters: {F: -3}\n"
      "bodies: {ball: {kind: point, mass: 1}}\nforces: {push: {type: force, on: ball, fz: F}}\n"
      "when:\n"
      "  floor: {expression: ball.z, direction: falling, action: {impulse: {restitution: 0.5}}}\n"
      "  switch: {expression: t - 1, action: {set: {F: 2}}}\n",
      "rn4", 2);
  ASSERT_EQ(r.times("floor.rest", 1).size(), 1u);
  EXPECT_EQ(r.times("floor.rest", 1)[0], 0);
  ASSERT_EQ(r.times("floor.rest", -1).size(), 1u);
  EXPECT_NEAR(r.times("floor.rest", -1)[0], 1, 1e-12);
  EXPECT_NEAR(r.end().p[2], 1, 1e-9);
}

/// A ball thrown on one end of a seesaw that rests on the other: the other lets go in the blow.
TEST(RestAndImpulses, LetGoInABlow) {
  const Ran r = run_to_end(
      "kardan: 1\ndimension: 2\ngravity: [0, -9.81]\n"
      "bodies:\n"
      "  beam: {mass: 1, inertia: 0.3}\n"
      "  ball: {kind: point, mass: 1, position: [0.9, 0.5]}\n"
      "joints: {pivot: {type: revolute, between: [ground, beam]}}\n"
      "forces: {lean: {type: torque, on: beam, tz: 0.2}}\n"
      "when:\n"
      "  rest: {expression: \"-beam.angle\", direction: falling, action: {impulse: {restitution: "
      "0}}}\n"
      "  hit: {expression: ball.y - ball.x*sin(beam.angle)/cos(beam.angle), direction: falling, "
      "action: {impulse: {restitution: 0.2}}}\n",
      "rn4", 0.4);
  ASSERT_EQ(r.times("rest.rest", 1).size(), 1u);
  ASSERT_GE(r.times("rest.rest", -1).size(), 1u);
  EXPECT_NEAR(r.times("rest.rest", -1)[0], std::sqrt(2 * 0.5 / g), 1e-8);
  EXPECT_LT(r.end().p[2], -0.01);
}

/// The same in a file of equations, with a moving stop.
TEST(RestOfEquations, IsHeldAndReleased) {
  const Ran r = run_to_end(
      "kardan: 1\nequations:\n"
      "  positions: {z: 1}\n  velocities: {u: 0}\n"
      "  forces: {u: -9.81}\n"
      "  energy: {kinetic: 0.5*u^2, potential: 9.81*z}\n"
      "when: {hit: {expression: \"z - step(t, 2, 0, 2.5, -4)\", direction: falling, action: "
      "{impulse: "
      "{restitution: 0.5}}}}\n",
      "dopri5", 2.4);
  ASSERT_EQ(r.times("hit.rest", 1).size(), 1u);
  ASSERT_EQ(r.times("hit.rest", -1).size(), 1u);
  // step'' = -4 (60 s - 180 s^2 + 120 s^3)/0.25 = -g for s = (t - 2)/0.5.
  double a = 0, b = 0.1;
  for (int i = 0; i < 100; ++i) {
    const double s = 0.5 * (a + b);
    (4 * (60 * s - 180 * s * s + 120 * s * s * s) / 0.25 < g ? a : b) = s;
  }
  EXPECT_NEAR(r.times("hit.rest", -1)[0], 2 + 0.5 * a, 1e-8);
}

/// What a moving stop gives back is relative to it.
TEST(Impulses, TurnTheSpeedRelativeToAMovingStop) {
  const Ran r = run_to_end(
      "kardan: 1\nbodies: {ball: {kind: point, mass: 1, position: [0, 0, 1], velocity: [0, 0, "
      "-1]}}\n"
      "when: {bat: {expression: ball.z - 2*t, direction: falling, action: {impulse: {restitution: "
      "0.5}}}}\n",
      "rn4", 1);
  // They meet at t = 1/3 with -3 m/s: 1.5 + 2 after.
  EXPECT_NEAR(r.end().v[2], 3.5, 1e-9);
  EXPECT_NEAR(r.times("bat", -1).at(0), 1.0 / 3, 1e-10);
  EXPECT_NEAR(r.report.energy.work, 0.5 * (3.5 * 3.5 - 1), 1e-8);
}

}  // namespace
}  // namespace kardan
