/// `kardan reproduce welch2007`: tables hold their numbers against the printed ones and say so by
/// their exit code.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "support/process.h"

namespace kardan::test {
namespace {

using testing::HasSubstr;

TEST(Welch2007, TablesAgreeWithThePrintedNumbers) {
  const Output table1 = run_kardan({"reproduce", "welch2007", "table1"});
  EXPECT_EQ(table1.exit_code, 0) << table1.out;
  for (const char* word : {"x1", "theta2'", "lambda4", "Phi4", "extrapolated"})
    EXPECT_THAT(table1.out, HasSubstr(word));
  const Output table2 = run_kardan({"reproduce", "welch2007", "table2"});
  EXPECT_EQ(table2.exit_code, 0) << table2.out;
}

TEST(Welch2007, StabilityShowsTheFirstOrderSchemeUnstableAtOneAndOne) {
  const Output o = run_kardan({"reproduce", "welch2007", "stability"});
  EXPECT_EQ(o.exit_code, 0);
  // Row beta dt = 1 over alpha dt = 0.25, 0.5, 0.75, 1: nilpotent at 0.5, unstable at 1.
  EXPECT_THAT(o.out, HasSubstr("beta dt =    1    0.707   0.000   1.000   1.618*"));
  EXPECT_THAT(o.out, HasSubstr("0.0664        1.000000            1.000000"));
}

TEST(Welch2007, FiguresArePlots) {
  const TemporaryFile plot("");
  const Output o = run_kardan({"reproduce", "welch2007", "fig3", "--out", plot.path()});
  EXPECT_EQ(o.exit_code, 0) << o.err;
  std::stringstream text;
  text << std::ifstream(plot.path()).rdbuf();
  EXPECT_THAT(text.str(), HasSubstr("<svg"));
  EXPECT_THAT(text.str(), HasSubstr("Baumgarte"));
}

}  // namespace
}  // namespace kardan::test
