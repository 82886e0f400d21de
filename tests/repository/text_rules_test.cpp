#include "repository/text_rules.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "kardan/elements/catalog.h"
#include "kardan/formulation/catalog.h"
#include "kardan/integrate/method.h"
#include "support/places.h"

namespace kardan::repository {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

std::vector<SourceFile> sources(const std::filesystem::path& root) {
  const std::vector<std::string> text_files = {".h",  ".cpp", ".inl", ".py",    ".ts",
                                               ".js", ".css", ".md",  ".cmake", ".txt"};
  std::vector<SourceFile> files = read_folder(root, "kardan", text_files);
  std::ranges::move(read_folder(root, "apps", text_files), std::back_inserter(files));
  return files;
}

void expect_none(const std::vector<std::string>& faults) {
  for (const std::string& fault : faults) ADD_FAILURE() << fault;
}

TEST(TextRules, FilesAreShort) {
  const std::vector<SourceFile> files = sources(source_folder());
  ASSERT_FALSE(files.empty());
  for (const SourceFile& file : files) expect_none(length_faults(file));
}

TEST(TextRules, SourcesHaveNoTabs) {
  for (const SourceFile& file : sources(source_folder())) expect_none(tab_faults(file));
}

TEST(TextRules, NoFileNamesAHomeFolder) {
  const std::vector<SourceFile> files = read_tracked(source_folder());
  ASSERT_FALSE(files.empty());
  for (const SourceFile& file : files) expect_none(home_path_faults(file));
}

std::vector<std::string> distinct_names() {
  std::vector<std::string> out;
  for (const Method& m : methods()) out.emplace_back(m.name);
  for (const Formulation& f : formulations()) out.emplace_back(f.name);
  return out;
}

TEST(TextRules, NoSourceDecidesByTheNameOfAMethodOrType) {
  const std::vector<std::string> distinct = distinct_names(), common = Catalog::builtin().names();
  for (const SourceFile& file : sources(source_folder()))
    if (!file.path.starts_with("apps/reproduce/") && !file.path.ends_with(".md") &&
        !file.path.ends_with(".py"))
      expect_none(name_faults(file, distinct, common));
}

// The checkers themselves, on planted faults.

TEST(TextRules, FindsALongFile) {
  const auto file_of = [](std::size_t lines) {
    std::string text;
    for (std::size_t i = 0; i < lines; ++i) text += "x\n";
    return SourceFile{"kardan/base/planted.h", text};
  };
  EXPECT_THAT(length_faults(file_of(longest_file)), IsEmpty());
  EXPECT_THAT(length_faults(file_of(longest_file + 1)),
              ElementsAre("kardan/base/planted.h:501: has 501 lines, at most 500 are wanted; split "
                          "it by ideas"));
}

TEST(TextRules, FindsADecisionByName) {
  const std::vector<std::string> methods{"rn4", "ida"}, types{"lock", "tyre"};
  for (const char* line :
       {"if (m.name == \"rn4\")", "find(\"ida@ggl\")", "e.type->name != \"lock\"",
        "force.type === 'tyre'", "type.starts_with(\"rolling\")", "/a|b/.test(joint.type)"})
    EXPECT_THAT(name_faults({"apps/viewer/planted.ts", line}, methods, types), SizeIs(1)) << line;
  EXPECT_THAT(name_faults({"kardan/integrate/rn4.cpp", ".name = \"rn4\","}, methods, types),
              IsEmpty());
  for (const char* line : {"\"rn4 is fast\"", "kind == \"lock\"", "rn4(),"})
    EXPECT_THAT(name_faults({"kardan/run/planted.cpp", line}, methods, types), IsEmpty()) << line;
}

TEST(TextRules, FindsATab) {
  EXPECT_THAT(tab_faults({"kardan/base/planted.h", "int a;\n\tint b;\n"}),
              ElementsAre(::testing::StartsWith("kardan/base/planted.h:2: has a tab")));
}

TEST(TextRules, FindsAHomeFolder) {
  // '|' stands for the slash, so that this file is not found itself.
  for (std::string path :
       {"|home/ada/kardan", "|root/kardan", "|Users/ada", "C:|Users|ada", "file:///|home/ada"}) {
    std::ranges::replace(path, '|', '/');
    EXPECT_THAT(home_path_faults({"README.md", "see\n(" + path + ")\n"}), SizeIs(1)) << path;
    const std::string minified = std::string(100000, '/') + " " + path;
    EXPECT_THAT(home_path_faults({"viewer.js", minified}), SizeIs(1)) << path;
  }
  EXPECT_THAT(home_path_faults({"README.md", "~/kardan, docs/home/index.md, /usr/share, $HOME/x"}),
              IsEmpty());
}

TEST(SourceTree, ReadsFoldersButNotWhatIsGenerated) {
  namespace fs = std::filesystem;
  const fs::path root =
      fs::temp_directory_path() / ("kardan_source_tree_" + std::to_string(getpid()));
  for (const std::string file :
       {"kardan/base/b.h", "kardan/base/a.cpp", "kardan/base/data.bin", "kardan/build/made.h",
        "kardan/.hidden/made.h", "kardan/node_modules/made.h"}) {
    fs::create_directories((root / file).parent_path());
    std::ofstream(root / file) << "text of " << file;
  }
  std::vector<std::string> paths;
  for (const SourceFile& file : read_folder(root, "kardan", {".h", ".cpp"})) {
    paths.push_back(file.path);
    EXPECT_EQ(file.text, "text of " + file.path);
  }
  fs::remove_all(root);
  EXPECT_THAT(paths, ElementsAre("kardan/base/a.cpp", "kardan/base/b.h"));
}

}  // namespace
}  // namespace kardan::repository
