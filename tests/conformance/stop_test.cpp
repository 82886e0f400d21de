/// Every method ends soon where it is asked to, whatever it is at.

#include <gtest/gtest.h>

#include <ctime>

#include "conformance/pairs.h"
#include "kardan/formulation/catalog.h"
#include "support/models.h"

namespace kardan::test {
namespace {

double cpu_seconds() {
  return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

/// So long that factorizations of some methods take longer than the answer may.
constexpr const char* chain = R"yaml(kardan: 1
dimension: 2
gravity: [0, -9.81]
parameters: {N: 300}
bodies:
  "link_${i}": {repeat: {i: [1, N]}, mass: 0.1, inertia: 1e-4, position: ["0.1*(${i} - 0.5)", 0]}
joints:
  "pin_1": {type: revolute, bodies: [ground, link_1], at: [0, 0]}
  "pin_${i}": {repeat: {i: [2, N]}, type: revolute, bodies: ["link_${i - 1}", "link_${i}"], at: ["0.1*(${i} - 1)", 0]}
)yaml";

class EveryMethodIsAsked : public testing::TestWithParam<std::string> {};

/// [s] of processor time: a busy machine does not count.
TEST_P(EveryMethodIsAsked, ToEndAndEnds) {
  constexpr double answer = 1.0;
  const Model model = model_of(chain);
  // Once as the run begins, and once as it is well under way.
  for (const double asked : {0.0, 0.7}) {
    const double begin = cpu_seconds();
    double yes = 0;
    SimulateOptions options;
    options.t_end = 1e6;
    options.every = 1e3;
    options.driver.interrupt = [&]() -> std::string {
      if (cpu_seconds() - begin < asked) return "";
      if (yes == 0) yes = cpu_seconds();
      return "enough";
    };
    const Outcome out = run_with(GetParam(), model, options);
    const double seconds = cpu_seconds() - yes;
    EXPECT_EQ(out.report.driver.reason, Reason::interrupted) << out.words;
    EXPECT_LT(seconds, answer);
  }
}

std::vector<std::string> names() {
  std::vector<std::string> out;
  for (const Method& method : methods()) out.emplace_back(method.name);
  return out;
}

INSTANTIATE_TEST_SUITE_P(All, EveryMethodIsAsked, testing::ValuesIn(names()),
                         [](const auto& one) { return test_name(one.param); });

}  // namespace
}  // namespace kardan::test
