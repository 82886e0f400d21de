/// Wishes with priorities: expressions over positions and velocities that the assembly honours.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/models.h"

namespace kardan::test {
namespace {

using testing::Contains;
using testing::HasSubstr;

/// A bead on a rod of one metre about the origin, in the plane, with wishes.
std::string bead_on_rod(const std::string& wishes, const std::string& more = "") {
  return R"(
kardan: 1
dimension: 2
bodies:
  bead: {kind: point, mass: 1, position: [0.9, 0.3], velocity: [0.1, 2])" +
         more + R"(}
joints:
  rod: {type: distance, between: [ground, bead], length: 1}
assemble:
)" + wishes;
}

TEST(Wish, ForACoordinateIsMetExactly) {
  const auto system = compiled(bead_on_rod("  - {want: bead.x, equals: 0.6}\n"));
  const ConsistentStart start = assembled(*system);
  ASSERT_EQ(start.report.status, Eval::ok) << start.report.message;
  EXPECT_NEAR(start.state.p[0], 0.6, 1e-14);
  EXPECT_NEAR(start.state.p[1], 0.8, 1e-14);
  ASSERT_EQ(start.report.wishes.size(), 1u);
  EXPECT_TRUE(start.report.wishes[0].met);
  EXPECT_EQ(start.report.wishes[0].text, "bead.x = 0.6");
}

TEST(Wish, ForASumOfCoordinatesIsMet) {
  const auto system = compiled(bead_on_rod("  - {want: bead.x + bead.y, equals: 0}\n"));
  const ConsistentStart start = assembled(*system);
  ASSERT_EQ(start.report.status, Eval::ok) << start.report.message;
  EXPECT_NEAR(std::abs(start.state.p[0]), std::sqrt(0.5), 1e-14);
  EXPECT_NEAR(start.state.p[0], -start.state.p[1], 1e-14);
}

TEST(Wish, ForASpeedIsMetAlongTheGivenDirection) {
  const auto system = compiled(bead_on_rod("  - {want: sqrt(bead.vx^2 + bead.vy^2), equals: 3}\n"));
  const ConsistentStart start = assembled(*system);
  ASSERT_EQ(start.report.status, Eval::ok) << start.report.message;
  const Vector& p = start.state.p;
  const Vector& v = start.state.v;
  EXPECT_NEAR(std::hypot(v[0], v[1]), 3, 1e-13);
  EXPECT_NEAR(p[0] * v[0] + p[1] * v[1], 0, 1e-13) << "across the rod";
  EXPECT_GT(v[1], 0) << "on the side of the given velocity";
}

TEST(Wish, MixingPositionsAndVelocitiesActsOnVelocities) {
  const auto system = compiled(bead_on_rod("  - {want: bead.x*bead.vy, equals: 2}\n"));
  const ConsistentStart start = assembled(*system);
  ASSERT_EQ(start.report.status, Eval::ok) << start.report.message;
  EXPECT_NEAR(start.state.p[0] * start.state.v[1], 2, 1e-13);
}

TEST(Wish, ForASensorAndItsRateIsMet) {
  const auto system = compiled(R"(
kardan: 1
dimension: 2
bodies:
  arm: {mass: 1, inertia: 0.1, position: [0.5, 0], markers: {O: {at: [-0.5, 0]}, tip: {at: [0.5, 0]}}}
joints:
  foot: {type: revolute, between: [ground, arm.O]}
sensors:
  tip: {type: point, between: [ground, arm.tip]}
  reach: {type: coordinate, between: [{body: ground, at: [2, 0]}, arm.tip], coordinate: distance}
assemble:
  - {want: reach, equals: 1.5}
  - {want: tip.vx, equals: -0.4}
)");
  const ConsistentStart start = assembled(*system);
  ASSERT_EQ(start.report.status, Eval::ok) << start.report.message;
  EXPECT_NEAR(value_of(*system, start.state, "reach"), 1.5, 1e-13);
  EXPECT_NEAR(value_of(*system, start.state, "tip.vx"), -0.4, 1e-13);
}

TEST(Wish, HeldValuesDoNotMoveInAnyBit) {
  // Held coordinates keep their given values although the rest must move far.
  const auto system = compiled(R"(
kardan: 1
dimension: 2
bodies:
  left: {mass: 1, inertia: 0.1, position: [0.123456789, 0.5], angle: 0.7, hold: [x, y, angle, vx, vy, omega], velocity: [0.1, 0.2], angular_velocity: 0.3}
  right: {mass: 1, inertia: 0.1, position: [5, 5]}
joints:
  pin: {type: revolute, between: [{body: left, at: [0.5, 0]}, {body: right, at: [-0.5, 0]}]}
)");
  const ConsistentStart start = assembled(*system);
  ASSERT_EQ(start.report.status, Eval::ok) << start.report.message;
  const State given = system->start();
  for (int k = 0; k < 3; ++k) {
    EXPECT_NEAR(start.state.p[k], given.p[k], 1e-15);
    EXPECT_NEAR(start.state.v[k], given.v[k], 1e-15);
  }
  EXPECT_EQ(start.report.wishes.size(), 6u);
  for (const WishResult& w : start.report.wishes) EXPECT_TRUE(w.met) << w.text;
}

TEST(Wish, OfHeldCrankAnglesKeepsThemInEveryBit) {
  const auto system = compiled_shipped("andrews", {{"gamma", 0.55}, {"delta", 0.4}});
  const ConsistentStart start = assembled(*system);
  ASSERT_EQ(start.report.status, Eval::ok) << start.report.message;
  EXPECT_EQ(value_of(*system, start.state, "K1.angle"), -0.0617138900142764496358948458001);
}

TEST(Wish, IfPossibleIsMetWhereItIs) {
  const auto system =
      compiled(bead_on_rod("  - {want: bead.x, equals: 0.6, priority: if_possible}\n"));
  const ConsistentStart start = assembled(*system);
  ASSERT_EQ(start.report.status, Eval::ok) << start.report.message;
  EXPECT_TRUE(start.report.wishes[0].met);
  EXPECT_NEAR(start.state.p[0], 0.6, 1e-14);
}

TEST(Wish, IfPossibleGivesWayWhereItIsNot) {
  const auto system =
      compiled(bead_on_rod("  - {want: bead.x, equals: 1.3, priority: if_possible}\n"));
  const ConsistentStart start = assembled(*system);
  ASSERT_EQ(start.report.status, Eval::ok) << start.report.message;
  EXPECT_FALSE(start.report.wishes[0].met);
  EXPECT_LE(start.report.reached.position, 1e-13) << "the rod holds";
  EXPECT_NEAR(start.report.wishes[0].reached, start.state.p[0], 1e-15);
}

TEST(Wish, IfPossibleGivesWayToExactOnesOneByOne) {
  const auto system =
      compiled(bead_on_rod("  - {want: bead.y, equals: 0.9, priority: if_possible}\n"
                           "  - {want: bead.x, equals: 0.6}\n"
                           "  - {want: bead.vy, equals: 1.2, priority: if_possible}\n"));
  const ConsistentStart start = assembled(*system);
  ASSERT_EQ(start.report.status, Eval::ok) << start.report.message;
  EXPECT_FALSE(start.report.wishes[0].met) << "y = 0.9 does not go with x = 0.6";
  EXPECT_TRUE(start.report.wishes[1].met);
  EXPECT_TRUE(start.report.wishes[2].met);
  EXPECT_NEAR(start.state.p[0], 0.6, 1e-14);
}

TEST(Wish, FirstOfTwoThatFightIsKept) {
  const auto system =
      compiled(bead_on_rod("  - {want: bead.x, equals: 0.6, priority: if_possible}\n"
                           "  - {want: bead.y, equals: 0.9, priority: if_possible}\n"));
  const ConsistentStart start = assembled(*system);
  ASSERT_EQ(start.report.status, Eval::ok) << start.report.message;
  EXPECT_TRUE(start.report.wishes[0].met);
  EXPECT_FALSE(start.report.wishes[1].met);
}

TEST(Wish, FreeIsReportedOnly) {
  const auto with = compiled(bead_on_rod("  - {want: bead.x, equals: 0.2, priority: free}\n"));
  const auto without = compiled(bead_on_rod("  []\n"));
  const ConsistentStart start = assembled(*with);
  ASSERT_EQ(start.report.status, Eval::ok);
  EXPECT_EQ(start.state.p, assembled(*without).state.p);
  ASSERT_EQ(start.report.wishes.size(), 1u);
  EXPECT_FALSE(start.report.wishes[0].met);
  EXPECT_NEAR(start.report.wishes[0].reached, start.state.p[0], 1e-15);
}

TEST(Wish, OutOfReachIsRefusedWithTheDistance) {
  const auto system = compiled(bead_on_rod("  - {want: bead.x, equals: 1.03}\n"));
  const ConsistentStart start = assembled(*system);
  EXPECT_EQ(start.report.status, Eval::fatal);
  ASSERT_EQ(start.report.conflicts.size(), 1u);
  EXPECT_THAT(start.report.conflicts[0].members, Contains("rod distance"));
  EXPECT_THAT(start.report.conflicts[0].members, Contains("wish 'bead.x = 1.03'"));
  EXPECT_NEAR(start.report.conflicts[0].size, 0.03, 0.002);
}

/// A parallelogram of cranks 1 m and coupler 2 m whose coupler is wished 0.5 m above its reach.
TEST(Wish, BeyondAFourBarIsRefusedWithItsJointsAndTheDistance) {
  const auto system = compiled(R"(
kardan: 1
dimension: 2
bodies:
  crank: {mass: 1, inertia: 1, position: [0, 0.5], angle: pi/2, markers: {a: {at: [-0.5, 0]}, b: {at: [0.5, 0]}}}
  coupler: {mass: 1, inertia: 1, position: [1, 1], markers: {a: {at: [-1, 0]}, b: {at: [1, 0]}}}
  rocker: {mass: 1, inertia: 1, position: [2, 0.5], angle: pi/2, markers: {a: {at: [-0.5, 0]}, b: {at: [0.5, 0]}}}
joints:
  foot: {type: revolute, between: [ground, crank.a]}
  left: {type: revolute, between: [crank.b, coupler.a]}
  right: {type: revolute, between: [coupler.b, rocker.b]}
  other_foot: {type: revolute, between: [{body: ground, at: [2, 0]}, rocker.a]}
assemble:
  - {want: coupler.y, equals: 1.5}
)");
  const ConsistentStart start = assembled(*system);
  EXPECT_EQ(start.report.status, Eval::fatal);
  ASSERT_EQ(start.report.conflicts.size(), 1u);
  const Conflict& conflict = start.report.conflicts[0];
  for (const char* joint : {"foot", "left", "right", "other_foot"})
    EXPECT_THAT(conflict.members, Contains(HasSubstr(joint)));
  EXPECT_THAT(conflict.members, Contains("wish 'coupler.y = 1.5'"));
  EXPECT_NEAR(conflict.size, 0.5, 1e-6);
  EXPECT_THAT(start.report.message, HasSubstr("wish 'coupler.y = 1.5'"));
}

TEST(Wish, ForAnImpossibleVelocityIsRefused) {
  const auto system =
      compiled(bead_on_rod("  - {want: bead.x*bead.vx + bead.y*bead.vy, equals: 2}\n"));
  const ConsistentStart start = assembled(*system);
  EXPECT_EQ(start.report.status, Eval::fatal);
  ASSERT_EQ(start.report.conflicts.size(), 1u);
  EXPECT_EQ(start.report.conflicts[0].level, "velocity");
  EXPECT_THAT(start.report.conflicts[0].members, Contains("rod distance"));
  EXPECT_NEAR(start.report.conflicts[0].size, 2, 1e-6);
}

TEST(Wish, ForAnUnknownQuantityNamesTheNearest) {
  const auto system = compiled(bead_on_rod("  - {want: bead.vz, equals: 2}\n"));
  Diagnostics diagnostics;
  bind_wishes(system->blueprint().wishes, *system, diagnostics);
  ASSERT_EQ(diagnostics.error_count(), 1u);
  EXPECT_EQ(diagnostics.all()[0].code, "wish.unknown_name");
  EXPECT_THAT(diagnostics.all()[0].hint, HasSubstr("bead.v"));
  EXPECT_EQ(diagnostics.all()[0].where.line, 9);
}

TEST(Wish, GradientsAreExact) {
  const auto system = compiled_shipped("hmmwv");
  Random random(5);
  State state = disturbed(*system, random, 0.05);
  const auto ws = system->make_workspace();
  const int n = system->sizes().v;
  int checked = 0;
  for (const std::string& name : system->quantity_names()) {
    const Quantity q = *system->find_quantity(name);
    Vector by_p(n, 0.0), by_v(n, 0.0);
    system->quantity(q, state, 1, by_p, by_v, *ws);
    // One random direction of positions and velocities each.
    const Vector dp = random.vector(n), dv = random.vector(n);
    auto along = [&](double s, bool positions) {
      State moved = state;
      Vector delta = dp;
      for (double& d : delta) d *= s;
      if (positions)
        system->retract(state.p, delta, moved.p);
      else
        for (int i = 0; i < n; ++i) moved.v[i] += s * dv[i];
      return system->quantity(q, moved, 0, {}, {}, *ws);
    };
    const double h = 1e-4;
    const double slope_p = (along(h, true) - along(-h, true)) / (2 * h);
    const double slope_v = (along(h, false) - along(-h, false)) / (2 * h);
    EXPECT_NEAR(dot(by_p, dp), slope_p, 1e-6 * (1 + std::abs(slope_p))) << name;
    EXPECT_NEAR(dot(by_v, dv), slope_v, 1e-6 * (1 + std::abs(slope_v))) << name;
    const auto columns = system->quantity_columns(q);
    for (int i = 0; i < n; ++i) {
      const bool listed = std::find(columns.begin(), columns.end(), i) != columns.end();
      EXPECT_TRUE(listed || (by_p[i] == 0 && by_v[i] == 0)) << name;
    }
    ++checked;
  }
  EXPECT_GT(checked, 14 * 13);
}

}  // namespace
}  // namespace kardan::test
