/// Every method of the catalog, with a loop of its own or without, begins and ends a run in the
/// same way and with the same words.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>

#include "integrate/runs.h"

namespace kardan {
namespace {

using namespace test;
using testing::EndsWith;

class EveryMethod : public testing::TestWithParam<std::string> {
 protected:
  Ended run_to(double t_end, const DriverOptions& options, const Observer& observer = {}) const {
    const Method& method = *find_method(GetParam());
    return run_on(model_file("pendulum.yaml"), method, method.formulation, t_end, options, {},
                  observer);
  }
};

TEST_P(EveryMethod, RefusesAnEndBeforeTheStart) {
  const DriverReport report = run_to(-1, {}).report;
  EXPECT_EQ(report.reason, Reason::refused);
  EXPECT_EQ(report.diagnosis, Diagnosis::end_before_start);
  EXPECT_EQ(report.message, "the end, t = -1, lies before the start, t = 0");
  EXPECT_EQ(report.advice, "give a later end");
  EXPECT_EQ(report.counters.evaluations, 0) << "before anything is done";
}

TEST_P(EveryMethod, RefusesAToleranceThatIsNone) {
  for (const double tolerance : {0.0, -1e-6, std::nan("")}) {
    DriverOptions options;
    options.tolerance = tolerance;
    const DriverReport report = run_to(1, options).report;
    EXPECT_EQ(report.reason, Reason::refused) << tolerance;
    EXPECT_EQ(report.diagnosis, Diagnosis::options_wrong) << tolerance;
    EXPECT_THAT(report.message, testing::StartsWith("the tolerance is")) << tolerance;
  }
}

TEST_P(EveryMethod, TakesNoMoreStepsThanItMay) {
  DriverOptions options;
  options.max_steps = 3;
  const DriverReport report = run_to(100, options).report;
  EXPECT_EQ(report.reason, Reason::too_many_steps) << report.message;
  EXPECT_EQ(report.diagnosis, Diagnosis::too_many_steps);
  EXPECT_THAT(report.message, EndsWith(": 3 steps were taken"));
  EXPECT_EQ(report.counters.steps, 3);
  EXPECT_GT(report.t, 0);
}

TEST_P(EveryMethod, EndsWhereItIsInterrupted) {
  DriverOptions options;
  options.interrupt = [] { return std::string("that is enough"); };
  const DriverReport report = run_to(1, options).report;
  EXPECT_EQ(report.reason, Reason::interrupted) << report.message;
  EXPECT_EQ(report.diagnosis, Diagnosis::interrupted);
  EXPECT_EQ(report.message, "t = 0: that is enough");
  EXPECT_EQ(report.counters.steps, 0);
  EXPECT_EQ(report.smallest_step, 0) << "there was none";
}

TEST_P(EveryMethod, EndsWhereItsObserverSaysSo) {
  const DriverReport report =
      run_to(100, {}, [](const StepView&) { return std::string("seen"); }).report;
  EXPECT_EQ(report.reason, Reason::stopped) << report.message;
  EXPECT_EQ(report.diagnosis, Diagnosis::stopped);
  EXPECT_EQ(report.message, "seen");
  EXPECT_EQ(report.counters.steps, 1);
  EXPECT_DOUBLE_EQ(report.t, report.largest_step);
}

TEST_P(EveryMethod, DoesNotTakeAnObserversFaultForOneOfTheModel) {
  const auto fails = [](const StepView&) -> std::string { throw std::runtime_error("mine"); };
  EXPECT_THROW((void)run_to(1, {}, fails), std::runtime_error);
}

std::vector<std::string> all_names() {
  std::vector<std::string> out;
  for (const Method& m : methods()) out.emplace_back(m.name);
  return out;
}
INSTANTIATE_TEST_SUITE_P(Catalog, EveryMethod, testing::ValuesIn(all_names()),
                         [](const auto& test) { return test.param; });

}  // namespace
}  // namespace kardan
