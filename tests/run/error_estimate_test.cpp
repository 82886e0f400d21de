/// The global error that a run estimates of itself, against runs that are much tighter.

#include "kardan/run/error_estimate.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "kardan/run/certify.h"
#include "kardan/run/estimate_check.h"
#include "kardan/run/held_accuracy.h"
#include "kardan/run/trajectory.h"
#include "run/event_runs.h"

namespace kardan {
namespace {

using namespace test;
using testing::HasSubstr;
using testing::IsEmpty;

const std::string light_pendulum =
    "kardan: 1\ndimension: 2\ngravity: [0, -9.81]\n"
    "bodies:\n  rod: {mass: 1, inertia: 0.3, position: [1, 0], markers: {end: {at: [-1, 0]}}}\n"
    "joints:\n  pin: {type: revolute, between: [ground, rod.end]}\n";
const std::string spun_top =
    "kardan: 1\ndimension: 3\ngravity: [0, 0, -9.81]\n"
    "bodies:\n  top: {mass: 1, inertia: [0.02, 0.02, 0.01], position: [0.2, 0, 0.1],\n"
    "        angular_velocity: [3, 2, 40], markers: {tip: {at: [-0.2, 0, -0.1]}}}\n"
    "joints:\n  foot: {type: spherical, between: [ground, top.tip]}\n";
const std::string drag =
    "kardan: 1\nequations:\n  positions: {x: 1, y: 0}\n  velocities: {v: 0, w: 0.8}\n"
    "  forces: {v: -x/(x^2+y^2)^1.5, w: -y/(x^2+y^2)^1.5}\n";

Ran estimated_run(const std::string& model, const std::string& method, double t_end,
                  double tolerance) {
  return run_model(model, method, t_end, tolerance, 1);
}

std::vector<std::string> one_step() {
  std::vector<std::string> out;
  for (const Method& m : methods())
    if (!m.integrate && m.order > 1) out.emplace_back(m.name);
  return out;
}

/// Largest differences of the states at the end.
double apart(const State& a, const State& b) {
  double worst = 0;
  for (const auto& [x, y] : {std::pair(&a.p, &b.p), std::pair(&a.v, &b.v)})
    for (std::size_t i = 0; i < x->size(); ++i)
      worst = std::max(worst, std::abs((*x)[i] - (*y)[i]) / (1 + std::abs((*y)[i])));
  return worst;
}

double estimate_of(const Ran& run) {
  const EstimatedError& e = run.report.error_estimate;
  EXPECT_TRUE(e.made && e.missing.empty()) << in_words(e);
  return std::max(e.end_position, e.end_velocity);
}

class ErrorOfEveryMethod : public testing::TestWithParam<std::string> {};

TEST_P(ErrorOfEveryMethod, IsEstimatedWithinAFactorOfThree) {
  // Errors at the end may happen to cancel at looser tolerances (nystrom4 at 1e-5: to a fifth).
  for (const std::string& model : {light_pendulum, spun_top, drag}) {
    const Ran reference = estimated_run(model, "dop853", 3, 1e-13);
    for (const double tolerance : {1e-6, 1e-7}) {
      const Ran run = estimated_run(model, GetParam(), 3, tolerance);
      if (run.report.driver.reason != Reason::finished) continue;  // refuses the model
      const double error = apart(run.end(), reference.end());
      EXPECT_GT(estimate_of(run), error / 3) << model << tolerance;
      EXPECT_LT(estimate_of(run), 3 * error + 1e-12) << model << tolerance;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(OneStep, ErrorOfEveryMethod, testing::ValuesIn(one_step()),
                         [](const auto& test) { return test.param; });

/// The same run without an estimate ends in the same bits.
TEST(ErrorEstimate, ChangesNothing) {
  for (const char* method : {"rn4", "dop853", "radau5", "hem5", "adams"}) {
    std::vector<State> ends;
    for (const double wanted : {0.0, 1.0}) {
      Diagnostics diagnostics;
      Prepared prepared = prepare(model_of(spun_top), {}, diagnostics);
      ASSERT_TRUE(prepared.system);
      SimulateOptions options;
      options.method = method;
      options.error_estimate = wanted;
      const RunReport report = simulate(prepared, options, GridSink(), Observer(), diagnostics);
      EXPECT_EQ(report.error_estimate.made, wanted > 0);
      EXPECT_EQ(report.error_estimate.asked_for(), wanted > 0);
      ends.push_back(prepared.start.state);
    }
    EXPECT_EQ(ends[0].p, ends[1].p) << method;
    EXPECT_EQ(ends[0].v, ends[1].v) << method;
  }
}

TEST(ErrorEstimate, NamesTheWorstVariable) {
  const Ran run = estimated_run(light_pendulum, "rn4", 3, 1e-4);
  const EstimatedError& e = run.report.error_estimate;
  EXPECT_THAT(e.position.name, HasSubstr("rod."));
  EXPECT_THAT(e.velocity.name, HasSubstr("rod."));
  EXPECT_THAT(in_words(e), HasSubstr(e.position.name));
  EXPECT_EQ(e.times.size(), e.positions.size());
  EXPECT_DOUBLE_EQ(e.until, 3);
}

/// A switch that the run meets too early or too late: x'' = -1, beyond x = 0 it is -3.
TEST(ErrorEstimate, IsCarriedThroughSwitches) {
  const std::string model =
      "kardan: 1\nparameters: {g: 1}\n"
      "equations:\n  positions: {x: 1}\n  velocities: {v: 0.3}\n"
      "  forces: {v: \"-g*(1 + 0.2*sin(5*x))\"}\n"
      "when:\n  down: {expression: x, direction: falling, action: {set: {g: 3}}}\n";
  const Ran reference = estimated_run(model, "dop853", 3, 1e-13);
  ASSERT_EQ(reference.report.driver.events.size(), 1u);
  for (const char* method : {"rn4", "dopri5", "radau5"}) {
    const Ran run = estimated_run(model, method, 3, 1e-5);
    const double error = apart(run.end(), reference.end());
    EXPECT_NEAR(estimate_of(run) / error, 1, 0.5) << method;
  }
}

/// Impulses that the run comes to too early or too late: a rod that swings against a stop and
/// bounces there, in the air and on a joint.
TEST(ErrorEstimate, IsCarriedThroughImpulses) {
  const std::string thrown =
      "kardan: 1\ndimension: 2\ngravity: [0, -9.81]\n"
      "bodies:\n  rod: {mass: 1, inertia: 0.1, position: [0, 1], angle: 0.3,\n"
      "        angular_velocity: 2, markers: {tip: {at: [0.4, 0]}}}\n"
      "forces:\n  string: {type: spring_damper, between: [{body: ground, at: [0, 2]}, rod.tip],\n"
      "           stiffness: 30, free_length: 1}\n"
      "when:\n  hit: {expression: rod.y - 0.2, direction: falling, action: {impulse: "
      "{restitution: 0.7}}}\n";
  const std::string swinging =
      "kardan: 1\ndimension: 2\ngravity: [0, -9.81]\n"
      "bodies:\n  rod: {mass: 1, inertia: 0.3, position: [1, 0], markers: {end: {at: [-1, 0]}}}\n"
      "joints:\n  pin: {type: revolute, between: [ground, rod.end]}\n"
      "when:\n  hit: {expression: rod.x, direction: falling, action: {impulse: {restitution: "
      "0.8}}}\n";
  for (const std::string& model : {thrown, swinging}) {
    const Ran reference = estimated_run(model, "dop853", 3, 1e-13);
    ASSERT_GE(reference.report.driver.events.size(), 2u) << model;
    for (const char* method : {"rn4", "dopri5", "radau5"})
      for (const double tolerance : {1e-5, 1e-7}) {
        const Ran run = estimated_run(model, method, 3, tolerance);
        ASSERT_EQ(run.report.driver.events.size(), reference.report.driver.events.size());
        const double error = apart(run.end(), reference.end());
        EXPECT_NEAR(estimate_of(run) / error, 1, 0.3) << model << method << tolerance;
      }
  }
}

const std::string held_by_a_spring =
    "forces: {spring: {type: spring_damper, between: [{body: ground, at: [1, 2]}, ball],\n"
    "    stiffness: 8, free_length: 1.2}, lift: {type: force, on: ball, fy: 0.6*t^4}}\n";

std::string dropped_ball(double restitution) {
  return fmt::format(
             "kardan: 1\ndimension: 2\ngravity: [0, -9.81]\n"
             "bodies: {{ball: {{mass: 1, inertia: 0.1, position: [0, 0.3], velocity: [0.4, 0]}}}}\n"
             "when: {{hit: {{expression: ball.y, direction: falling, action: {{impulse: {{restitution: "
             "{}}}}}}}}}\n",
             restitution) +
         held_by_a_spring;
}

/// What comes to rest, slides there, and leaves again: at once, and after a series of bounces; a
/// block that sticks to a belt and slips; a row of balls that hands on a blow. The end is compared.
TEST(ErrorEstimate, IsCarriedThroughRestReleaseFrictionAndRows) {
  const std::string belt =
      "kardan: 1\ndimension: 2\ngravity: [0, -9.81]\n"
      "bodies: {block: {mass: 1, inertia: 0.1, position: [0, 0], velocity: [0.3, 0]}}\n"
      "forces: {spring: {type: spring_damper, between: [{body: ground, at: [-2, 0.3]}, block],\n"
      "    stiffness: 8, free_length: 1.7}}\n"
      "friction: {belt: {along: block.x - 0.1*t, kinetic: 0.2, static: 0.4, preload: 3}}\n";
  const std::string row =
      "kardan: 1\ndimension: 2\n"
      "bodies:\n"
      "  a: {kind: point, mass: 1, position: [0, 0], velocity: [2, 0]}\n"
      "  b: {kind: point, mass: 2, position: [1, 0]}\n"
      "  c: {kind: point, mass: 3, position: [1.1, 0]}\n"
      "forces:\n"
      "  s: {type: spring_damper, between: [{body: ground, at: [0.3, 0.2]}, a], stiffness: 5}\n"
      "  r: {type: spring_damper, between: [{body: ground, at: [2, 1]}, c], stiffness: 0.5}\n"
      "when:\n"
      "  ab: {expression: b.x - a.x - 0.1, direction: falling, action: {impulse: {restitution: "
      "0.9}}}\n"
      "  bc: {expression: c.x - b.x - 0.1, direction: falling, action: {impulse: {restitution: "
      "0.9}}}\n";
  struct Case {
    std::string model;
    double t_end;
    std::size_t events;
  };
  for (const auto& [model, t_end, events] :
       {Case{dropped_ball(0), 2.2, 3}, Case{dropped_ball(0.3), 2.2, 5}, Case{belt, 3, 3},
        Case{row, 0.75, 2}}) {
    const Ran reference = estimated_run(model, "dop853", t_end, 1e-13);
    ASSERT_GE(reference.report.driver.events.size(), events) << model;
    for (const char* method : {"rn4", "dopri5", "radau5"})
      for (const double tolerance : {1e-5, 1e-7}) {
        const Ran run = estimated_run(model, method, t_end, tolerance);
        const double error = apart(run.end(), reference.end());
        EXPECT_NEAR(estimate_of(run) / error, 1, 0.5) << model << method << tolerance;
      }
  }
}

/// A run that goes on from a restart point has the estimate of the run in one piece, to the bit: in
/// flight and at rest.
TEST(ErrorEstimate, GoesOnFromRestartPoints) {
  SimulateOptions options;
  options.method = "rn4";
  options.t_end = 2.2;
  options.checkpoint_every = 0.3;
  options.error_estimate = 1;
  std::vector<RunMemory> points;
  Diagnostics diagnostics;
  Prepared first = prepare(model_of(dropped_ball(0)), {}, diagnostics);
  Watchers watchers;
  watchers.checkpoint = [&](const RunMemory& memory) { points.push_back(memory); };
  const EstimatedError whole = simulate(first, options, watchers, diagnostics).error_estimate;
  ASSERT_TRUE(whole.made && whole.missing.empty()) << in_words(whole);
  ASSERT_EQ(points.size(), 8u);
  for (const RunMemory& from : points) {
    Prepared again = prepare(model_of(dropped_ball(0)), {}, diagnostics);
    EXPECT_TRUE(fits(*again.system, from));
    const EstimatedError e = simulate(again, options, Watchers(), diagnostics, &from).error_estimate;
    EXPECT_EQ(in_words(e), in_words(whole)) << from.state.t;
    EXPECT_EQ(e.position.reached, whole.position.reached);
    EXPECT_EQ(e.end_velocity, whole.end_velocity);
    EXPECT_EQ(e.velocities, whole.velocities);
    EXPECT_EQ(e.evaluations, whole.evaluations);
  }
}

/// Closed form: a ball that rests where it fell has no error any more, and what was left of its
/// bounces counts: they rise to ten tolerances at most.
TEST(ErrorEstimate, EndsWhereAllRests) {
  const auto ball = [](double restitution) {
    return fmt::format(
        "kardan: 1\ndimension: 2\ngravity: [0, -9.81]\n"
        "bodies: {{ball: {{kind: point, mass: 1, position: [0, 0.3]}}}}\n"
        "when: {{hit: {{expression: ball.y, direction: falling, action: {{impulse: {{restitution: "
        "{}}}}}}}}}\n",
        restitution);
  };
  const Ran at_once = estimated_run(ball(0), "rn4", 2, 1e-5);
  EXPECT_LT(estimate_of(at_once), 1e-12);
  const Ran bounced = estimated_run(ball(0.4), "rn4", 2, 1e-6);
  EXPECT_LT(estimate_of(bounced), 1e-12);
  // The first bounce that is left out is 0.4 times as fast as the last impact, whose time is known.
  const EstimatedError& e = bounced.report.error_estimate;
  const double fall = std::sqrt(2 * 0.3 * 9.81);
  double speed = fall;
  while (speed > 1.01 * e.velocity.absolute) speed *= 0.4;
  EXPECT_NEAR(e.velocity.absolute / speed, 1, 1e-3);
  EXPECT_NEAR(e.position.absolute / (speed * speed / 2 / 9.81), 1, 1e-3);
  EXPECT_LT(e.position.reached, 1e-5);
  EXPECT_GT(e.position.reached, 1e-8);
}

/// What is not covered is said.
TEST(ErrorEstimate, SaysWhatItDoesNotCover) {
  const std::string unstable =
      "kardan: 1\nequations:\n  positions: {x: 1}\n  velocities: {v: -10}\n"
      "  forces: {v: 100*x}\n";
  const Ran run = estimated_run(unstable, "rn4", 4, 1e-6);
  const EstimatedError& e = run.report.error_estimate;
  EXPECT_THAT(e.missing, HasSubstr("as large as the motion"));
  EXPECT_LT(e.void_from, e.until);
  EXPECT_THAT(in_words(e), HasSubstr("no error estimate after"));
  EXPECT_LT(e.until, 4);
  EstimatedError nothing;
  nothing.missing = "none was asked for";
  EXPECT_THAT(in_words(nothing), HasSubstr("no error estimate: none was asked for"));
}

PrepareRun maker(const std::string& model) {
  return [model] {
    Diagnostics diagnostics;
    return prepare(model_of(model), {}, diagnostics);
  };
}

/// With `accuracy` the error is below it, as a tighter run shows.
TEST(HeldAccuracy, IsBelowWhatWasAskedFor) {
  for (const std::string& model : {light_pendulum, spun_top, drag})
    for (const char* method : {"rn4", "dopri5", "radau5"})
      for (const double accuracy : {1e-3, 1e-6}) {
        SimulateOptions options;
        options.method = method;
        options.t_end = 3;
        options.accuracy = accuracy;
        Diagnostics diagnostics;
        const FoundTolerance found = hold_accuracy(maker(model), options, diagnostics);
        ASSERT_TRUE(found.found.held) << found.found.message;
        const Ran run = estimated_run(model, method, 3, found.options.driver.tolerance);
        const Ran reference = estimated_run(model, "dop853", 3, 1e-13);
        EXPECT_LT(apart(run.end(), reference.end()), accuracy) << model << method;
      }
}

/// A run that does not hold it has failed, and says so.
TEST(HeldAccuracy, CountsAgainstARunThatMissesIt) {
  Diagnostics diagnostics;
  Prepared prepared = maker(light_pendulum)();
  SimulateOptions options;
  options.t_end = 3;
  options.driver.tolerance = 1e-3;
  options.accuracy = 1e-5;
  const RunReport report = simulate(prepared, options, GridSink(), Observer(), diagnostics);
  ASSERT_EQ(report.against.size(), 1u);
  EXPECT_THAT(report.against[0], HasSubstr("estimated error"));
  ASSERT_TRUE(report.held);
  EXPECT_FALSE(report.held->held);
}

TEST(HeldAccuracy, SaysWhyItCannotBeHeld) {
  SimulateOptions options;
  options.t_end = 3;
  options.accuracy = 1e-14;
  Diagnostics diagnostics;
  const FoundTolerance found = hold_accuracy(maker(light_pendulum), options, diagnostics);
  EXPECT_FALSE(found.found.held);
  EXPECT_THAT(found.found.message, HasSubstr("no tolerance is tighter"));
}

/// Certifying measures at the end what the run estimates there; an estimate that is damaged, or of a
/// run that ended earlier, is told.
TEST(EstimateCheck, ComparesWithWhatWasMeasured) {
  SimulateOptions asked;
  asked.method = "rn4";
  asked.t_end = 3;
  asked.driver.tolerance = 1e-6;
  asked.error_estimate = 1;
  Diagnostics diagnostics;
  const Certification certified = certify(maker(spun_top), asked, {}, diagnostics);
  ASSERT_EQ(certified.accuracy.verdict, Certified::reached) << certified.accuracy.message;
  Prepared prepared = maker(spun_top)();
  const RunReport report =
      simulate(prepared, certified.options, GridSink(), Observer(), diagnostics);
  const auto check = check_estimate(report.error_estimate, certified.accuracy);
  ASSERT_TRUE(check);
  EXPECT_NEAR(check->estimated / check->measured, 1, 0.5);
  EXPECT_FALSE(check->low);
  EXPECT_THAT(in_words(*check), HasSubstr("was measured"));

  EstimatedError damaged = report.error_estimate;
  damaged.end_position *= 0.2;
  damaged.end_velocity *= 0.2;
  const auto low = check_estimate(damaged, certified.accuracy);
  ASSERT_TRUE(low);
  EXPECT_TRUE(low->low);
  EXPECT_THAT(in_words(*low), HasSubstr("not to be relied on"));

  EstimatedError early = report.error_estimate;
  early.until = 2;
  EXPECT_FALSE(check_estimate(early, certified.accuracy));
  early = report.error_estimate;
  early.void_from = 1;
  EXPECT_FALSE(check_estimate(early, certified.accuracy));
}

TEST(ErrorGrowth, IsThatOfAnExponential) {
  std::vector<double> times, errors;
  for (int i = 0; i < 50; ++i) {
    times.push_back(0.2 * i);
    errors.push_back(1e-12 * std::exp(2 * times.back()));
  }
  EXPECT_NEAR(error_growth(times, errors), 2, 1e-6);
  for (double& e : errors) e = 1e-8;
  EXPECT_EQ(error_growth(times, errors), 0);
}

}  // namespace
}  // namespace kardan
