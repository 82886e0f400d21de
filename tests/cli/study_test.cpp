/// `kardan study`: from a file to results, killed on the way, in parts, one run again.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <random>
#include <sstream>
#include <thread>

#include "kardan/io/checksum.h"
#include "support/places.h"
#include "support/process.h"

namespace kardan::test {
namespace {

using testing::HasSubstr;
using Json = nlohmann::json;

/// A study of a pendulum in a folder of its own.
struct Swing {
  TemporaryFolder folder;
  std::string study = folder.file("swing.yaml"), out = folder.file("swing.h5");

  explicit Swing(int runs, const std::string& t_end = "0.5") {
    std::ofstream(study) << "kardan_study: 1\nmodel: " << models_folder() << R"(/pendulum.yaml
vary:
  L: {type: uniform, from: 0.9, to: 1.1}
  m: {type: normal, mean: 1, deviation: 0.1}
design: {type: random, seed: 2, runs: )"
                         << runs << "}\nsimulate: {t_end: " << t_end << R"(}
keep: {low: min(bob.y), pull: 'max(abs(rod.lambda[0]))'}
require: [pull < 40]
)";
  }
  Output run(std::vector<std::string> more) const {
    more.insert(more.begin(), {"study", study, "--out", out});
    return run_kardan(more);
  }
};

TEST(Study, TellsStatisticsAsTextJsonAndCsv) {
  const Swing swing(20);
  const std::string csv = swing.folder.file("swing.csv");
  const Output o = swing.run({"--json", "--out", csv});
  ASSERT_EQ(o.exit_code, 0) << o.err;
  const Json json = Json::parse(o.out);
  EXPECT_EQ(json.at("done"), 20);
  EXPECT_EQ(json.at("failed"), 0);
  // At the bottom a pendulum from rest pulls with three times its weight.
  EXPECT_NEAR(json.at("values").at("low").at("mean"), -1, 0.1);
  EXPECT_GT(json.at("values").at("pull").at("correlation").at("m"), 0.95);
  const std::string text = read_all(csv);
  EXPECT_EQ(std::ranges::count(text, '\n'), 21);
  EXPECT_THAT(text, HasSubstr("run,L,m,low,pull,run.met,"));
  EXPECT_THAT(text, HasSubstr(",finished,"));
  const Output shown = run_kardan({"study", swing.out});
  EXPECT_EQ(shown.exit_code, 0) << shown.err;
  EXPECT_THAT(shown.out, HasSubstr("20 of 20"));
  EXPECT_THAT(run_kardan({"study", swing.out, "--json"}).out, testing::StrEq(o.out));
}

TEST(Study, IsNotOverwrittenUnasked) {
  const Swing swing(3);
  ASSERT_EQ(swing.run({"--quiet"}).exit_code, 0);
  const Output again = swing.run({"--quiet"});
  EXPECT_EQ(again.exit_code, 2);
  EXPECT_THAT(again.err, HasSubstr("error[study.exists]"));
  EXPECT_EQ(swing.run({"--quiet", "--resume"}).exit_code, 0);
  EXPECT_EQ(swing.run({"--quiet", "--force"}).exit_code, 0);
  std::ofstream(swing.study, std::ios::app) << "name: other\n";
  EXPECT_THAT(swing.run({"--resume"}).err, HasSubstr("error[study.other]"));
}

/// Bytes of the rows: what the files of two studies must share.
std::string rows(const std::string& file) {
  const std::string csv = file + ".csv";
  EXPECT_EQ(run_kardan({"study", file, "--out", csv, "--quiet"}).exit_code, 0);
  return read_all(csv);
}

TEST(Study, KilledAtAnyTimeGoesOnWithNothingLostAndNothingTwice) {
  const char* const asked = std::getenv("KARDAN_KILLS");
  const int kills = asked ? std::atoi(asked) : 6;
  const Swing reference(40), swing(40);
  ASSERT_EQ(reference.run({"--quiet"}).exit_code, 0);
  std::mt19937 random(7);
  int killed = 0;
  for (int i = 0; i < kills; ++i) {
    Process process({"study", swing.study, "--out", swing.out, "--resume", "--quiet", "--threads",
                     i % 2 == 0 ? "1" : "3"});
    std::this_thread::sleep_for(std::chrono::milliseconds(random() % 60));
    process.send(SIGKILL);
    killed += process.wait().signal == SIGKILL ? 1 : 0;
    // Whenever it was killed the file is whole, or not there.
    if (std::filesystem::exists(swing.out) && std::filesystem::file_size(swing.out) > 0) {
      EXPECT_EQ(run_kardan({"study", swing.out, "--quiet"}).exit_code, 0) << i;
    }
  }
  EXPECT_GT(killed, 0);
  ASSERT_EQ(swing.run({"--quiet", "--resume"}).exit_code, 0);
  EXPECT_EQ(rows(swing.out), rows(reference.out));
}

TEST(Study, InPartsIsTheWholeStudy) {
  const Swing swing(11);
  ASSERT_EQ(swing.run({"--quiet"}).exit_code, 0);
  std::vector<std::string> merge{"study", "merge", swing.folder.file("whole.h5")};
  for (const char* part : {"1/3", "2/3", "3/3"}) {
    const std::string file = swing.folder.file(std::string("part") + part[0] + ".h5");
    const Output o = run_kardan({"study", swing.study, "--out", file, "--chunk", part, "--quiet"});
    ASSERT_EQ(o.exit_code, 0) << o.err;
    merge.push_back(file);
  }
  const Output o = run_kardan(merge);
  ASSERT_EQ(o.exit_code, 0) << o.err;
  EXPECT_EQ(rows(swing.folder.file("whole.h5")), rows(swing.out));
  merge.pop_back();
  merge[2] = swing.folder.file("less.h5");
  EXPECT_THAT(run_kardan(merge).err, HasSubstr("8 of 11 runs are there"));
}

/// The file of a study with another name in its head, and the sums that belong to it: "head PLACE
/// SIZE SUM", and "seal SUM" of the lines before.
std::string by_another_program(std::string bytes) {
  const std::size_t line = bytes.find("\nhead ") + 1;
  std::istringstream words(bytes.substr(line + 5));
  std::size_t place = 0, size = 0;
  words >> place >> size;
  bytes[bytes.find("kardan ", bytes.find("\"computed_by\"", place))] = 'K';
  const std::size_t seal = bytes.find("\nseal ") + 1, after = bytes.find('\n', seal) + 1;
  const std::string head = "head " + std::to_string(place) + ' ' + std::to_string(size) + ' ' +
                           std::to_string(checksum(std::string_view(bytes).substr(place, size)));
  std::string lines = bytes.substr(0, line) + head +
                      bytes.substr(bytes.find('\n', line), seal - bytes.find('\n', line));
  lines += "seal " + std::to_string(checksum(lines)) + '\n';
  lines.resize(std::max(lines.size(), after));
  return bytes.replace(0, lines.size(), lines);
}

TEST(Study, OfAnotherProgramGoesOnWithAWarning) {
  const Swing swing(3);
  ASSERT_EQ(swing.run({"--quiet"}).exit_code, 0);
  const std::string bytes = by_another_program(read_all(swing.out));
  std::ofstream(swing.out, std::ios::binary) << bytes;
  const Output o = swing.run({"--quiet", "--resume"});
  EXPECT_EQ(o.exit_code, 0) << o.err;
  EXPECT_THAT(o.err, HasSubstr("warning[study.program]"));
}

TEST(Study, ShowsARunAgainBitForBitAndWritesItsModel) {
  const Swing swing(5);
  ASSERT_EQ(swing.run({"--quiet"}).exit_code, 0);
  const std::string model = swing.folder.file("run3.yaml");
  const Output o = run_kardan({"study", "show", swing.out, "3", "--out", model});
  EXPECT_EQ(o.exit_code, 0) << o.err;
  EXPECT_THAT(o.out, HasSubstr("The same bits as in the file."));
  const Output run = run_kardan({"run", model, "--json"});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  // The lowest place of a pendulum from the horizontal is its length below.
  EXPECT_THAT(o.out, HasSubstr("low "));
  EXPECT_THAT(run_kardan({"study", "show", swing.out, "5"}).err, HasSubstr("there is no run 5"));
}

/// A command of other programs, whose words hold no blanks.
int run_command(const std::string& command) {
  return std::system((command + " > /dev/null 2>&1").c_str());  // NOLINT(cert-env33-c)
}

TEST(Study, OfFourRanksOfMpiHasTheSameBits) {
  const std::filesystem::path program = built_program();
  if (!std::filesystem::exists(program.parent_path() / "kardan_mpi.so"))
    GTEST_SKIP() << "built without mpi.h";
  if (run_command("mpirun --version") != 0) GTEST_SKIP() << "there is no mpirun";
  const Swing alone(60), together(60);
  ASSERT_EQ(alone.run({"--quiet"}).exit_code, 0);
  const std::string mpirun = "mpirun --allow-run-as-root --oversubscribe -n 4 ";
  const std::string study =
      program.string() + " study " + together.study + " --out " + together.out;
  ASSERT_EQ(run_command(mpirun + study), 0);
  EXPECT_EQ(rows(together.out), rows(alone.out));
  // There already: refused by all of them, which do not wait for each other.
  EXPECT_NE(run_command("timeout 60 " + mpirun + study), 0);
  ASSERT_EQ(run_command(mpirun + study + " --resume"), 0);
  EXPECT_EQ(rows(together.out), rows(alone.out));
}

TEST(Study, RefusesToBeOneOfSeveralThatCannotReachEachOther) {
  const Swing swing(2);
  TemporaryFolder folder;
  const std::string copy = folder.file("kardan");
  std::filesystem::copy_file(built_program(), copy);
  const std::string err = folder.file("err");
  const std::string command = "OMPI_COMM_WORLD_SIZE=4 " + copy + " study " + swing.study +
                              " --out " + swing.out + " 2> " + err;
  const int status = std::system(command.c_str());  // NOLINT(cert-env33-c)
  EXPECT_EQ(WEXITSTATUS(status), 2);
  EXPECT_THAT(read_all(err), HasSubstr("error[study.ranks]"));
  EXPECT_FALSE(std::filesystem::exists(swing.out));
}

TEST(Study, ListsWhatExists) {
  const Output o = run_kardan({"study"});
  EXPECT_EQ(o.exit_code, 0);
  for (const char* word : {"triangular", "latin_hypercube", "spectrum_peak", "correlated"})
    EXPECT_THAT(o.out, HasSubstr(word));
}

TEST(Study, RefusesWhatItCannotDo) {
  const Swing swing(2);
  EXPECT_THAT(swing.run({"--chunk", "3/2"}).err, HasSubstr("error[usage.chunk]"));
  EXPECT_THAT(swing.run({"--out", "x.pdf"}).err, HasSubstr("error[output.format]"));
  EXPECT_THAT(run_kardan({"study", swing.study, "more"}).err, HasSubstr("error[usage.study]"));
  EXPECT_THAT(run_kardan({"study", "show", "README.md"}).err, HasSubstr("error[usage.study]"));
  EXPECT_THAT(run_kardan({"study", "show", source_folder() + "/README.md", "1"}).err,
              HasSubstr("error[result.foreign]"));
}

}  // namespace
}  // namespace kardan::test
