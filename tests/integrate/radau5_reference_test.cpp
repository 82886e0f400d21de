/// radau5 on the strangeness-free form against reference solutions: Andrews' mechanism in minimal
/// form and in Cartesian coordinates, Bricard's mechanism, N four-bar linkages.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "integrate/runs.h"
#include "kardan/formulation/assembly.h"
#include "kardan/formulation/catalog.h"
#include "support/general_problems.h"
#include "support/places.h"

namespace kardan {
namespace {

using namespace test;
using Json = nlohmann::json;

constexpr double tracks = 10;

std::vector<double> tolerances() {
  std::vector<double> out;
  for (int k = 3; k <= 11; ++k) out.push_back(std::pow(10.0, -k));
  return out;
}

double weighed(double value, double exact) {
  return std::abs(value - exact) / (1 + std::abs(exact));
}

DriverReport run_radau5(const System& system, const State& start, double t_end, double tolerance,
                        State& end) {
  const Formulation& f = *find_formulation("strangeness_free");
  const auto problem = f.make(system, complete_options(f.options, {}));
  DriverOptions options;
  options.tolerance = tolerance;
  end = start;
  DriverReport report = integrate(*problem, *find_method("radau5"), end, t_end, options, {});
  EXPECT_EQ(report.reason, Reason::finished) << report.message;
  return report;
}

TEST(Radau5Reference, TracksTheToleranceOnAndrewsInMinimalForm) {
  const GeneralProblem problem = general_problem("andrews");
  const ConsistentStart start = assemble(*problem.system, problem.system->start(), {});
  for (double tolerance : tolerances()) {
    double p = 0, v = 0;
    long steps = 0;
    for (const ReferencePoint& exact : problem.reference) {
      State end;
      steps =
          run_radau5(*problem.system, start.state, exact.state.t, tolerance, end).counters.steps;
      for (std::size_t i = 0; i < end.p.size(); ++i) {
        p = std::max(p, weighed(end.p[i], exact.state.p[i]));
        v = std::max(v, weighed(end.v[i], exact.state.v[i]));
      }
    }
    fmt::print("andrews minimal {:.0e}: position {:.1e} velocity {:.1e}, {} steps\n", tolerance, p,
               v, steps);
    EXPECT_LE(p, tracks * tolerance);
    EXPECT_LE(v, tracks * tolerance);
    EXPECT_GE(std::max(p, v), tolerance / tracks) << "wastes work";
  }
}

TEST(Radau5Reference, TracksTheToleranceOnAndrewsInCartesianCoordinates) {
  const GeneralProblem problem = general_problem("andrews");
  const Prepared model = model_file("andrews.yaml");
  // beta, gamma, delta, epsilon are angles of bodies.
  const struct {
    int angle;
    const char* body;
  } bodies[] = {{0, "K1"}, {2, "K3"}, {4, "K5"}, {6, "K7"}};
  for (double tolerance : tolerances()) {
    double p = 0, v = 0;
    for (const ReferencePoint& exact : problem.reference) {
      State end;
      (void)run_radau5(*model.system, model.start.state, exact.state.t, tolerance, end);
      for (const auto& [angle, body] : bodies) {
        const std::string name(body);
        p = std::max(p, weighed(value(*model.system, end, name + ".angle"), exact.state.p[angle]));
        v = std::max(v, weighed(value(*model.system, end, name + ".omega"), exact.state.v[angle]));
      }
    }
    fmt::print("andrews cartesian {:.0e}: position {:.1e} velocity {:.1e}\n", tolerance, p, v);
    EXPECT_LE(p, tracks * tolerance);
    EXPECT_LE(v, tracks * tolerance);
  }
}

Json reference(const std::string& name) {
  std::ifstream file(test_data() + "/" + name);
  EXPECT_TRUE(file) << name;
  return Json::parse(file);
}

TEST(Radau5Reference, ReachesTenDigitsOfBricard) {
  const Prepared model = model_file("bricard.yaml");
  const Json rows = reference("bricard.json")["rows"];
  // The published table is good for about ten digits; the hinge at P3 is half a rod below the
  // centre of rod 2.
  State end = model.start.state;
  double largest = 0;
  const Formulation& f = *find_formulation("strangeness_free");
  const auto problem = f.make(*model.system, complete_options(f.options, {}));
  DriverOptions options;
  options.tolerance = 1e-11;
  for (const Json& row : rows) {
    const DriverReport report =
        integrate(*problem, *find_method("radau5"), end, row[0].get<double>(), options, {});
    ASSERT_EQ(report.reason, Reason::finished) << report.message;
    const char* const axes[] = {"x", "y", "z"};
    for (int k = 0; k < 3; ++k)
      largest = std::max(largest, std::abs(value(*model.system, end, std::string("P3.") + axes[k]) -
                                           std::stod(row[k + 1].get<std::string>())));
  }
  fmt::print("bricard: {:.1e}\n", largest);
  EXPECT_LE(largest, 1e-10);
}

class FourBars : public testing::TestWithParam<int> {};

TEST_P(FourBars, KeepEnergyAndBranchThroughSingularPositions) {
  const int N = GetParam();
  const Prepared model = model_file("n_four_bar.yaml", {{"N", static_cast<double>(N)}});
  const auto ws = model.system->make_workspace();
  const auto energy = [&](const State& state) {
    const Energy e = model.system->energy(state, *ws);
    return e.kinetic + e.potential;
  };
  const double before = energy(model.start.state);
  State end = model.start.state;
  const DriverReport report = run_radau5(*model.system, model.start.state, 20, 1e-8, end);
  const Json rows = reference("n_four_bar.json")["rows"];
  int compared = 0;
  for (const Json& row : rows) {
    if (row[0] != N || row[1] != 20) continue;
    ++compared;
    const auto exact = [&](int k) { return std::stod(row[k].get<std::string>()); };
    const double x = 2 * value(*model.system, end, "crank_0.x"),
                 y = 2 * value(*model.system, end, "crank_0.y");
    fmt::print("N = {}: energy {:.1e} J, B0 {:.1e} {:.1e}, {} steps, {} rejected, {} failed\n", N,
               energy(end) - before, x - exact(2), y - exact(3), report.counters.steps,
               report.counters.rejected, report.counters.failed);
    EXPECT_NEAR(x, exact(2), 1e-6);
    EXPECT_NEAR(y, exact(3), 1e-6);
  }
  EXPECT_EQ(compared, 1);
  EXPECT_LE(std::abs(energy(end) - before), 1e-6);
}

INSTANTIATE_TEST_SUITE_P(Sizes, FourBars, testing::Values(1, 2, 10, 40));

}  // namespace
}  // namespace kardan
