/// A run that cannot go on says why, where and who; what was computed before stands.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "integrate/problems.h"
#include "integrate/runs.h"

namespace kardan {
namespace {

using namespace test;
using testing::HasSubstr;

TEST(Failure, LockUpEndsAtItsTimeAndNamesAJoint) {
  const Prepared model = model_text(stretched_arm);
  for (const Method& method : one_step_methods()) {
    const Ended end = run(model, method, 2, {});
    EXPECT_TRUE(end.report.reason == Reason::step_too_small ||
                end.report.reason == Reason::evaluation_failed)
        << method.name << ": " << to_string(end.report.reason);
    EXPECT_NEAR(end.report.t, 0.7, 1e-3) << method.name;
    EXPECT_LE(end.report.t, 0.7 + 1e-9) << method.name;  // the start is assembled to 1e-11
    EXPECT_THAT(end.report.message, testing::AnyOf(HasSubstr("pull"), HasSubstr("shoulder"),
                                                   HasSubstr("elbow"), HasSubstr("rail")))
        << method.name;
    EXPECT_FALSE(end.report.advice.empty());
  }
}

TEST(Failure, DriversThatContradictEachOtherAreNotIgnored) {
  const Prepared model = model_text(contradiction);
  for (const Method& method : one_step_methods()) {
    const Ended end = run(model, method, 2, {});
    EXPECT_TRUE(end.report.reason == Reason::step_too_small ||
                end.report.reason == Reason::evaluation_failed)
        << method.name << ": " << to_string(end.report.reason);
    EXPECT_NEAR(end.report.t, 0.7, 1e-3) << method.name;
    EXPECT_THAT(end.report.message, testing::AnyOf(HasSubstr("first"), HasSubstr("second")))
        << method.name;
  }
}

TEST(Failure, AForceThatIsNotANumberEndsTheRunAndIsNamed) {
  const Prepared model = model_text(not_a_number);
  for (const Method& method : one_step_methods()) {
    const Ended end = run(model, method, 2, {});
    EXPECT_TRUE(end.report.reason == Reason::step_too_small ||
                end.report.reason == Reason::evaluation_failed)
        << method.name;
    EXPECT_LE(end.report.t, 0.5) << method.name;
    EXPECT_GE(end.report.t, 0.49) << method.name;
    EXPECT_THAT(end.report.message, HasSubstr("broken")) << method.name;
    for (double p : end.state.p) EXPECT_TRUE(std::isfinite(p));
  }
}

TEST(Failure, AFixedStepThatCannotBeSolvedIsNotShortenedSilently) {
  DriverOptions options;
  options.fixed_step = 0.011;
  const Ended end = run(model_text(not_a_number), *find_method("rn4"), 2, options);
  EXPECT_EQ(end.report.reason, Reason::step_too_small);
  EXPECT_THAT(end.report.message, HasSubstr("0.011"));
}

TEST(Failure, TooManyStepsIsAReason) {
  DriverOptions options;
  options.max_steps = 10;
  const Ended end = run(model_text(kepler), *find_method("rn4"), 100, options);
  EXPECT_EQ(end.report.reason, Reason::too_many_steps);
  EXPECT_EQ(end.report.counters.steps, 10);
  EXPECT_THAT(end.report.message, HasSubstr("10 steps"));
  EXPECT_EQ(end.report.t, end.state.t);
}

TEST(Failure, AnObserverEndsTheRunWithItsReason) {
  double seen = 0;
  const Ended end =
      run(model_text(kepler), *find_method("rn4"), 100, {}, [&](const StepView& step) {
        seen = step.t;
        return step.t > 1 ? std::string("passed one second") : std::string();
      });
  EXPECT_EQ(end.report.reason, Reason::stopped);
  EXPECT_EQ(end.report.message, "passed one second");
  EXPECT_EQ(end.state.t, seen);
}

}  // namespace
}  // namespace kardan
