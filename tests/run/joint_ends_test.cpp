/// Joints and bushings at the ends of their range: shafts that fold, rotations beyond half a turn.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "kardan/integrate/method.h"
#include "run/event_runs.h"

namespace kardan {
namespace {

using test::Ran;

/// The shaft swings over the fold and on. The values are those of Euler's equations with the
/// constraint -q_y w_x + q_x w_y + q_w w_z = 0 on the body's own quaternion, by Runge and Kutta's
/// method with 8000 steps, which agree with those of 4000 steps to 14 digits.
TEST(ConstantVelocityJoint, FoldsAndGoesOnByEveryMethod) {
  const std::string model = R"(
kardan: 1
bodies:
  a: {mass: 1, inertia: [1, 1.2, 0.7], rotation: [1.5, 0, 0], angular_velocity: [3, 0.3, 0]}
joints:
  j: {type: constant_velocity, between: [ground, a]}
)";
  for (const Method& method : methods()) {
    const double tolerance = method.order == 1 ? 1e-4 : 1e-7;
    const Ran r = test::run_model(model, std::string(method.name), 2, tolerance);
    if (r.report.driver.reason == Reason::refused) continue;
    ASSERT_EQ(r.report.driver.reason, Reason::finished)
        << method.name << ": " << r.report.driver.message;
    const double allowed = method.order == 1 ? std::sqrt(tolerance) : 1000 * tolerance;
    const Vector& p = r.end().p;
    EXPECT_NEAR(p[3], -0.8133714019598, allowed) << method.name;
    EXPECT_NEAR(p[4], -0.5817203829376, allowed) << method.name;
    EXPECT_NEAR(p[5], 0.0053252745360, allowed) << method.name;
    EXPECT_NEAR(p[6], 0, allowed) << method.name;
  }
}

/// A wheel on a hinge with a torsion spring, wound up over several turns and back: the bushing in
/// space does what that in the plane does, and what a rotational spring does.
TEST(Bushing, IsWoundUpInSpaceAsInThePlane) {
  for (const double speed : {4.0, 9.0, 16.0}) {  // 0.64, 1.4 and 2.5 turns with k = J
    const double t_end = 2.3;
    const Ran plane = test::run_model(
        fmt::format(
            "kardan: 1\ndimension: 2\nbodies:\n  w: {{mass: 1, inertia: 0.3, "
            "angular_velocity: {}}}\njoints:\n  h: {{type: revolute, between: [ground, w]}}\n"
            "forces:\n  b: {{type: bushing, between: [ground, w], rotation_stiffness: [0, 0, "
            "0.3]}}\n",
            speed),
        "dop853", t_end, 1e-10);
    EXPECT_NEAR(plane.end().p[2], speed * std::sin(t_end), 1e-7);
    for (const char* method : {"rn4", "dop853", "radau5", "rodasp", "hem5"}) {
      const Ran space = test::run_model(
          fmt::format("kardan: 1\nbodies:\n  w: {{mass: 1, inertia: [0.3, 0.3, 0.3], "
                      "angular_velocity: [0, 0, {}]}}\njoints:\n  h: {{type: revolute, between: "
                      "[ground, w]}}\nforces:\n  b: {{type: bushing, between: [ground, w], "
                      "rotation_stiffness: [0, 0, 0.3]}}\nsensors:\n  phi: {{type: coordinate, "
                      "between: [ground, w], coordinate: angle}}\n",
                      speed),
          method, t_end, 1e-8);
      ASSERT_EQ(space.report.driver.reason, Reason::finished) << space.report.driver.message;
      EXPECT_NEAR(test::value_of(*space.prepared.system, space.end(), "phi"), plane.end().p[2],
                  1e-5)
          << method << " " << speed;
      EXPECT_NEAR(space.end().v[5], plane.end().v[2], 1e-5) << method << " " << speed;
    }
  }
}

/// A free body on a bushing that is alike in all directions has a potential: its energy is kept
/// through and beyond half a turn, about an axis that moves.
TEST(Bushing, KeepsItsEnergyBeyondHalfATurn) {
  for (const double speed : {2.5, 3.5, 5.0}) {
    const Ran r = test::run_model(
        fmt::format("kardan: 1\nbodies:\n  w: {{mass: 1, inertia: [1, 1.2, 0.9], angular_velocity: "
                    "[{}, 0.5, 0.3]}}\nforces:\n  b: {{type: bushing, between: [ground, w], "
                    "translation_stiffness: [1, 1, 1], rotation_stiffness: [1, 1, 1]}}\n",
                    speed),
        "dop853", 10, 1e-9);
    ASSERT_EQ(r.report.driver.reason, Reason::finished) << r.report.driver.message;
    EXPECT_LE(r.report.energy.balance_error, 1e-6) << speed;
  }
}

}  // namespace
}  // namespace kardan
