/// What a model's motion preserves is kept, or refused; starts are assembled, or taken as given.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "kardan/io/model_reader.h"
#include "kardan/run/simulate.h"
#include "support/difference_check.h"
#include "support/models.h"

namespace kardan {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

Prepared prepared(const std::string& yaml) {
  Diagnostics diagnostics;
  const auto model = read_model_text("kardan: 1\n" + yaml, "test", {}, diagnostics);
  EXPECT_FALSE(diagnostics.has_errors()) << format(diagnostics);
  return prepare(*model, {}, diagnostics);
}

RunReport run(Prepared& model, const std::string& method, double t_end, double tolerance = 1e-6) {
  SimulateOptions options;
  options.method = method;
  options.t_end = t_end;
  options.driver.tolerance = tolerance;
  Diagnostics diagnostics;
  RunReport report = simulate(model, options, {}, {}, diagnostics);
  EXPECT_FALSE(diagnostics.has_errors()) << format(diagnostics);
  return report;
}

const std::string free_top = R"(
bodies:
  top: {mass: 2, inertia: [0.1, 0.2, 0.35], position: [0, 0, 0], angular_velocity: [0.3, 4, 0.2], velocity: [1, 0.2, 0]}
)";

TEST(Invariants, OfAFreeBodyAreKeptToRoundOff) {
  Prepared model = prepared(free_top + "invariants: [energy, momentum, angular_momentum]\n");
  ASSERT_EQ(model.system->sizes().e, 7);
  const auto ws = model.system->make_workspace();
  ASSERT_EQ(model.system->invariants(model.start.state, *ws), Eval::ok);
  const Vector before = ws->e;
  const RunReport report = run(model, "radau5", 20, 1e-4);
  ASSERT_EQ(report.driver.reason, Reason::finished) << report.driver.message;
  ASSERT_EQ(model.system->invariants(model.start.state, *ws), Eval::ok);
  for (std::size_t i = 0; i < before.size(); ++i)
    EXPECT_NEAR(ws->e[i], before[i], 1e-12 * (1 + std::abs(before[i]))) << i;
  // Left to themselves they follow the tolerance.
  Prepared free = prepared(free_top);
  const RunReport without = run(free, "radau5", 20, 1e-4);
  EXPECT_GT(without.energy.balance_error, 1e-9);
}

TEST(Invariants, HaveTheDerivativesOfTheirValues) {
  for (const char* dimension : {"2", "3"}) {
    const std::string bodies =
        dimension == std::string("3")
            ? free_top
            : "dimension: 2\nbodies: {top: {mass: 2, inertia: 0.3, position: [1, 2], "
              "angle: 0.4, velocity: [1, 0.2], angular_velocity: 3}}\n";
    Prepared model = prepared(
        bodies + "invariants: [energy, momentum, angular_momentum, top.x*top.vy]\n" +
        (dimension == std::string("3") ? "forces: {spring: {type: spring_damper, between: [{body: "
                                         "ground, at: [1, 2, 3]}, {body: top, at: [0.1, "
                                         "0.2, 0.3]}], stiffness: 20, free_length: 1}}\n"
                                       : "forces: {spring: {type: spring_damper, between: [{body: "
                                         "ground, at: [1, 3]}, {body: top, at: [0.1, "
                                         "0.2]}], stiffness: 20, free_length: 1}}\n"));
    const System& system = *model.system;
    const auto ws = system.make_workspace(), other = system.make_workspace();
    const State at = model.start.state;
    ASSERT_EQ(system.invariants(at, *ws), Eval::ok);
    const int n = system.sizes().v;
    constexpr double h = 1e-6;
    for (int i = 0; i < system.sizes().e; ++i)
      for (int j = 0; j < n; ++j)
        for (const bool by_p : {true, false}) {
          double value[2];
          for (const int side : {0, 1}) {
            State moved = at;
            Vector step(n, 0.0);
            step[j] = side ? h : -h;
            if (by_p)
              system.retract(at.p, step, moved.p);
            else
              moved.v[j] += step[j];
            ASSERT_EQ(system.invariants(moved, *other), Eval::ok);
            value[side] = other->e[i];
          }
          const double exact = (by_p ? ws->e_p : ws->e_v).values[i * n + j];
          EXPECT_NEAR((value[1] - value[0]) / (2 * h), exact, 1e-7 * (1 + std::abs(exact)))
              << dimension << ' ' << i << ' ' << j << ' ' << by_p;
        }
  }
}

TEST(Invariants, OfAConstrainedMechanismAreKept) {
  Prepared model = prepared(R"(
dimension: 2
gravity: [0, -9.81]
bodies:
  upper: {mass: 1, inertia: 0.1, position: [0.5, 0]}
  lower: {mass: 1, inertia: 0.1, position: [1.5, 0]}
joints:
  shoulder: {type: revolute, between: [ground, {body: upper, at: [-0.5, 0]}]}
  elbow: {type: revolute, between: [{body: upper, at: [0.5, 0]}, {body: lower, at: [-0.5, 0]}]}
invariants: [energy]
)");
  const RunReport report = run(model, "radau5", 5, 1e-4);
  EXPECT_EQ(report.driver.reason, Reason::finished) << report.driver.message;
  EXPECT_LE(report.energy.balance_error, 1e-11);
  EXPECT_LE(report.residuals.position, 1e-12);
  EXPECT_THAT(report.remarks, IsEmpty());
}

TEST(Invariants, AreNotForcedOnAMotionThatDoesNotPreserveThem) {
  Prepared model = prepared(R"(
dimension: 2
gravity: [0, -9.81]
bodies: {bob: {kind: point, mass: 1, position: [1, 0]}}
forces: {damper: {type: spring_damper, between: [{body: ground, at: [0, 0]}, bob], stiffness: 10, damping: 1, free_length: 0.5}}
invariants: [energy]
)");
  const RunReport report = run(model, "radau5", 1);
  EXPECT_EQ(report.driver.reason, Reason::evaluation_failed);
  EXPECT_EQ(report.driver.diagnosis, Diagnosis::invariants_not_kept);
  EXPECT_THAT(report.driver.message, HasSubstr("'energy'"));
}

TEST(Invariants, AreNotIgnoredSilentlyByOtherFormulations) {
  Prepared model = prepared(free_top + "invariants: [energy]\n");
  const RunReport report = run(model, "rn4", 0.1);
  ASSERT_EQ(report.remarks.size(), 1U);
  EXPECT_THAT(report.remarks[0], HasSubstr("not kept"));
}

const std::string two_arms = R"(
dimension: 2
bodies:
  upper: {mass: 1, inertia: 0.1, position: [0.5, 0]}
  lower: {mass: 1, inertia: 0.1, position: [1.5, 0]}
joints:
  shoulder: {type: revolute, between: [ground, {body: upper, at: [-0.5, 0]}]}
  elbow: {type: revolute, between: [{body: upper, at: [0.5, 0]}, {body: lower, at: [-0.5, 0]}]}
)";

TEST(StartConditions, ExactlyEnoughDetermineTheStart) {
  const Prepared model = prepared(two_arms + R"(
assemble:
  - {want: upper.angle, equals: 0.3}
  - {want: lower.angle - 2*upper.angle, equals: 0}
  - {want: upper.omega + lower.omega, equals: 1}
  - {want: upper.omega - lower.omega, equals: 3}
)");
  ASSERT_EQ(model.start.report.status, Eval::ok) << model.start.report.message;
  EXPECT_NEAR(model.start.state.p[2], 0.3, 1e-12);
  EXPECT_NEAR(model.start.state.p[5], 0.6, 1e-12);
  EXPECT_NEAR(model.start.state.v[2], 2, 1e-12);
  EXPECT_NEAR(model.start.state.v[5], -1, 1e-12);
  EXPECT_THAT(model.start.report.free_positions, IsEmpty());
  EXPECT_THAT(model.start.report.free_velocities, IsEmpty());
}

TEST(StartConditions, TooManyAreMetUnlessTheyContradict) {
  const std::string three = R"(
assemble:
  - {want: upper.angle, equals: 0.3}
  - {want: lower.angle, equals: 0.6}
)";
  const Prepared fits =
      prepared(two_arms + three + "  - {want: upper.angle + lower.angle, equals: 0.9}\n");
  EXPECT_EQ(fits.start.report.status, Eval::ok) << fits.start.report.message;
  const Prepared off =
      prepared(two_arms + three + "  - {want: upper.angle + lower.angle, equals: 1}\n");
  EXPECT_NE(off.start.report.status, Eval::ok);
  EXPECT_THAT(off.start.report.message, HasSubstr("upper.angle"));
}

TEST(StartConditions, TooFewLeaveTheNearestStartAndSayWhatWasFree) {
  const Prepared model = prepared(two_arms + "assemble: [{want: upper.angle, equals: 0.3}]\n");
  ASSERT_EQ(model.start.report.status, Eval::ok) << model.start.report.message;
  EXPECT_NEAR(model.start.state.p[2], 0.3, 1e-12);
  EXPECT_EQ(model.start.report.free_positions.size(), 1U);
  EXPECT_EQ(model.start.report.free_velocities.size(), 2U);
  // One of the lower body's coordinates: the upper one is determined.
  EXPECT_THAT(model.start.report.free_positions[0], testing::StartsWith("lower"));
}

TEST(StartConditions, AConsistentStartMayBeTrusted) {
  const Prepared model = prepared(two_arms + "start: as_given\n");
  ASSERT_EQ(model.start.report.status, Eval::ok) << model.start.report.message;
  EXPECT_EQ(model.start.state.p, model.system->start().p);
  EXPECT_EQ(model.start.state.v, model.system->start().v);
  std::string bent = two_arms;
  bent.replace(bent.find("[1.5, 0]"), 8, "[1.6, 0]");
  const Prepared off = prepared(bent + "start: as_given\n");
  EXPECT_NE(off.start.report.status, Eval::ok);
  EXPECT_THAT(off.start.report.message, HasSubstr("elbow"));
}

}  // namespace
}  // namespace kardan
