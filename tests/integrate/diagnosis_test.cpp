/// Every way in which a start or a run can fail has a name; each test provokes one.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "integrate/runs.h"
#include "kardan/io/model_reader.h"

namespace kardan {
namespace {

using namespace test;
using testing::HasSubstr;

constexpr const char* rod_on_a_pin = R"(
kardan: 1
dimension: 2
bodies:
  rod: {mass: 1, inertia: 0.1, position: [0.5, 0]}
  loose: {mass: 1, inertia: 0.1, position: [0, 1]}
joints: {pin: {type: revolute, between: [ground, {body: rod, at: [-0.5, 0]}]}}
)";

/// How the start is found with conditions.
AssemblyReport started(const std::string& conditions) {
  Diagnostics diagnostics;
  const auto model = read_model_text(rod_on_a_pin + conditions, "test.yaml", {}, diagnostics);
  if (!model) return {};
  const Prepared p = prepare(*model, {}, diagnostics);
  EXPECT_FALSE(diagnostics.has_errors()) << format(diagnostics);
  return p.start.report;
}

TEST(StartDiagnoses, NameAContradictionOfConditions) {
  const AssemblyReport r = started("assemble: [{want: rod.x, equals: 2}]\n");
  EXPECT_NE(r.status, Eval::ok);
  EXPECT_EQ(r.diagnosis, Diagnosis::start_contradictory);
  EXPECT_THAT(r.message, HasSubstr("rod.x"));
}

TEST(StartDiagnoses, TellASearchThatDoesNotComeToRest) {
  const AssemblyReport r = started("assemble: [{want: loose.x, equals: 1e9}]\n");
  EXPECT_NE(r.status, Eval::ok);
  EXPECT_EQ(r.diagnosis, Diagnosis::start_not_found);
  EXPECT_THAT(r.message, HasSubstr("loose.x"));
}

TEST(StartDiagnoses, TellThatConditionsLeaveSomethingFree) {
  const AssemblyReport r = started("assemble: [{want: rod.omega, equals: 1}]\n");
  EXPECT_EQ(r.status, Eval::ok) << r.message;
  EXPECT_EQ(r.diagnosis, Diagnosis::start_not_determined);
  EXPECT_FALSE(r.free_positions.empty());
}

TEST(StartDiagnoses, AreNoneWithoutConditions) {
  EXPECT_EQ(started("").diagnosis, Diagnosis::none);
}

TEST(RunDiagnoses, NameATolerance) {
  DriverOptions options;
  options.tolerance = 0;
  const Ended end =
      run_on(model_text(rod_on_a_pin), *find_method("radau5"), "strangeness_free", 1, options);
  EXPECT_EQ(end.report.reason, Reason::refused);
  EXPECT_EQ(end.report.diagnosis, Diagnosis::options_wrong);
}

TEST(RunDiagnoses, NameAnObserverThatStops) {
  const Ended end = run_on(model_text(rod_on_a_pin), *find_method("radau5"), "strangeness_free", 1,
                           {}, {}, [](const StepView&) { return std::string("enough"); });
  EXPECT_EQ(end.report.diagnosis, Diagnosis::stopped);
}

/// Below 1e-10 round-off, magnified near the position, is above the tolerance.
TEST(RunDiagnoses, NameASingularPositionThatCannotBePassedSoAccurately) {
  DriverOptions options;
  options.tolerance = 1e-12;
  const Ended end = run_on(model_file("n_four_bar.yaml", {{"N", 2.0}}), *find_method("radau5"),
                           "strangeness_free", 1, options);
  EXPECT_EQ(end.report.reason, Reason::step_too_small);
  EXPECT_EQ(end.report.diagnosis, Diagnosis::singular_position);
  EXPECT_THAT(end.report.message, HasSubstr("left_"));
}

/// What used to be lucky: every tolerance down to where round-off ends it.
TEST(SingularPositions, ArePassedAtTolerancesDownToOneInTenBillion) {
  for (const double N : {1.0, 2.0})
    for (const double tolerance : {1e-4, 1e-6, 1e-8, 1e-10}) {
      DriverOptions options;
      options.tolerance = tolerance;
      const Ended end = run_on(model_file("n_four_bar.yaml", {{"N", N}}), *find_method("radau5"),
                               "strangeness_free", 4, options);
      EXPECT_EQ(end.report.reason, Reason::finished) << N << ' ' << tolerance;
    }
}

}  // namespace
}  // namespace kardan
