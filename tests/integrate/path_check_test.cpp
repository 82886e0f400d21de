/// What no free coordinate controls is held along the path of every step: prescribed motion, the
/// branch of closed positions, and turns.

#include "kardan/integrate/path_check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "integrate/free_problem.h"
#include "integrate/runs.h"
#include "integrate/wrapped_problem.h"

namespace kardan {
namespace {

using namespace test;

constexpr const char* slider_crank = R"(
kardan: 1
dimension: 2
parameters: {r: 0.05, l: 0.15, w: 3000*tau/60}
bodies:
  crank: {mass: 1, inertia: 1e-3, markers: {pin: {at: [r, 0]}}}
  rod: {mass: 0.5, inertia: 1e-3, position: [r + l/2, 0], markers: {big: {at: [-l/2, 0]}, small: {at: [l/2, 0]}}}
  piston: {mass: 0.4, inertia: 1e-4, position: [r + l, 0]}
joints:
  main: {type: revolute, between: [ground, crank]}
  big: {type: revolute, between: [crank.pin, rod.big]}
  small: {type: revolute, between: [rod.small, piston]}
  bore: {type: prismatic, between: [ground, piston]}
drivers:
  motor: {type: driver, between: [ground, crank], motion: w*t}
)";
constexpr double speed = 100 * std::numbers::pi;

double piston(double t) {
  const double x = 0.05 * std::cos(speed * t), y = 0.05 * std::sin(speed * t);
  return x + std::sqrt(0.15 * 0.15 - y * y);
}

/// Steps of more than half a revolution cannot tell branches apart: an end, not a result. Short
/// ones are taken as they come.
TEST(PathCheck, EndsARunWhereAFixedStepMayLeaveTheBranch) {
  int begun = 0;
  for (const Method& m : methods()) {
    if (m.integrate) continue;  // these have no fixed steps
    ++begun;
    for (const double revolutions : {0.7, 0.01}) {
      SimulateOptions options;
      options.method = m.name;
      options.driver.fixed_step = revolutions * 2 * std::numbers::pi / speed;
      options.t_end = 30 * options.driver.fixed_step;
      Prepared p = model_text(slider_crank);
      Diagnostics diagnostics;
      const RunReport r = simulate(p, options, {}, {}, diagnostics);
      if (revolutions > 0.5) {
        EXPECT_EQ(r.driver.reason, Reason::step_too_small) << m.name;
        EXPECT_FALSE(r.driver.message.empty()) << m.name;
      } else {
        EXPECT_EQ(r.driver.reason, Reason::finished) << m.name << ": " << r.driver.message;
        EXPECT_NEAR(value(*p.system, p.start.state, "piston.x"), piston(options.t_end),
                    m.order > 1 ? 1e-3 : 3e-2)
            << m.name;
      }
    }
  }
  EXPECT_GE(begun, 20);
}

/// Closed positions are rounded: a defect of that size is no reason for shorter steps, which do not
/// make it smaller.
TEST(PathCheck, StepsDoNotShrinkForRounding) {
  int tried = 0;
  for (const Method& m : methods()) {
    if (m.integrate || m.order < 4) continue;
    ++tried;
    for (const double tolerance : {5e-14, 3e-14}) {
      SimulateOptions options;
      options.method = m.name;
      options.t_end = 0.02;
      options.driver.tolerance = tolerance;
      options.driver.max_steps = 10000;
      Prepared p = model_text(slider_crank);
      Diagnostics diagnostics;
      const RunReport r = simulate(p, options, {}, {}, diagnostics);
      EXPECT_EQ(r.driver.reason, Reason::finished) << m.name << ": " << r.driver.message;
      EXPECT_NEAR(value(*p.system, p.start.state, "piston.x"), piston(options.t_end), 1e-12)
          << m.name << " at " << tolerance;
    }
  }
  EXPECT_GE(tried, 8);
}

/// Both ends of a step of a free problem on a circle, which is no concern of the check; as a
/// prescribed motion it is.
class Prescribed final : public WrappedProblem {
 public:
  explicit Prescribed(ChartProblem& inner) : WrappedProblem(inner) {}
  void constrained_part(Vector&) override {}  // nothing is free
};

ChartPoint on_circle(double t) {
  return {t,
          {std::cos(t), std::sin(t)},
          {-std::sin(t), std::cos(t)},
          {-std::cos(t), -std::sin(t)},
          {},
          {},
          {}};
}

FreeProblem two_coordinates() {
  return {2, 0, [](double, const Local&, LocalRate&) {},
          [](double, const Local&, LocalJacobian&) {}};
}

double allowed_on_circle(ChartProblem& problem, double tolerance, double angle,
                         PathCheck::Steps steps = PathCheck::Steps::controlled) {
  ErrorScale scale;
  scale.relative = 0;
  scale.position = scale.velocity = {tolerance, tolerance};
  PathCheck check(problem, scale, steps);
  (void)check.first_step(on_circle(0));
  DenseStep step;
  step.from = on_circle(0);
  step.to = on_circle(angle);
  return check.allowed(step);
}

TEST(PathCheck, HoldsPrescribedMotionAtTheTolerance) {
  FreeProblem free = two_coordinates();
  Prescribed problem(free);
  for (const double tolerance : {1e-3, 1e-6, 1e-9}) {
    // h^5 / 720 is the defect of the sine.
    const double most = std::pow(720 * tolerance, 0.2);
    EXPECT_LT(allowed_on_circle(problem, tolerance, 1.1 * most), 1) << tolerance;
    EXPECT_GT(allowed_on_circle(problem, tolerance, 0.9 * most), 1) << tolerance;
    EXPECT_GT(allowed_on_circle(free, tolerance, 1), 1) << tolerance;
    // Whole revolutions, too: nothing comes back to itself with its velocity's way.
    for (int k = 1; k < 50; ++k) {
      EXPECT_LT(allowed_on_circle(problem, tolerance, 2 * std::numbers::pi * k), 1) << k;
      EXPECT_LT(allowed_on_circle(problem, tolerance, 0.77 * k + 4), 1) << k;
    }
  }
}

TEST(PathCheck, SeesAnotherBranchAtEveryToleranceAndInFixedSteps) {
  FreeProblem free = two_coordinates();
  Prescribed problem(free);
  for (const PathCheck::Steps steps : {PathCheck::Steps::controlled, PathCheck::Steps::fixed}) {
    EXPECT_GT(allowed_on_circle(problem, 1, 1, steps), 1);
    EXPECT_LT(allowed_on_circle(problem, 1e-3, 4.5, steps), 1);
  }
}

}  // namespace
}  // namespace kardan
