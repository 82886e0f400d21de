/// Events that a model asks for under `when`.

#include <gtest/gtest.h>

#include <cmath>

#include "kardan/run/simulate.h"
#include "support/models.h"

namespace kardan {
namespace {

/// A stone thrown upwards: z = v t - g t^2/2.
constexpr double pull = 9.81, v = 10;

std::string thrown(const std::string& when) {
  return "kardan: 1\ngravity: [0, 0, -9.81]\n"
         "bodies: {stone: {mass: 1, inertia: [1, 1, 1], velocity: [0, 0, 10]}}\n"
         "sensors: {speed: {type: expression, value: \"stone.vz^2/2\"}}\n"
         "when:\n" +
         when;
}

struct Flight {
  Prepared prepared;
  RunReport report;
  const std::string& name(std::size_t i) const {
    return prepared.system->event_names()[report.driver.events[i].event];
  }
};

Flight fly(const std::string& text, const std::string& method = "rn4", double t_end = 3) {
  Flight out;
  Diagnostics diagnostics;
  const Model model = test::model_of(text);
  out.prepared = prepare(model, {}, diagnostics);
  SimulateOptions options;
  options.method = method;
  options.t_end = t_end;
  out.report = simulate(out.prepared, options, {}, {}, diagnostics);
  EXPECT_TRUE(diagnostics.empty()) << format(diagnostics);
  return out;
}

/// When the stone is at height h on its way up (-1) or down (+1).
double time_at(double h, int side) {
  return (v + side * std::sqrt(v * v - 2 * pull * h)) / pull;
}

class When : public testing::TestWithParam<const char*> {};

TEST_P(When, RecordsPassagesInTheDirectionAskedFor) {
  const Flight r = fly(thrown("  both: {expression: stone.z - 2}\n"
                              "  up: {expression: stone.z - 3, direction: rising}\n"
                              "  down: {expression: stone.z - 4, direction: falling}\n"
                              "  never: {expression: stone.z - 40}\n"),
                       GetParam());
  const auto& events = r.report.driver.events;
  ASSERT_EQ(events.size(), 4u);
  EXPECT_EQ(r.name(0), "both");
  EXPECT_NEAR(events[0].t, time_at(2, -1), 1e-6);
  EXPECT_EQ(events[0].direction, 1);
  EXPECT_EQ(r.name(1), "up");
  EXPECT_NEAR(events[1].t, time_at(3, -1), 1e-6);
  EXPECT_EQ(r.name(2), "down");
  EXPECT_NEAR(events[2].t, time_at(4, +1), 1e-6);
  EXPECT_EQ(events[2].direction, -1);
  EXPECT_EQ(r.name(3), "both");
  EXPECT_NEAR(events[3].t, time_at(2, +1), 1e-6);
  EXPECT_EQ(r.report.driver.reason, Reason::finished);
}

TEST_P(When, StopsTheRunAtTheEventAndSaysWhich) {
  const Flight r =
      fly(thrown("  top: {expression: stone.vz, direction: falling, action: stop}\n"), GetParam());
  EXPECT_EQ(r.report.driver.reason, Reason::stopped);
  EXPECT_EQ(r.report.driver.message, "event 'top'");
  EXPECT_NEAR(r.report.driver.t, v / pull, 1e-6);
  EXPECT_NEAR(r.prepared.start.state.p[2], v * v / (2 * pull), 1e-6);
  EXPECT_NEAR(r.prepared.start.a[2], -pull, 1e-12) << "accelerations belong to the end";
}

INSTANTIATE_TEST_SUITE_P(Methods, When, testing::Values("rn4", "dopri5", "bdf"));

TEST(WhenEvents, CountsOneWayEventsThatPassedTheOtherWayInTheSameStep) {
  // One step of rn4 is exact here and spans the whole flight.
  const Flight r = fly(thrown("  down: {expression: stone.z - 5, direction: falling}\n"));
  ASSERT_EQ(r.report.driver.events.size(), 1u);
  EXPECT_NEAR(r.report.driver.events[0].t, time_at(5, +1), 1e-9);
}

TEST(WhenEvents, UsesSensorsParametersAndTime) {
  const Flight r =
      fly(thrown("  slow: {expression: speed - e, direction: falling}\n"
                 "  late: {expression: t - 1, action: stop}\n"
                 "parameters: {e: 20}\n"));
  ASSERT_EQ(r.report.driver.events.size(), 2u);
  EXPECT_NEAR(r.report.driver.events[0].t, (v - std::sqrt(40)) / pull, 1e-6);
  EXPECT_NEAR(r.report.driver.t, 1, 1e-12);
}

/// A function that is below zero for 0.17 ms and flat around it, in steps of half a second: seen
/// once the samples are closer than that, wherever it lies between them.
TEST(WhenEvents, AreSeenAtTheResolutionOfTheSamples) {
  const double width = 1e-4, half = width * std::sqrt(std::log(2.0));
  for (const double middle : {0.5003, 0.50037, 0.7}) {
    const Model model = test::model_of(
        "kardan: 1\nbodies: {ball: {kind: point, mass: 1, velocity: [1, 0, 0]}}\n"
        "when: {dip: {expression: \"1 - 2*exp(-((ball.x - " +
        std::to_string(middle) + ")/1e-4)^2)\"}}\n");
    Diagnostics diagnostics;
    Prepared prepared = prepare(model, {}, diagnostics);
    SimulateOptions options;
    options.method = "dopri5";
    options.t_end = 1;
    options.driver.fixed_step = 0.5;
    options.driver.event_samples = static_cast<int>(0.5 / half);  // the distance is half the dip
    const RunReport report = simulate(prepared, options, {}, {}, diagnostics);
    ASSERT_EQ(report.driver.events.size(), 2u) << middle;
    EXPECT_NEAR(report.driver.events[0].t, middle - half, 1e-9);
    EXPECT_NEAR(report.driver.events[1].t, middle + half, 1e-9);
  }
}

}  // namespace
}  // namespace kardan
