/// Parts in motion: mirrored mechanisms move as the mirror image of the ones they are of.

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "kardan/io/load.h"
#include "kardan/run/simulation.h"
#include "support/models.h"
#include "support/same_bits.h"

namespace kardan {
namespace {

std::unique_ptr<Simulation> started(const Model& model, const std::string& method,
                                    double tolerance) {
  Diagnostics diagnostics;
  SimulateOptions options;
  options.method = method;
  options.t_end = 2;
  options.driver.tolerance = tolerance;
  auto out = Simulation::make(model, {}, options, diagnostics);
  EXPECT_TRUE(out) << format(diagnostics);
  return out;
}

double of(Simulation& s, const std::string& column) {
  const auto place = s.find(column);
  EXPECT_TRUE(place) << column;
  return place ? s.get(*place) : 0;
}

/// A model with a part in a folder of its own.
Model with_part(const std::string& part, const std::string& model) {
  const auto folder =
      std::filesystem::temp_directory_path() /
      ("kardan_run_" +
       std::string(::testing::UnitTest::GetInstance()->current_test_info()->name()));
  std::filesystem::create_directories(folder);
  std::ofstream(folder / "part.yaml") << part;
  std::ofstream(folder / "model.yaml") << model;
  Diagnostics told;
  auto read = read_model_file((folder / "model.yaml").string(), {}, told);
  EXPECT_TRUE(read) << format(told);
  std::filesystem::remove_all(folder);
  return read.value_or(Model{});
}

/// No plane of symmetry of its own: oblique axes, products of inertia, all kinds of loads.
const char* const crane = R"(kardan: 1
parameters: {tilt: 0.3}
ground: {markers: {wall: {at: [1, 2, -1]}}}
bodies:
  boom:
    mass: 2
    inertia: [0.3, 0.4, 0.5, 0.05, -0.03, 0.02]
    position: [0.6, 0.5, 0]
    rotation: [0.1, tilt, -0.2]
    com: [0.02, 0.03, -0.04]
    markers: {end: {at: [0.5, 0.1, 0.05], rotation: [0.3, 0.2, 0.1]}, eye: {at: [0.4, 0.2, 0]}}
  slider: {mass: 0.7, inertia: [0.02, 0.03, 0.01], position: [1.1, 0.9, 0.2]}
  bob: {mass: 0.3, inertia: [0.01, 0.02, 0.015], position: [1.5, 1.1, 0.1], angular_velocity: [1, -2, 3]}
joints:
  slew: {type: revolute, bodies: [ground, boom], at: [0, 0.5, 0], axis: [0.3, 0.4, 1]}
  rail: {type: prismatic, bodies: [boom, slider], at: [1.1, 0.9, 0.2], axis: [1, 0.5, 0.2]}
  ball: {type: spherical, bodies: [slider, bob], at: [1.3, 1, 0.1]}
drivers:
  motor: {type: motor, joint: slew, angle: 0.4*sin(3*t), kp: 60, kd: 6}
forces:
  rope: {type: spring_damper, between: [ground.wall, boom.eye], stiffness: 30, damping: 1, free_length: 1}
  rubber: {type: bushing, between: [boom.end, slider], translation_stiffness: [3, 5, 7], rotation_stiffness: [0.1, 0.2, 0.3], translation_damping: [1, 0.5, 0.2]}
  coil: {type: rotational_spring_damper, joint: slew, stiffness: 3, damping: 0.2, free_angle: 0.2}
  push: {type: force, on: slider, fx: 2*sin(5*t), fy: 1 + rail.position, fz: -0.5}
  own: {type: force, on: bob, frame: body, fy: 0.4}
  twist: {type: torque, on: bob, tx: 0.02*cos(2*t), ty: 0.01, tz: 0.03*slew.rate}
  spin: {type: torque, on: bob, frame: body, tx: 0.02, ty: -0.03, tz: 0.01}
sensors:
  seen: {type: point, between: [ground, slider]}
  turned: {type: coordinate, coordinate: angle, between: [boom.end, slider]}
)";

TEST(PartsInMotion, AMirroredMechanismMovesAsTheMirrorImage) {
  for (const std::string mirror : {"x", "y", "z"}) {
    const Model model = with_part(
        crane, "kardan: 1\ngravity: [" + std::string(mirror == "z" ? "0, 2, 0" : "0, 0, -9.81") +
                   "]\nparts:\n  a: {file: part.yaml}\n  b: {file: "
                   "part.yaml, mirror: " +
                   mirror + "}\n");
    EXPECT_EQ(model.bodies.size(), 6u);
    const auto s = started(model, "dop853", 1e-9);
    ASSERT_TRUE(s);
    ASSERT_EQ(s->step_to(1), "");
    const auto sign = [&](char axis) { return mirror[0] == axis ? -1 : 1; };
    for (const std::string body : {"boom", "slider", "bob"})
      for (const char axis : {'x', 'y', 'z'}) {
        const std::string suffix = "." + body + ".";
        const auto pair = [&](const std::string& name, int expected, double within) {
          EXPECT_NEAR(of(*s, "b" + suffix + name), expected * of(*s, "a" + suffix + name), within)
              << mirror << suffix << name;
        };
        pair(std::string(1, axis), sign(axis), 2e-7);
        pair("v" + std::string(1, axis), sign(axis), 2e-6);
        pair("w" + std::string(1, axis), -sign(axis), 2e-6);
      }
    for (const std::string same : {"slew.angle", "slew.rate", "rail.position", "rail.speed",
                                   "motor.torque", "turned", "rope.force"})
      EXPECT_NEAR(of(*s, "b." + same), of(*s, "a." + same), 2e-5) << mirror << " " << same;
    EXPECT_GT(std::abs(of(*s, "a.slew.angle")), 1e-3) << "it moves";
  }
}

TEST(PartsInMotion, APlacedMechanismMovesAsTheOneAtTheOrigin) {
  const Model model = with_part(crane, R"(kardan: 1
gravity: [0, 0, -9.81]
parts:
  a: {file: part.yaml}
  b: {file: part.yaml, at: [3, -1, 2]}
)");
  const auto s = started(model, "dop853", 1e-9);
  ASSERT_TRUE(s);
  ASSERT_EQ(s->step_to(1), "");
  EXPECT_NEAR(of(*s, "b.bob.x"), of(*s, "a.bob.x") + 3, 2e-7);
  EXPECT_NEAR(of(*s, "b.bob.y"), of(*s, "a.bob.y") - 1, 2e-7);
  EXPECT_NEAR(of(*s, "b.bob.z"), of(*s, "a.bob.z") + 2, 2e-7);
  EXPECT_NEAR(of(*s, "b.seen.y"), of(*s, "a.seen.y"), 2e-7) << "the ground of the part";
}

TEST(PartsInMotion, APlanarMechanismIsMirroredToo) {
  const char* const arm = R"(kardan: 1
dimension: 2
ground: {markers: {peg: {at: [-1, 0.4]}}}
bodies:
  rod: {mass: 2, inertia: 0.2, position: [0.5, 0.1], angle: 0.3, markers: {tip: {at: [0.5, 0]}}}
  shoe: {mass: 1, inertia: 0.1, position: [1.2, 0.5], angle: 0.2}
joints:
  pin: {type: revolute, bodies: [ground, rod], at: [0, 0], damping: 0.1, spring: 4, rest: 0.2}
  rail: {type: prismatic, bodies: [rod, shoe], at: [1, 0.3], axis: [1, 0.2]}
drivers: {motor: {type: motor, joint: pin, torque: 3*sin(4*t) - 0.3*pin.rate}}
forces:
  band: {type: spring_damper, between: [ground.peg, rod.tip], stiffness: 20, damping: 1, free_length: 1}
  coil: {type: spring_damper, between: [rod.tip, shoe], stiffness: 50, damping: 1, free_length: 0.5}
  twist: {type: torque, on: shoe, tz: 0.3*cos(t)}
)";
  for (const std::string mirror : {"x", "y"}) {
    const Model model = with_part(
        arm, std::string("kardan: 1\ndimension: 2\ngravity: ") +
                 (mirror == "x" ? "[0, -9.81]" : "[3, 0]") +
                 "\nparts:\n  a: {file: part.yaml}\n  b: {file: part.yaml, mirror: " + mirror +
                 "}\n");
    const auto s = started(model, "dop853", 1e-9);
    ASSERT_TRUE(s);
    ASSERT_EQ(s->step_to(1), "");
    const int sx = mirror == "x" ? -1 : 1;
    for (const std::string body : {"rod", "shoe"}) {
      EXPECT_NEAR(of(*s, "b." + body + ".x"), sx * of(*s, "a." + body + ".x"), 2e-7) << mirror;
      EXPECT_NEAR(of(*s, "b." + body + ".y"), -sx * of(*s, "a." + body + ".y"), 2e-7) << mirror;
      EXPECT_NEAR(of(*s, "b." + body + ".angle"), -of(*s, "a." + body + ".angle"), 2e-7) << mirror;
      EXPECT_NEAR(of(*s, "b." + body + ".omega"), -of(*s, "a." + body + ".omega"), 2e-6) << mirror;
    }
    EXPECT_NEAR(of(*s, "b.pin.angle"), of(*s, "a.pin.angle"), 2e-7) << mirror;
    EXPECT_NEAR(of(*s, "b.rail.position"), of(*s, "a.rail.position"), 2e-7) << mirror;
  }
}

/// The vehicle of one corner used four times, against the same written out.
TEST(PartsInMotion, TheVehicleOfPartsHasTheBitsOfTheOneWrittenOut) {
  Diagnostics told;
  const auto before = read_model_file(test_data() + "/hmmwv_one_file.yaml", {}, told);
  ASSERT_TRUE(before) << format(told);
  const auto a = started(*before, "rn4", 1e-3), b = started(test::shipped("hmmwv"), "rn4", 1e-3);
  ASSERT_TRUE(a && b);
  for (const double t : {0.3, 0.6, 1.5}) {
    ASSERT_EQ(a->step_to(t), "");
    ASSERT_EQ(b->step_to(t), "");
    for (const char* component : {"x", "y", "z", "qw", "qx", "qy", "qz", "vx", "vz", "wy"}) {
      const std::string c(component);
      EXPECT_EQ(of(*a, "chassis." + c), of(*b, "chassis." + c)) << c << " at " << t;
      EXPECT_EQ(of(*a, "spindle_front_right." + c), of(*b, "front_right.spindle." + c)) << c;
      EXPECT_EQ(of(*a, "upper_arm_rear_left." + c), of(*b, "rear_left.upper_arm." + c)) << c;
    }
    EXPECT_EQ(of(*a, "tyre_rear_right.force"), of(*b, "rear_right.tyre.force"));
    // The angle of a mirrored hinge keeps its value; written out it had the other sign.
    EXPECT_EQ(of(*a, "lower_pivot_rear_left.angle"), of(*b, "rear_left.lower.angle"));
    EXPECT_EQ(of(*a, "lower_pivot_rear_right.angle"), -of(*b, "rear_right.lower.angle"));
  }
}

}  // namespace
}  // namespace kardan
