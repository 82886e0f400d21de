/// Static balance and steady motion, with parameters to be found, against closed forms.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numbers>

#include "support/models.h"

namespace kardan::test {
namespace {

using std::numbers::pi;
using testing::HasSubstr;

Prepared balanced(Model model, const ParameterValues& overrides = {}) {
  model.start = "equilibrium";
  Diagnostics diagnostics;
  Prepared out = prepare(model, overrides, diagnostics);
  EXPECT_TRUE(out.system) << format(diagnostics);
  EXPECT_TRUE(out.equilibrium);
  return out;
}
Prepared balanced(const std::string& text, const ParameterValues& overrides = {}) {
  return balanced(model_of(text, overrides), overrides);
}

void expect_rest(const Prepared& p, double tolerance = 1e-8) {
  ASSERT_EQ(p.equilibrium->status, Eval::ok) << p.equilibrium->message;
  EXPECT_LE(p.equilibrium->largest_acceleration, tolerance);
  EXPECT_LE(norm_max(p.start.a), tolerance);
  EXPECT_LE(p.start.report.reached.position, 1e-11);
  for (const WishResult& w : p.equilibrium->wishes) EXPECT_TRUE(w.met) << w.text;
}

double solved(const Prepared& p, const std::string& name) {
  for (const auto& [key, value] : p.solved)
    if (key == name) return value;
  ADD_FAILURE() << "'" << name << "' was not solved for";
  return 0;
}

// --- the vehicle ---------------------------------------------------------------------------------
// Reference: two independent formulations of the same model agreeing to 1e-13 (18 exact
// coordinates; 84 velocities with 66 multipliers).

constexpr double free_length_front = 0.250564165268444;
constexpr double free_length_rear = 0.2506307458227287;
constexpr double chassis_height = 0.681805623476994;
constexpr double bump_center = 4.105071527131442;
constexpr double pitch = 0.00037324806603685856;  // nose down

TEST(VehicleBalance, HasTheReferenceFromSeveralGuesses) {
  for (const auto& [front, rear] : std::vector<std::pair<double, double>>{
           {0.25, 0.25}, {0.24, 0.26}, {0.26, 0.24}, {0.24, 0.24}, {0.26, 0.26}}) {
    const ParameterValues guess{{"free_length_front", front}, {"free_length_rear", rear}};
    const Prepared p = balanced(shipped("hmmwv", guess), guess);
    expect_rest(p);
    EXPECT_NEAR(solved(p, "free_length_front"), free_length_front, 1e-8);
    EXPECT_NEAR(solved(p, "free_length_rear"), free_length_rear, 1e-8);
    EXPECT_NEAR(solved(p, "bump_center"), bump_center, 1e-8);
    EXPECT_NEAR(value_of(*p.system, p.start.state, "chassis.z"), chassis_height, 1e-8);
    // q = (cos(pitch/2), 0, sin(pitch/2), 0)
    EXPECT_NEAR(2 * value_of(*p.system, p.start.state, "chassis.qy"), pitch, 1e-8);
    EXPECT_NEAR(value_of(*p.system, p.start.state, "chassis_frame.x"), 0, 1e-9);
    EXPECT_NEAR(value_of(*p.system, p.start.state, "chassis_frame.y"), 0, 1e-9);
    EXPECT_NEAR(value_of(*p.system, p.start.state, "chassis.vx"), 4.4704, 1e-15) << "speed kept";
  }
}

TEST(VehicleBalance, IsFoundForOtherParameters) {
  const ParameterValues shifted{{"front_left.spring_shift", 0.03},
                                {"front_right.spring_shift", 0.03},
                                {"rear_left.spring_shift", 0.03},
                                {"rear_right.spring_shift", 0.03}};
  ParameterValues all = shifted;
  all.insert(all.end(), {{"speed", 6.0}, {"tyre_stiffness", 4e5}});
  for (const ParameterValues& other :
       {ParameterValues{{"speed", 6.0}}, shifted,
        ParameterValues{{"bushing_stiffness", 1e5}, {"bump_radius", 0.03}}, all}) {
    const Prepared p = balanced(shipped("hmmwv", other), other);
    expect_rest(p);
    EXPECT_NEAR(value_of(*p.system, p.start.state, "front_left.lower_arm_angle"), 0, 1e-9);
    EXPECT_NEAR(value_of(*p.system, p.start.state, "rear_right.lower_arm_angle"), 0, 1e-9);
  }
}

TEST(VehicleBalance, CarriesItsWeightOnFourTyres) {
  const Prepared p = balanced(shipped("hmmwv"));
  const auto ws = p.system->make_workspace();
  Vector forces(p.system->blueprint().elements.size());
  p.system->bodies_at(p.start.state, *ws)->element_forces(p.start.state, forces, *ws);
  double sum = 0;
  for (std::size_t e = 0; e < forces.size(); ++e)
    if (p.system->blueprint().elements[e].type->name == "tyre") sum += forces[e];
  EXPECT_NEAR(sum, 2576.924 * 9.81, 1e-6) << "total mass of the reference";
}

// --- closed forms --------------------------------------------------------------------------------

constexpr const char* pendulum = R"(
kardan: 1
dimension: 2
gravity: [0, -9.81]
parameters: {a: 0}
bodies:
  arm: {mass: 2, inertia: 0.1, position: [0.5*cos(a), 0.5*sin(a)], angle: a, markers: {O: {at: [-0.5, 0]}}}
joints:
  foot: {type: revolute, between: [ground, arm.O]}
)";

TEST(Balance, OfAPendulumHangsDown) {
  for (const double a : {-1.5, -0.7, -0.1, 0.0, -2.0, -3.0}) {
    const ParameterValues at{{"a", a}};
    const Prepared p = balanced(pendulum, at);
    expect_rest(p);
    EXPECT_NEAR(value_of(*p.system, p.start.state, "arm.y"), -0.5, 1e-10) << a;
  }
}

TEST(Balance, OfAPendulumGivenAboveItsHingeHangsDown) {
  for (const double a : {0.5, 1.0, 1.5, 2.0, 3.0}) {
    const ParameterValues at{{"a", a}};
    const Prepared p = balanced(pendulum, at);
    expect_rest(p);
    EXPECT_NEAR(value_of(*p.system, p.start.state, "arm.y"), -0.5, 1e-10) << a;
  }
}

TEST(Balance, OfAMassOnASpringIsStretchedByItsWeight) {
  const Prepared p = balanced(R"(
kardan: 1
gravity: [0, 0, -9.81]
bodies:
  bob: {kind: point, mass: 2, position: [0.3, 0.2, -1]}
forces:
  spring: {type: spring_damper, between: [ground, bob], stiffness: 100, free_length: 1, damping: 3}
)");
  expect_rest(p);
  EXPECT_NEAR(p.start.state.p[2], -(1 + 2 * 9.81 / 100), 1e-12);
  EXPECT_NEAR(std::hypot(p.start.state.p[0], p.start.state.p[1]), 0, 1e-9);
}

/// A ball of 2 kg on a floor.
std::string ball_on_floor(const std::string& law, double height) {
  return R"(
kardan: 1
gravity: [0, 0, -9.81]
bodies:
  ball: {mass: 2, inertia: [0.1, 0.1, 0.1], position: [0.3, 0.2, )" +
         std::to_string(height) + R"(]}
contacts:
  floor: {type: sphere_plane, between: [ground, ball], radius: 0.5, stiffness: 1000, )" +
         law + "}\n";
}

TEST(Balance, OfABallOnAFloorIsPressedInByItsWeight) {
  for (const double height : {0.45, 0.499}) {
    const Prepared linear = balanced(ball_on_floor("damping: 20", height));
    expect_rest(linear);
    EXPECT_NEAR(linear.start.state.p[2], 0.5 - 2 * 9.81 / 1000, 1e-12);
    EXPECT_NEAR(linear.start.state.p[0], 0.3, 1e-9) << "nothing pulls it sideways";
    const Prepared hertz = balanced(ball_on_floor("law: hunt_crossley, dissipation: 0.2", height));
    expect_rest(hertz);
    EXPECT_NEAR(hertz.start.state.p[2], 0.5 - std::pow(2 * 9.81 / 1000, 2.0 / 3), 1e-10);
  }
}

TEST(Balance, OfABallInTheAirIsFoundByRelaxation) {
  // Newton sees no stiffness at all: the ball must fall first.
  const Prepared p = balanced(ball_on_floor("damping: 20", 1.5));
  expect_rest(p);
  EXPECT_TRUE(p.equilibrium->relaxed);
  EXPECT_NEAR(p.start.state.p[2], 0.5 - 2 * 9.81 / 1000, 1e-10);
}

TEST(Balance, OfAFallingStoneFailsAndSaysWhatDoesNotBalance) {
  const Prepared p = balanced(R"(
kardan: 1
gravity: [0, 0, -9.81]
bodies:
  stone: {mass: 2, inertia: [0.1, 0.1, 0.1], position: [0, 0, 1]}
  lamp: {kind: point, mass: 1, position: [1, 0, -1]}
forces:
  wire: {type: spring_damper, between: [{body: ground, at: [1, 0, 0]}, lamp], stiffness: 1000, free_length: 1}
)");
  EXPECT_EQ(p.equilibrium->status, Eval::fatal);
  EXPECT_EQ(p.start.report.status, Eval::fatal);
  ASSERT_FALSE(p.equilibrium->imbalance.empty());
  EXPECT_EQ(p.equilibrium->imbalance[0].body, "stone");
  EXPECT_NEAR(p.equilibrium->imbalance[0].force, 2 * 9.81, 1e-9);
  EXPECT_NEAR(p.equilibrium->largest_acceleration, 9.81, 1e-9);
  EXPECT_THAT(p.equilibrium->advice, HasSubstr("stone"));
}

TEST(Balance, SolvesForAParameterToMeetAWish) {
  // Which stiffness stretches the spring by 0.25 m under 2 kg?
  const Prepared p = balanced(R"(
kardan: 1
dimension: 2
gravity: [0, -9.81]
parameters: {k: 50}
bodies:
  bob: {kind: point, mass: 2, position: [0, -1.1]}
forces:
  spring: {type: spring_damper, between: [ground, bob], stiffness: k, free_length: 1}
equilibrium:
  solve: [k]
  wishes:
    - {want: bob.y, equals: -1.25}
)");
  expect_rest(p);
  EXPECT_NEAR(solved(p, "k"), 2 * 9.81 / 0.25, 1e-7);
}

TEST(Balance, WithActuatorsAndControllersSettlesTheirVariables) {
  // The actuator settles at its command, the controller's integral carries the rest of the weight.
  const Prepared p = balanced(R"(
kardan: 1
dimension: 2
gravity: [0, -9.81]
bodies:
  lift: {mass: 2, inertia: 1, position: [0, 1]}
joints:
  rail: {type: prismatic, bodies: [ground, lift], at: [0, 0], axis: [0, 1]}
forces:
  jack: {type: actuator, bodies: [ground, lift], at: [0, 0], axis: [0, 1], coordinate: x, time_constant: 0.1, command: 5}
  hold: {type: controller, bodies: [ground, lift], at: [0, 0], axis: [0, 1], coordinate: x, kp: 300, ki: 40, reference: 0.2}
)");
  expect_rest(p);
  EXPECT_NEAR(p.start.state.r[0], 5, 1e-8);
  EXPECT_NEAR(p.start.state.w[0], 2 * 9.81 - 5, 1e-8);
  EXPECT_NEAR(p.start.state.r[1], (2 * 9.81 - 5) / 40, 1e-8) << "the error is zero, ki r carries";
  EXPECT_NEAR(value_of(*p.system, p.start.state, "lift.y"), 1.2, 1e-9);
}

TEST(Balance, OfAMechanismHeldByItsJointsHasItsReactions) {
  const Prepared p = balanced(R"(
kardan: 1
dimension: 2
gravity: [0, -10]
bodies:
  beam: {mass: 3, inertia: 1, position: [1, 0], markers: {a: {at: [-1, 0]}, b: {at: [1, 0]}}}
joints:
  pin: {type: revolute, between: [ground, beam.a]}
  roller: {type: point_on_line, between: [ground, beam.b]}
)");
  expect_rest(p);
  const auto ws = p.system->make_workspace();
  const auto all = reactions(*p.system, p.start.state, p.start.lambda,
                             analyse(*p.system, p.start.state, *ws), *ws);
  ASSERT_EQ(all.size(), 2u);
  EXPECT_NEAR(all[0].force.y, 15, 1e-9);
  EXPECT_NEAR(all[1].force.y, 15, 1e-9);
}

TEST(Balance, OfTheTruckIsItsGivenStart) {
  // Eich-Soellner and Fuehrer give the start as the static balance.
  const Prepared p = balanced(shipped("truck"));
  expect_rest(p, 1e-6);
  for (const std::string& name : p.system->quantity_names()) {
    if (name == "t") continue;
    EXPECT_NEAR(value_of(*p.system, p.start.state, name),
                value_of(*p.system, p.system->start(), name), 1e-6)
        << name;
  }
}

TEST(Balance, OfContradictoryJointsSaysThatItDoesNotAssemble) {
  const Prepared p = balanced(R"(
kardan: 1
dimension: 2
bodies:
  bead: {kind: point, mass: 1, position: [1, 0.1]}
joints:
  left: {type: distance, between: [ground, bead], length: 1}
  right: {type: distance, between: [{body: ground, at: [3, 0]}, bead], length: 1}
)");
  EXPECT_EQ(p.equilibrium->status, Eval::fatal);
  EXPECT_THAT(p.equilibrium->message, HasSubstr("left distance"));
}

}  // namespace
}  // namespace kardan::test
