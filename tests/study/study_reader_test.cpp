/// Studies from files: what is wrong is said where it stands, all of it at once.

#include "kardan/study/study_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/places.h"

namespace kardan {
namespace {

using testing::HasSubstr;

std::string head() {
  return "kardan_study: 1\nmodel: " + models_folder() + "/pendulum.yaml\n";
}

std::string faults_of(const std::string& text) {
  Diagnostics faults;
  const auto plan = read_study_text(text, "study.yaml", std::nullopt, faults);
  EXPECT_EQ(plan.has_value(), !faults.has_errors());
  return format(faults);
}

TEST(StudyReader, TakesAStudyWithEveryKey) {
  EXPECT_EQ(faults_of(head() + R"(name: swing
set: {v0: 2.5}
vary:
  L: {type: normal, mean: L, deviation: 0.01*L}
correlated:
  pair: {parameters: [g, m], mean: [g, 1], covariance: [[0.04, 0.01], [0.01, 0.01]]}
design: {type: latin_hypercube, runs: 10}
simulate: {t_end: 1, tolerance: 1e-6}
every: 0.01
keep: {top: max(abs(bob.vy)), twice: 2*top, mean_x: mean(bob.x), most: 'max(top, mean_x)'}
require: [top < 100, twice > m]
quantiles: [0.1, 0.9]
)"),
            "");
}

TEST(StudyReader, TellsEveryFaultWhereItStands) {
  const struct {
    std::string text, expected;
  } cases[] = {
      {"vary: {Lenght: {type: uniform, from: 0, to: 1}}\n",
       "study.yaml:3:8: error[study.parameter]: the model has no parameter 'Lenght'"},
      {"vary: {L: {type: uniform, from: 2, to: 1}}\n",
       "study.yaml:3:8: error[study.distribution]: vary.L: got from 2 to 1; wanted from < to"},
      {"vary: {L: {type: unifrom, from: 0, to: 1}}\n",
       "study.yaml:3:18: error[study.type]: vary.L: there is no type 'unifrom'; hint: did you mean "
       "'uniform'?"},
      {"vary: {L: {type: normal, mean: 1}}\n", "error[field.missing]: vary.L: 'deviation'"},
      {"vary: {L: 3}\n", "study.yaml:3:11: error[study.shape]"},
      {"vary: [L]\n",
       "study.yaml:3:7: error[study.shape]: vary: got a list of 1; wanted a mapping"},
      {"correlated: {p: {parameters: [L, m], mean: [1, 1], covariance: [[1, 2], [2, 1]]}}\n",
       "study.yaml:3:64: error[study.covariance]: correlated.p.covariance is not positive "
       "definite: "
       "given those before it, the variance of 'm' would be -3"},
      {"correlated: {p: {parameters: [L, m], mean: [1, 1], covariance: [[1, 0.5], [0.4, 1]]}}\n",
       "error[study.covariance]: correlated.p.covariance: it is not symmetric"},
      {"correlated: {p: {parameters: [L, m], mean: [1, 1], covariance: [[1]]}}\n",
       "error[study.covariance]: correlated.p.covariance: got 1 rows; wanted 2"},
      {"vary: {L: {type: uniform, from: 1, to: 2}}\nset: {L: 1}\n",
       "study.yaml:3:8: error[study.parameter]: 'L' is set for all runs"},
      {"paramters: {}\n", "study.yaml:3:1: error"},
      {"quantiles: [1.5]\n", "error[study.quantiles]: got 1.5"},
      {"certify: 3\n", "study.yaml:3:10: error[field."},
      {"design: {type: random, runs: 2}\n", "study.yaml:1:1: error[study.vary]: nothing varies"},
  };
  for (const auto& c : cases)
    EXPECT_THAT(faults_of(head() + c.text), HasSubstr(c.expected)) << c.text;
  EXPECT_THAT(faults_of("kardan_study: 1\n"), HasSubstr("error[study.model]"));
  EXPECT_THAT(faults_of("model: x\n"), HasSubstr("error[study.version]"));
  EXPECT_THAT(faults_of("- 1\n"), HasSubstr("error[study.shape]"));
  EXPECT_THAT(faults_of("kardan_study: 1\nmodel: none.yaml\n"), HasSubstr("error[file.open]"));
}

TEST(StudyReader, ChecksDesignsAndWhatIsKept) {
  const std::string vary = head() + "vary: {L: {type: uniform, from: 1, to: 2}}\n";
  const struct {
    std::string text, expected;
  } cases[] = {
      {"", "error[study.design]: the study has no design"},
      {"design: {type: sobol, runs: 0}\n", "error[study.design]: design: got 0 runs"},
      {"design: {type: grid}\n", "error[study.design]: design: 'L' is a continuum"},
      {"design: {type: table, file: x.csv}\n", "error[study.design]: design: a table gives all"},
      {"design: {type: random, runs: 3}\n", "error[study.keep]: nothing is kept of a run"},
      {"design: {type: random, runs: 3}\nkeep: {a: max(bob.z)}\n",
       "study.yaml:5:15: error[study.quantity]: keep.a: there is no quantity 'bob.z'"},
      {"design: {type: random, runs: 3}\nkeep: {a: mean(bob.x)}\n",
       "study.yaml:5:11: error[study.every]"},
      {"design: {type: random, runs: 3}\nkeep: {a: time_of(hit)}\n",
       "study.yaml:5:11: error[study.event]: keep.a: there is no event 'hit'"},
      {"design: {type: random, runs: 3}\nkeep: {a: 2*b}\n",
       "study.yaml:5:13: error[study.value]: nothing of the name 'b'"},
      {"design: {type: random, runs: 3}\nkeep: {a: max(2*)}\n", "error[expression.syntax]"},
      {"design: {type: random, runs: 3}\nkeep: {L: max(bob.x)}\n", "error[study.keep]: keep: 'L'"},
      {"design: {type: random, runs: 3}\nkeep: {a: max(bob.x)}\nrequire: [b < 1]\n",
       "study.yaml:6:11: error[study.value]"},
      {"design: {type: random, runs: 3}\nkeep: {a: max(bob.x)}\nrequire: [[1]]\n",
       "study.yaml:6:11: error[study.require]"},
  };
  for (const auto& c : cases)
    EXPECT_THAT(faults_of(vary + c.text), HasSubstr(c.expected)) << c.text;
}

TEST(StudyReader, RefusesSobolIndicesOfCorrelatedParameters) {
  EXPECT_THAT(faults_of(head() + R"(design: {type: sensitivity, rows: 8}
correlated: {p: {parameters: [L, m], mean: [1, 1], covariance: [[1, 0.5], [0.5, 1]]}}
keep: {a: max(bob.x)}
)"),
              HasSubstr("error[study.design]: design: Sobol indices mean nothing"));
}

TEST(StudyReader, RefusesAParameterThatTheBalanceFinds) {
  EXPECT_THAT(faults_of("kardan_study: 1\nmodel: " + models_folder() + R"(/hmmwv.yaml
vary: {bump_center: {type: uniform, from: 1, to: 2}}
design: {type: random, runs: 2}
keep: {a: final(t)}
)"),
              HasSubstr("study.yaml:3:8: error[study.parameter]: 'bump_center' is found by the "
                        "balance"));
}

TEST(StudyReader, RefusesAParameterThatDecidesWhichPartsThereAre) {
  EXPECT_THAT(faults_of("kardan_study: 1\nmodel: " + models_folder() + R"(/chain.yaml
vary: {N: {type: list, values: [3, 4]}}
design: {type: grid}
keep: {a: final(t)}
)"),
              HasSubstr("error[study.structure]: 'N' decides which parts"));
}

}  // namespace
}  // namespace kardan
