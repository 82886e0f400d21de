/// One file, one line: an element, a method, a distribution, a design or a kept function is included
/// by the catalog of its folder and by nothing else outside of it, so that a new one adds its files
/// and a line there.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <regex>

#include "repository/source_tree.h"
#include "support/places.h"

namespace kardan::repository {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

std::string folder_above(const std::string& path) {
  return path.substr(0, path.rfind('/'));
}

/// Headers that declare an entry of a catalog.
std::vector<std::string> catalog_entries(const std::vector<SourceFile>& files) {
  static const std::regex element(R"(static constexpr std::string_view type\b)"),
      method(R"((^|\n)Method \w+\(\);)");
  std::vector<std::string> out;
  for (const SourceFile& f : files) {
    const std::string folder = folder_above(f.path);
    if (!f.path.ends_with(".h")) continue;
    if ((folder.starts_with("kardan/elements/") && std::regex_search(f.text, element)) ||
        (folder == "kardan/integrate" && std::regex_search(f.text, method)) ||
        folder.starts_with("kardan/study/"))
      out.push_back(f.path);
  }
  return out;
}

/// Includes of entries from elsewhere: of elements and parts of studies from other folders, of
/// methods, which share their folder with the driver, by other files than their own and the catalog.
std::vector<std::string> entry_faults(const std::vector<SourceFile>& files) {
  const std::vector<std::string> all = catalog_entries(files);
  std::vector<std::string> out;
  for (const SourceFile& f : files)
    for (const std::string& line : lines_of(f.text)) {
      const std::optional<Include> include = included(line);
      if (!include) continue;
      const std::string path = path_of(*include, f);
      if (std::ranges::find(all, path) == all.end()) continue;
      const bool method = folder_above(path) == "kardan/integrate";
      const bool own =
          method ? f.path == "kardan/integrate/catalog.cpp" ||
                       folder_above(f.path) == "kardan/integrate/lean" ||  // stands in for some
                       std::filesystem::path(f.path).stem() == std::filesystem::path(path).stem()
                 : folder_above(f.path) == folder_above(path);
      if (!own) out.push_back(f.path + " knows " + path);
    }
  return out;
}

TEST(OneLine, OfACatalogIsAllThatKnowsItsEntries) {
  const std::vector<std::string> cpp_files = {".h", ".cpp"};
  std::vector<SourceFile> files = read_folder(source_folder(), "kardan", cpp_files);
  std::ranges::move(read_folder(source_folder(), "apps", cpp_files), std::back_inserter(files));
  std::map<std::string, int> count;
  for (const std::string& path : catalog_entries(files)) ++count[folder_above(path)];
  EXPECT_GE(count["kardan/elements/joints"], 20);
  EXPECT_GE(count["kardan/elements/forces"], 8);
  EXPECT_GE(count["kardan/elements/sensors"], 4);
  EXPECT_GE(count["kardan/integrate"], 17);
  EXPECT_GE(count["kardan/study/designs"], 6);
  EXPECT_THAT(entry_faults(files), IsEmpty());
}

TEST(OneLine, IsMissedWhereAnotherFileKnowsAnEntry) {
  const SourceFile pin{"kardan/elements/joints/pin.h",
                       "struct Pin { static constexpr std::string_view type = \"pin\"; };\n"},
      method{"kardan/integrate/euler.h", "#pragma once\nMethod euler();\n"},
      catalog{"kardan/elements/joints/catalog.cpp", "#include \"kardan/elements/joints/pin.h\"\n"},
      driver{"kardan/integrate/driver.cpp", "#include \"kardan/integrate/euler.h\"\n"},
      source{"kardan/integrate/euler.cpp", "#include \"kardan/integrate/euler.h\"\n"},
      scene{"kardan/io/scene.cpp", "#include \"kardan/elements/joints/pin.h\"\n"};
  EXPECT_THAT(catalog_entries({pin, method, catalog, driver, source, scene}), SizeIs(2));
  EXPECT_THAT(entry_faults({pin, method, catalog, source}), IsEmpty());
  EXPECT_THAT(entry_faults({pin, method, catalog, driver, source, scene}),
              ElementsAre("kardan/integrate/driver.cpp knows kardan/integrate/euler.h",
                          "kardan/io/scene.cpp knows kardan/elements/joints/pin.h"));
}

}  // namespace
}  // namespace kardan::repository
