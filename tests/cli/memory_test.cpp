/// How much memory the program takes at most: measured from outside, so that everything counts.

#include <gtest/gtest.h>

#include <fstream>
#include <string>
#include <vector>

#include "support/places.h"
#include "support/process.h"

namespace kardan::test {
namespace {

using Words = std::vector<std::string>;

constexpr double most_a_link = 20e3;  // [bytes]; measured: docs/understand/measurements.md

/// The slope between two sizes: what a program takes without a model is left out.
double bytes_a_link(const std::string& command, const Words& options,
                    const std::string& model = models_folder() + "/chain.yaml") {
  constexpr int few = 1000, many = 4000;
  const auto most_memory = [&](int links) {
    Words words{command, model, "--set", "N=" + std::to_string(links)};
    words.insert(words.end(), options.begin(), options.end());
    const Output o = run_kardan(words);
    EXPECT_EQ(o.exit_code, 0) << o.err;
    return o.most_memory;
  };
  return (most_memory(many) - most_memory(few)) / (many - few);
}

class ALinkOfAChain : public testing::Test {
 protected:
  void SetUp() override {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    GTEST_SKIP() << "sanitizers take memory of their own";
#endif
  }
};

TEST_F(ALinkOfAChain, TakesLittleMemoryToCheck) {
  EXPECT_LT(bytes_a_link("check", {}), most_a_link);
}

/// Factors that a hub fills would take 400 kB each at a thousand, and four times that at 4000.
TEST_F(ALinkOfAChain, TakesLittleMemoryToCheckOnAHub) {
  const TemporaryFolder folder;
  const std::string star = folder.file("star.yaml");
  std::ofstream(star) << R"yaml(kardan: 1
parameters: {N: 1000}
bodies:
  hub: {mass: 1, inertia: [1, 1, 1]}
  "b_${i}": {repeat: {i: [1, N]}, mass: 1, inertia: [1, 1, 1], position: ["${i}", 0, 0]}
joints:
  "j_${i}": {repeat: {i: [1, N]}, type: revolute, bodies: [hub, "b_${i}"], at: ["${i}", 0, 0], axis: [0, 0, 1]}
)yaml";
  EXPECT_LT(bytes_a_link("check", {}, star), 1.5 * most_a_link);
}

TEST_F(ALinkOfAChain, TakesLittleMemoryToRun) {
  for (const char* tolerance : {"1e-2", "1e-3"})
    EXPECT_LT(bytes_a_link("run", {"--method", "dop853@projected_ode", "--tol", tolerance,
                                   "--t-end", "0.01"}),
              most_a_link)
        << tolerance;
}

}  // namespace
}  // namespace kardan::test
