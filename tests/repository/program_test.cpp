/// What the built program is made of: how it was hardened, and that NOTICE names its parts.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>
#include <sstream>

#include "support/places.h"

namespace kardan::repository {
namespace {

using testing::HasSubstr;
using testing::Not;

std::string output_of(const std::string& command) {
  const std::unique_ptr<FILE, int (*)(FILE*)> pipe(popen(command.c_str(), "r"), pclose);
  std::string out;
  for (char piece[4096]; pipe && std::fgets(piece, sizeof piece, pipe.get());) out += piece;
  return out;
}

std::string text_of(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

std::string readelf(const std::string& what) {
  return output_of("LC_ALL=C readelf -W " + what + " '" + built_program() + "'");
}

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool sanitized = true;
#else
constexpr bool sanitized = false;
#endif
#ifdef NDEBUG
constexpr bool optimized = true;
#else
constexpr bool optimized = false;
#endif

/// The object of a source: its own, or that of the batch it is compiled in (cmake/Batches.cmake).
std::string object_of(const std::string& source) {
  const std::filesystem::path batches =
      std::filesystem::path(built_program()).parent_path() / "batches";
  if (std::filesystem::exists(batches))
    for (const auto& entry : std::filesystem::directory_iterator(batches))
      if (text_of(entry.path()).find('"' + source + '"') != std::string::npos)
        return entry.path().filename().string() + ".o";
  return std::filesystem::path(source).filename().string() + ".o";
}

TEST(Program, IsHardened) {
  if (sanitized || !optimized) GTEST_SKIP() << "only the program that is delivered is";
  const std::string header = readelf("-h"), segments = readelf("-l"), dynamic = readelf("-d");
  EXPECT_THAT(header, HasSubstr("DYN (Position-Independent Executable file)"));
  EXPECT_THAT(segments, HasSubstr("GNU_RELRO"));
  EXPECT_THAT(dynamic, HasSubstr("NOW")) << "full RELRO: all symbols are bound at the start";
  EXPECT_TRUE(std::regex_search(segments, std::regex("GNU_STACK .* RW ")))
      << "the stack does not run";
#ifdef __x86_64__
  EXPECT_THAT(readelf("-n"), HasSubstr("SHSTK"));
#endif
  const std::string symbols = readelf("--dyn-syms");
  EXPECT_THAT(symbols, HasSubstr("__stack_chk_fail"));
  EXPECT_TRUE(std::regex_search(symbols, std::regex("__[a-z]*printf_chk"))) << "FORTIFY";
}

/// What takes files apart; the rest of the library is left as fast as it is.
TEST(Program, ReadsFilesWithProtectionOfTheStackAndBounds) {
  if (sanitized || !optimized) GTEST_SKIP() << "only the program that is delivered is";
  const std::string library = std::filesystem::path(built_program()).parent_path() / "libkardan.a";
  const std::string symbols =
      output_of("LC_ALL=C nm -A '" + library + "' 2>/dev/null | grep -E '_chk|assert_fail'");
  const auto uses = [&](const std::string& source, const std::string& symbol) {
    return std::regex_search(
        symbols, std::regex(object_of("kardan/io/" + source + ".cpp") + ": +U " + symbol));
  };
  for (const char* source : {"hdf5_dataset", "hdf5_seal", "include", "stored_result"}) {
    EXPECT_TRUE(uses(source, "__stack_chk_fail")) << source;
    EXPECT_TRUE(uses(source, "_ZSt21__glibcxx_assert_fail")) << source;
  }
  EXPECT_TRUE(uses("stored_result", "__snprintf_chk")) << "fortified functions";
#ifdef __x86_64__
  // All flags come together: the marks of CET tell that no source was forgotten.
  const std::string notes = output_of("LC_ALL=C readelf -W -n '" + library + "' 2>/dev/null");
  for (const std::string folder : {"kardan/io/", "kardan/model/"})
    for (const auto& entry : std::filesystem::directory_iterator(source_folder() + '/' + folder)) {
      if (entry.path().extension() != ".cpp") continue;
      const std::string name = object_of(folder + entry.path().filename().string());
      const std::size_t member = notes.find("(" + name + ")");
      ASSERT_NE(member, std::string::npos) << name;
      const std::string own = notes.substr(member, notes.find("File:", member) - member);
      EXPECT_THAT(own, HasSubstr("IBT")) << name;
      EXPECT_THAT(own, HasSubstr("SHSTK")) << name;
    }
#endif
}

/// The part of NOTICE under the line of a heading, up to the next empty line.
std::string section(const std::string& heading) {
  const std::string notice = text_of(source_folder() + "/NOTICE");
  const std::size_t begin = notice.find('\n', notice.find(heading));
  EXPECT_NE(begin, std::string::npos) << heading;
  return begin == std::string::npos ? "" : notice.substr(begin, notice.find("\n\n", begin) - begin);
}

std::set<std::string> words_of(const std::string& text) {
  std::istringstream words(text);
  return {std::istream_iterator<std::string>(words), {}};
}

TEST(Notice, NamesEveryLibraryThatTheProgramLoads) {
  if (sanitized) GTEST_SKIP() << "sanitizers load libraries of their own";
  const std::set<std::string> named = words_of(section("Linked into the program"));
  std::set<std::string> loaded;
  std::istringstream lines(output_of("ldd '" + built_program() + "'"));
  for (std::string line; std::getline(lines, line);) {
    const std::size_t begin = line.find("lib"), end = line.find(".so");
    if (line.find("=>") == std::string::npos || begin > end) continue;
    loaded.insert(line.substr(begin, end - begin));
  }
  ASSERT_GT(loaded.size(), 8u);
  for (const std::string& library : loaded) {
    const bool serial = library == "libhdf5_serial";  // Debian's name
    EXPECT_TRUE(named.contains(serial ? "libhdf5" : library)) << library << " is not in NOTICE";
  }
  // And nothing is named that is not there; HDF5 may stand in the program itself.
  const std::string strings = readelf("-p .rodata");
  for (const std::string& word : named) {
    if (!word.starts_with("lib") || loaded.contains(word)) continue;
    EXPECT_TRUE(word == "libhdf5" && strings.find("HDF5 library") != std::string::npos) << word;
  }
}

TEST(Notice, NamesEveryPackageOfTheViewer) {
  const auto package =
      nlohmann::json::parse(std::ifstream(source_folder() + "/apps/viewer/package.json"));
  const std::set<std::string> named = words_of(section("In HTML reports"));
  const std::string config = text_of(source_folder() + "/apps/viewer/vite.config.ts");
  ASSERT_GE(package.at("dependencies").size(), 3u);
  for (const auto& [name, version] : package.at("dependencies").items()) {
    EXPECT_TRUE(named.contains(name)) << name << " is not in NOTICE";
    EXPECT_THAT(config, HasSubstr("'" + name + "'")) << "its licence stands in every report";
  }
  const auto lock =
      nlohmann::json::parse(std::ifstream(source_folder() + "/apps/viewer/package-lock.json"));
  for (const auto& [path, entry] : lock.at("packages").items()) {
    if (path.empty() || entry.value("dev", false) || entry.value("devOptional", false)) continue;
    const std::string name = path.substr(path.find("node_modules/") + 13);
    EXPECT_TRUE(named.contains(name)) << name << " comes along and is not in NOTICE";
  }
}

TEST(Program, LoadsNoClientsOfNetworks) {
  const std::string loaded = output_of("ldd '" + built_program() + "'");
  if (loaded.find("libhdf5") != std::string::npos)
    GTEST_SKIP() << "this system has HDF5 as a shared library only";
  for (const char* library : {"libcurl", "libkrb5", "libldap", "libssl"})
    EXPECT_THAT(loaded, Not(HasSubstr(library)));
}

}  // namespace
}  // namespace kardan::repository
