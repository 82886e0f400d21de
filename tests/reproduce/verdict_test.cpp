/// Verdicts of the papers' tables and figures: computed from the numbers beside them.

#include "apps/reproduce/verdict.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "apps/reproduce/paper.h"
#include "support/process.h"

namespace kardan::reproduce {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

TEST(Verdict, FollowsTheRuleOfEachNumber) {
  const auto of = [](Rule rule, double ours) { return judge(Check{"", ours, 2, rule, 0.1}); };
  EXPECT_EQ(of(Rule::equal, 2.1), Judgement::reproduced);
  EXPECT_EQ(of(Rule::equal, 2.3), Judgement::differs);
  EXPECT_EQ(of(Rule::equal, 1.7), Judgement::differs);
  EXPECT_EQ(of(Rule::at_most, 2.0), Judgement::reproduced);
  EXPECT_EQ(of(Rule::at_most, 2.1), Judgement::differs);
  EXPECT_EQ(of(Rule::at_least, 2.0), Judgement::reproduced);
  EXPECT_EQ(of(Rule::at_least, 1.9), Judgement::differs);
  EXPECT_EQ(of(Rule::smaller, 1.0), Judgement::better);
  EXPECT_EQ(of(Rule::smaller, 2.1), Judgement::reproduced);
  EXPECT_EQ(of(Rule::smaller, 2.3), Judgement::differs);
  EXPECT_EQ(of(Rule::larger, 3.0), Judgement::better);
  EXPECT_EQ(of(Rule::larger, 1.9), Judgement::reproduced);
  EXPECT_EQ(of(Rule::larger, 1.7), Judgement::differs);
  for (Rule rule : {Rule::equal, Rule::at_most, Rule::at_least, Rule::smaller, Rule::larger})
    EXPECT_EQ(of(rule, std::nan("")), Judgement::differs);
}

TEST(Verdict, OfATableIsThatOfItsWorstNumber) {
  Checks checks;
  EXPECT_EQ(judge(checks.all()), Judgement::not_compared);
  checks.equal("a", 1, 1, 0.1);
  EXPECT_EQ(judge(checks.all()), Judgement::reproduced);
  checks.smaller("b", 1, 2);
  EXPECT_EQ(judge(checks.all()), Judgement::better);
  checks.at_most("c", 2, 1);
  EXPECT_EQ(judge(checks.all()), Judgement::differs);
  const std::string text = verdict_text(checks.all());
  EXPECT_THAT(text, HasSubstr("\nverdict: differs (1 differs, 1 better, 1 reproduced)\n"));
  EXPECT_THAT(text, HasSubstr("  better     b: 1, smaller 2\n"));
  EXPECT_EQ(verdict_in(text), "differs (1 differs, 1 better, 1 reproduced)");
}

/// The same number, on the wrong side of what it is held against.
double wrong_side(const Check& c) {
  const double size = 2 * c.margin * std::abs(c.printed) + std::abs(c.printed) + 1;
  return c.rule == Rule::at_least || c.rule == Rule::larger ? c.printed - size : c.printed + size;
}

/// Of every paper, what takes a fraction of a second.
TEST(Verdict, ChangesWithEachNumberOfATable) {
  const std::set<std::string> soon{"sandu2001 fig2",        "haug1997 fig9",  "welch2007 table1",
                                   "welch2007 table2",      "welch2007 fig2", "gil2013 fig6",
                                   "steinbrecher2007 fig6", "haug1997 fig11"};
  std::size_t made = 0;
  for (const Paper& paper : papers())
    for (const Table& table : paper.tables) {
      const std::string name = std::string(paper.name) + " " + std::string(table.name);
      if (!soon.contains(name)) continue;
      SCOPED_TRACE(name);
      ++made;
      const test::TemporaryFile plot("");
      Checks checks;
      testing::internal::CaptureStdout();
      const int code = table.make({.paper = std::string(paper.name),
                                   .table = std::string(table.name),
                                   .out = plot.path(),
                                   .html = "",
                                   .quick = true},
                                  checks);
      (void)testing::internal::GetCapturedStdout();
      ASSERT_EQ(code, finished);
      ASSERT_FALSE(checks.all().empty());
      for (std::size_t i = 0; i < checks.all().size(); ++i) {
        std::vector<Check> changed = checks.all();
        changed[i].ours = wrong_side(changed[i]);
        EXPECT_EQ(judge(changed[i]), Judgement::differs) << changed[i].what;
        EXPECT_THAT(verdict_text(changed), StartsWith("\nverdict: differs"));
      }
    }
  EXPECT_EQ(made, soon.size());
}

/// The verdicts that hold today: a change of a method or of a model that moves one is seen.
TEST(Verdict, OfTheQuickTablesIsThis) {
  const auto verdict = [](std::string_view wanted_paper, std::string_view wanted_table) {
    Checks checks;
    for (const Paper& paper : papers())
      for (const Table& table : paper.tables)
        if (paper.name == wanted_paper && table.name == wanted_table) {
          const test::TemporaryFile plot("");
          testing::internal::CaptureStdout();
          (void)table.make({.paper = "", .table = "", .out = plot.path(), .html = ""}, checks);
          (void)testing::internal::GetCapturedStdout();
        }
    return to_string(judge(checks.all()));
  };
  EXPECT_EQ(verdict("welch2007", "table1"), "reproduced");
  EXPECT_EQ(verdict("welch2007", "stability"), "differs");
  EXPECT_EQ(verdict("steinbrecher2007", "fig6"), "reproduced");
  EXPECT_EQ(verdict("haug1997", "fig9"), "differs");
}

}  // namespace
}  // namespace kardan::reproduce
