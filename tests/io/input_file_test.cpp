/// Files that are none: an answer instead of a wait.

#include "kardan/io/input_file.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <thread>

#include "kardan/base/parse_number.h"
#include "kardan/base/text.h"
#include "kardan/io/output_file.h"
#include "support/process.h"

namespace kardan {
namespace {

using testing::HasSubstr;

std::string why(const std::string& path, FileKind kind) {
  const auto read = read_input(path, 100, kind);
  return read ? "read: " + *read : read.error().why;
}

TEST(InputFile, IsReadUpToItsBoundOrNotAtAll) {
  const test::TemporaryFolder folder;
  std::ofstream(folder.file("a")) << std::string(1000, 'x');
  EXPECT_EQ(why(folder.file("a"), FileKind::regular), "read: " + std::string(100, 'x'));
  EXPECT_THAT(why(folder.file("none"), FileKind::regular), HasSubstr("does not exist"));
  EXPECT_THAT(why(folder.path(), FileKind::regular), HasSubstr("is a directory"));
  EXPECT_THAT(why("/dev/zero", FileKind::regular_or_pipe), HasSubstr("is a device"));
  EXPECT_THAT(why(folder.file("a") + std::string("\0b", 2), FileKind::regular),
              HasSubstr("zero byte"));
  EXPECT_EQ(why_unreadable(folder.file("a")), std::nullopt);
  EXPECT_THAT(why_unreadable("/dev/zero").value_or(""), HasSubstr("is a device"));
}

TEST(InputFile, APipeIsReadWhereSomebodyWrites) {
  const test::TemporaryFolder folder;
  const std::string pipe = folder.file("pipe");
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_THAT(why(pipe, FileKind::regular), HasSubstr("is a pipe"));
  EXPECT_THAT(why(pipe, FileKind::regular_or_pipe), HasSubstr("nobody writes"));
  std::thread writer([&] { std::ofstream(pipe) << "kardan: 1\n"; });
  EXPECT_EQ(why(pipe, FileKind::regular_or_pipe), "read: kardan: 1\n");
  writer.join();
}

TEST(OutputFile, WrittenAsAWholeFollowsNoLink) {
  namespace fs = std::filesystem;
  const test::TemporaryFolder folder;
  const std::string path = folder.file("c"), victim = folder.file("victim");
  write_atomically(path, "KARDAN CHECKPOINT one");
  std::ofstream(victim) << "mine";
  fs::create_symlink(victim, path + ".new");
  EXPECT_THROW(write_atomically(path, "KARDAN CHECKPOINT two"), std::system_error);
  EXPECT_EQ(test::read_all(victim), "mine");
  EXPECT_EQ(test::read_all(path), "KARDAN CHECKPOINT one");
  fs::remove(path + ".new");
  std::ofstream(path + ".new") << "notes of the user";
  EXPECT_THROW(write_atomically(path, "KARDAN CHECKPOINT two"), std::system_error);
  EXPECT_EQ(test::read_all(path + ".new"), "notes of the user");
  std::ofstream(path + ".new") << "KARDAN CHECKPOINT that was interr";
  write_atomically(path, "KARDAN CHECKPOINT two");
  // Interrupted before its first byte.
  std::ofstream(path + ".new") << "";
  write_atomically(path, "KARDAN CHECKPOINT two");
  EXPECT_EQ(test::read_all(path), "KARDAN CHECKPOINT two") << "what a kill left is replaced";
  EXPECT_FALSE(fs::exists(path + ".new"));
}

TEST(ParseNumber, ReadsWhatFormatNumberWrites) {
  for (const double x : {0.0, -0.0, 1.0, 4.9e-324, -1e-310, 2.2250738585072014e-308, 1.7e308}) {
    EXPECT_EQ(parse_number(format_number(x)), x);
  }
  for (const char* text : {"", "x", "1x", " 1", "1e999", "1,5", "--1"})
    EXPECT_EQ(parse_number(text), std::nullopt) << text;
}

}  // namespace
}  // namespace kardan
