/// `kardan compare` and the page of `kardan reproduce`.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "support/places.h"
#include "support/process.h"

namespace kardan::test {
namespace {

using testing::HasSubstr;
using Json = nlohmann::json;

const std::string& pendulum() {
  static const std::string path = models_folder() + "/pendulum.yaml";
  return path;
}

TEST(Compare, TellsReachedErrorsAndWorkOfEveryPair) {
  const TemporaryFolder folder;
  const Output o =
      run_kardan({"compare", pendulum(), "--methods", "rn4,dopri5,radau5@strangeness_free",
                  "--tols", "1e-4:1e-6", "--t-end", "1", "--json", "--out", folder.file("wp.svg"),
                  "--out", folder.file("wp.html")});
  ASSERT_EQ(o.exit_code, 0) << o.err;
  const Json json = Json::parse(o.out);
  EXPECT_LT(json.at("reference").at("position_error").get<double>(), 1e-7);
  const Json& rows = json.at("rows");
  ASSERT_EQ(rows.size(), 9u);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const Json& r = rows[i];
    EXPECT_EQ(r.at("finished"), true);
    // Tracks the tolerance, or does better.
    const double tolerance = r.at("tolerance");
    EXPECT_LT(r.at("position_error").get<double>(), 10 * tolerance) << r.dump();
    EXPECT_GT(r.at("position_error").get<double>(), 0) << r.dump();
    EXPECT_GT(r.at("cpu_seconds").get<double>(), 0);
    if (i % 3 == 0) continue;
    EXPECT_LT(tolerance, rows[i - 1].at("tolerance").get<double>());
    EXPECT_LT(r.at("position_error"), rows[i - 1].at("position_error")) << r.dump();
    EXPECT_GT(r.at("steps"), rows[i - 1].at("steps")) << r.dump();
  }
  EXPECT_THAT(read_all(folder.file("wp.svg")), HasSubstr("reached error"));
  for (const char* word : {"rn4", "dopri5", "radau5@strangeness_free", "<svg"})
    EXPECT_THAT(read_all(folder.file("wp.html")), HasSubstr(word));
}

TEST(Compare, TakesAReferenceFromAFile) {
  const TemporaryFolder folder;
  const auto compare = [&](const std::vector<std::string>& more) {
    std::vector<std::string> words{"compare", pendulum(), "--methods", "rn4", "--tols", "1e-4",
                                   "--t-end", "1",        "--repeat",  "0",   "--json"};
    words.insert(words.end(), more.begin(), more.end());
    const Output o = run_kardan(words);
    EXPECT_EQ(o.exit_code, 0) << o.err;
    return Json::parse(o.out).at("rows").at(0);
  };
  const double expected = compare({}).at("position_error");
  for (const char* ending : {"tight.csv", "tight.h5"}) {
    const std::string file = folder.file(ending);
    run_kardan({"run", pendulum(), "--method", "rodasp", "--tol", "1e-11", "--t-end", "1",
                "--every", "0.01", "--out", file, "--quiet"});
    const Json row = compare({"--reference", file});
    EXPECT_NEAR(row.at("position_error").get<double>(), expected, 1e-3 * expected) << ending;
    EXPECT_FALSE(row.contains("cpu_seconds"));
  }
}

TEST(Compare, ShowsARunThatFailsAsARow) {
  const TemporaryFile model(R"(kardan: 1
dimension: 2
bodies: {a: {kind: point, mass: 1, position: [1, 0], velocity: [0, 1]}}
forces: {s: {type: spring_damper, between: [ground, a], stiffness: 1e5, damping: 1e5, free_length: 0.9}}
simulate: {t_end: 1, options: {max_steps: 400}}
)");
  const Output o =
      run_kardan({"compare", model.path(), "--methods", "rn4,dopri5", "--tols", "1e-4"});
  EXPECT_EQ(o.exit_code, 0) << o.err;
  EXPECT_THAT(o.out, testing::ContainsRegex("dopri5 +1e-04 +failed: too_many_steps"));
  EXPECT_THAT(o.out, testing::ContainsRegex("rn4 +1e-04 +[0-9.]+e-0"));
}

TEST(Compare, RefusesWhatDoesNotExist) {
  EXPECT_THAT(run_kardan({"compare", pendulum(), "--methods", "rk5"}).err,
              HasSubstr("error[method.unknown]"));
  EXPECT_THAT(run_kardan({"compare", pendulum(), "--methods", "rn4", "--tols", "x"}).err,
              HasSubstr("error[usage.tolerances]"));
  const Output o = run_kardan({"compare", pendulum(), "--methods", "rn4", "--out", "a.png"});
  EXPECT_EQ(o.exit_code, 2);
  EXPECT_THAT(o.err, HasSubstr("error[output.format]"));
}

/// The lines of `kardan reproduce`.
struct Listed {
  std::string paper, table;
};

std::vector<Listed> listed() {
  std::istringstream lines(run_kardan({"reproduce"}).out);
  std::vector<Listed> out;
  std::string line, paper;
  while (std::getline(lines, line)) {
    std::istringstream words(line);
    std::string first;
    words >> first;
    if (line.starts_with("    "))
      out.push_back({paper, first});
    else if (line.starts_with("  "))
      paper = first.substr(0, first.find(':'));
  }
  return out;
}

TEST(Reproduce, PutsEverythingOnOnePage) {
  const TemporaryFolder folder;
  const Output o = run_kardan({"reproduce", "--quick", "--html", folder.file("papers.html")});
  EXPECT_EQ(o.exit_code, 0) << o.err;
  const std::string page = read_all(folder.file("papers.html"));
  const std::vector<Listed> all = listed();
  EXPECT_GE(all.size(), 30u);
  for (const Listed& l : all)
    EXPECT_THAT(page, HasSubstr("id=\"" + l.paper + "-" + l.table + "\""));
  // Each with the verdict that its numbers give, in its text and in its badge.
  std::size_t verdicts = 0;
  for (std::size_t at = page.find("\nverdict: "); at != std::string::npos; ++verdicts) {
    const std::string word = page.substr(at + 10, page.find_first_of("(\n", at + 10) - at - 10);
    EXPECT_THAT(word, testing::AnyOf("reproduced ", "better ", "differs ", "not compared"));
    at = page.find("\nverdict: ", at + 1);
  }
  EXPECT_EQ(verdicts, all.size());
  EXPECT_THAT(page, testing::Not(HasSubstr("could not be computed")));
  EXPECT_THAT(page, testing::Not(HasSubstr("src=")));
  EXPECT_THAT(page, HasSubstr("prefers-color-scheme: dark"));
  EXPECT_THAT(page, HasSubstr("Against the print."));
}

}  // namespace
}  // namespace kardan::test
