/// Result files of the program: killed runs, reports of stored results, runs of stored models.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <random>
#include <thread>

#include "kardan/io/stored_result.h"
#include "support/places.h"
#include "support/process.h"

namespace kardan::test {
namespace {

using testing::HasSubstr;

/// Starts a run that would take hours, and kills it.
void run_and_kill(const std::string& result, std::chrono::microseconds after) {
  const std::string model = models_folder() + "/double_pendulum.yaml";
  const char* arguments[] = {"kardan", "run",   model.c_str(),  "--t-end", "1e6",  "--every",
                             "1e-3",   "--out", result.c_str(), "--quiet", nullptr};
  const pid_t child = fork();
  if (child == 0) {
    execv(built_program().c_str(), const_cast<char**>(arguments));
    _exit(127);
  }
  ASSERT_GT(child, 0);
  for (int i = 0; i < 500 && read_all(result).substr(0, 6) != "KARDAN"; ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  std::this_thread::sleep_for(after);
  kill(child, SIGKILL);
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_TRUE(WIFSIGNALED(status));
}

struct CountingSink final : ResultSink {
  std::size_t rows = 0, steps = 0;
  double last = -1;
  kardan::Json certificate;
  void begin(const ResultDescription&) override {}
  void row(std::span<const double> row) override {
    EXPECT_GT(row[0], last);
    last = row[0];
    ++rows;
  }
  void step(const StepRecord&) override { ++steps; }
  void end(const kardan::Json& c) override { certificate = c; }
};

TEST(KilledRun, LeavesAFileThatOpens) {
  const TemporaryFolder folder;
  std::mt19937 random(20);
  std::uniform_int_distribution<int> wait(0, 600'000);
  std::string files;
  std::size_t rows = 0;
  for (int i = 0; i < 20; ++i) {
    SCOPED_TRACE(i);
    const std::string h5 = folder.file("killed_" + std::to_string(i) + ".h5");
    run_and_kill(h5, std::chrono::microseconds(wait(random)));
    Diagnostics diagnostics;
    const auto stored = StoredResult::open(h5, diagnostics);
    ASSERT_TRUE(stored) << format(diagnostics);
    EXPECT_FALSE(stored->complete());
    EXPECT_THAT(format(diagnostics), HasSubstr("warning[result.unfinished]"));
    CountingSink sink;
    EXPECT_TRUE(stored->replay(sink, diagnostics)) << format(diagnostics);
    EXPECT_EQ(sink.rows, stored->rows());
    EXPECT_EQ(sink.certificate.at("reason"), "interrupted");
    if (sink.rows > 0) {
      EXPECT_EQ(sink.certificate.at("t_reached"), sink.last);
      EXPECT_GT(sink.steps, 0u);
    }
    rows += sink.rows;
    files += " '" + h5 + "'";
  }
  EXPECT_GT(rows, 10'000u) << "most of what is computed is on the disk";
  const std::string command =
      "/usr/bin/python3 '" + source_folder() + "/tests/cli/open_unfinished.py'" + files;
  EXPECT_EQ(std::system(command.c_str()), 0);
}

TEST(View, MakesTheReportThatTheRunWouldHaveMade) {
  const TemporaryFolder folder;
  const std::string h5 = folder.file("balls.h5"), html = folder.file("direct.html");
  ASSERT_EQ(run_kardan({"run", models_folder() + "/bouncing_balls.yaml", "--out", h5, "--out", html,
                        "--quiet"})
                .exit_code,
            0);
  const Output o = run_kardan({"view", h5});
  EXPECT_EQ(o.exit_code, 0) << o.err;
  EXPECT_EQ(o.out, "wrote " + (folder.file("balls.html")) + "\n");
  EXPECT_TRUE(read_all(folder.file("balls.html")) == read_all(html));
  EXPECT_EQ(run_kardan({"view", h5, "--out", folder.file("a.csv"), "--quiet"}).out, "");
  EXPECT_THAT(read_all(folder.file("a.csv")), testing::StartsWith("time [s],ball_1.x [m]"));
}

TEST(View, RefusesWhatIsNoResult) {
  const TemporaryFolder folder;
  Output o = run_kardan({"view", models_folder() + "/pendulum.yaml"});
  EXPECT_EQ(o.exit_code, 2);
  EXPECT_THAT(o.err, HasSubstr("error[result.foreign]"));
  o = run_kardan({"view", folder.file("none.h5")});
  EXPECT_EQ(o.exit_code, 2);
  EXPECT_THAT(o.err, HasSubstr("error[file.open]"));
}

TEST(Run, OfAStoredResultRepeatsIt) {
  const TemporaryFolder folder;
  const std::string h5 = folder.file("first.h5");
  const auto first =
      nlohmann::json::parse(run_kardan({"run", models_folder() + "/pendulum.yaml", "--method",
                                        "dopri5", "--tol", "1e-7", "--t-end", "2", "--option",
                                        "safety=0.7", "--set", "L=1.25", "--out", h5, "--json"})
                                .out);
  const Output o = run_kardan({"run", h5, "--json"});
  ASSERT_EQ(o.exit_code, 0) << o.err;
  const auto second = nlohmann::json::parse(o.out);
  for (const char* key : {"final", "steps", "method", "tolerance", "t_reached", "model"})
    EXPECT_EQ(first.at(key), second.at(key)) << key;
  EXPECT_EQ(run_kardan({"check", h5, "--quiet"}).exit_code, 0);
}

}  // namespace
}  // namespace kardan::test
