#include "kardan/base/diagnostics.h"

#include <gtest/gtest.h>

namespace kardan {
namespace {

TEST(Diagnostics, FormatsEverythingThatIsKnown) {
  EXPECT_EQ(format(Diagnostic{Severity::error,
                              "tol.range",
                              "relative = 0.5; wanted < 0.1",
                              "use 1e-6",
                              {"run.yaml", 12, 17}}),
            "run.yaml:12:17: error[tol.range]: relative = 0.5; wanted < 0.1; hint: use 1e-6");
}

TEST(Diagnostics, LeavesOutWhatIsUnknown) {
  const auto at = [](SourceLocation where) {
    return format(Diagnostic{Severity::warning, "c", "m", "", where});
  };
  EXPECT_EQ(at({"a.yaml", 3, 0}), "a.yaml:3: warning[c]: m");
  EXPECT_EQ(at({"a.yaml", 0, 0}), "a.yaml: warning[c]: m");
  EXPECT_EQ(at({"a.yaml", 0, 4}), "a.yaml: warning[c]: m");
  EXPECT_EQ(at({"", 3, 4}), "3:4: warning[c]: m");
  EXPECT_EQ(at({}), "warning[c]: m");
  EXPECT_EQ(format(Diagnostic{Severity::error, "", "m", "", {}}), "error: m");
}

TEST(Diagnostics, CountsErrorsAndWarningsApartAndKeepsTheOrder) {
  Diagnostics diagnostics;
  EXPECT_TRUE(diagnostics.empty());
  diagnostics.warning("w", "first");
  EXPECT_FALSE(diagnostics.has_errors());
  diagnostics.error("e", "second", {"f", 1, 2}, "do this");
  EXPECT_TRUE(diagnostics.has_errors());
  diagnostics.add(diagnostics);
  EXPECT_EQ(diagnostics.error_count(), 2u);
  EXPECT_EQ(diagnostics.warning_count(), 2u);
  ASSERT_EQ(diagnostics.all().size(), 4u);
  EXPECT_EQ(diagnostics.all()[1].hint, "do this");
  EXPECT_EQ(diagnostics.all()[2].message, "first");
  EXPECT_EQ(format(diagnostics).substr(0, 18), "warning[w]: first\n");
}

}  // namespace
}  // namespace kardan
