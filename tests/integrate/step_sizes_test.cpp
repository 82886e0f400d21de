/// Steps from errors, and from what the linearized equations foresee.

#include "kardan/integrate/step_sizes.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "integrate/free_problem.h"

namespace kardan {
namespace {

const Method& rn4_method() {
  return *find_method("rn4");
}

TEST(StepSizes, FollowTheFourthRootOfTheError) {
  DriverOptions options;
  options.safety = 0.5;
  const StepSizes sizes(rn4_method(), options);
  EXPECT_DOUBLE_EQ(sizes.next(0.1, 1, {}, 5), 0.05);
  EXPECT_DOUBLE_EQ(sizes.next(0.1, 1.0 / 16, {}, 5), 0.1);
  EXPECT_DOUBLE_EQ(sizes.next(0.1, 1e-9, {}, 5), 0.5);
  EXPECT_DOUBLE_EQ(sizes.next(0.1, 1e9, {}, 5), 0.1 * options.shrink);
  StepMemory as_foreseen;
  as_foreseen.foreseen = 1.2;
  EXPECT_DOUBLE_EQ(sizes.next(0.1, 1, as_foreseen, 5), 0.075) << "half the safety";
}

TEST(StepSizes, SecondRejectionFollowsThePowerSeen) {
  const DriverOptions options;
  const StepSizes sizes(rn4_method(), options);
  const double k = rn4_method().error_order + 1, share = options.safety;
  EXPECT_NEAR(sizes.after_rejection(0.1, 4, 0, 0), 0.1 * share * std::pow(4, -1 / k), 1e-15);
  // From 8 to 4 in half the step: the error falls with h, not with h^4.
  EXPECT_NEAR(sizes.after_rejection(0.05, 4, 0.1, 8), 0.05 * share / 4, 1e-15);
}

/// What a mode that has died out within the step leaves: no power of h, but a bound.
double saturating(double h) {
  return 50 * std::pow(h / (h + 1e-3), 4);
}

TEST(StepSizes, FirstStepIsWithinTheTolerance) {
  const DriverOptions options;
  const StepSizes sizes(rn4_method(), options);
  int trials = 0;
  const auto foreseen = sizes.begin(3, [&](double h) {
    ++trials;
    return saturating(h);
  });
  EXPECT_LE(foreseen.error, 1);
  EXPECT_DOUBLE_EQ(foreseen.error, saturating(foreseen.h));
  EXPECT_GT(saturating(3 * foreseen.h), 1) << "not much shorter than needed";
  EXPECT_LE(trials, 10);
  EXPECT_DOUBLE_EQ(sizes.begin(1e-4, saturating).h, 1e-4) << "never longer than the wish";
}

StepMemory known(double ratio) {
  StepMemory memory;
  memory.foreseen = ratio;
  return memory;
}

TEST(StepSizes, ForesightIsFollowedOnlyWhereErrorsFollowedIt) {
  const DriverOptions options;
  const StepSizes sizes(rn4_method(), options);
  const auto fourth_power = [](double h) { return std::pow(h / 0.1, 4); };
  EXPECT_DOUBLE_EQ(sizes.foresee(0.02, known(0), fourth_power).h, 0.02);
  EXPECT_DOUBLE_EQ(sizes.foresee(0.2, known(0), fourth_power).h, 0.2);
  EXPECT_LT(sizes.foresee(0.2, known(1), fourth_power).h, 0.1);
  EXPECT_DOUBLE_EQ(sizes.foresee(0.01, known(1), fourth_power).h, 0.05) << "but not too far";
  EXPECT_NEAR(sizes.foresee(0.05, known(1), fourth_power).h, 0.09, 1e-3) << "half the safety";
  const auto unknown = sizes.foresee(0.02, known(1), [](double) { return -1.0; });
  EXPECT_DOUBLE_EQ(unknown.h, 0.02);
  EXPECT_DOUBLE_EQ(StepSizes::compare(known(1), unknown, 0.02, 0.5), 0);
}

TEST(StepSizes, SurprisesAreNotLookedAtForAFewSteps) {
  EXPECT_DOUBLE_EQ(StepSizes::compare(known(1), {0.1, 0.4}, 0.1, 0.6), 1.5);
  EXPECT_DOUBLE_EQ(StepSizes::compare(known(0), {0.1, 0.4}, 0.1, 0.3), 1) << "never below";
  EXPECT_DOUBLE_EQ(StepSizes::compare(known(1), {0.1, 0.4}, 0.05, 0.4), 0) << "another step";
  StepMemory memory = known(StepSizes::compare(known(1), {0.1, 0.4}, 0.1, 1));
  int steps = 0;
  for (; !StepSizes::may_look(memory); ++steps)
    memory.foreseen = StepSizes::compare(memory, {}, 0.1, 0.5);
  EXPECT_EQ(steps, 4);
  EXPECT_FALSE(StepSizes::may_look(known(StepSizes::compare(known(1), {0.1, 0.4}, 0.1, 0.1))));
  EXPECT_FALSE(StepSizes::may_look({})) << "before the first event";
}

/// x'' = -9 x - 0.5 x' + 2 z, z' = -x + 3 x' - 100 z + t: linear, all blocks of the Jacobian but
/// none of M.
test::FreeProblem spring_problem() {
  return {1, 1,
          [](double t, const Local& y, LocalRate& out) {
            out.a = {-9 * y.x[0] - 0.5 * y.u[0] + 2 * y.z[0]};
            out.b = {-y.x[0] + 3 * y.u[0] - 100 * y.z[0] + t};
          },
          [](double, const Local&, LocalJacobian& out) {
            out.A_x(0, 0) = -9;
            out.A_u(0, 0) = -0.5;
            out.A_z(0, 0) = 2;
            out.B_x(0, 0) = -1;
            out.B_u(0, 0) = 3;
            out.B_z(0, 0) = -100;
            out.B_t = {1};
          }};
}

class Foresight : public testing::TestWithParam<const char*> {};

TEST_P(Foresight, IsTheStepItselfOnLinearEquations) {
  const Method& method = *find_method(GetParam());
  test::FreeProblem problem = spring_problem();
  State state;
  state.t = 0.3;
  state.p = {1};
  state.v = {2};
  state.r = {0.5};
  ASSERT_EQ(problem.rebase(state), Eval::ok);
  LocalJacobian jacobian;
  ASSERT_EQ(problem.jacobian(jacobian), Eval::ok);
  const ErrorScale scale = problem.default_scale(1e-6);
  const StepStart start{state.t, &problem.base(), &problem.base_rate(), &jacobian, &state, &scale};
  const auto stepper = method.make({});
  StepForesight* const foresight = stepper->abilities().foresight;
  ASSERT_TRUE(foresight);
  Trial foreseen, taken;
  Counters counters;
  ASSERT_TRUE(foresight->foresee(start, 0.07, foreseen, counters));
  EXPECT_EQ(counters.evaluations, 0);
  ASSERT_EQ(stepper->attempt(problem, start, 0.07, taken, counters), Eval::ok);
  EXPECT_GT(counters.evaluations, 0);
  EXPECT_EQ(counters.factorizations, 1) << "one for both";
  EXPECT_NEAR(foreseen.y.x[0], taken.y.x[0], 1e-15);
  EXPECT_NEAR(foreseen.y.u[0], taken.y.u[0], 1e-14);
  EXPECT_NEAR(foreseen.y.z[0], taken.y.z[0], 1e-14);
  EXPECT_NEAR(foreseen.error.x[0], taken.error.x[0], 1e-15);
  EXPECT_NEAR(foreseen.error.u[0], taken.error.u[0], 1e-14);
  EXPECT_NEAR(foreseen.error.z[0], taken.error.z[0], 1e-14);
  EXPECT_GT(std::abs(taken.error.u[0]), 1e-9) << "there is an error to foresee";
}

INSTANTIATE_TEST_SUITE_P(Methods, Foresight, testing::Values("rn4", "rodasp", "ros2w"));

/// Per second, but soon after an event: there each e-fold of time is worth the same.
TEST(StepSizes, HoldErrorsPerSecondButSoonAfterAnEvent) {
  DriverOptions options;
  const StepSizes per_step(rn4_method(), options);
  EXPECT_EQ(per_step.allowance(1e-3, 1e-3), 1);
  EXPECT_EQ(per_step.allowance(1e-3, 7), 1);
  options.error_per = ErrorMeasure::per_unit_step;
  const StepSizes per_second(rn4_method(), options);
  EXPECT_DOUBLE_EQ(per_second.allowance(1e-3, 7), 1e-3);
  for (const double since : {1e-8, 1e-6, 1e-4}) {
    double sum = 0, t = since;
    for (const double growth = 1.001; t < std::numbers::e * since; t *= growth)
      sum += per_second.allowance((growth - 1) * t, growth * t);
    EXPECT_NEAR(sum, 0.01, 1e-4) << since;
  }
  // An impact of a second, from its first step on.
  double sum = 0;
  for (double h = 1e-9, t = h; t < 1; t += h, h = 0.01 * t) sum += per_second.allowance(h, t);
  EXPECT_LE(sum, 1.3);
}

}  // namespace
}  // namespace kardan
