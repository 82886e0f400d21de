/// Every kind of evidence of a certificate fails on a run that is wrong, and passes on those that
/// are right.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "kardan/integrate/driver.h"
#include "kardan/io/report_json.h"
#include "kardan/io/verdict.h"
#include "kardan/run/certify.h"
#include "kardan/run/choice.h"
#include "kardan/run/cross_check.h"
#include "kardan/run/monitor.h"
#include "run/event_runs.h"

namespace kardan {
namespace {

using namespace test;
using testing::HasSubstr;
using testing::IsEmpty;

std::vector<std::string> methods_of_order_2() {
  std::vector<std::string> out;
  for (const Method& m : methods())
    if (m.order > 1) out.emplace_back(m.name);
  return out;
}

Verdict verdict_of(const Ran& run) {
  const ConsistentStart& end = run.prepared.start;
  return make_verdict(to_json(*run.prepared.system, run.report, {&end.state, &end.a, &end.lambda}));
}

/// An oscillator whose equations say nothing of a force that drives it.
std::string oscillator(double push) {
  return fmt::format(
      "kardan: 1\nequations:\n  positions: {{x: 1}}\n  velocities: {{v: 0}}\n"
      "  forces: {{v: -x + {}*v}}\n  energy: {{kinetic: v^2/2, potential: x^2/2, power: 0}}\n",
      push);
}

class CertificateOfEveryMethod : public testing::TestWithParam<std::string> {};

TEST_P(CertificateOfEveryMethod, IsRefutedWhereEnergyComesFromNowhere) {
  const Ran right = run_model(oscillator(0), GetParam(), 10, 1e-5);
  EXPECT_THAT(right.report.against, IsEmpty());
  EXPECT_LE(right.report.energy.balance_error, right.report.energy.allowed);
  const Ran wrong = run_model(oscillator(0.05), GetParam(), 10, 1e-5);
  ASSERT_EQ(wrong.report.driver.reason, Reason::finished);
  ASSERT_EQ(wrong.report.against.size(), 1u);
  EXPECT_THAT(wrong.report.against[0], HasSubstr("do not balance"));
  EXPECT_FALSE(verdict_of(wrong).ok);
  EXPECT_EQ(verdict_of(wrong).colour, "red");
  EXPECT_EQ(verdict_of(wrong).reason, "refuted");
}

/// Fixed steps keep no tolerance, but what their errors do not explain counts against them too.
TEST_P(CertificateOfEveryMethod, IsRefutedWithFixedStepsToo) {
  if (find_method(GetParam())->integrate) return;  // has no fixed steps
  for (const double push : {0.0, 0.05})
    for (const double step : {0.001, 3e-4}) {
      Ran run;
      Diagnostics faults;
      run.prepared = prepare(model_of(oscillator(push)), {}, faults);
      SimulateOptions options;
      options.method = GetParam();
      options.t_end = 10;
      options.driver.fixed_step = step;
      run.report = simulate(run.prepared, options, {}, {}, faults);
      ASSERT_EQ(run.report.driver.reason, Reason::finished) << run.report.driver.message;
      if (push == 0) {
        EXPECT_THAT(run.report.against, IsEmpty()) << step;
        continue;
      }
      ASSERT_EQ(run.report.against.size(), 1u) << step;
      EXPECT_THAT(run.report.against[0], HasSubstr("the estimate of errors explains"));
      EXPECT_EQ(verdict_of(run).reason, "refuted");
    }
}

/// Steps so long that the result is another motion never pass for right: with energy or without.
TEST_P(CertificateOfEveryMethod, SaysWhereFixedStepsAreTooLong) {
  if (find_method(GetParam())->integrate) return;
  int wrong = 0;
  const std::string with = oscillator(0);
  for (const std::string& text : {with, with.substr(0, with.find("  energy"))})
    for (const double step : {0.1, 0.5, 1.0, 2.0, 4.0}) {
      Ran run;
      Diagnostics faults;
      run.prepared = prepare(model_of(text), {}, faults);
      SimulateOptions options;
      options.method = GetParam();
      options.t_end = 100 * step;
      options.driver.fixed_step = step;
      run.report = simulate(run.prepared, options, {}, {}, faults);
      if (run.report.driver.reason != Reason::finished) continue;
      if (std::abs(run.end().p[0] - std::cos(100 * step)) < 0.5) continue;
      ++wrong;
      EXPECT_FALSE(run.report.against.empty() && run.report.remarks.empty()) << step;
      EXPECT_NE(verdict_of(run).colour, "green") << step;
    }
  const Method& method = *find_method(GetParam());
  if (!method.exact_if_linear && method.order < 8) {
    EXPECT_GT(wrong, 0);
  }
}

INSTANTIATE_TEST_SUITE_P(Methods, CertificateOfEveryMethod, testing::ValuesIn(methods_of_order_2()),
                         [](const auto& p) { return p.param; });

/// Everything a run shows passes on the models that ship.
class CertificateOfEveryModel : public testing::TestWithParam<std::string> {};

TEST_P(CertificateOfEveryModel, HasNothingAgainstIt) {
  const Model model = shipped(GetParam());
  for (const char* method : {"rn4", "dopri5", "radau5", "bdf", "generalized_alpha"})
    for (const double tolerance : {1e-3, 1e-6}) {
      Diagnostics faults;
      Prepared run = prepare(model, {}, faults);
      SimulateOptions options;
      options.method = method;
      options.t_end = run.start.state.t + 0.3;
      options.driver.tolerance = tolerance;
      options.driver.max_steps = 2000;
      const RunReport report = simulate(run, options, {}, {}, faults);
      EXPECT_THAT(report.against, IsEmpty()) << method << " at " << tolerance;
    }
}

INSTANTIATE_TEST_SUITE_P(Models, CertificateOfEveryModel, testing::ValuesIn(shipped_names()),
                         [](const auto& p) { return p.param; });

/// A run of the four-bar linkage whose steps are shown to the monitor, the fifth of them with a
/// position that is not where the velocities lead.
std::vector<std::string> against_a_jump(double jump) {
  Diagnostics faults;
  Prepared run = prepare(shipped("n_four_bar"), {}, faults);
  const Choice choice = choose_method("rn4", faults);
  SimulateOptions options;
  options.driver.tolerance = 1e-6;
  const auto problem =
      choice.formulation->make(*run.system, complete_options(choice.formulation->options, {}));
  RunMemory memory;
  const Watchers nobody;
  Monitor monitor(run, *choice.method, options, nobody, memory);
  (void)monitor.begin(run.start.state, run.start.a);
  monitor.judge_by(problem->default_scale(1e-6), run.start.state);
  int steps = 0;
  State state = run.start.state;
  (void)integrate(*problem, *choice.method, state, state.t + 0.2, options.driver,
                  [&](const StepView& step) {
                    DenseStep dense = *step.dense;
                    if (++steps == 5) dense.to.q[0] += jump;
                    StepView shown = step;
                    shown.dense = &dense;
                    return monitor.observe(shown);
                  });
  EXPECT_GT(steps, 5);
  return memory.report.against;
}

TEST(Certificate, RefutesPositionsThatJump) {
  EXPECT_THAT(against_a_jump(0), IsEmpty());
  const auto against = against_a_jump(0.05);
  ASSERT_EQ(against.size(), 1u);
  EXPECT_THAT(against[0], HasSubstr("not of one motion"));
}

PrepareRun making(const std::string& text) {
  return [text] {
    Diagnostics faults;
    return prepare(model_of(text), {}, faults);
  };
}

SimulateOptions gridded(const std::string& method, double t_end, double tolerance) {
  SimulateOptions out;
  out.method = method;
  out.t_end = t_end;
  out.every = t_end / 100;
  out.driver.tolerance = tolerance;
  return out;
}

const std::string pendulum =
    "kardan: 1\ndimension: 2\ngravity: [0, -9.81]\nbodies:\n"
    "  rod: {mass: 1, inertia: 1/12, position: [0.5, 0], markers: {foot: {at: [-0.5, 0]}}}\n"
    "joints:\n  pin: {type: revolute, between: [ground, rod.foot]}\n";

TEST_P(CertificateOfEveryMethod, IsConfirmedByAnotherAndContradictedWhereItsMotionIsDisturbed) {
  const PrepareRun make = making(pendulum);
  const SimulateOptions options = gridded("radau5", 1, 1e-9);
  Prepared run = make();
  RunReport report;
  Diagnostics faults;
  std::optional<Trajectory> motion = trajectory(run, options, report, faults);
  ASSERT_TRUE(motion);
  const Crossing right = cross(make, options, GetParam(), *motion, 1e-5, 5000);
  EXPECT_FALSE(right.method.empty());
  EXPECT_EQ(right.differs, "");
  for (Vector& row : motion->rows) row[2] += 1e-3;
  const Crossing wrong = cross(make, options, GetParam(), *motion, 1e-5, 5000);
  EXPECT_THAT(wrong.differs, HasSubstr("apart"));
}

TEST(Certificate, ContradictsMultipliersOnAnotherBranch) {
  const PrepareRun make = making(pendulum);
  const SimulateOptions options = gridded("rn4", 1, 1e-9);
  Prepared run = make();
  RunReport report;
  Diagnostics faults;
  std::optional<Trajectory> motion = trajectory(run, options, report, faults);
  ASSERT_TRUE(motion);
  ASSERT_EQ(motion->names.back(), "pin.lambda[1]");
  for (Vector& row : motion->rows) row.back() = -row.back();
  EXPECT_THAT(cross(make, options, "rn4", *motion, 1e-5, 5000).differs, HasSubstr("pin.lambda[1]"));
}

TEST(Certificate, MeasuresHowErrorsAtTheStartGrow) {
  // exp(3 t) of a dynamic variable.
  const PrepareRun make = making(
      "kardan: 1\nequations:\n  positions: {x: 1}\n  velocities: {v: 0}\n  forces: {v: -x}\n"
      "  dynamic: {r: {start: 1, rate: 3*(r - cos(t)) - sin(t)}}\n");
  const SimulateOptions options = gridded("rodasp", 5, 1e-10);
  Prepared run = make();
  RunReport report;
  Diagnostics faults;
  const std::optional<Trajectory> motion = trajectory(run, options, report, faults);
  ASSERT_TRUE(motion);
  long steps = 0;
  const std::optional<double> grown = magnification(make, options, *motion, steps);
  ASSERT_TRUE(grown);
  EXPECT_GT(*grown, std::exp(15.0) / 5);
  EXPECT_LT(*grown, std::exp(15.0) * 5);
}

TEST(Certificate, SaysThatWhatRoundingDecidesCannotBeKnown) {
  // exp(13 * 5): the start of a motion that nothing decides.
  const Certification c =
      certify(making("kardan: 1\nequations:\n  positions: {x: 0}\n  velocities: {v: 0}\n"
                     "  forces: {v: 169*sin(x)}\n"),
              gridded("rn4", 5, 1e-4), {}, *std::make_unique<Diagnostics>());
  EXPECT_EQ(c.accuracy.verdict, Certified::out_of_reach) << c.accuracy.message;
  EXPECT_THAT(c.accuracy.message, HasSubstr("cannot be known"));
}

TEST(Certificate, IsGreenOnlyWhereNothingIsRemarked) {
  Ran run = run_model(pendulum, "rn4", 0.5, 1e-6);
  EXPECT_EQ(verdict_of(run).colour, "green");
  run.report.remarks.emplace_back("rod was moved by 0.1 m");
  EXPECT_EQ(verdict_of(run).colour, "amber");
  EXPECT_TRUE(verdict_of(run).ok);
  EXPECT_THAT(verdict_of(run).sentences, testing::Contains("Rod was moved by 0.1 m."));
  run.report.driver.reason = Reason::step_too_small;
  EXPECT_EQ(verdict_of(run).colour, "red");
}

TEST(Certificate, SpeaksOfTheTolerancesThatWereAsked) {
  Ran run = run_model(pendulum, "rn4", 0.5, 1e-7);
  run.report.asked.relative = 5;
  EXPECT_THAT(verdict_of(run).sentences, testing::Contains(HasSubstr("5 relative, 1e-7 absolute")));
}

}  // namespace
}  // namespace kardan
