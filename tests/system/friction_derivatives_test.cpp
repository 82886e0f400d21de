/// Derivatives of friction that slips, against differences: its load may be a reaction, which every
/// force and every constraint changes.

#include <gtest/gtest.h>

#include "support/difference_check.h"
#include "support/models.h"

namespace kardan {
namespace {

void expect_derivatives(const System& system, const std::vector<int>& directions,
                        const std::vector<int>& sides) {
  for (unsigned seed : {1u, 2u, 3u}) {
    test::DerivativePoint at = test::random_point(system, seed, 0.2);
    for (std::size_t i = 0; i < directions.size(); ++i)
      at.state.modes[system.frictions()[i].mode] = directions[i];
    for (std::size_t i = 0; i < sides.size(); ++i)
      at.state.modes[system.impulses()[i].mode] = sides[i];
    const test::DerivativeReport report = test::check_derivatives(system, at);
    EXPECT_LT(report.worst, 1e-6) << seed << ": " << report.where;
    EXPECT_GT(report.compared, 20);
  }
}

constexpr const char* arm = R"yaml(kardan: 1
dimension: 2
gravity: [1, -9.81]
bodies:
  upper: {mass: 2, inertia: 0.3, position: [0.4, -0.3], angle: 0.6, markers: {pin: {at: [-0.5, 0]}, end: {at: [0.5, 0.1]}}}
  lower: {mass: 1, inertia: 0.2, position: [1, -0.9], angle: -0.9, markers: {pin: {at: [-0.3, 0]}}}
joints:
  shoulder: {type: revolute, between: [ground, upper.pin]}
  elbow: {type: prismatic, between: [upper.end, lower.pin]}
forces: {spring: {type: spring_damper, between: [ground, lower], stiffness: 30, damping: 2, free_length: 0.2}}
sensors: {way: {type: coordinate, joint: elbow, coordinate: x}}
friction:
  bearing: {along: upper.angle, kinetic: 0.3, viscous: 0.2, joint: shoulder, radius: 0.3}
  guide: {along: way, kinetic: 0.2, static: 0.5, stribeck: 0.7, preload: 3, joint: elbow}
  pad: {along: lower.x^2 - 0.3*t*lower.y, kinetic: 0.2, static: 0.4, stribeck: 0.5, preload: 3}
)yaml";

TEST(FrictionDerivatives, AreExactForLoadsOfJoints) {
  const auto system = test::compiled(arm);
  expect_derivatives(*system, {1, -1, 1}, {});
  expect_derivatives(*system, {0, 1, -1}, {});
}

TEST(FrictionDerivatives, AreExactWhereSomethingSticks) {
  const auto system = test::compiled(arm);
  const auto held = system->holds()->hold({}, {1});
  ASSERT_TRUE(held);
  EXPECT_EQ(held->sizes().mu, 1);
  expect_derivatives(*held, {-1, 0, 1}, {});
}

TEST(FrictionDerivatives, AreExactForStopsAtRest) {
  const auto system = test::compiled(R"yaml(kardan: 1
dimension: 2
gravity: [0, -9.81]
bodies:
  low: {mass: 2, inertia: 0.3, position: [0.4, 0.3], angle: 0.6}
  high: {mass: 1, inertia: 0.2, position: [1, 0.9], angle: -0.9}
joints: {pin: {type: revolute, between: [{body: low, at: [0.2, 0]}, {body: high, at: [-0.1, 0.3]}]}}
when:
  foot: {expression: low.y - 0.5*sin(low.angle), direction: falling, action: {impulse: {restitution: 0}}}
  wall: {expression: high.x - 0.1*high.angle*t, direction: falling, action: {impulse: {restitution: 0}}}
friction:
  floor: {along: low.x - 0.5*cos(low.angle), kinetic: 0.2, viscous: 0.1, stop: foot}
  side: {along: high.y + 0.3*high.angle, kinetic: 0.1, static: 0.3, stribeck: 0.5, stop: wall}
)yaml");
  const auto held = system->holds()->hold(system->blueprint().impulses, {});
  ASSERT_TRUE(held);
  expect_derivatives(*held, {1, -1}, {1, 1});
}

TEST(FrictionDerivatives, AreExactInSpace) {
  const auto system = test::compiled(R"yaml(kardan: 1
gravity: [0, 1, -9.81]
bodies:
  a: {mass: 2, inertia: [0.3, 0.4, 0.5], position: [0.4, 0.1, -0.3], angular_velocity: [1, 2, 0.5]}
  b: {mass: 1, inertia: [0.1, 0.1, 0.2], position: [1, 0.2, -0.3]}
joints:
  hinge: {type: revolute, bodies: [ground, a], at: [0, 0, 0], axis: [0, 1, 0.3]}
  slide: {type: cylindrical, bodies: [a, b], at: [0.5, 0.1, -0.3], axis: [1, 0.2, 0]}
sensors:
  turn: {type: coordinate, joint: hinge, coordinate: angle}
  way: {type: coordinate, joint: slide, coordinate: z}
friction:
  bearing: {along: turn, kinetic: 0.2, joint: hinge, radius: 0.1}
  guide: {along: way, kinetic: 0.2, viscous: 1, joint: slide}
)yaml");
  expect_derivatives(*system, {1, -1}, {});
}

}  // namespace
}  // namespace kardan
