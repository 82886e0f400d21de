/// Contacts as events: every one found, located, and passed with the right mode.

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "kardan/run/simulate.h"
#include "support/models.h"

namespace kardan {
namespace {

using Json = nlohmann::json;

/// A run with the states at its events.
struct Contact {
  Prepared prepared;
  RunReport report;
  std::vector<State> at_event;  // one for each of report.driver.events
  const std::string& name(std::size_t i) const {
    return prepared.system->event_names()[report.driver.events[i].event];
  }
};

Contact run_contact(const Model& model, const SimulateOptions& options,
                    const ParameterValues& overrides = {}) {
  Contact out;
  Diagnostics diagnostics;
  out.prepared = prepare(model, overrides, diagnostics);
  std::vector<State> ends;
  out.report = simulate(
      out.prepared, options, {},
      [&](const StepView& step) {
        ends.push_back(*step.state);
        return std::string();
      },
      diagnostics);
  EXPECT_FALSE(diagnostics.has_errors()) << format(diagnostics);
  for (const EventRecord& e : out.report.driver.events)
    for (const State& s : ends)
      if (s.t == e.t) out.at_event.push_back(s);
  EXPECT_EQ(out.at_event.size(), out.report.driver.events.size());
  return out;
}

SimulateOptions fixed(const char* method, double h, double t_end) {
  SimulateOptions o;
  o.method = method;
  o.t_end = t_end;
  o.driver.fixed_step = h;
  return o;
}

SimulateOptions to_tolerance(const char* method, double tolerance, double t_end) {
  SimulateOptions o;
  o.method = method;
  o.t_end = t_end;
  o.driver.tolerance = tolerance;
  return o;
}

const Json& balls(const char* which) {
  static const Json all = [] {
    std::ifstream file(test_data() + "/local_linearization.json");
    return Json::parse(file).at("llm_bouncing_balls").at("cases");
  }();
  return all.at(which);
}

double number(const Json& text) {
  return std::stod(text.get<std::string>());
}

/// Largest deviation of y1, y2, v1, v2 of two planar points, by 1 + their size.
double deviation(const State& s, const Json& y) {
  const double mine[] = {s.p[1], s.p[3], s.v[1], s.v[3]};
  double largest = 0;
  for (int i = 0; i < 4; ++i)
    largest = std::max(largest, std::abs(mine[i] - number(y[i])) / (1 + std::abs(number(y[i]))));
  return largest;
}

/// Every event of the reference, and no other: its time, and the state there and at the end.
void expect_events(const Contact& run, const Json& reference, double accuracy,
                   double state_accuracy) {
  const auto& expected = reference.at("events");
  ASSERT_EQ(run.report.driver.reason, Reason::finished) << run.report.driver.message;
  ASSERT_EQ(run.report.driver.events.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const EventRecord& e = run.report.driver.events[i];
    EXPECT_NEAR(e.t, number(expected[i].at("t")), accuracy) << i;
    EXPECT_EQ(run.name(i).substr(0, 5), expected[i].at("contact") == 1 ? "balls" : "floor") << i;
    EXPECT_EQ(e.direction, expected[i].at("switch") == "on" ? 1 : -1) << i;
    EXPECT_LE(deviation(run.at_event[i], expected[i].at("state")), state_accuracy) << i;
  }
  EXPECT_LE(deviation(run.prepared.start.state, reference.at("final_t2")), state_accuracy);
}

class BouncingBalls : public testing::TestWithParam<const char*> {
 protected:
  Contact bounce(const SimulateOptions& options, ParameterValues values = {}) const {
    values.emplace_back("case", GetParam()[0] == 'A' ? 0 : 1);
    return run_contact(test::shipped("bouncing_balls", values), options, values);
  }
};

/// Contacts last 7 and 10 ms; steps of 50 ms span several.
TEST_P(BouncingBalls, AreSolvedToRoundOffAtAnyStepByLocalLinearization) {
  for (const char* method : {"llm", "llm@index1_ode"})
    for (double h : {0.005, 0.02, 0.05}) {
      SCOPED_TRACE(testing::Message() << method << ' ' << h);
      const Contact run = bounce(fixed(method, h, 2));
      const Json& reference = balls(GetParam());
      ASSERT_EQ(run.report.driver.events.size(), reference.at("events").size());
      expect_events(run, reference, 1e-13, 2e-13);
      EXPECT_NEAR(run.report.energy.final, number(reference.at("E0")), 1e-12);
    }
}

TEST_P(BouncingBalls, HaveTheSameEventsWithEveryMethodToItsTolerance) {
  // How much of an error of the start is left at the end, without any of a method: the flow of the
  // balls is exact.
  const double little = 1e-7;
  double conditioning = 1;
  for (const char* height : {"y1", "y2"}) {
    const double start = height[1] == '2' ? 1.0 : GetParam()[0] == 'A' ? 1.5 : 1.205;
    const Contact run = bounce(fixed("llm", 0.02, 2), {{height, start + little}});
    conditioning =
        std::max(conditioning,
                 deviation(run.prepared.start.state, balls(GetParam()).at("final_t2")) / little);
  }
  EXPECT_LE(conditioning, 10);
  for (const char* method : {"rn4", "radau5", "dopri5", "llm"})
    for (double tolerance : {1e-4, 1e-6, 1e-8, 1e-10}) {
      SCOPED_TRACE(testing::Message() << method << ' ' << tolerance << ' ' << conditioning);
      expect_events(bounce(to_tolerance(method, tolerance, 2)), balls(GetParam()), 2 * tolerance,
                    10 * conditioning * tolerance);
    }
}

INSTANTIATE_TEST_SUITE_P(Cases, BouncingBalls, testing::Values("A", "B"));

/// A ball on a floor a thousand times stiffer: contacts of 0.3 ms at steps of 50 ms.
TEST(Contacts, AreNotMissedThoughMuchShorterThanAStep) {
  const double k = 1e8, g = 9.81, height = 0.5, omega = std::sqrt(k);
  Model model = test::model_of(
      "kardan: 1\ndimension: 2\ngravity: [0, -9.81]\n"
      "bodies: {ball: {kind: point, mass: 1, position: [0, 0.6]}}\n"
      "contacts: {floor: {type: sphere_plane, between: [ground, ball], radius: 0.1, stiffness: "
      "1e8}}\n");
  const double fall = std::sqrt(2 * height / g), v = g * fall;
  // x'' = -k x - g from x = 0 with the speed v: back at 0 after (pi + 2 atan(g/(omega v)))/omega.
  const double contact = (M_PI + 2 * std::atan(g / (omega * v))) / omega;
  for (double h : {0.001, 0.05, 0.2}) {
    const Contact run = run_contact(model, fixed("llm", h, 5));
    const auto& events = run.report.driver.events;
    const auto periods = static_cast<std::size_t>((5 - fall) / (2 * fall + contact)) + 1;
    ASSERT_EQ(events.size(), 2 * periods) << h;
    for (std::size_t i = 0; i < periods; ++i) {
      const double begin = fall + static_cast<double>(i) * (2 * fall + contact);
      EXPECT_NEAR(events[2 * i].t, begin, 1e-12) << h;
      EXPECT_NEAR(events[2 * i + 1].t, begin + contact, 1e-12) << h;
    }
    EXPECT_NEAR(run.report.energy.final, run.report.energy.initial, 1e-11);
  }
}

/// Two small balls that meet head-on at 200 m/s overlap for 0.1 ms if nothing stops them; samples
/// of a step of 50 ms are 4 ms apart.
TEST(Contacts, AreSeenBetweenSamplesByTheBoundOfTheSpeed) {
  const Model model = test::model_of(
      "kardan: 1\ndimension: 2\n"
      "bodies:\n"
      "  a: {kind: point, mass: 1, position: [-3.1, 0], velocity: [100, 0]}\n"
      "  b: {kind: point, mass: 1, position: [3.1, 0], velocity: [-100, 0]}\n"
      "contacts: {hit: {type: sphere_sphere, between: [a, b], radius_a: 0.005, radius_b: 0.005, "
      "stiffness: 1e9}}\n");
  // The centres are 6.2 m apart and touch at 10 mm.
  const double touch = (6.2 - 0.01) / 200;
  for (const char* method : {"dopri5", "rn4", "llm"}) {
    SimulateOptions options = fixed(method, 0.05, 0.05);
    // The contact itself needs small steps of methods that are not exact: the first event is
    // enough.
    const Contact run = run_contact(model, options);
    ASSERT_GE(run.report.driver.events.size(), 1u) << method;
    EXPECT_NEAR(run.report.driver.events[0].t, touch, 1e-12) << method;
  }
}

/// A ball thrown at a ceiling that it just reaches, or just does not.
TEST(Contacts, GrazeWithoutHarm) {
  const double g = 9.81, v = 5, top = v * v / (2 * g);
  for (double depth : {1e-6, 1e-9, 1e-12, 0.0, -1e-12, -1e-6})
    for (const char* method : {"llm", "rn4", "dopri5", "bdf"}) {
      SCOPED_TRACE(testing::Message() << method << ' ' << depth);
      const Model model = test::model_of(
          "kardan: 1\ndimension: 2\ngravity: [0, -9.81]\nparameters: {high: 1}\n"
          "ground: {markers: {ceiling: {at: [0, high], angle: pi}}}\n"
          "bodies: {ball: {kind: point, mass: 1, velocity: [0, 5]}}\n"
          "contacts: {roof: {type: sphere_plane, between: [ground.ceiling, ball], radius: 0.1, "
          "stiffness: 1e5}}\n");
      const Contact run =
          run_contact(model, to_tolerance(method, 1e-8, 1), {{"high", top + 0.1 - depth}});
      EXPECT_EQ(run.report.driver.reason, Reason::finished) << run.report.driver.message;
      EXPECT_LE(run.report.driver.counters.steps, 2000);
      // In and out, or neither.
      EXPECT_EQ(run.report.driver.events.size() % 2, 0u);
      if (std::abs(depth) >= 1e-6) {
        EXPECT_EQ(run.report.driver.events.size(), depth > 0 ? 2u : 0u);
      }
      EXPECT_NEAR(run.prepared.start.state.p[1], v - g / 2, 1e-4);
    }
}

TEST(Contacts, HappenTogetherWhenTheyDo) {
  std::string text = "kardan: 1\ndimension: 2\ngravity: [0, -9.81]\nbodies:\n";
  for (int i = 0; i < 3; ++i)
    text += "  ball_" + std::to_string(i) + ": {kind: point, mass: " + std::to_string(i + 1) +
            ", position: [" + std::to_string(i) + ", 0.6]}\n";
  text += "contacts:\n";
  for (int i = 0; i < 3; ++i)
    text += "  floor_" + std::to_string(i) + ": {type: sphere_plane, between: [ground, ball_" +
            std::to_string(i) + "], radius: 0.1, stiffness: 1e5*" + std::to_string(i + 1) + "}\n";
  const Contact run = run_contact(test::model_of(text), fixed("llm", 0.05, 0.5));
  const auto& events = run.report.driver.events;
  ASSERT_EQ(events.size(), 6u);
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(events[i].t, events[0].t);
    EXPECT_EQ(events[3 + i].t, events[3].t);
    EXPECT_EQ(events[i].direction, 1);
    EXPECT_EQ(events[3 + i].direction, -1);
  }
  EXPECT_NEAR(events[0].t, std::sqrt(2 * 0.5 / 9.81), 1e-12);
}

TEST(BallColumn, KeepsItsEnergyWhileEveryContactIsLocated) {
  const Contact run = run_contact(test::shipped("ball_column"), to_tolerance("llm", 1e-6, 2));
  EXPECT_EQ(run.report.driver.reason, Reason::finished);
  EXPECT_LE(run.report.energy.balance_error, 1e-9 * run.report.energy.initial);
  // Contacts begin and end in turn, each with nothing between the bodies.
  std::vector<int> touching(run.prepared.system->event_names().size(), 0);
  const auto ws = run.prepared.system->make_workspace();
  Vector z(touching.size());
  ASSERT_GE(run.report.driver.events.size(), 100u);
  for (std::size_t i = 0; i < run.report.driver.events.size(); ++i) {
    const EventRecord& e = run.report.driver.events[i];
    EXPECT_EQ(touching[e.event] + e.direction, e.direction > 0 ? 1 : 0);
    touching[e.event] += e.direction;
    run.prepared.system->events(run.at_event[i], z, *ws);
    EXPECT_LE(std::abs(z[e.event]), 1e-13) << i;
  }
}

TEST(BallColumn, ComesToRestWithDamping) {
  const Contact run = run_contact(test::shipped("ball_column", {{"c", 300}}),
                                  to_tolerance("llm", 1e-6, 20), {{"c", 300}});
  ASSERT_EQ(run.report.driver.reason, Reason::finished) << run.report.driver.message;
  const State& end = run.prepared.start.state;
  EXPECT_LE(norm_max(end.v), 1e-9);
  // Ball i carries those above it.
  double y = 0;
  for (int i = 0; i < 10; ++i) {
    y += (i == 0 ? 0.05 : 0.1) - (10 - i) * 9.81 / 1e5;
    EXPECT_NEAR(end.p[2 * i + 1], y, 1e-9) << i;
  }
}

TEST(NewtonsCradle, KeepsItsEnergyAndHandsOnTheBlow) {
  SimulateOptions options = to_tolerance("dopri5", 1e-12, 0.45);
  const Contact run = run_contact(test::shipped("newtons_cradle"), options);
  ASSERT_EQ(run.report.driver.reason, Reason::finished) << run.report.driver.message;
  EXPECT_LE(run.report.energy.balance_error, 1e-9 * std::abs(run.report.energy.initial));
  EXPECT_GE(run.report.driver.events.size(), 8u) << "four contacts begin and end";
  // After the blow the last ball has nearly all the motion.
  const State& end = run.prepared.start.state;
  EXPECT_GE(end.v[3 * 4], 5 * std::abs(end.v[0]));
  for (int i = 1; i < 4; ++i) EXPECT_LE(std::abs(end.v[3 * i]), 0.2 * end.v[12]);
}

TEST(NewtonsCradle, ComesToRestWithDamping) {
  const ParameterValues damped{{"a", 0.4}, {"pin", 0.1}};
  for (const char* method : {"rn4", "radau5"}) {
    const Contact run = run_contact(test::shipped("newtons_cradle", damped),
                                    to_tolerance(method, 1e-6, 15), damped);
    ASSERT_EQ(run.report.driver.reason, Reason::finished) << run.report.driver.message;
    const State& end = run.prepared.start.state;
    EXPECT_LE(norm_max(end.v), 1e-6) << method;
    for (int i = 0; i < 5; ++i) EXPECT_NEAR(end.p[3 * i + 2], 0, 1e-6) << method << ' ' << i;
    EXPECT_GE(run.report.driver.events.size(), 100u) << method;
  }
}

}  // namespace
}  // namespace kardan
