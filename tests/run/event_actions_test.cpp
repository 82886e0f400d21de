/// Events that change the motion: parameters, impulses.

#include <gtest/gtest.h>

#include <cmath>

#include "run/event_runs.h"

namespace kardan {
namespace {

using test::Ran;
using test::run_model;

class Actions : public testing::TestWithParam<const char*> {};

/// A mass on a spring whose stiffness is four times as large on one side: half a period each.
TEST_P(Actions, SetParametersAndGoOn) {
  const std::string text =
      "kardan: 1\nparameters: {k: 4}\n"
      "bodies: {mass: {mass: 1, inertia: [1, 1, 1], position: [1, 0, 0]}}\n"
      "forces: {spring: {type: bushing, between: [ground, mass], translation_stiffness: [k, k, "
      "k]}}\n"
      "when:\n"
      "  left: {expression: mass.x, direction: falling, action: {set: {k: 16}}}\n"
      "  right: {expression: mass.x, direction: rising, action: {set: {k: 4}}}\n";
  const double period = M_PI / 2 + M_PI / 4;
  const Ran r = run_model(text, GetParam(), 2 * period);
  ASSERT_EQ(r.report.driver.reason, Reason::finished) << r.report.driver.message;
  ASSERT_EQ(r.report.driver.events.size(), 4u);
  for (int i = 0; i < 4; ++i)
    EXPECT_NEAR(r.report.driver.events[i].t, M_PI / 4 + (i / 2) * period + (i % 2) * M_PI / 4, 1e-6)
        << i;
  EXPECT_NEAR(r.prepared.start.state.p[0], 1, 1e-6);
  // The spring is relaxed at the switch: no energy is exchanged.
  EXPECT_NEAR(r.report.energy.final, 2, 1e-6);
  EXPECT_NEAR(r.report.energy.work, 0, 1e-6);
}

/// Height after the n-th bounce: e^(2n) h.
TEST_P(Actions, ApplyImpulsesWithRestitution) {
  const std::string text =
      "kardan: 1\ngravity: [0, 0, -9.81]\n"
      "bodies: {ball: {kind: point, mass: 2, position: [0, 0, 1]}}\n"
      "when: {hit: {expression: ball.z, direction: falling, action: {impulse: {restitution: "
      "0.8}}}}\n";
  const double g = 9.81, fall = std::sqrt(2 / g);
  const Ran r = run_model(text, GetParam(), fall * (1 + 2 * 0.8 + 2 * 0.64 + 0.512));
  ASSERT_EQ(r.report.driver.events.size(), 3u);
  EXPECT_NEAR(r.report.driver.events[2].t, fall * (1 + 2 * 0.8 + 2 * 0.64), 1e-7);
  EXPECT_NEAR(r.prepared.start.state.p[2], std::pow(0.8, 6), 1e-6);
  EXPECT_NEAR(r.prepared.start.state.v[2], 0, 1e-6);
  // What the impulses take is work.
  EXPECT_LE(r.report.energy.balance_error, 1e-6);
  EXPECT_NEAR(r.report.energy.final, 2 * g * std::pow(0.8, 6), 1e-5);
}

INSTANTIATE_TEST_SUITE_P(Methods, Actions, testing::Values("rn4", "dopri5", "llm", "bdf"));

/// A pendulum against a wall at its lowest point: constraints keep holding, the speed turns.
TEST(Impulses, RespectConstraints) {
  const std::string text =
      "kardan: 1\ndimension: 2\ngravity: [0, -9.81]\n"
      "bodies: {rod: {mass: 1, inertia: 0.1, position: [0.5, 0], angle: pi/2, "
      "markers: {pin: {at: [0, 0.5]}}}}\n"
      "joints: {pin: {type: revolute, between: [ground, rod.pin]}}\n"
      "when: {wall: {expression: rod.x, direction: falling, action: {impulse: {restitution: "
      "1}}}}\n";
  const Ran r = run_model(text, "rn4", 5);
  ASSERT_EQ(r.report.driver.reason, Reason::finished) << r.report.driver.message;
  EXPECT_GE(r.report.driver.events.size(), 3u);
  EXPECT_LE(r.report.energy.balance_error, 1e-7);
  EXPECT_LE(r.report.residuals.velocity, 1e-12);
  EXPECT_NEAR(r.report.energy.final, r.report.energy.initial, 1e-7);
}

/// Four equal balls in a row, touching: the blow of the first goes through to the last.
TEST(Impulses, AreHandedOnThroughARow) {
  std::string text = "kardan: 1\nbodies:\n";
  for (int i = 0; i < 4; ++i)
    text += "  b" + std::to_string(i) + ": {kind: point, mass: 1, position: [" +
            (i == 0 ? std::string("-1") : std::to_string(0.1 * i)) + ", 0, 0], velocity: [" +
            (i == 0 ? "2" : "0") + ", 0, 0]}\n";
  text += "when:\n";
  for (int i = 1; i < 4; ++i)
    text += "  hit_" + std::to_string(i) + ": {expression: b" + std::to_string(i) + ".x - b" +
            std::to_string(i - 1) +
            ".x - 0.1, direction: falling, action: {impulse: {restitution: 1}}}\n";
  const Ran r = run_model(text, "dopri5", 1);
  ASSERT_EQ(r.report.driver.reason, Reason::finished) << r.report.driver.message;
  const State& end = r.prepared.start.state;
  for (int i = 0; i < 3; ++i) EXPECT_NEAR(end.v[3 * i], 0, 1e-12) << i;
  EXPECT_NEAR(end.v[9], 2, 1e-12);
}

/// Actions that undo each other at once end the run with a reason.
TEST(SetActions, ThatNeverEndAreStopped) {
  const std::string text =
      "kardan: 1\nparameters: {F: -1}\n"
      "bodies: {mass: {kind: point, mass: 1, position: [1, 0, 0]}}\n"
      "forces: {push: {type: force, on: mass, fx: F}}\n"
      "when:\n"
      "  slow: {expression: mass.vx + 1, direction: falling, action: {set: {F: 1}}}\n"
      "  fast: {expression: mass.vx + 1, direction: rising, action: {set: {F: -1}}}\n";
  const Ran r = run_model(text, "rn4", 3);
  EXPECT_EQ(r.report.driver.reason, Reason::too_many_steps);
  EXPECT_NE(r.report.driver.message.find("events at the same time"), std::string::npos)
      << r.report.driver.message;
  EXPECT_NEAR(r.report.driver.t, 1, 1e-5);
}

std::string faults(const std::string& text) {
  Diagnostics diagnostics;
  (void)prepare(test::model_of(text), {}, diagnostics);
  return format(diagnostics);
}

TEST(SetActions, AreRefusedWhereTheyChangeTheEquations) {
  const std::string start =
      "kardan: 1\nparameters: {N: 1, k: 1}\n"
      "bodies: {mass: {kind: point, mass: 1, position: [1, 0, 0]}}\n";
  EXPECT_NE(
      faults(start + "when: {e: {expression: mass.x, action: {set: {kk: 1}}}}\n").find("event.set"),
      std::string::npos);
  EXPECT_NE(faults(start + "when: {e: {expression: mass.x, action: {jump: {k: 1}}}}\n")
                .find("event.action"),
            std::string::npos);
}

/// A rod whose length would change while its pins stand where they are.
TEST(SetActions, ThatMoveConstraintsAreRefusedAtTheEvent) {
  const std::string text =
      "kardan: 1\ndimension: 2\ngravity: [0, -9.81]\nparameters: {L: 1}\n"
      "bodies: {bob: {kind: point, mass: 1, position: [1, 0]}}\n"
      "joints: {rod: {type: distance, between: [ground, bob], length: L}}\n"
      "when: {low: {expression: bob.x, action: {set: {L: 2}}}}\n";
  const Ran r = run_model(text, "rn4", 2);
  EXPECT_EQ(r.report.driver.reason, Reason::evaluation_failed);
  EXPECT_NE(r.report.driver.message.find("'low'"), std::string::npos) << r.report.driver.message;
}

}  // namespace
}  // namespace kardan
