/// Events that are held: rows of any expression of positions and time, with every derivative.

#include <gtest/gtest.h>

#include "support/difference_check.h"
#include "support/models.h"

namespace kardan {
namespace {

using test::check_derivatives;
using test::random_point;

void expect_derivatives(const System& base, const std::vector<int>& events) {
  const auto held = base.holds()->hold(events);
  ASSERT_TRUE(held);
  ASSERT_EQ(held->sizes().lambda, base.sizes().lambda + static_cast<int>(events.size()));
  EXPECT_EQ(held->sizes().mu, base.sizes().mu);
  for (unsigned seed = 1; seed <= 3; ++seed) {
    const test::DerivativeReport report = check_derivatives(*held, random_point(*held, seed, 0.1));
    EXPECT_LE(report.worst, 1e-6) << report.where;
    EXPECT_GE(report.compared, 20);
  }
}

/// Coordinates, quaternions, sensors, expression sensors and time in one row; two rows at once.
TEST(HeldRows, HaveTheirDerivativesInSpace) {
  const auto system = test::compiled(
      "kardan: 1\n"
      "bodies:\n"
      "  a: {mass: 1, inertia: [1, 2, 3], position: [1, 0.2, 0], angular_velocity: [0.3, 0.2, "
      "0.1]}\n"
      "  b: {mass: 2, inertia: [1, 1, 2], position: [0, 1, 0.5], velocity: [1, 0, 2]}\n"
      "  c: {kind: point, mass: 1, position: [0, 0, 2]}\n"
      "joints: {hinge: {type: spherical, bodies: [ground, a], at: [0, 0, 0]}}\n"
      "sensors:\n"
      "  gap: {type: point, between: [a, b]}\n"
      "  mixed: {type: expression, value: \"gap.x*gap.y*sin(3*t) + a.qx*b.qy\"}\n"
      "when:\n"
      "  one: {expression: \"mixed*c.z + exp(0.3*a.z)*b.x*t\", direction: falling, action: "
      "{impulse: {restitution: 0.5}}}\n"
      "  two: {expression: \"a.qw*a.qz + sin(c.x - t)\", direction: rising, action: {impulse: "
      "{restitution: 0}}}\n");
  ASSERT_TRUE(system);
  expect_derivatives(*system, {0, 1});
  expect_derivatives(*system, {1});
}

TEST(HeldRows, HaveTheirDerivativesInThePlane) {
  const auto system = test::compiled(
      "kardan: 1\ndimension: 2\n"
      "bodies:\n"
      "  a: {mass: 1, inertia: 1, position: [1, 0.2], angular_velocity: 0.4}\n"
      "  b: {mass: 2, inertia: 1, position: [0, 1], velocity: [1, 0]}\n"
      "joints: {edge: {type: knife_edge, on: b}}\n"
      "when:\n"
      "  foot: {expression: \"a.y + 0.5*sin(a.angle) - 0.1*cos(4*t)*b.x\", direction: falling, "
      "action: {impulse: {restitution: 0.5}}}\n");
  ASSERT_TRUE(system);
  expect_derivatives(*system, {0});
}

/// Multipliers of other rows keep their places in formulas.
TEST(HeldRows, HaveTheirDerivativesInEquations) {
  const auto system = test::compiled(
      "kardan: 1\n"
      "equations:\n"
      "  positions: {x: 1, y: 0.5}\n"
      "  velocities: {u: 0, v: 0.2}\n"
      "  definitions: {wall: 1.5 - 0.2*sin(t)}\n"
      "  forces: {u: -x - 0.1*roll.mu, v: -9.81 + 0.2*roll.mu*u}\n"
      "  nonholonomic: {roll: v - x*u}\n"
      "when: {hit: {expression: wall - x*y, direction: falling, action: {impulse: {restitution: "
      "0.5}}}}\n");
  ASSERT_TRUE(system);
  expect_derivatives(*system, {0});
}

}  // namespace
}  // namespace kardan
