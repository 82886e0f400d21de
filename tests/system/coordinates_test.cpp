/// Storage of positions, the chart of a step, and counted turns.

#include <gtest/gtest.h>

#include <numbers>

#include "support/matrices.h"
#include "support/models.h"

namespace kardan::test {
namespace {

using std::numbers::pi;

constexpr const char* hinge = R"(
kardan: 1
dimension: 3
bodies:
  wheel: {mass: 1, inertia: [1, 1, 1], position: [1, 0, 0], rotation: [0.3, 0.1, -0.4]}
joints:
  axle: {type: revolute, bodies: [ground, wheel], at: [0, 0, 0], axis: [1, 2, 2]}
forces:
  clock: {type: rotational_spring_damper, bodies: [ground, wheel], at: [0, 0, 0], axis: [1, 2, 2],
          stiffness: 3, free_angle: 0.5}
sensors:
  turn: {type: coordinate, coordinate: angle, bodies: [ground, wheel], at: [0, 0, 0],
         axis: [1, 2, 2]}
)";

Mat3d orientation_of(const State& state) {
  return rotation_matrix(Quaternion{state.p[3], state.p[4], state.p[5], state.p[6]});
}

TEST(Coordinates, OfASpatialBodyAreItsCentreAndAUnitQuaternion) {
  const auto system = compiled(R"(
kardan: 1
bodies:
  one: {mass: 1, inertia: [1, 1, 1], com: [0.2, 0, 0], position: [1, 2, 3], rotation: [0, 0, 1.5707963267948966]}
)");
  const State state = system->start();
  EXPECT_NEAR(state.p[0], 1, 1e-15);
  EXPECT_NEAR(state.p[1], 2.2, 1e-15) << "the centre of mass, turned by a quarter";
  EXPECT_NEAR(state.p[2], 3, 1e-15);
  EXPECT_NEAR(state.p[3], std::sqrt(0.5), 1e-15) << "scalar first";
  EXPECT_NEAR(state.p[6], std::sqrt(0.5), 1e-15);
}

TEST(Coordinates, ScaledQuaternionsAreTheSameOrientation) {
  const auto system = compiled(hinge);
  State state = system->start(), scaled = state;
  for (int k = 3; k < 7; ++k) scaled.p[k] *= 1.7;
  const auto a = system->make_workspace(), b = system->make_workspace();
  ASSERT_EQ(system->evaluate(state, Request::all(), *a), Eval::ok);
  ASSERT_EQ(system->evaluate(scaled, Request::all(), *b), Eval::ok);
  EXPECT_LE(largest_difference(a->g, b->g), 1e-15);
  EXPECT_LE(largest_difference(a->f, b->f), 1e-14);
}

TEST(Retract, TurnsInTheBodyFrameAndMovesInTheWorld) {
  const auto system = compiled(hinge);
  const State state = system->start();
  State moved = state;
  const Vector delta{0.1, -0.2, 0.3, 0.5, -0.7, 0.2};
  system->retract(state.p, delta, moved.p);
  for (int k = 0; k < 3; ++k) EXPECT_NEAR(moved.p[k], state.p[k] + delta[k], 1e-16);
  EXPECT_LE(distance(orientation_of(moved),
                     orientation_of(state) * rotation_exp({delta[3], delta[4], delta[5]})),
            1e-15);
}

TEST(Retract, KeepsQuaternionsNormalizedOverManySteps) {
  const auto system = compiled(hinge);
  State state = system->start();
  Random random(3);
  for (int k = 0; k < 20000; ++k) {
    const Vector delta = random.vector(6, 0.3), p = state.p;
    system->retract(p, delta, state.p);
  }
  double square = 0;
  for (int k = 3; k < 7; ++k) square += state.p[k] * state.p[k];
  EXPECT_NEAR(square, 1, 1e-15);
}

TEST(Retract, AddsPlanarAngles) {
  const auto system = compiled(R"(
kardan: 1
dimension: 2
bodies:
  one: {mass: 1, inertia: 1, angle: 3}
)");
  State state = system->start();
  const Vector p = state.p;
  system->retract(p, Vector{1, 2, 10}, state.p);
  EXPECT_EQ(state.p, (Vector{1, 2, 13})) << "a planar angle counts its turns by itself";
}

TEST(Turns, FollowTheAngleOverSeveralTurnsBothWays) {
  const auto system = compiled(hinge);
  const auto ws = system->make_workspace();
  State state = system->start();
  const double first = value_of(*system, state, "turn");
  // The body-frame axis of the hinge: turning about it leaves the hinge closed.
  const Vec3d axis = transposed_times(orientation_of(state), normalized(Vec3d{1, 2, 2}));
  double angle = 0;
  auto turn_by = [&](double step) {
    State next = state;
    const Vec3d centre =
        rotation_exp(step * normalized(Vec3d{1, 2, 2})) * Vec3d{state.p[0], state.p[1], state.p[2]};
    Vector delta{0, 0, 0, step * axis.x, step * axis.y, step * axis.z};
    for (int k = 0; k < 3; ++k) delta[k] = centre[k] - state.p[k];
    system->retract(state.p, delta, next.p);
    system->follow_turns(state, delta, next, *ws);
    state = next;
    angle += step;
  };
  auto check = [&] {
    EXPECT_NEAR(value_of(*system, state, "turn"), first + angle, 1e-12);
    ASSERT_EQ(system->evaluate(state, Request::all(), *ws), Eval::ok);
    EXPECT_LE(norm_max(ws->g), 1e-12) << "the hinge stays closed";
    Vector force(system->blueprint().elements.size());
    system->bodies_at(state, *ws)->element_forces(state, force, *ws);
    EXPECT_NEAR(force[1], -3 * (first + angle - 0.5), 1e-11) << "the spring winds up";
  };
  for (int k = 0; k < 60; ++k) turn_by(0.7), check();   // 6.7 turns forward
  for (int k = 0; k < 90; ++k) turn_by(-0.9), check();  // 12.9 turns back: 6.2 beyond the start
  EXPECT_NEAR(angle, 60 * 0.7 - 90 * 0.9, 1e-12);
  for (int k = 0; k < 13; ++k) turn_by(3.0), check();  // nearly half a turn in one step
}

TEST(Turns, AreTheTravelOfAScrew) {
  // Three full turns about the axis close the screw again only three pitches further.
  const auto system = compiled(R"(
kardan: 1
bodies:
  nut: {mass: 1, inertia: [1, 1, 1]}
joints:
  thread: {type: screw, bodies: [ground, nut], at: [0, 0, 0], axis: [0, 0, 1], pitch: 0.02}
)");
  const auto ws = system->make_workspace();
  State state = system->start();
  for (int k = 0; k < 30; ++k) {
    State next = state;
    const Vector delta{0, 0, 0.02 / 10, 0, 0, 2 * pi / 10};
    system->retract(state.p, delta, next.p);
    system->follow_turns(state, delta, next, *ws);
    state = next;
    ASSERT_EQ(system->evaluate(state, {.position = true}, *ws), Eval::ok);
    EXPECT_LE(norm_max(ws->g), 1e-14) << k;
  }
  EXPECT_EQ(state.turns, std::vector<int>{3});
  EXPECT_NEAR(state.p[2], 0.06, 1e-15);
}

/// Bodies that stand at 3 and -3 rad: their markers' angles in (-pi, pi] differ by a turn more.
TEST(Turns, InThePlaneBeginAtZeroForElementsPlacedInTheWorld) {
  const auto system = compiled(R"(
kardan: 1
dimension: 2
gravity: [0, 0]
bodies:
  one: {mass: 1, inertia: 1, angle: 3}
  two: {mass: 1, inertia: 1, position: [1, 0], angle: -3}
  far: {mass: 1, inertia: 1, position: [2, 0], angle: 20}
forces:
  coil: {type: rotational_spring_damper, bodies: [one, two], at: [0.5, 0], axis: [1, 1], stiffness: 3}
  pad: {type: bushing, bodies: [one, far], at: [1, 0], axis: [0, 1], rotation_stiffness: [0, 0, 5]}
drivers:
  motor: {type: driver, bodies: [one, two], at: [0.5, 0], coordinate: angle, motion: 0.25*t}
sensors:
  turn: {type: coordinate, coordinate: angle, bodies: [two, far], at: [1, 0], axis: [-1, 0.1]}
)");
  const State state = system->start();
  const auto ws = system->make_workspace();
  Vector force(system->blueprint().elements.size());
  system->bodies_at(state, *ws)->element_forces(state, force, *ws);
  for (const double f : force) EXPECT_NEAR(f, 0, 1e-13);
  ASSERT_EQ(system->evaluate(state, {.position = true}, *ws), Eval::ok);
  EXPECT_NEAR(norm_max(ws->g), 0, 1e-14);
  EXPECT_NEAR(value_of(*system, state, "turn"), 0, 1e-13);
}

TEST(Turns, GivenByMarkersAreKept) {
  const auto system = compiled(R"(
kardan: 1
dimension: 2
bodies:
  wheel: {mass: 1, inertia: 1, angle: 2*pi}
sensors:
  turn: {type: coordinate, coordinate: angle, between: [ground, wheel]}
)");
  EXPECT_NEAR(value_of(*system, system->start(), "turn"), 2 * pi, 1e-14);
}

TEST(Start, IsTheGivenOneWithBodyFrameSpins) {
  const auto system = compiled(R"(
kardan: 1
bodies:
  one: {mass: 1, inertia: [1, 1, 1], velocity: [1, 2, 3], angular_velocity: [4, 5, 6], quaternion: [0, 0, 1, 0]}
)");
  const State state = system->start();
  EXPECT_EQ(state.v, (Vector{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(Vector(state.p.begin() + 3, state.p.end()), (Vector{0, 0, 1, 0}));
}

}  // namespace
}  // namespace kardan::test
