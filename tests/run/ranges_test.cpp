/// Numbers that mean nothing are refused by the library itself, whoever asks.

#include "kardan/run/ranges.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "kardan/run/simulate.h"
#include "support/models.h"

namespace kardan {
namespace {

using testing::HasSubstr;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double inf = std::numeric_limits<double>::infinity();

std::string faults_of(const SimulateOptions& options) {
  Diagnostics faults;
  check_ranges(options, 0, {}, faults);
  return format(faults);
}

TEST(Ranges, OfTheDefaultsAreGood) {
  EXPECT_EQ(faults_of({}), "");
}

TEST(Ranges, RefuseEveryNumberThatIsNotFiniteOrNegative) {
  const std::pair<const char*, double SimulateOptions::*> options[] = {
      {"t_end", &SimulateOptions::t_end},
      {"every", &SimulateOptions::every},
      {"checkpoint_every", &SimulateOptions::checkpoint_every},
      {"relative", &SimulateOptions::relative},
      {"absolute", &SimulateOptions::absolute}};
  const std::pair<const char*, double DriverOptions::*> controls[] = {
      {"tolerance", &DriverOptions::tolerance},
      {"first_step", &DriverOptions::first_step},
      {"smallest_step", &DriverOptions::smallest_step},
      {"largest_step", &DriverOptions::largest_step},
      {"step", &DriverOptions::fixed_step},
      {"safety", &DriverOptions::safety},
      {"growth", &DriverOptions::growth},
      {"shrink", &DriverOptions::shrink},
      {"keep_below", &DriverOptions::keep_below},
      {"event_resolution", &DriverOptions::event_resolution}};
  for (double value : {nan, inf, -inf, -1.0}) {
    for (const auto& [name, member] : options) {
      if (value == -1 && member == &SimulateOptions::t_end)
        continue;  // before the start: the driver
      SimulateOptions o;
      o.*member = value;
      EXPECT_THAT(faults_of(o), HasSubstr(name)) << value;
    }
    for (const auto& [name, member] : controls) {
      SimulateOptions o;
      o.driver.*member = value;
      EXPECT_THAT(faults_of(o), HasSubstr(name)) << value;
    }
  }
}

TEST(Ranges, RefuseTolerancesThatAskForNothingOrForTooMuch) {
  for (double value : {5.0, 0.11, 1e-15}) {
    SimulateOptions o;
    o.driver.tolerance = value;
    EXPECT_THAT(faults_of(o), HasSubstr("tolerance.range"));
    o = {};
    o.relative = value;
    EXPECT_THAT(faults_of(o), HasSubstr("tolerance.range"));
  }
}

TEST(Ranges, BoundTheGridAndTheStepBelow) {
  SimulateOptions o;
  o.every = 1e-10;
  EXPECT_THAT(faults_of(o), HasSubstr("every"));
  o = {};
  o.driver.fixed_step = 1e-16;
  EXPECT_THAT(faults_of(o), HasSubstr("step"));
}

TEST(Ranges, AreCheckedByEveryRun) {
  Diagnostics faults;
  Prepared prepared = prepare(test::shipped("pendulum"), {}, faults);
  SimulateOptions o;
  o.t_end = nan;
  (void)simulate(prepared, o, {}, {}, faults);
  EXPECT_THAT(format(faults), HasSubstr("t_end = nan"));
}

TEST(Ranges, TellWhereANumberStands) {
  SimulateOptions o;
  o.t_end = inf;
  Diagnostics faults;
  check_ranges(
      o, 0,
      [](std::string_view) {
        return SourceLocation{{"m.yaml"}, 7, 3};
      },
      faults);
  EXPECT_THAT(format(faults), HasSubstr("m.yaml:7:3"));
}

}  // namespace
}  // namespace kardan
