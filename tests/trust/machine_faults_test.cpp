/// What the machine may do to a run: full disks, closed pipes, signals, sudden death, damaged
/// files.

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <random>
#include <thread>

#include "kardan/io/checkpoint.h"
#include "support/places.h"
#include "support/process.h"

namespace kardan::test {
namespace {

using Json = nlohmann::json;
using testing::AnyOf;
using testing::HasSubstr;
using Words = std::vector<std::string>;

constexpr int finished = 0, failed = 1, bad_input = 2;
const std::string pendulum = models_folder() + "/pendulum.yaml";

/// `kardan run pendulum ...`
Words run_words(const Words& more) {
  Words words{"run", pendulum, "--tol", "1e-6", "--quiet"};
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

void sleep_ms(double milliseconds) {
  std::this_thread::sleep_for(std::chrono::duration<double, std::milli>(milliseconds));
}

/// Waits for something that must come; gives up after a minute.
template <class Condition>
bool wait_for(const Condition& condition) {
  for (int i = 0; i < 60'000 && !condition(); ++i) sleep_ms(1);
  return condition();
}

/// Every line of a table has as many fields as its head, and the last one is whole.
void expect_whole_rows(const std::string& csv) {
  ASSERT_THAT(csv, testing::EndsWith("\n"));
  std::istringstream lines(csv);
  std::string line;
  long fields = -1;
  while (std::getline(lines, line)) {
    const long count = std::count(line.begin(), line.end(), ',');
    if (fields < 0) fields = count;
    ASSERT_EQ(count, fields) << line;
  }
}

/// The checkpoint loads, and so do its rows.
std::optional<Checkpoint> loaded(const std::string& path) {
  Diagnostics diagnostics;
  auto checkpoint = load_checkpoint(path, diagnostics);
  EXPECT_TRUE(checkpoint) << format(diagnostics);
  return checkpoint;
}

class Signal : public testing::TestWithParam<int> {};

TEST_P(Signal, EndsARunWithResultsAndACheckpointThatGoesOn) {
  const TemporaryFolder folder;
  const std::string csv = folder.file("a.csv"), json = folder.file("a.json"),
                    checkpoint = folder.file("a.checkpoint");
  Process process(run_words({"--t-end", "100000", "--every", "0.5", "--out", csv, "--out", json,
                             "--checkpoint", checkpoint, "--checkpoint-every", "0.5"}));
  // A few checkpoints after the first.
  ASSERT_TRUE(wait_for([&] {
    Diagnostics ignored;
    const auto c = load_checkpoint(checkpoint, ignored);
    return c && c->memory.state.t > 2;
  }));
  process.send(GetParam());
  const Output o = process.wait();
  EXPECT_EQ(o.exit_code, 128 + GetParam());
  EXPECT_THAT(o.err,
              HasSubstr(GetParam() == SIGINT ? "interrupted by SIGINT" : "interrupted by SIGTERM"));
  EXPECT_THAT(o.err, HasSubstr("--resume " + checkpoint));
  expect_whole_rows(read_all(csv));
  const Json certificate = Json::parse(read_all(json));
  EXPECT_EQ(certificate.at("reason"), "interrupted");
  const auto c = loaded(checkpoint);
  ASSERT_TRUE(c);
  EXPECT_LE(c->memory.state.t, certificate.at("t_reached").get<double>());
  // On to a near end: the same as without the interruption.
  const std::string end = fmt::format("{}", std::ceil(c->memory.state.t) + 1);
  const std::string again = folder.file("again.csv"), whole = folder.file("whole.csv");
  EXPECT_EQ(
      run_kardan(run_words({"--resume", checkpoint, "--t-end", end, "--out", again})).exit_code,
      finished);
  EXPECT_EQ(run_kardan(run_words({"--t-end", end, "--every", "0.5", "--checkpoint-every", "0.5",
                                  "--out", whole}))
                .exit_code,
            finished);
  EXPECT_EQ(read_all(again), read_all(whole));
}

INSTANTIATE_TEST_SUITE_P(Both, Signal, testing::Values(SIGINT, SIGTERM), [](const auto& chosen) {
  return std::string(chosen.param == SIGINT ? "SIGINT" : "SIGTERM");
});

/// A pipe as a result file, with a reader that does not read.
class Pipe {
 public:
  explicit Pipe(const std::string& path) : path_(path) {
    EXPECT_EQ(mkfifo(path.c_str(), 0600), 0);
    file_ = open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    EXPECT_GE(file_, 0);
  }
  ~Pipe() { close_reader(); }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
  int waiting() const {
    int bytes = 0;
    ioctl(file_, FIONREAD, &bytes);
    return bytes;
  }
  /// Full: who writes waits.
  bool full() const {
    const int before = waiting();
    sleep_ms(20);
    return before >= 4096 && waiting() == before;
  }
  void close_reader() {
    if (file_ >= 0) ::close(file_);
    file_ = -1;
  }

 private:
  std::string path_;
  int file_ = -1;
};

TEST(Machine, TheSecondSignalEndsAtOnce) {
  const TemporaryFolder folder;
  Pipe pipe(folder.file("a.csv"));
  Process process(
      run_words({"--t-end", "100000", "--every", "1e-3", "--out", folder.file("a.csv")}));
  ASSERT_TRUE(wait_for([&] { return pipe.full(); }));
  process.send(SIGINT);
  sleep_ms(50);
  EXPECT_FALSE(process.ended()) << "it waits for whoever reads the pipe";
  process.send(SIGINT);
  EXPECT_EQ(process.wait().signal, SIGINT);
}

TEST(Machine, AClosedPipeEndsTheRunAndLeavesTheOtherFilesWhole) {
  const TemporaryFolder folder;
  const std::string json = folder.file("a.json"), checkpoint = folder.file("a.checkpoint");
  Pipe pipe(folder.file("a.csv"));
  Process process(run_words({"--t-end", "100000", "--every", "1e-3", "--out", folder.file("a.csv"),
                             "--out", json, "--checkpoint", checkpoint}));
  ASSERT_TRUE(wait_for([&] { return pipe.full(); }));
  pipe.close_reader();
  const Output o = process.wait();
  EXPECT_EQ(o.exit_code, failed);
  EXPECT_THAT(o.err, HasSubstr("a.csv: Broken pipe"));
  EXPECT_EQ(Json::parse(read_all(json)).at("reason"), "interrupted");
  EXPECT_TRUE(loaded(checkpoint));
}

TEST(Machine, StandardOutputThatCannotBeWrittenIsNoSuccess) {
  for (const Words& words : {Words{"run", pendulum, "--t-end", "0.1"},
                             Words{"run", pendulum, "--t-end", "0.1", "--json"},
                             Words{"check", pendulum}, Words{"methods"}}) {
    const Output o = run_kardan(words, {.out = "/dev/full"});
    EXPECT_EQ(o.exit_code, failed) << words[0];
    EXPECT_THAT(o.err, HasSubstr("No space left on device")) << words[0];
  }
}

class DiskFull : public testing::TestWithParam<const char*> {};

TEST_P(DiskFull, EndsTheRunNamesTheFileAndLeavesTheOthersWhole) {
  const TemporaryFolder folder;
  const std::string file = folder.file(std::string("large.") + GetParam()),
                    json = folder.file("small.json"), checkpoint = folder.file("a.checkpoint");
  const Output o = run_kardan(run_words({"--t-end", "3000", "--every", "0.01", "--out", file,
                                         "--out", json, "--option", "max_steps=3000"}),
                              {.largest_file = 200'000});
  EXPECT_EQ(o.signal, 0) << o.err;
  EXPECT_EQ(o.exit_code, failed) << o.err;
  EXPECT_THAT(o.err, AnyOf(HasSubstr("large."), HasSubstr("disk full"))) << o.err;
  EXPECT_THAT(o.err, testing::Not(HasSubstr("HDF5-DIAG")));
  const Json certificate = Json::parse(read_all(json));
  // A report is written as a whole at the end, HDF5 from time to time: the run itself may have come
  // to its end then.
  const std::string reason = certificate.at("reason");
  EXPECT_THAT(reason, AnyOf("interrupted", "too_many_steps"));
  if (std::string(GetParam()) == "csv") {
    EXPECT_EQ(reason, "interrupted");
  }
}

INSTANTIATE_TEST_SUITE_P(Formats, DiskFull, testing::Values("csv", "h5", "html"));

TEST(Machine, AFullDiskLeavesTheLastCheckpoint) {
  const TemporaryFolder folder;
  const std::string checkpoint = folder.file("a.checkpoint");
  const Words words = run_words({"--t-end", "20", "--every", "0.01", "--checkpoint", checkpoint,
                                 "--checkpoint-every", "0.5"});
  const Output o = run_kardan(words, {.largest_file = 100'000});
  EXPECT_EQ(o.exit_code, failed);
  EXPECT_THAT(o.err, HasSubstr("a.checkpoint.rows"));
  const auto c = loaded(checkpoint);
  ASSERT_TRUE(c);
  EXPECT_GT(c->memory.state.t, 0.5);
  // With room again it goes on to the same end.
  const std::string rest = folder.file("rest.csv"), whole = folder.file("whole.csv");
  EXPECT_EQ(run_kardan(run_words({"--resume", checkpoint, "--out", rest})).exit_code, finished);
  EXPECT_EQ(run_kardan(run_words({"--t-end", "20", "--every", "0.01", "--checkpoint-every", "0.5",
                                  "--out", whole}))
                .exit_code,
            finished);
  EXPECT_EQ(read_all(rest), read_all(whole));
}

TEST(Machine, WhatCannotBeWrittenIsRefusedBeforeTheRun) {
  const TemporaryFolder folder;
  for (const char* option : {"--out", "--log", "--checkpoint"})
    for (const std::string& place :
         {std::string("/no/such/folder/a.csv"), folder.file("a_folder.csv")}) {
      std::filesystem::create_directory(folder.file("a_folder.csv"));
      const Output o = run_kardan(run_words({"--t-end", "0.1", option, place}));
      EXPECT_EQ(o.exit_code, bad_input) << option << " " << place << ": " << o.err;
      EXPECT_THAT(o.err, HasSubstr(place)) << option;
    }
}

TEST(Machine, TheLogOfARunThatGoesOnIsThatOfARunInOnePiece) {
  const TemporaryFolder folder;
  const std::string log = folder.file("a.log"), whole = folder.file("whole.log"),
                    checkpoint = folder.file("a.checkpoint");
  const Words common{"--t-end", "2", "--checkpoint-every", "0.25"};
  const auto with = [&](Words words) {
    words.insert(words.end(), common.begin(), common.end());
    return run_kardan(run_words(words)).exit_code;
  };
  // Some steps after the last checkpoint are lost, and their lines with them.
  EXPECT_EQ(with({"--log", log, "--checkpoint", checkpoint, "--option", "max_steps=40"}), failed);
  const std::string first = read_all(log);
  EXPECT_EQ(std::count(first.begin(), first.end(), '\n'), 41);
  EXPECT_EQ(
      run_kardan(run_words({"--resume", checkpoint, "--log", log, "--option", "max_steps=10000"}))
          .exit_code,
      finished);
  EXPECT_EQ(with({"--log", whole}), finished);
  EXPECT_EQ(read_all(log), read_all(whole));
}

TEST(Machine, AWallClockLimitIsAnHonestEnd) {
  const TemporaryFolder folder;
  const std::string checkpoint = folder.file("a.checkpoint");
  const Output o = run_kardan({"run", pendulum, "--t-end", "1e6", "--wall-limit", "0.2", "--json",
                               "--checkpoint", checkpoint, "--checkpoint-every", "1"});
  EXPECT_EQ(o.exit_code, failed);
  EXPECT_THAT(o.err, HasSubstr("the wall-clock limit of 0.2 s is over"));
  EXPECT_EQ(Json::parse(o.out).at("reason"), "interrupted");
  EXPECT_TRUE(loaded(checkpoint));
}

/// 100 times SIGKILL at any moment, each time going on from what is there: the last checkpoint
/// always loads, and in the end the result is that of a run without any of it.
TEST(Machine, SurvivesAHundredSuddenDeaths) {
  const TemporaryFolder folder;
  const std::string checkpoint = folder.file("a.checkpoint"), csv = folder.file("a.csv"),
                    whole = folder.file("whole.csv");
  const Words asked{"--t-end", "300", "--every", "2", "--checkpoint-every", "0.2"};
  const auto with = [&](Words more) {
    more.insert(more.end(), asked.begin(), asked.end());
    return run_words(more);
  };
  std::mt19937 random(7);
  int there = 0;
  double furthest = 0, span = 40;  // [s], [ms]: long enough for runs to get on, on any machine
  for (int death = 0; death < 100; ++death) {
    const bool resume = std::filesystem::exists(checkpoint);
    Process process(with({resume ? "--resume" : "--checkpoint", checkpoint, "--out", csv}));
    sleep_ms(std::uniform_real_distribution<double>(0, span)(random));
    process.send(SIGKILL);
    (void)process.wait();
    span = std::min(1.2 * span, 1000.0);
    if (!std::filesystem::exists(checkpoint)) continue;
    const auto c = loaded(checkpoint);
    ASSERT_TRUE(c) << "after " << death + 1 << " deaths";
    if (c->memory.state.t > furthest) span = std::max(0.7 * span, 10.0);
    EXPECT_GE(c->memory.state.t, furthest);
    furthest = c->memory.state.t;
    ++there;
  }
  EXPECT_GE(there, 50);
  const Output last = run_kardan(with({"--resume", checkpoint, "--out", csv}));
  EXPECT_EQ(last.exit_code, finished) << last.err;
  EXPECT_EQ(run_kardan(with({"--out", whole})).exit_code, finished);
  EXPECT_EQ(read_all(csv), read_all(whole));
}

/// A checkpoint of the pendulum to play with.
class Refused : public testing::Test {
 protected:
  void SetUp() override {
    const Output o = run_kardan(run_words({"--t-end", "1", "--checkpoint", path}));
    ASSERT_EQ(o.exit_code, finished) << o.err;
  }
  Output resume(const Words& more = {}, const std::string& model = pendulum) const {
    Words words{"run", model, "--resume", path, "--quiet"};
    words.insert(words.end(), more.begin(), more.end());
    return run_kardan(words);
  }
  void expect_refused(const Output& o, const std::string& code, const std::string& text) const {
    EXPECT_EQ(o.exit_code, bad_input) << o.err;
    EXPECT_THAT(o.err, HasSubstr("error[" + code + "]"));
    EXPECT_THAT(o.err, HasSubstr(text));
  }
  TemporaryFolder folder;
  std::string path = folder.file("a.checkpoint");
};

TEST_F(Refused, SomethingElseIsNotContinued) {
  expect_refused(resume({}, models_folder() + "/three_link.yaml"), "checkpoint.model", path);
  expect_refused(resume({"--set", "L=2"}), "checkpoint.model", "another model");
  expect_refused(resume({"--method", "radau5"}), "checkpoint.option", "method = radau5");
  expect_refused(resume({"--tol", "1e-3"}), "checkpoint.option",
                 "the run of the checkpoint has 1e-06");
  expect_refused(resume({"--option", "safety=0.5"}), "checkpoint.option", "safety = 0.5");
  expect_refused(resume({"--every", "0.3"}), "checkpoint.option", "every = 0.3");
  expect_refused(resume({"--t-end", "0.1"}), "checkpoint.end", "t_end = 0.1");
  EXPECT_EQ(resume({"--t-end", "1.5"}).exit_code, finished);
}

TEST_F(Refused, ADamagedCheckpointIsNotContinued) {
  const std::string bytes = read_all(path);
  for (const std::size_t at : {std::size_t{0}, bytes.size() / 2, bytes.size() - 1}) {
    std::string other = bytes;
    other[at] = static_cast<char>(other[at] ^ 4);
    std::ofstream(path, std::ios::binary) << other;
    const Output o = resume();
    EXPECT_EQ(o.exit_code, bad_input) << "byte " << at;
    EXPECT_THAT(o.err, HasSubstr("error[checkpoint."));
    std::ofstream(path, std::ios::binary) << bytes.substr(0, at);
    EXPECT_EQ(resume().exit_code, bad_input) << "cut at " << at;
  }
}

TEST_F(Refused, RowsThatAreMissingOrDamagedAreNot) {
  const std::string rows = rows_path(path), bytes = read_all(rows);
  std::string other = bytes;
  other[100] = static_cast<char>(other[100] ^ 1);
  std::ofstream(rows, std::ios::binary) << other;
  expect_refused(resume(), "checkpoint.rows", "checksum");
  std::filesystem::remove(rows);
  expect_refused(resume(), "checkpoint.rows", rows);
}

}  // namespace
}  // namespace kardan::test
