/// The documentation as a house: four shelves, every page on one of them and in the index, every
/// link, page, picture and source that is named is there.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <sstream>

#include "docs/markdown.h"
#include "support/places.h"

namespace kardan::docs {
namespace {

namespace fs = std::filesystem;
using ::testing::Contains;

/// Headings of the index, and the folder whose pages stand under each.
const std::map<std::string, std::string> shelves{
    {"Learn", "learn"}, {"Do", "do"}, {"Look up", "look-up"}, {"Understand", "understand"}};

/// In bytes: a page should not wait for its pictures.
constexpr std::uintmax_t largest_picture = 200'000;

bool is_page(const std::string& path) {
  return path.starts_with("docs/") && path != "docs/README.md";
}

/// The file a link on a page leads to, from the root of the repository.
std::string file_of(const Document& page, const std::string& target) {
  const std::string file = target.substr(0, target.find('#'));
  if (file.empty()) return page.path;
  return (fs::path(page.path).parent_path() / file).lexically_normal().string();
}

bool leads_outside(const std::string& target) {
  return target.starts_with("http:") || target.starts_with("https:");
}

/// Pages and the heading under which the index lists them.
std::multimap<std::string, std::string> index_entries() {
  std::multimap<std::string, std::string> out;
  std::istringstream text(document("docs/README.md").text);
  std::string heading;
  const std::regex entry(R"(\| \[[^\]]+\]\(([^)]+)\) \|.*)");
  std::smatch match;
  for (std::string line; std::getline(text, line);) {
    if (line.starts_with("## ")) heading = line.substr(3);
    if (std::regex_match(line, match, entry)) out.emplace("docs/" + match[1].str(), heading);
  }
  return out;
}

TEST(Shelves, HaveEveryPageAndTheIndexListsItThereOnce) {
  const auto entries = index_entries();
  for (const Document& page : documents()) {
    if (!is_page(page.path)) continue;
    ASSERT_EQ(entries.count(page.path), 1U) << page.path;
    const std::string& heading = entries.find(page.path)->second;
    ASSERT_TRUE(shelves.contains(heading)) << heading;
    EXPECT_EQ(fs::path(page.path).parent_path(), "docs/" + shelves.at(heading)) << page.path;
  }
  EXPECT_GE(entries.size(), 15U);
}

TEST(Shelves, HavePagesWithOneTitleEach) {
  std::set<std::string> titles;
  for (const Document& page : documents()) {
    std::istringstream text(prose(page));
    std::vector<std::string> found;
    for (std::string line; std::getline(text, line);)
      if (line.starts_with("# ")) found.push_back(line);
    ASSERT_EQ(found.size(), 1U) << page.path;
    EXPECT_TRUE(titles.insert(found[0]).second) << page.path << " has the title of another page";
  }
}

TEST(Links, LeadToFilesAndAnchors) {
  std::map<std::string, std::vector<std::string>> known;
  for (const Document& page : documents()) known[page.path] = anchors(page);
  int count = 0;
  for (const Document& page : documents())
    for (const Mention& link : links(page)) {
      if (leads_outside(link.text)) continue;
      ++count;
      const std::string file = file_of(page, link.text);
      EXPECT_TRUE(fs::exists(fs::path(source_folder()) / file)) << link.where << ": " << link.text;
      const auto hash = link.text.find('#');
      if (hash == std::string::npos) continue;
      ASSERT_TRUE(known.contains(file)) << link.where << ": " << link.text;
      EXPECT_THAT(known.at(file), Contains(link.text.substr(hash + 1))) << link.where;
    }
  EXPECT_GE(count, 100);
}

TEST(Links, ReachEveryPageAndPictureFromTheReadme) {
  std::set<std::string> reached{"README.md"};
  std::vector<std::string> open{"README.md"};
  while (!open.empty()) {
    const Document page = document(open.back());
    open.pop_back();
    if (!page.path.ends_with(".md")) continue;
    for (const Mention& link : links(page)) {
      if (leads_outside(link.text)) continue;
      if (const std::string file = file_of(page, link.text); reached.insert(file).second)
        open.push_back(file);
    }
  }
  for (const Document& page : documents()) EXPECT_TRUE(reached.contains(page.path)) << page.path;
  for (const auto& entry : fs::directory_iterator(fs::path(source_folder()) / "docs/images")) {
    const std::string path = "docs/images/" + entry.path().filename().string();
    EXPECT_TRUE(reached.contains(path)) << path << " is on no page";
    EXPECT_LT(entry.file_size(), largest_picture) << path;
  }
}

TEST(Names, OfPagesInSourcesAndToolsAreThoseOfPages) {
  const std::regex name(R"((?:^|[^\w/])(docs/[a-z0-9_/-]+\.(?:md|png)))");
  const std::set<fs::path> kinds{"",    ".cpp", ".h",     ".py", ".pyi",
                                 ".ts", ".txt", ".cmake", ".sh", ".yaml"};
  int count = 0;
  for (const char* folder : {"kardan", "apps/cli", "apps/python", "apps/viewer/src", "tests",
                             "tools", "benchmarks", "examples", "models", "cmake"})
    for (const auto& entry : fs::recursive_directory_iterator(fs::path(source_folder()) / folder)) {
      // Pages that these tests speak of, or make up, are not on the shelves.
      const std::string path = entry.path().lexically_relative(source_folder()).string();
      if (path.starts_with("tests/repository/")) continue;
      if (!entry.is_regular_file() || !kinds.contains(entry.path().extension())) continue;
      const std::string text = read_bytes(entry.path());
      for (std::sregex_iterator i(text.begin(), text.end(), name), end; i != end; ++i, ++count)
        EXPECT_TRUE(fs::exists(fs::path(source_folder()) / (*i)[1].str()))
            << path << " names " << (*i)[1];
    }
  EXPECT_GE(count, 10);
}

TEST(Names, OfFilesOnPagesAreThoseOfFiles) {
  const std::regex file(
      R"((?:kardan|apps|tests|tools|benchmarks|examples|models|docs|cmake)/[\w./-]*)");
  int count = 0;
  for (const Document& page : documents())
    for (const Mention& code : codes(page)) {
      const std::string word = code.text.substr(0, code.text.find_first_of(" :"));
      if (!std::regex_match(word, file) || word.find("NAME") != std::string::npos ||
          word.find("FOLDER") != std::string::npos)
        continue;
      ++count;
      EXPECT_TRUE(fs::exists(fs::path(source_folder()) / word)) << code.where << ": " << word;
    }
  EXPECT_GE(count, 50);
}

}  // namespace
}  // namespace kardan::docs
