/// Every method on the tangent space: its order, the constraints, and the same motion as in single
/// coordinates.

#include <gtest/gtest.h>

#include <map>

#include "integrate/problems.h"
#include "integrate/runs.h"

namespace kardan {
namespace {

using namespace test;

/// In single coordinates, with an error at round-off; the same for all methods.
const State& tight_reference(const Prepared& model, double t_end) {
  static std::map<std::string, State> known;
  State& s = known[model.system->blueprint().name];
  if (s.p.empty()) s = run_fixed(model, *find_method("dopri5"), t_end, 2000).state;
  return s;
}

class TangentSpaceOrder : public testing::TestWithParam<Method> {
 protected:
  void expect_order(const Prepared& model, double t_end, int coarsest) const {
    const State& exact = tight_reference(model, t_end);
    const int order = GetParam().order;
    const int first = order >= 5 ? coarsest : order >= 4 ? 4 * coarsest : 16 * coarsest;
    const OrderStudy s = measure_order({first, 2 * first, 4 * first}, [&](int n) {
      const Ended end = run_fixed(model, GetParam(), t_end, n, span_tangent_space);
      EXPECT_EQ(end.report.reason, Reason::finished) << end.report.message;
      return difference(end.state, exact);
    });
    test::expect_order(GetParam(), s, 0.35, 2);
  }
};

TEST_P(TangentSpaceOrder, InThePlane) {
  expect_order(model_file("double_pendulum_welch.yaml"), 1, 12);
}
TEST_P(TangentSpaceOrder, InSpaceThoughTheBasisChanges) {
  expect_order(model_file("chain.yaml", {{"N", 3}, {"tip_speed", 6}}), 0.5, 20);
}
TEST_P(TangentSpaceOrder, WithDrivers) {
  expect_order(model_text(shaken_pendulum), 1, 10);
}
TEST_P(TangentSpaceOrder, WithDynamicAndAuxiliaryVariables) {
  expect_order(model_text(steered_pendulum), 1, 30);
}

INSTANTIATE_TEST_SUITE_P(Methods, TangentSpaceOrder, testing::ValuesIn(one_step_methods()),
                         [](const auto& test) { return std::string(test.param.name); });

class TangentSpace : public testing::TestWithParam<const char*> {};

TEST_P(TangentSpace, GivesTheSameMotionAndHoldsTheConstraints) {
  for (const char* file : {"andrews.yaml", "bricard.yaml", "n_four_bar_spatial.yaml"}) {
    const Prepared model = model_file(file);
    const double t_end = std::string(file) == "andrews.yaml" ? 0.01 : 1;
    DriverOptions options;
    options.tolerance = 1e-6;
    const auto ws = model.system->make_workspace();
    const Observer observer = [&](const StepView& step) {
      const Residuals r = constraint_residuals(*model.system, *step.state, {}, *ws);
      EXPECT_LE(std::max(r.position, r.velocity), 1e-10);
      return std::string();
    };
    const Method& method = *find_method(GetParam());
    const Ended end = run(model, method, t_end, options, observer, span_tangent_space);
    ASSERT_EQ(end.report.reason, Reason::finished) << file << ": " << end.report.message;
    const Ended other = run(model, method, t_end, options);
    const Reached r = reached({end.state}, {other.state});
    EXPECT_LE(r.position, 2e-5) << file;
    // The basis changes seldom, and the work is about the same.
    EXPECT_LE(end.partitions, other.partitions + 3) << file;
    EXPECT_LE(end.report.counters.steps, 1.5 * other.report.counters.steps) << file;
  }
}

INSTANTIATE_TEST_SUITE_P(Methods, TangentSpace,
                         testing::Values("rn4", "rodasp", "sdirk4", "dopri5", "adams", "bdf"));

TEST(TangentSpaceOfTheVehicle, MeetsTheBump) {
  const Prepared model = model_file("hmmwv.yaml");
  DriverOptions options;
  options.tolerance = 1e-4;
  const Method& method = *find_method("rn4");
  const Ended a = run(model, method, 0.8, options);
  const Ended b = run(model, method, 0.8, options, {}, span_tangent_space);
  ASSERT_EQ(b.report.reason, Reason::finished) << b.report.message;
  EXPECT_EQ(a.report.events.size(), b.report.events.size());
  EXPECT_NEAR(value(*model.system, a.state, "chassis.z"),
              value(*model.system, b.state, "chassis.z"), 1e-3);
}

}  // namespace
}  // namespace kardan
