/// `kardan run`, `linearize --at` and `reproduce` as a user meets them.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "cli/endings.h"
#include "support/places.h"
#include "support/process.h"

namespace kardan::test {
namespace {

using Json = nlohmann::json;
using testing::ContainsRegex;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

/// A file name in the folder of temporary files, removed with the object.
class Scratch {
 public:
  explicit Scratch(const std::string& name)
      : path_((std::filesystem::path(testing::TempDir()) / ("kardan_run_test_" + name)).string()) {}
  ~Scratch() { std::filesystem::remove(path_); }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  const std::string& path() const { return path_; }
  std::string text() const {
    std::ifstream file(path_);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  std::vector<std::string> lines() const {
    std::vector<std::string> out;
    std::istringstream stream(text());
    for (std::string line; std::getline(stream, line);) out.push_back(line);
    return out;
  }

 private:
  std::string path_;
};

TEST(Run, PrintsASummaryOfOneScreen) {
  const Output o = run_kardan({"run", models + "pendulum.yaml", "--t-end", "2", "--tol", "1e-3"});
  EXPECT_EQ(o.exit_code, finished);
  EXPECT_THAT(o.err, IsEmpty()) << "no progress bar without a terminal";
  for (const char* line :
       {"ended +finished at t = 2 s", "method +rn4 on state_space", "steps +[0-9]+",
        "constraints held +position", "energy .* unbalanced .* exchanged",
        "derivatives +exact; dense output of order 4", "partition t = "})
    EXPECT_THAT(o.out, ContainsRegex(line));
  EXPECT_LT(std::count(o.out.begin(), o.out.end(), '\n'), 40);
}

TEST(Run, WritesGridLogAndCertificate) {
  const Scratch csv("grid.csv"), json("certificate.json"), log("steps.csv");
  const Output o =
      run_kardan({"run", models + "pendulum.yaml", "--t-end", "1", "--every", "0.25", "--out",
                  csv.path(), "--out", json.path(), "--log", log.path(), "--json"});
  EXPECT_EQ(o.exit_code, finished) << o.err;
  const auto rows = csv.lines();
  ASSERT_EQ(rows.size(), 6u);
  EXPECT_THAT(rows[0], StartsWith("time [s],"));
  EXPECT_THAT(rows[5], StartsWith("1,"));
  const Json printed = Json::parse(o.out);
  Json written = Json::parse(json.text());
  EXPECT_EQ(printed.at("final"), written.at("final"));
  EXPECT_EQ(log.lines().size(), printed.at("steps").get<std::size_t>() + 1);
  EXPECT_EQ(log.lines()[0], "t,h,error,rejected,failed,evaluations,iterations");
}

TEST(Run, ThatFailsKeepsWhatItHasAndExitsWithOne) {
  const Scratch csv("part.csv"), json("part.json");
  const Output o =
      run_kardan({"run", models + "pendulum.yaml", "--t-end", "1", "--every", "0.01", "--option",
                  "max_steps=10", "--out", csv.path(), "--out", json.path()});
  EXPECT_EQ(o.exit_code, failed);
  EXPECT_THAT(o.err, HasSubstr("10 steps were taken"));
  const Json report = Json::parse(json.text());
  EXPECT_EQ(report.at("reason"), "too_many_steps");
  EXPECT_GT(report.at("t_reached").get<double>(), 0);
  EXPECT_GT(csv.lines().size(), 2u);
}

TEST(Run, IntoAFormatThatDoesNotExistIsRefused) {
  const Output o = run_kardan({"run", models + "pendulum.yaml", "--out", "result.xls"});
  EXPECT_EQ(o.exit_code, bad_input);
  EXPECT_THAT(o.err, HasSubstr("wanted a file ending in .csv, .json, .h5, .html"));
}

TEST(Run, TakesTheNewtonOptionsOfNewmark) {
  auto iterations = [&](const char* newton) {
    const Output o = run_kardan({"run", models + "double_pendulum_haug.yaml", "--json", "--option",
                                 std::string("newton=") + newton});
    const Json json = Json::parse(o.out);
    EXPECT_EQ(json.at("used").at("method_options").at("newton"), newton);
    return json.at("jacobians").get<int>() - json.at("steps").get<int>();
  };
  EXPECT_GT(iterations("full"), 0) << "more than one matrix a step";
  EXPECT_EQ(iterations("simplified"), 0);
}

TEST(Linearize, AtATimeOfTheRun) {
  const Output o = run_kardan(
      {"linearize", models + "double_pendulum.yaml", "--at", "20", "--tol", "1e-6", "--json"});
  EXPECT_EQ(o.exit_code, finished) << o.err;
  const Json json = Json::parse(o.out);
  EXPECT_EQ(json.at("t"), 20.0);
  // The pendulum has come to rest: it hangs on its springs.
  EXPECT_LT(json.at("largest_acceleration").get<double>(), 1e-3);
  const std::vector<std::string> at_start{"linearize", models + "double_pendulum.yaml", "--json"};
  const Output moving = run_kardan(at_start);
  EXPECT_EQ(moving.exit_code, failed);
  EXPECT_NE(moving.err.find("neither a balance nor steady"), std::string::npos) << moving.err;
  std::vector<std::string> frozen = at_start;
  frozen.emplace_back("--frozen");
  EXPECT_GT(Json::parse(run_kardan(frozen).out).at("largest_acceleration").get<double>(), 1e4);
}

TEST(Linearize, AtATimeThatIsNoneIsRefused) {
  EXPECT_EQ(run_kardan({"linearize", models + "pendulum.yaml", "--at", "-1"}).exit_code, bad_input);
}

TEST(Reproduce, ListsPapersAndTables) {
  const Output o = run_kardan({"reproduce"});
  EXPECT_EQ(o.exit_code, finished);
  for (const char* word : {"sandu2001", "table4", "haug1997", "table5", "fig11"})
    EXPECT_THAT(o.out, HasSubstr(word));
  EXPECT_EQ(run_kardan({"reproduce", "haug1997", "table9"}).exit_code, bad_input);
  EXPECT_THAT(run_kardan({"reproduce", "haug1998"}).err, HasSubstr("did you mean 'haug1997'?"));
}

/// The numbers in the first line that begins with a word.
std::vector<double> numbers_after(const std::string& text, const std::string& begin) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (line.rfind(begin, 0) != 0) continue;
    std::vector<double> out;
    std::istringstream words(line.substr(begin.size()));
    for (std::string word; words >> word;) {
      char* end = nullptr;
      const double value = std::strtod(word.c_str(), &end);
      if (end != word.c_str()) out.push_back(value);
    }
    return out;
  }
  return {};
}

TEST(Reproduce, ExactMatrixNeedsFewerIterationsOnSevenBodies) {
  const Scratch plot("fig11.svg");
  const Output o = run_kardan({"reproduce", "haug1997", "fig11", "--out", plot.path()});
  EXPECT_EQ(o.exit_code, finished) << o.err;
  const auto row = numbers_after(o.out, "  seven bodies");  // h, steps, IMPL, FV
  ASSERT_GE(row.size(), 4u) << o.out;
  EXPECT_EQ(row[1], 350);
  EXPECT_LT(row[2], 2.5);
  EXPECT_GT(row[3], row[2] + 0.5);
  EXPECT_THAT(plot.text(), HasSubstr("<svg"));
}

TEST(Reproduce, VehicleMakesSmallStepsOnTheBumpAndLargeOnesOnTheFlat) {
  const Scratch plot("fig5.svg");
  const Output o = run_kardan({"reproduce", "sandu2001", "fig5", "--out", plot.path()});
  EXPECT_EQ(o.exit_code, finished);
  const auto bump = numbers_after(o.out, "           0.5 to 0.8 s, front on the bump");
  const auto flat = numbers_after(o.out, "           4 to 5 s, flat");
  ASSERT_EQ(bump.size(), 1u) << o.out;
  ASSERT_EQ(flat.size(), 1u) << o.out;
  EXPECT_GT(flat[0], 20 * bump[0]);
  EXPECT_THAT(o.out, HasSubstr("-2.594e+05"));
}

TEST(Reproduce, ErrorsOfTheStiffPendulumAreNotAboveThePrintedOnes) {
  for (const char* table : {"table1", "table2"}) {
    const Output o = run_kardan({"reproduce", "sandu2001", table});
    EXPECT_EQ(o.exit_code, finished) << o.err;
    for (const std::string tolerance : {"1e-02", "1e-03", "1e-04", "1e-05"}) {
      // time, largest error, relative error, average
      const auto printed = numbers_after(o.out, "  " + tolerance + "  printed");
      const auto ours = numbers_after(o.out, "  " + tolerance + "  rn4 ");
      ASSERT_GE(printed.size(), 4u) << o.out;
      ASSERT_GE(ours.size(), 4u) << o.out;
      EXPECT_LE(ours[1], printed[1]) << table << ' ' << tolerance;
      EXPECT_LE(ours[3], printed[3]) << table << ' ' << tolerance;
    }
  }
}

TEST(Reproduce, VehicleIsFasterThanPrintedAgainstTheExplicitMethod) {
  const Output o = run_kardan({"reproduce", "sandu2001", "table4", "--quick"});
  EXPECT_EQ(o.exit_code, finished) << o.err;
  for (const char* tolerance : {"1e-02", "1e-03"}) {
    // steps, evaluations, CPU, printed CPU, us/eval, error, ratio, printed ratio
    const auto row = numbers_after(o.out, std::string("    1   ") + tolerance + "  rn4");
    ASSERT_EQ(row.size(), 8u) << o.out;
    EXPECT_LT(row[5], 10 * std::stod(tolerance)) << o.out;
    EXPECT_GT(row[6], row[7]) << o.out;
  }
}

}  // namespace
}  // namespace kardan::test
