/// How much memory the program takes at most: measured from outside, so that everything counts.

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "support/places.h"
#include "support/process.h"

namespace kardan::test {
namespace {

using Words = std::vector<std::string>;

constexpr double most_a_link = 20e3;  // [bytes]; measured: docs/understand/measurements.md

/// The slope between two sizes: what a program takes without a model is left out.
double bytes_a_link(const std::string& command, const Words& options) {
  constexpr int few = 1000, many = 4000;
  const auto most_memory = [&](int links) {
    Words words{command, models_folder() + "/chain.yaml", "--set", "N=" + std::to_string(links)};
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

TEST_F(ALinkOfAChain, TakesLittleMemoryToRun) {
  for (const char* tolerance : {"1e-2", "1e-3"})
    EXPECT_LT(bytes_a_link("run", {"--method", "dop853@projected_ode", "--tol", tolerance,
                                   "--t-end", "0.01"}),
              most_a_link)
        << tolerance;
}

}  // namespace
}  // namespace kardan::test
