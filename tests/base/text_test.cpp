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

TEST(Printable, LeavesLettersOfAllLanguagesAlone) {
  for (const char* text : {"arm",
                           "Gr\xc3\xb6\xc3\x9f"
                           "e",
                           "\xe5\xbe\xae", "\xf0\x9f\x99\x82", "a\tb"})
    EXPECT_EQ(printable(text), text);
}

TEST(Printable, EscapesEveryControlCharacter) {
  for (int c = 0; c < 256; ++c) {
    const std::string text = {'a', static_cast<char>(c), 'b'};
    const bool shown = (c >= 32 && c < 127) || c == '\t' || c == '\n';
    EXPECT_EQ(printable(text) == text, shown) << c;
    EXPECT_EQ(printable(text, Lines::one) == text, shown && c != '\n') << c;
  }
  EXPECT_EQ(printable("\x1b[31m"), "\\x1b[31m");
  EXPECT_EQ(printable("\xc2\x9b"), "\\xc2\\x9b");           // C1: CSI
  EXPECT_EQ(printable("\xe2\x80\xae"), "\\xe2\\x80\\xae");  // right-to-left override
  EXPECT_EQ(printable("\xc3"), "\\xc3");                    // cut letter
}

}  // namespace
}  // namespace kardan
