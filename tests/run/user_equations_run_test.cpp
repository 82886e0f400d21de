/// Runs of equations written by a user, against reference solutions.

#include <gtest/gtest.h>

#include <cmath>

#include "kardan/run/linearize.h"
#include "kardan/run/simulate.h"
#include "support/general_problems.h"
#include "support/models.h"

namespace kardan::test {
namespace {

Prepared prepared(GeneralProblem& problem) {
  Prepared out;
  out.system = std::move(problem.system);
  out.start = assemble(*out.system, out.system->start(), {});
  EXPECT_EQ(out.start.report.status, Eval::ok) << out.start.report.message;
  return out;
}

RunReport run_equations(Prepared& system, const std::string& method, double t_end,
                        double tolerance) {
  SimulateOptions options;
  options.method = method;
  options.t_end = t_end;
  options.driver.tolerance = tolerance;
  Diagnostics diagnostics;
  RunReport report = simulate(system, options, {}, {}, diagnostics);
  EXPECT_FALSE(diagnostics.has_errors()) << format(diagnostics);
  EXPECT_EQ(report.driver.reason, Reason::finished) << report.driver.message;
  return report;
}

/// Largest |y - reference| / (1 + |reference|).
double reached(const Vector& y, const Vector& reference) {
  double largest = 0;
  for (std::size_t i = 0; i < y.size(); ++i)
    largest = std::max(largest, std::abs(y[i] - reference[i]) / (1 + std::abs(reference[i])));
  return largest;
}

class AndrewsInSevenAngles : public testing::TestWithParam<std::string> {};

TEST_P(AndrewsInSevenAngles, ReachesTheReferenceOfTheCartesianModel) {
  GeneralProblem problem = general_problem("andrews");
  const std::vector<ReferencePoint> reference = problem.reference;
  Prepared system = prepared(problem);
  const double tolerance = 1e-8;
  for (const ReferencePoint& point : reference) {
    const RunReport report = run_equations(system, GetParam(), point.state.t, tolerance);
    EXPECT_LT(report.residuals.position, 1e-12);
    const State &end = system.start.state, &exact = point.state;
    const double allowed = 10 * tolerance;
    EXPECT_LT(reached(end.p, exact.p), allowed) << end.t;
    // The crank may be late by what its angle may be off; others are late with it.
    const double late = allowed * (1 + std::abs(exact.p[0])) / std::abs(exact.v[0]);
    for (std::size_t i = 0; i < end.v.size(); ++i)
      EXPECT_LT(std::abs(end.v[i] - exact.v[i]),
                allowed * (1 + std::abs(exact.v[i])) + late * std::abs(point.a[i]))
          << end.t;
  }
}

INSTANTIATE_TEST_SUITE_P(Methods, AndrewsInSevenAngles,
                         testing::Values("rn4", "dopri5", "rodasp", "adams"),
                         [](const auto& method) { return method.param; });

TEST(UserPendulum, SwingsWithItsPeriod) {
  GeneralProblem problem = general_pendulum(0);
  Prepared system = prepared(problem);
  // A whole period of the release from the horizontal, from elliptic integrals.
  const RunReport report = run_equations(system, "rn4", 2.000027027893063842, 1e-10);
  EXPECT_NEAR(system.start.state.p[0], 1, 1e-9);
  EXPECT_NEAR(system.start.state.p[1], 0, 1e-8);
  EXPECT_LT(report.energy.balance_error, 1e-8);
}

TEST(UserPendulum, HasTheFrequencyOfSmallSwings) {
  GeneralProblem problem = general_pendulum(1e-9);
  const Linearization small = linearize(prepared(problem), ModeShapes::find);
  ASSERT_EQ(small.status, Eval::ok) << small.message;
  ASSERT_EQ(small.modes.modes.size(), 2u);
  EXPECT_NEAR(std::abs(small.modes.modes[0].value.imag()), std::sqrt(13.75), 1e-12);
  EXPECT_EQ(small.coordinates, (std::vector<std::string>{"x", "y"}));
}

/// Files of equations with every method of the catalog.
class EquationFile : public testing::TestWithParam<const char*> {
 protected:
  static Prepared start() {
    Diagnostics diagnostics;
    Prepared out = prepare(shipped(GetParam()), {}, diagnostics);
    EXPECT_FALSE(diagnostics.has_errors()) << format(diagnostics);
    return out;
  }
};

TEST_P(EquationFile, RunsWithEveryMethod) {
  const double t_end = std::string(GetParam()) == "andrews_minimal" ? 0.003 : 0.2;
  const double tolerance = 1e-4;
  Prepared reference = start();
  run_equations(reference, "rodasp", t_end, 1e-9);
  for (const Method& method : methods()) {
    SCOPED_TRACE(method.name);
    Prepared system = start();
    run_equations(system, std::string(method.name), t_end, tolerance);
    // Methods of order 1 leave what their estimate, of order 1 too, does not see.
    const double allowed = (method.order > 1 ? 10 : 100) * tolerance;
    EXPECT_LT(reached(system.start.state.p, reference.start.state.p), allowed);
  }
}

INSTANTIATE_TEST_SUITE_P(Models, EquationFile,
                         testing::Values("pendulum_equations", "sleigh_equations",
                                         "andrews_minimal"),
                         [](const auto& of) { return std::string(of.param); });

}  // namespace
}  // namespace kardan::test
