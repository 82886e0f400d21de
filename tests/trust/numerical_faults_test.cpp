/// What a model may do to a run: every method ends with a correct result, or says honestly that,
/// when and why it could not go on; never with a wrong answer that looks right, never not at all.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "integrate/problems.h"
#include "kardan/run/simulate.h"
#include "kardan/system/callback_equations.h"
#include "support/models.h"

namespace kardan {
namespace {

using testing::AnyOf;
using testing::HasSubstr;

struct Ended {
  Prepared prepared;
  RunReport report;
  bool began = false;  // the method takes such models at all
  Reason reason() const { return report.driver.reason; }
  bool finished() const { return reason() == Reason::finished; }
  double t() const { return report.driver.t; }
  const std::string& message() const { return report.driver.message; }
  double value(const std::string& name) const {
    return test::value_of(*prepared.system, prepared.start.state, name);
  }
};

/// No run of these tests needs as many.
constexpr int most_steps = 30'000;

Ended go(Prepared prepared, SimulateOptions options) {
  Ended out;
  out.prepared = std::move(prepared);
  options.driver.max_steps = std::min(options.driver.max_steps, most_steps);
  Diagnostics diagnostics;
  out.report = simulate(out.prepared, options, {}, {}, diagnostics);
  out.began = !diagnostics.has_errors() && out.reason() != Reason::refused;
  return out;
}

/// It did not come to its end, and says so; what was computed before stands.
void expect_honest(const Ended& run, const std::string& method) {
  EXPECT_FALSE(run.finished()) << method;
  EXPECT_NE(run.reason(), Reason::stopped) << method;
  EXPECT_FALSE(run.message().empty()) << method;
  EXPECT_EQ(run.prepared.start.state.t, run.t()) << method;
  for (const double p : run.prepared.start.state.p) EXPECT_TRUE(std::isfinite(p)) << method;
  for (const double v : run.prepared.start.state.v) EXPECT_TRUE(std::isfinite(v)) << method;
}

Prepared prepared(const std::string& text) {
  Diagnostics diagnostics;
  Prepared out = prepare(test::model_of(text), {}, diagnostics);
  EXPECT_FALSE(diagnostics.has_errors()) << format(diagnostics);
  return out;
}

/// Runs a model with every method; each ends as `judge` wants.
template <class Judge>
void with_every_method(const std::string& text, double t_end, double tolerance,
                       const Judge& judge) {
  int began = 0;
  for (const Method& m : methods()) {
    SimulateOptions options;
    options.method = m.name;
    options.t_end = t_end;
    options.driver.tolerance = tolerance;
    const Ended run = go(prepared(text), options);
    if (!run.began) continue;
    ++began;
    judge(m, run);
  }
  EXPECT_GE(began, 18);
}

std::string bob(const std::string& law) {
  return "kardan: 1\ndimension: 2\ngravity: [0, 0]\n"
         "bodies: {bob: {kind: point, mass: 1, position: [1, 0]}}\n"
         "joints: {rail: {type: point_on_line, between: [ground, bob]}}\n"
         "forces: {push: {type: force, on: bob, fx: \"" +
         law + "\"}}\n";
}

TEST(NumericalFaults, AForceThatIsNotANumberIsNamed) {
  with_every_method(std::string(test::not_a_number), 1, 1e-5,
                    [](const Method& m, const Ended& run) {
                      expect_honest(run, std::string(m.name));
                      EXPECT_LE(run.t(), 0.5 + 1e-9) << m.name;
                      EXPECT_GE(run.t(), 0.45) << m.name;
                      EXPECT_THAT(run.message(), HasSubstr("broken")) << m.name;
                    });
}

/// What a method of order one reaches is the root of its tolerance (and it says so); the others
/// stay near theirs.
double allowed(const Method& m, double tolerance) {
  return m.order == 1 ? 10 * std::sqrt(tolerance) : 100 * tolerance;
}

TEST(NumericalFaults, AForceThatJumpsIsResolved) {
  // x = 1 + 10 (t - s)^2 / 2 from t = s on.
  for (const double s : {0.5, 0.4321, 0.7777, 0.1234, 0.25, 0.9, 0.61803})
    with_every_method(
        bob(fmt::format("t < {} ? 0 : 10", s)), 1, 1e-6, [&](const Method& m, const Ended& run) {
          if (!run.finished()) return expect_honest(run, std::string(m.name));
          const double share = allowed(m, 1e-6);
          EXPECT_NEAR(run.value("bob.x"), 1 + 5 * (1 - s) * (1 - s), share) << m.name << ", " << s;
          EXPECT_NEAR(run.value("bob.vx"), 10 * (1 - s), 5 * share) << m.name << ", " << s;
        });
}

/// A force that throws: a function of a user.
TEST(NumericalFaults, AForceThatThrowsEndsTheRunWithItsWords) {
  for (const Method& m : methods()) {
    CallbackEquations e;
    e.description.name = "thrower";
    e.description.positions = {{"x", 1}};
    e.description.velocities = {{"v", 0}};
    e.force.value = [](const Variables<double>& x, std::span<double> f) {
      if (x.t > 0.5) throw std::runtime_error("the table has ended");
      f[0] = -x.p[0];
    };
    Diagnostics diagnostics;
    Prepared p = prepare(make_system(std::move(e), diagnostics), diagnostics);
    ASSERT_TRUE(p.system) << format(diagnostics);
    SimulateOptions options;
    options.method = m.name;
    const Ended run = go(std::move(p), options);
    if (!run.began) continue;
    expect_honest(run, std::string(m.name));
    EXPECT_LE(run.t(), 0.5) << m.name;
    EXPECT_GE(run.t(), 0.1) << m.name;
    EXPECT_THAT(run.message(), HasSubstr("the table has ended")) << m.name;
  }
}

TEST(NumericalFaults, PositionsWithoutVelocitiesAreRefused) {
  for (const bool constrained : {false, true}) {
    CallbackEquations e;
    e.description.name = "half";
    e.description.positions = {{"x", 1}, {"y", 0}};
    if (constrained) {
      e.description.holonomic = {"rail"};
      e.holonomic.value = [](const Variables<double>& x, std::span<double> g) { g[0] = x.p[1]; };
    }
    e.force.value = [](const Variables<double>& x, std::span<double> f) { f[0] = -x.v[1]; };
    Diagnostics diagnostics;
    EXPECT_FALSE(make_system(std::move(e), diagnostics));
    EXPECT_THAT(format(diagnostics), HasSubstr("equations.kinematics"));
  }
}

TEST(NumericalFaults, LockUpIsReportedWithItsTimeAndJoint) {
  with_every_method(std::string(test::stretched_arm), 2, 1e-5,
                    [](const Method& m, const Ended& run) {
                      expect_honest(run, std::string(m.name));
                      EXPECT_NEAR(run.t(), 0.7, 5e-3) << m.name << ": " << run.message();
                      EXPECT_THAT(run.message(), AnyOf(HasSubstr("pull"), HasSubstr("shoulder"),
                                                       HasSubstr("elbow"), HasSubstr("rail")))
                          << m.name;
                    });
}

TEST(NumericalFaults, ContradictoryDriversAreReportedWithTheirTime) {
  with_every_method(
      std::string(test::contradiction), 2, 1e-5, [](const Method& m, const Ended& run) {
        expect_honest(run, std::string(m.name));
        EXPECT_THAT(run.message(), AnyOf(HasSubstr("first"), HasSubstr("second"))) << m.name;
        EXPECT_GE(run.t(), 0.69) << m.name;
        EXPECT_LE(run.t(), 0.72) << m.name << ": " << run.message();
      });
}

/// Fixed steps have no error control, but what cannot be is seen all the same.
TEST(NumericalFaults, FixedStepsEndAtALockUpToo) {
  constexpr double h = 0.01;
  for (const std::string_view model : {test::stretched_arm, test::contradiction}) {
    int began = 0;
    for (const Method& m : methods()) {
      SimulateOptions options;
      options.method = m.name;
      options.t_end = 2;
      options.driver.fixed_step = h;
      const Ended run = go(prepared(std::string(model)), options);
      if (!run.began) continue;
      ++began;
      expect_honest(run, std::string(m.name));
      EXPECT_GE(run.t(), 0.7 - 3 * h) << m.name << ": " << run.message();
      EXPECT_LE(run.t(), 0.7 + 3 * h) << m.name << ": " << run.message();
    }
    EXPECT_GE(began, 15);
  }
}

/// k = 1e12 N/m and c = 1e9 N s/m: x = 1e-3 exp(-1000 t) but for 1e-6 of it.
constexpr const char* stiff = R"(
kardan: 1
dimension: 2
gravity: [0, 0]
bodies: {bob: {kind: point, mass: 1, position: [1.001, 0]}}
joints: {rail: {type: point_on_line, between: [ground, bob]}}
forces: {stiff: {type: spring_damper, between: [ground, bob], stiffness: 1e12, damping: 1e9, free_length: 1}}
)";

TEST(NumericalFaults, AStiffnessOfATerranewtonIsSolvedOrRefused) {
  int solved = 0;
  with_every_method(stiff, 1e-3, 1e-6, [&](const Method& m, const Ended& run) {
    if (!run.finished()) return expect_honest(run, std::string(m.name));
    ++solved;
    EXPECT_NEAR(run.value("bob.x") - 1, 1e-3 * std::exp(-1.0), 2e-5) << m.name;
  });
  EXPECT_GE(solved, 5);
}

TEST(NumericalFaults, TheTightestAndTheLoosestToleranceAreHonest) {
  // A pendulum of 1 m from the horizontal: the speed at the bottom is sqrt(2 g), wherever it is
  // v^2/2 + g y = 0.
  constexpr const char* swing =
      "kardan: 1\ndimension: 2\ngravity: [0, -9.81]\n"
      "bodies: {bob: {kind: point, mass: 1, position: [1, 0]}}\n"
      "joints: {rod: {type: distance, between: [ground, bob], length: 1}}\n";
  for (const double tolerance : {1e-14, 0.1})
    with_every_method(swing, 0.5, tolerance, [&](const Method& m, const Ended& run) {
      if (!run.finished()) return expect_honest(run, std::string(m.name));
      const double vx = run.value("bob.vx"), vy = run.value("bob.vy");
      const double energy = (vx * vx + vy * vy) / 2 + 9.81 * run.value("bob.y");
      const double most = tolerance < 1e-3 ? 1e-8 : 3;
      EXPECT_NEAR(energy, 0, most) << m.name << " at " << tolerance;
    });
}

TEST(NumericalFaults, MassIsNeededWhereNothingElseHolds) {
  const auto massless = [](const char* joint) {
    return std::string(
               "kardan: 1\ndimension: 2\ngravity: [0, -9.81]\n"
               "bodies:\n"
               "  bob: {mass: 1, inertia: 1, position: [1, 0], markers: {root: {at: [-1, 0]}}}\n"
               "  light: {mass: 0, inertia: 0, position: [1, 0]}\n"
               "joints:\n"
               "  pivot: {type: revolute, between: [ground, bob.root]}\n") +
           joint;
  };
  // Held by its joint, it changes nothing: a physical pendulum, alpha = -g/2 at the start.
  Diagnostics diagnostics;
  Prepared held = prepare(
      test::model_of(massless("  weld: {type: fixed, between: [bob, light]}\n")), {}, diagnostics);
  ASSERT_TRUE(held.system) << format(diagnostics);
  with_every_method(massless("  weld: {type: fixed, between: [bob, light]}\n"), 0.5, 1e-6,
                    [](const Method& m, const Ended& run) {
                      if (!run.finished()) return expect_honest(run, std::string(m.name));
                      const double w = run.value("bob.omega");
                      EXPECT_NEAR(w * w + 9.81 * run.value("bob.y"), 0, allowed(m, 1e-6)) << m.name;
                    });
  // Free, its accelerations are not determined.
  Diagnostics faults;
  Prepared loose = prepare(test::model_of(massless("")), {}, faults);
  if (!loose.system || loose.start.report.status != Eval::ok) {
    EXPECT_TRUE(faults.has_errors() || !loose.start.report.message.empty());
    return;
  }
  with_every_method(massless(""), 0.5, 1e-6, [](const Method& m, const Ended& run) {
    expect_honest(run, std::string(m.name));
    EXPECT_EQ(run.t(), 0) << m.name;
  });
}

TEST(NumericalFaults, AnEndBeforeTheStartIsRefused) {
  for (const Method& m : methods()) {
    Prepared p = prepared(bob("1"));
    p.start.state.t = 2;
    SimulateOptions options;
    options.method = m.name;
    options.t_end = 1;
    Diagnostics diagnostics;
    const RunReport report = simulate(p, options, {}, {}, diagnostics);
    EXPECT_TRUE(diagnostics.has_errors() || report.driver.reason == Reason::refused) << m.name;
    EXPECT_EQ(p.start.state.t, 2) << m.name;
  }
}

TEST(NumericalFaults, AStepBelowRoundOffIsNoStep) {
  for (const Method& m : methods()) {
    for (const bool fixed : {true, false}) {
      SimulateOptions options;
      options.method = m.name;
      (fixed ? options.driver.fixed_step : options.driver.largest_step) = 1e-18;
      const Ended run = go(prepared(bob("1")), options);
      if (!run.began) continue;
      expect_honest(run, std::string(m.name));
      EXPECT_EQ(run.t(), 0) << m.name;
    }
  }
}

}  // namespace
}  // namespace kardan
