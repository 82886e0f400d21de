#include "kardan/base/text.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>

namespace kardan {
namespace {

const std::vector<std::string> words{"stiffness", "damping", "revolute", "prismatic", "vx", "x"};

TEST(DidYouMean, FindsOneEditOfEachKind) {
  EXPECT_EQ(did_you_mean("stifness", words), "stiffness");    // a letter left out
  EXPECT_EQ(did_you_mean("stifffness", words), "stiffness");  // one too many
  EXPECT_EQ(did_you_mean("dampong", words), "damping");       // a wrong one
  EXPECT_EQ(did_you_mean("revoluet", words), "revolute");     // two swapped
}

TEST(DidYouMean, DoesNotMindTheCase) {
  EXPECT_EQ(did_you_mean("PRISMATIC", words), "prismatic");
}

TEST(DidYouMean, StaysSilentWhenNothingIsNear) {
  EXPECT_EQ(did_you_mean("vy", words), "");
  EXPECT_EQ(did_you_mean("gravity", words), "");
  EXPECT_EQ(did_you_mean("", words), "");
  EXPECT_EQ(did_you_mean("damping", {}), "");
  EXPECT_EQ(did_you_mean(std::string(100000, 'a'), words), "");
}

TEST(DidYouMean, PrefersTheNearestThenTheFirst) {
  EXPECT_EQ(did_you_mean("joint_12", {"joint_34", "joint_13", "joint_14"}), "joint_13");
}

TEST(FormatNumber, IsShortAndReadsBackToTheSameBits) {
  EXPECT_EQ(format_number(0.1), "0.1");
  EXPECT_EQ(format_number(3.0), "3");
  EXPECT_EQ(format_number(-0.0), "-0");
  EXPECT_EQ(format_number(1e-300), "1e-300");
  std::mt19937_64 random(1);
  for (int i = 0; i < 20000; ++i) {
    const double x = std::bit_cast<double>(random());
    if (!std::isfinite(x)) continue;
    EXPECT_EQ(std::bit_cast<std::uint64_t>(std::strtod(format_number(x).c_str(), nullptr)),
              std::bit_cast<std::uint64_t>(x));
  }
}

}  // namespace
}  // namespace kardan
