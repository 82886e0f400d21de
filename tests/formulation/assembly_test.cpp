/// Assembly from guesses that may be far off: what is reached, what is refused, and with which
/// words.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numbers>

#include "support/models.h"

namespace kardan::test {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::UnorderedElementsAre;

/// The start with every body thrown by up to `share` of the length scale and as many radians.
State thrown(const System& system, unsigned seed, double share) {
  Random random(seed);
  State state = system.start();
  Vector delta(system.sizes().v);
  for (int i = 0; i < system.sizes().v; ++i) delta[i] = random(share * column_scale(system, i));
  const Vector p = state.p;
  system.retract(p, delta, state.p);
  return state;
}

TEST(Assembly, OfEveryShippedModelStandsAtItsGivenStart) {
  for (const std::string& name : shipped_names()) {
    const auto system = compiled_shipped(name);
    const ConsistentStart start = assembled(*system);
    EXPECT_EQ(start.report.status, Eval::ok) << name << ": " << start.report.message;
    EXPECT_LE(start.report.given.position, 1e-14) << name << ": the file gives a closed start";
    EXPECT_LE(start.report.given.velocity, 1e-14) << name;
    EXPECT_LE(start.report.reached.position, 1e-14) << name;
    EXPECT_LE(start.report.reached.velocity, 1e-14) << name;
    EXPECT_LE(start.report.reached.acceleration, 1e-10) << name;
    EXPECT_LE(start.report.moved, 1e-14 * system->scales().length) << name;
    for (const WishResult& wish : start.report.wishes) EXPECT_TRUE(wish.met) << name << wish.text;
  }
}

TEST(Assembly, FindsEveryShippedModelThrownByHalfItsSize) {
  for (const std::string& name : shipped_names()) {
    const auto system = compiled_shipped(name);
    for (const unsigned seed : {1u, 2u, 3u, 4u, 5u}) {
      const ConsistentStart start = assemble(*system, thrown(*system, seed, 0.5), {});
      EXPECT_EQ(start.report.status, Eval::ok) << name << ": " << start.report.message;
      EXPECT_LE(start.report.reached.position, 1e-12) << name;
      EXPECT_LE(start.report.reached.velocity, 1e-12) << name;
    }
  }
}

TEST(Assembly, OfTheRedundantBricardMechanismReachesRoundOff) {
  const auto system = compiled_shipped("bricard");
  for (unsigned seed = 1; seed <= 20; ++seed) {
    const ConsistentStart start = assemble(*system, thrown(*system, seed, 0.05), {});
    EXPECT_EQ(start.report.status, Eval::ok) << start.report.message;
    EXPECT_LE(start.report.reached.position, 1e-12) << seed;
    EXPECT_LE(start.report.reached.velocity, 1e-12) << seed;
    EXPECT_LE(start.report.reached.acceleration, 1e-10) << seed;
  }
}

TEST(Assembly, OfAStretchedLinkageIsFoundBesideItAndSaysSo) {
  // Two bars in line whose end is wished nearer: no step leads on from the stretched position.
  const auto system = compiled(R"(
kardan: 1
dimension: 2
bodies:
  one: {mass: 1, inertia: 0.1, position: [0.5, 0], markers: {a: {at: [-0.5, 0]}, b: {at: [0.5, 0]}}}
  two: {mass: 1, inertia: 0.1, position: [1.5, 0], markers: {a: {at: [-0.5, 0]}, b: {at: [0.5, 0]}}}
joints:
  foot: {type: revolute, between: [ground, one.a]}
  knee: {type: revolute, between: [one.b, two.a]}
  guide: {type: point_on_line, between: [ground, two.b]}
sensors:
  tip: {type: point, between: [ground, two.b]}
assemble:
  - {want: tip.x, equals: 1.2}
)");
  const ConsistentStart start = assembled(*system);
  ASSERT_EQ(start.report.status, Eval::ok) << start.report.message;
  EXPECT_TRUE(start.report.shaken);
  EXPECT_NEAR(value_of(*system, start.state, "tip.x"), 1.2, 1e-13);
  EXPECT_NEAR(std::abs(value_of(*system, start.state, "one.angle")), std::acos(0.6), 1e-12);
}

TEST(Assembly, FollowsADrivenAngleBeyondHalfATurn) {
  const char* text = R"(
kardan: 1
parameters: {target: 0}
bodies:
  arm: {mass: 2, inertia: [0.1, 0.3, 0.4], position: [0.5, 0, 0]}
joints:
  hinge: {type: revolute, bodies: [ground, arm], at: [0, 0, 0], axis: [0, 0, 1]}
drivers:
  motor: {type: driver, bodies: [ground, arm], at: [0, 0, 0], axis: [0, 0, 1], motion: target + t}
sensors:
  angle: {type: coordinate, coordinate: angle, bodies: [ground, arm], at: [0, 0, 0], axis: [0, 0, 1]}
)";
  for (const double target : {3.1, 4.0, 7.0, -4.0, -20.0}) {
    const auto system = compiled(text, {{"target", target}});
    const ConsistentStart start = assembled(*system);
    ASSERT_EQ(start.report.status, Eval::ok) << target << ": " << start.report.message;
    EXPECT_NEAR(value_of(*system, start.state, "angle"), target, 1e-12);
    EXPECT_NEAR(value_of(*system, start.state, "arm.x"), 0.5 * std::cos(target), 1e-12);
  }
}

/// The start stands where the drivers want it, but for full turns: nothing moves, and every angle,
/// seen from either side, counts them.
TEST(Assembly, CountsTheTurnsOfDriversInsteadOfTakingThem) {
  const char* text = R"(
kardan: 1
parameters: {first: 0, second: 0}
bodies:
  upper: {mass: 2, inertia: [0.1, 0.3, 0.4], rotation: [0, 0, 0.3], markers: {tip: {at: [1, 0, 0]}}}
  lower: {mass: 1, inertia: [0.1, 0.2, 0.2], position: [cos(0.3), sin(0.3), 0], rotation: [0, 0, 1.4]}
joints:
  shoulder: {type: revolute, between: [ground, upper]}
  elbow: {type: revolute, between: [upper.tip, lower]}
drivers:
  bend: {type: driver, between: [upper.tip, lower], motion: second + t}
  lift: {type: driver, between: [ground, upper], motion: first - t}
sensors:
  at_shoulder: {type: coordinate, coordinate: angle, between: [ground, upper]}
  back: {type: coordinate, coordinate: angle, between: [upper, ground]}
  at_elbow: {type: coordinate, coordinate: angle, between: [upper.tip, lower]}
  whole: {type: coordinate, coordinate: angle, between: [ground, lower]}
)";
  constexpr double turn = 2 * std::numbers::pi;
  for (const int n : {-41, -2, -1, 0, 1, 2, 3, 100})
    for (const int m : {-3, 0, 1, 30}) {
      const double first = 0.3 + turn * n, second = 1.1 + turn * m;
      const auto system = compiled(text, {{"first", first}, {"second", second}});
      const ConsistentStart start = assembled(*system);
      ASSERT_EQ(start.report.status, Eval::ok) << n << " " << m << ": " << start.report.message;
      EXPECT_LT(start.report.moved, 1e-12) << n << " " << m;
      EXPECT_NEAR(value_of(*system, start.state, "at_shoulder"), first, 1e-11) << n << " " << m;
      EXPECT_NEAR(value_of(*system, start.state, "back"), -first, 1e-11) << n << " " << m;
      EXPECT_NEAR(value_of(*system, start.state, "at_elbow"), second, 1e-11) << n << " " << m;
      EXPECT_NEAR(value_of(*system, start.state, "whole"), first + second, 1e-11) << n << " " << m;
    }
}

/// A crank that turned fully would drag the rest along, which may come to rest on the other branch;
/// the second linkage did, from 5.456 rad.
TEST(Assembly, LeavesALinkageOnItsBranchWhereverItsDriverBegins) {
  struct Links {
    double ground, coupler, rocker;  // of a crank of 1
  };
  for (const Links& l : {Links{3, 3, 2}, Links{1.533, 1.541, 1.95}})
    for (double phi = 0.576; phi < 12; phi += 0.61) {
      const double x = std::cos(phi) - l.ground, y = std::sin(phi), d = std::hypot(x, y);
      const double rocker =
          std::atan2(y, x) -
          std::acos((l.rocker * l.rocker + d * d - l.coupler * l.coupler) / (2 * l.rocker * d));
      const double coupler =
          std::atan2(l.rocker * std::sin(rocker) - y, l.rocker * std::cos(rocker) - x);
      const auto system = compiled(R"(
kardan: 1
parameters: {phi: 0, ground: 0, c: 0, coupler: 0, r: 0, rocker: 0}
bodies:
  crank: {mass: 1, inertia: [0.1, 0.1, 0.1], rotation: [0, 0, phi], markers: {tip: {at: [1, 0, 0]}}}
  coupler: {mass: 1, inertia: [0.1, 0.7, 0.7], position: [cos(phi), sin(phi), 0], rotation: [0, 0, coupler], markers: {tip: {at: [c, 0, 0]}}}
  rocker: {mass: 1, inertia: [0.1, 0.3, 0.3], position: [ground, 0, 0], rotation: [0, 0, rocker], markers: {tip: {at: [r, 0, 0]}}}
joints:
  one: {type: revolute, between: [ground, crank]}
  two: {type: revolute, between: [crank.tip, coupler]}
  three: {type: revolute, between: [coupler.tip, rocker.tip]}
  four: {type: revolute, bodies: [ground, rocker], at: [ground, 0, 0], axis: [0, 0, 1]}
drivers:
  motor: {type: driver, between: [ground, crank], motion: phi + t}
)",
                                   {{"phi", phi},
                                    {"ground", l.ground},
                                    {"c", l.coupler},
                                    {"coupler", coupler},
                                    {"r", l.rocker},
                                    {"rocker", rocker}});
      const ConsistentStart start = assembled(*system);
      ASSERT_EQ(start.report.status, Eval::ok) << phi << ": " << start.report.message;
      EXPECT_LT(start.report.moved, 1e-12) << phi;
      for (const auto& [body, angle] : {std::pair("coupler", coupler), std::pair("rocker", rocker)})
        EXPECT_NEAR(std::abs(value_of(*system, start.state, fmt::format("{}.qw", body))),
                    std::abs(std::cos(angle / 2)), 1e-12)
            << phi;
    }
}

TEST(Assembly, TurnsAScrewAsFarAsItsWishAsks) {
  // Advance 0.2 from the start at 3 rad: 0.4 turns of a pitch of 0.5, beyond half a turn.
  const auto system = compiled(R"(
kardan: 1
bodies:
  nut: {mass: 2, inertia: [0.1, 0.3, 0.4], rotation: [0, 0, 3]}
joints:
  thread: {type: screw, between: [ground, nut], pitch: 0.5}
sensors:
  angle: {type: coordinate, coordinate: angle, between: [ground, nut]}
assemble:
  - {want: nut.z, equals: 0.2}
)");
  const ConsistentStart start = assembled(*system);
  ASSERT_EQ(start.report.status, Eval::ok) << start.report.message;
  EXPECT_NEAR(value_of(*system, start.state, "angle"), 3 + 0.4 * 2 * std::acos(-1), 1e-12);
}

TEST(Assembly, MovesTheLightBodyInTheMassMetric) {
  // Two beads on a line, wanted one metre apart, given 1.3: they move by the inverse of their mass.
  const auto system = compiled(R"(
kardan: 1
dimension: 2
bodies:
  heavy: {kind: point, mass: 9, position: [0, 0]}
  light: {kind: point, mass: 1, position: [1.3, 0]}
joints:
  rod: {type: distance, between: [heavy, light], length: 1}
)");
  const ConsistentStart start = assembled(*system);
  ASSERT_EQ(start.report.status, Eval::ok);
  EXPECT_NEAR(value_of(*system, start.state, "heavy.x"), 0.03, 1e-3);
  EXPECT_NEAR(value_of(*system, start.state, "light.x"), 1.03, 1e-3);
  EXPECT_EQ(start.report.moved_body, "light");
  EXPECT_NEAR(start.report.moved, 0.27, 1e-3);
}

TEST(Assembly, KeepsTheVelocitiesNearestInTheMassMetric) {
  // An impulse along the rod shares the momentum: v = (9*0 + 1*5)/10 for both along x.
  const auto system = compiled(R"(
kardan: 1
dimension: 2
bodies:
  heavy: {kind: point, mass: 9, position: [0, 0]}
  light: {kind: point, mass: 1, position: [1, 0], velocity: [5, 2]}
joints:
  rod: {type: distance, between: [heavy, light], length: 1}
)");
  const ConsistentStart start = assembled(*system);
  ASSERT_EQ(start.report.status, Eval::ok);
  EXPECT_LE(largest_difference(start.state.v, Vector{0.5, 0, 0.5, 2}), 1e-14);
}

TEST(Contradiction, OfTwoRodsNamesThemAndTheGap) {
  // The feet are 2.02 apart, the rods 1 each: 0.02 is missing.
  const auto system = compiled(R"(
kardan: 1
dimension: 2
bodies:
  bead: {kind: point, mass: 1, position: [1, 0.1]}
  other: {kind: point, mass: 1, position: [0, -1]}
joints:
  left: {type: distance, between: [ground, bead], length: 1}
  right: {type: distance, between: [{body: ground, at: [2.02, 0]}, bead], length: 1}
  innocent: {type: distance, between: [ground, other], length: 1}
)");
  const ConsistentStart start = assembled(*system);
  EXPECT_EQ(start.report.status, Eval::fatal);
  ASSERT_EQ(start.report.conflicts.size(), 1u);
  const Conflict& conflict = start.report.conflicts[0];
  EXPECT_EQ(conflict.level, "position");
  EXPECT_THAT(conflict.members, UnorderedElementsAre("left distance", "right distance"));
  EXPECT_NEAR(conflict.size, 0.02, 0.001);
  EXPECT_THAT(start.report.message, HasSubstr("left distance"));
  EXPECT_FALSE(start.report.advice.empty());
}

TEST(Contradiction, OfDriversAtVelocityLevelNamesThemAndTheDifference) {
  const auto system = compiled(R"(
kardan: 1
dimension: 2
bodies:
  cart: {mass: 1, inertia: 1}
joints:
  rail: {type: prismatic, between: [ground, cart]}
drivers:
  slow: {type: driver, between: [ground, cart], coordinate: x, motion: 2*t}
  fast: {type: driver, between: [ground, cart], coordinate: x, motion: 3*t}
)");
  const ConsistentStart start = assembled(*system);
  EXPECT_EQ(start.report.status, Eval::fatal);
  ASSERT_EQ(start.report.conflicts.size(), 1u);
  EXPECT_EQ(start.report.conflicts[0].level, "velocity");
  EXPECT_THAT(start.report.conflicts[0].members,
              UnorderedElementsAre("slow driven translation along local x",
                                   "fast driven translation along local x"));
  EXPECT_NEAR(start.report.conflicts[0].size, 1, 1e-9) << "3 m/s against 2 m/s";
}

TEST(Contradiction, OfDriversAtAccelerationLevelIsRefused) {
  // Same place and speed at t = 0, but accelerations 2 and 4.
  const auto system = compiled(R"(
kardan: 1
dimension: 2
bodies:
  cart: {mass: 1, inertia: 1}
joints:
  rail: {type: prismatic, between: [ground, cart]}
drivers:
  slow: {type: driver, between: [ground, cart], coordinate: x, motion: t^2}
  fast: {type: driver, between: [ground, cart], coordinate: x, motion: 2*t^2}
)");
  const ConsistentStart start = assembled(*system);
  EXPECT_NE(start.report.status, Eval::ok)
      << "accelerations 2 and 4 were called consistent, with a residual of "
      << start.report.reached.acceleration;
}

TEST(Contradiction, OfALoopNamesItsJointsOnly) {
  // A triangle of bars that cannot close (1 + 1 < 3) beside a pendulum that can.
  const auto system = compiled(R"(
kardan: 1
dimension: 2
bodies:
  one: {mass: 1, inertia: 0.1, position: [0.5, 0], markers: {a: {at: [-0.5, 0]}, b: {at: [0.5, 0]}}}
  two: {mass: 1, inertia: 0.1, position: [2, 0], markers: {a: {at: [-0.5, 0]}, b: {at: [0.5, 0]}}}
  pendulum: {mass: 1, inertia: 0.1, position: [0, -0.5], markers: {a: {at: [0, 0.5]}}}
joints:
  foot_1: {type: revolute, between: [ground, one.a]}
  middle: {type: revolute, between: [one.b, two.a]}
  foot_2: {type: revolute, between: [{body: ground, at: [3, 0]}, two.b]}
  swing: {type: revolute, between: [ground, pendulum.a]}
)");
  const ConsistentStart start = assembled(*system);
  EXPECT_EQ(start.report.status, Eval::fatal);
  ASSERT_EQ(start.report.conflicts.size(), 1u);
  EXPECT_THAT(
      start.report.conflicts[0].members,
      UnorderedElementsAre("foot_1 translation along world x", "middle translation along world x",
                           "foot_2 translation along world x"));
  EXPECT_NEAR(start.report.conflicts[0].size, 1, 1e-3) << "3 - 1 - 1";
}

TEST(Assembly, WithoutInertiaInAFreeDirectionSaysSo) {
  const auto system = compiled(R"(
kardan: 1
dimension: 2
gravity: [0, -9.81]
bodies:
  ghost: {mass: 1}
)");
  const ConsistentStart start = assembled(*system);
  EXPECT_NE(start.report.status, Eval::ok);
  EXPECT_THAT(start.report.message, HasSubstr("mass matrix is singular"));
}

TEST(Assembly, OfAMasslessBodyHeldByItsJointsIsSolved) {
  // A massless crank on a driven pin: constraints determine it, no M^-1 is needed.
  const auto system = compiled(R"(
kardan: 1
dimension: 2
gravity: [0, -9.81]
bodies:
  crank: {mass: 0, position: [0.5, 0], markers: {O: {at: [-0.5, 0]}, A: {at: [0.5, 0]}}}
  bob: {mass: 2, inertia: 0.1, position: [1, -1], markers: {A: {at: [0, 1]}}}
joints:
  foot: {type: revolute, between: [ground, crank.O]}
  pin: {type: revolute, between: [crank.A, bob.A]}
drivers:
  motor: {type: driver, between: [ground, crank.O], motion: t^2}
)");
  const ConsistentStart start = assembled(*system);
  ASSERT_EQ(start.report.status, Eval::ok) << start.report.message;
  EXPECT_NEAR(acceleration_of(*system, start.a, "crank", 2), 2, 1e-10);
  // The pin moves up with 2 m/s^2: the bob hangs and is carried along.
  EXPECT_NEAR(acceleration_of(*system, start.a, "bob", 1), 2, 1e-10);
  EXPECT_NEAR(acceleration_of(*system, start.a, "bob", 2), 0, 1e-10);
}

}  // namespace
}  // namespace kardan::test
