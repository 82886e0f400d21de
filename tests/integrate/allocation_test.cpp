/// Counts every allocation of this test program (see tests/linalg/allocation_test.cpp): after the
/// first steps a step allocates nothing.

#include <gtest/gtest.h>

#include <cstddef>

#include "integrate/problems.h"
#include "integrate/runs.h"
#include "support/count_allocations.h"

namespace kardan {
namespace {

using namespace test;

/// Allocations of the steps after the first five, except of those that chose a new partition.
long allocations_in_steps(const Prepared& model, std::string_view method, double t_end, int steps,
                          std::string_view formulation = {}) {
  const auto made =
      problem_of(model, formulation.empty() ? find_method(method)->formulation : formulation);
  ChartProblem& problem = *made;
  State state = model.start.state;
  DriverOptions options;
  options.fixed_step = t_end / steps;
  long count = 0, before = 0;
  int step = 0, partitions = 0;
  const DriverReport r =
      integrate(problem, *find_method(method), state, t_end, options, [&](const StepView&) {
        if (step > 5 && partitions == problem.partitions()) count += allocations - before;
        ++step;
        partitions = problem.partitions();
        before = allocations;
        return std::string();
      });
  EXPECT_EQ(r.reason, Reason::finished) << r.message;
  EXPECT_EQ(r.counters.steps, steps);
  return count;
}

/// The vehicle is stiff: explicit methods meet event functions where balls bounce, and so does
/// local linearization, whose flow would be sampled thousands of times a step.
const char* model_with_events(std::string_view method) {
  const bool explicit_steps = method == "dopri5" || method == "dop853" || method == "nystrom4" ||
                              method == "llm" || method == "welch2" || method == "baumgarte_rk2";
  return explicit_steps ? "bouncing_balls.yaml" : "hmmwv.yaml";
}

class StepAllocation : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    if (!KARDAN_COUNTS_ALLOCATIONS) GTEST_SKIP() << "malloc cannot be replaced in this build";
  }
};

TEST_P(StepAllocation, DoesNotHappenOnPlanarMechanisms) {
  EXPECT_EQ(allocations_in_steps(model_file("andrews.yaml"), GetParam(), 0.01, 200), 0);
}
TEST_P(StepAllocation, DoesNotHappenInSpace) {
  EXPECT_EQ(allocations_in_steps(model_file("three_link.yaml"), GetParam(), 0.2, 100), 0);
  EXPECT_EQ(allocations_in_steps(model_file("chain.yaml"), GetParam(), 0.1, 100), 0);
}
TEST_P(StepAllocation, DoesNotHappenWithDrivers) {
  EXPECT_EQ(allocations_in_steps(model_text(shaken_pendulum), GetParam(), 0.5, 100), 0);
}
TEST_P(StepAllocation, DoesNotHappenWithEventFunctions) {
  const Prepared model = model_file(model_with_events(GetParam()));
  EXPECT_EQ(allocations_in_steps(model, GetParam(), 0.4, 100), 0);
}
TEST_P(StepAllocation, DoesNotHappenWithFunctionsAndEventsOfTheModel) {
  EXPECT_EQ(allocations_in_steps(model_text(R"(kardan: 1
gravity: [0, 0, -9.81]
functions:
  push: [[0, 0], [0.2, 3], [1, 0]]
  wave: {type: harmonic, frequency: 2}
bodies: {stone: {mass: 1, inertia: [1, 1, 1], velocity: [1, 0, 10]}}
forces: {f: {type: force, on: stone, fx: push(t)*wave(t)}}
sensors: {speed: {type: expression, value: "stone.vx^2 + stone.vz^2"}}
when: {fast: {expression: speed - 200}, high: {expression: stone.z + 0.1*speed - 50}}
)"),
                                 GetParam(), 0.5, 100),
            0);
}
TEST_P(StepAllocation, DoesNotHappenWithDynamicAndAuxiliaryVariables) {
  EXPECT_EQ(allocations_in_steps(model_text(steered_pendulum), GetParam(), 0.5, 100), 0);
}

TEST_P(StepAllocation, DoesNotHappenWithNonholonomicConstraints) {
  for (const char* file : {"rolling_disc.yaml", "sleigh_belt.yaml"})
    EXPECT_EQ(allocations_in_steps(model_file(file), GetParam(), 0.5, 100), 0) << file;
}
using TangentSpaceAllocation = StepAllocation;
TEST_P(TangentSpaceAllocation, DoesNotHappen) {
  for (const char* file : {"three_link.yaml", "rolling_disc.yaml"})
    EXPECT_EQ(allocations_in_steps(model_file(file), GetParam(), 0.2, 100, "tangent_space"), 0);
}

INSTANTIATE_TEST_SUITE_P(Methods, TangentSpaceAllocation,
                         testing::Values("rn4", "rodasp", "ros2w", "dopri5", "dop853", "llm"),
                         [](const auto& of) { return std::string(of.param); });
INSTANTIATE_TEST_SUITE_P(Methods, StepAllocation,
                         testing::Values("radau5", "radau9", "rn4", "rodasp", "ros2w", "dopri5",
                                         "dop853", "nystrom4", "llm", "welch2", "baumgarte_rk2",
                                         "generalized_alpha", "hht"),
                         [](const auto& of) { return std::string(of.param); });

}  // namespace
}  // namespace kardan
