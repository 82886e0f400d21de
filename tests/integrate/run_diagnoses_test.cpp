/// Runs that must end, each for a reason of its own, on the smallest equations that have it.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "integrate/runs.h"
#include "kardan/formulation/assembly.h"
#include "kardan/formulation/catalog.h"
#include "kardan/system/automatic_equations.h"

namespace kardan {
namespace {

using namespace test;
using testing::HasSubstr;

/// radau5 on equations from their start, which is consistent as it is.
template <class Function>
DriverReport run_equations(UserDescription description, Function function, double t_end,
                           const DriverOptions& options = {}) {
  Diagnostics diagnostics;
  const auto system = make_system(std::move(description), std::move(function), diagnostics);
  EXPECT_TRUE(system) << format(diagnostics);
  if (!system) return {};
  const Formulation& f = *find_formulation("strangeness_free");
  const auto problem = f.make(*system, complete_options(f.options, {}));
  State state = system->start();
  DriverReport report = integrate(*problem, *find_method("radau5"), state, t_end, options, {});
  fmt::print("{}\n", report.message);
  return report;
}

void expect_end(const DriverReport& report, Diagnosis diagnosis, double after, double before) {
  EXPECT_EQ(report.reason, Reason::step_too_small) << report.message;
  EXPECT_EQ(to_string(report.diagnosis), to_string(diagnosis)) << report.message;
  EXPECT_THAT(report.message, HasSubstr(std::string(to_string(diagnosis))));
  EXPECT_GE(report.t, after);
  EXPECT_LE(report.t, before);
}

/// A force that jumps at t = 0.5, and steps that may not become small enough to pass it.
TEST(RunDiagnoses, NameErrorsThatStayAboveTheTolerance) {
  const auto jump = [](const auto& x, auto& y) {
    y.M(0, 0) = 1;
    y.f[0] = x.t < 0.5 ? 0 : 1;
  };
  DriverOptions options;
  options.first_step = 0.01;
  options.smallest_step = 1e-3;
  options.tolerance = 1e-9;
  expect_end(run_equations({.name = "jump", .positions = {{"x", 0}}, .velocities = {{"v", 1}}},
                           jump, 1, options),
             Diagnosis::error_test, 0.4, 0.5);
}

/// Dry friction whose derivative is given as zero: where the motion comes to rest, every correction
/// throws the velocity to the other side.
TEST(RunDiagnoses, NameAnIterationThatDoesNotConverge) {
  const auto friction = [](const auto& x, auto& y) {
    y.M(0, 0) = 1;
    y.f[0] = x.v[0] > 0 ? -1e6 : 1e6;
  };
  DriverOptions options;
  options.tolerance = 1e-12;
  expect_end(run_equations({.name = "friction", .positions = {{"x", 0}}, .velocities = {{"v", 1}}},
                           friction, 1, options),
             Diagnosis::newton_slow, 0.999e-6, 1.001e-6);
}

/// Two equations that determine the sum of two variables alone, as far as doubles go.
TEST(RunDiagnoses, NameAStepMatrixThatIsSingular) {
  const auto sum = [](const auto& x, auto& y) {
    y.M(0, 0) = 1;
    y.b[0] = -1e40 * (x.r[0] + x.r[1]);
    y.b[1] = -1e40 * (x.r[0] + x.r[1]);
  };
  expect_end(run_equations({.name = "sum",
                            .positions = {{"x", 0}},
                            .velocities = {{"v", 1}},
                            .dynamic = {{"r1", 1}, {"r2", -1}}},
                           sum, 1),
             Diagnosis::step_matrix_singular, 0, 0);
}

/// A mass that is used up at t = 0.5.
TEST(RunDiagnoses, NameAccelerationsThatNothingDetermines) {
  const auto rocket = [](const auto& x, auto& y) {
    if (x.t < 0.5) y.M(0, 0) = 0.5 - x.t;
  };
  const DriverReport report = run_equations(
      {.name = "rocket", .positions = {{"x", 0}}, .velocities = {{"v", 1}}}, rocket, 1);
  expect_end(report, Diagnosis::accelerations_singular, 0.499, 0.5);
  EXPECT_THAT(report.message, HasSubstr("mass matrix and constraints"));
}

/// w^2 = 0.5 - t ends to have a solution.
TEST(RunDiagnoses, NameAuxiliaryVariablesThatAreNotFound) {
  const auto fold = [](const auto& x, auto& y) {
    y.M(0, 0) = 1;
    y.f[0] = x.w[0];
    y.d[0] = x.w[0] * x.w[0] - 0.5 + x.t;
  };
  const DriverReport report = run_equations({.name = "fold",
                                             .positions = {{"x", 0}},
                                             .velocities = {{"v", 1}},
                                             .auxiliary = {{"w", std::sqrt(0.5)}}},
                                            fold, 1);
  expect_end(report, Diagnosis::auxiliary_not_solved, 0.49, 0.5);
  EXPECT_THAT(report.message, HasSubstr("auxiliary variables"));
}

/// A point on the cross x y = 0, on its way through the middle along x: a step that ends on the
/// other line, with a velocity as Newton's method might leave it between the two, is not taken.
TEST(RunDiagnoses, NameAJumpToAnotherBranch) {
  Diagnostics diagnostics;
  const auto system = make_system(
      {.name = "cross",
       .positions = {{"x", -0.1}, {"y", 0}},
       .velocities = {{"vx", 1}, {"vy", 0}},
       .holonomic = {"cross"}},
      [](const auto& x, auto& y) {
        y.M(0, 0) = y.M(1, 1) = 1;
        y.g[0] = x.p[0] * x.p[1];
      },
      diagnostics);
  ASSERT_TRUE(system) << format(diagnostics);
  const Formulation& f = *find_formulation("strangeness_free");
  const auto problem = f.make(*system, complete_options(f.options, {}));
  ASSERT_EQ(problem->rebase(system->start()), Eval::ok);
  State end;
  ChartPoint point;
  const auto finish = [&](double x, double y, double vx, double vy) {
    EXPECT_EQ(problem->begin_step(0.2), Eval::ok);
    return problem->finish(0.2, {{x + 0.1, y}, {vx, vy}, {}}, end, point);
  };
  EXPECT_EQ(finish(0.1, 0, 1, 1e-6), Eval::ok);
  EXPECT_EQ(finish(0, 0.1, 0.7, 0.7), Eval::recoverable);
  EXPECT_EQ(to_string(problem->diagnosis()), "branch_jump");
  EXPECT_THAT(problem->culprit(), HasSubstr("another branch"));
}

}  // namespace
}  // namespace kardan
