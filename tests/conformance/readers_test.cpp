/// Every reader of files meets the same strangers: it answers, with what it read or with the file's
/// name and a reason, whatever the file is; and it leaves the file alone. A reader is covered by
/// one line of `readers`.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <random>

#include "conformance/pairs.h"
#include "kardan/io/checkpoint.h"
#include "kardan/io/load.h"
#include "kardan/io/stored_result.h"
#include "support/models.h"
#include "support/process.h"

namespace kardan {
namespace {

using testing::HasSubstr;

constexpr const char* pendulum = R"(kardan: 1
dimension: 2
gravity: [0, -10]
bodies:
  bob: {kind: point, mass: 2, position: [1, 0]}
joints:
  rod: {type: distance, between: [ground, bob], length: 1}
simulate: {t_end: 0.5, every: 0.1}
)";

struct Reader {
  std::string name, file;
  /// The bytes of a good file, and whether another byte anywhere must be noticed.
  std::function<std::string()> good;
  bool sealed;
  std::function<bool(const std::string& path, Diagnostics&)> read;
};

/// What the program writes when it is asked for this.
std::string written_by_run(const std::string& option, const std::string& name) {
  const test::TemporaryFolder folder;
  std::ofstream(folder.file("m.yaml")) << pendulum;
  const test::Output out =
      test::run_kardan({"run", folder.file("m.yaml"), "--quiet", option, folder.file(name)});
  EXPECT_EQ(out.exit_code, 0) << out.err;
  return test::read_all(folder.file(name));
}

const std::vector<Reader>& readers() {
  static const std::vector<Reader> all{
      {"model", "m.yaml", [] { return std::string(pendulum); }, false,
       [](const std::string& path, Diagnostics& d) {
         return load_model(path, {}, IncludeFrom::model_folder, d).has_value();
       }},
      {"stored_result", "r.h5", [] { return written_by_run("--out", "r.h5"); }, true,
       [](const std::string& path, Diagnostics& d) {
         return StoredResult::open(path, d).has_value();
       }},
      {"checkpoint", "c.checkpoint", [] { return written_by_run("--checkpoint", "c.checkpoint"); },
       true,
       [](const std::string& path, Diagnostics& d) {
         return load_checkpoint(path, d).has_value();
       }},
  };
  return all;
}

class Readers : public testing::TestWithParam<std::size_t> {
 protected:
  const Reader& reader() const { return readers()[GetParam()]; }
  std::string path() const { return folder_.file(reader().file); }

  /// Reads, and expects an answer of one of the two kinds.
  bool read(const std::string& from, std::string* words = nullptr) {
    Diagnostics diagnostics;
    const bool ok = reader().read(from, diagnostics);
    EXPECT_EQ(ok, !diagnostics.has_errors()) << format(diagnostics);
    if (words) *words = format(diagnostics);
    return ok;
  }
  bool read_bytes(const std::string& bytes) {
    std::ofstream(path(), std::ios::binary | std::ios::trunc) << bytes;
    const bool ok = read(path());
    EXPECT_TRUE(test::read_all(path()) == bytes) << "the file was changed";
    return ok;
  }

  test::TemporaryFolder folder_;
};

TEST_P(Readers, ReadWhatWasWritten) {
  EXPECT_TRUE(read_bytes(reader().good()));
}

TEST_P(Readers, NameWhatIsNoFile) {
  namespace fs = std::filesystem;
  fs::create_directory(folder_.file("folder"));
  ASSERT_EQ(mkfifo(folder_.file("pipe").c_str(), 0600), 0);
  fs::create_symlink("/dev/zero", folder_.file("endless"));
  fs::create_symlink("/dev/null", folder_.file("nothing"));
  fs::create_symlink(folder_.file("circle"), folder_.file("circle"));
  for (const char* name : {"missing", "folder", "pipe", "endless", "nothing", "circle"}) {
    std::string words;
    EXPECT_FALSE(read(folder_.file(name), &words)) << name;
    EXPECT_THAT(words, HasSubstr(name));
  }
  std::ofstream(path(), std::ios::binary) << reader().good();
  EXPECT_FALSE(read(path() + std::string("\0.txt", 5))) << "a name that goes on behind its end";
  EXPECT_FALSE(read(""));
}

TEST_P(Readers, AnswerForEveryBeginningOfAFile) {
  const std::string good = reader().good();
  for (std::size_t part = 0; part < 32; ++part) {
    const bool ok = read_bytes(good.substr(0, part * good.size() / 32));
    EXPECT_FALSE(ok && reader().sealed) << part << "/32";
  }
  EXPECT_FALSE(read_bytes(""));
}

TEST_P(Readers, AnswerForADamagedFile) {
  const std::string good = reader().good();
  std::mt19937 random(11);
  for (int round = 0; round < 200; ++round) {
    std::string bytes = good;
    const std::size_t at = random() % bytes.size();
    bytes[at] = static_cast<char>(bytes[at] ^ (1 << random() % 8));
    const bool ok = read_bytes(bytes);
    EXPECT_FALSE(ok && reader().sealed) << "a bit at " << at;
  }
}

TEST_P(Readers, AnswerForBytesThatMeanNothing) {
  std::mt19937 random(12);
  for (int round = 0; round < 50; ++round) {
    std::string bytes(random() % 5000, '\0');
    for (char& c : bytes) c = static_cast<char>(random());
    EXPECT_FALSE(read_bytes(bytes));
  }
}

/// A file of one kind is not taken for another.
TEST_P(Readers, RefuseTheFilesOfOthers) {
  for (const Reader& other : readers()) {
    if (other.name == reader().name) continue;
    EXPECT_FALSE(read_bytes(other.good())) << other.name;
  }
}

INSTANTIATE_TEST_SUITE_P(All, Readers, testing::Range(std::size_t{0}, readers().size()),
                         [](const auto& test) { return readers()[test.param].name; });

}  // namespace
}  // namespace kardan
