/// Sources of one folder are compiled together (cmake/Batches.cmake), so no two of them may give one name in an unnamed
/// namespace to different things. The compiler would say so as well, but only where both are in one batch.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <initializer_list>
#include <map>
#include <regex>
#include <sstream>

#include "repository/source_tree.h"
#include "support/places.h"

namespace kardan::repository {
namespace {

namespace fs = std::filesystem;

/// Types, constants and functions (with the types of their parameters) of unnamed namespaces, which begin in the first
/// column.
std::vector<std::string> unnamed_names(const std::string& text) {
  static const std::regex type(R"(^(?:struct|class|enum class|enum) (\w+)[^;]*\{)"),
      constant(
          R"(^(?:inline |static |constexpr |const )+[\w:<>, *&]*?(\w+)(?:\[\w*\])? ?(?:=|\{))"),
      further(R"(, (\w+) = )"),
      function(R"(^(?:inline |constexpr )*[\w:<>, *&]+[ *&](\w+)\(([^()]*)\) ?(?:noexcept )?\{)"),
      value(R"( ?= ?[^,]*)"), parameter(R"([ *&]\w+(?=,|$))"), blanks(R"(\s+)");
  std::vector<std::string> out;
  bool inside = false;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) {
    if (line == "namespace {") inside = true;
    if (line == "}  // namespace") inside = false;
    if (!inside || line.empty() || std::string("#/} ").find(line[0]) != std::string::npos) continue;
    for (std::string more; std::ranges::count(line, '(') > std::ranges::count(line, ')') &&
                           std::getline(stream, more);)
      line += more;
    std::smatch match;
    line = std::regex_replace(line, blanks, " ");
    if (std::regex_search(line, match, type)) {
      out.push_back(match[1]);
    } else if (std::regex_search(line, match, constant)) {
      out.push_back(match[1]);
      for (std::sregex_iterator i(line.begin(), line.end(), further), end; i != end; ++i)
        out.push_back((*i)[1]);
    } else if (std::regex_search(line, match, function)) {
      const std::string types = std::regex_replace(match[2].str(), value, "");
      out.push_back(match[1].str() + '(' + std::regex_replace(types, parameter, "") + ')');
    }
  }
  return out;
}

bool stays_alone(const std::string& text) {
  return std::ranges::any_of(
      std::initializer_list<const char*>{"kardan/linalg/dispatch.h", "<Eigen/", "\ntemplate class ",
                                         "\nint main("},
      [&](const char* sign) { return text.find(sign) != std::string::npos; });
}

TEST(UnnamedNamespaces, HoldNoNameTwiceInAFolder) {
  int names = 0;
  for (const char* room : {"kardan", "apps", "benchmarks", "tests"}) {
    std::map<std::string, std::string> first;  // file, by folder and name
    for (const SourceFile& file : read_folder(source_folder(), room, {".cpp"})) {
      const std::string folder = fs::path(file.path).parent_path().string();
      if (folder == "kardan/base" || folder == "benchmarks/peers" || stays_alone(file.text))
        continue;
      for (const std::string& name : unnamed_names(file.text)) {
        ++names;
        const auto& holder = first.try_emplace(folder + ": " + name, file.path).first->second;
        EXPECT_EQ(holder, file.path) << name << " is there twice";
        const auto value = first.find(folder + ": " + name.substr(0, name.find('(')));
        const std::string& as_value = value == first.end() ? file.path : value->second;
        EXPECT_EQ(as_value, file.path) << name << " is something else as well";
      }
    }
  }
  EXPECT_GT(names, 2000) << "they are found";
}

TEST(UnnamedNamespaces, AreReadAsTheyAreWritten) {
  EXPECT_THAT(
      unnamed_names(
          "int outside(int a) {\n}\nnamespace {\n\nstruct Case {\n  int n;\n};\n"
          "class Next final : public Case {\n};\nconstexpr double tight = 1e-9, loose = 1e-3;\n"
          "const char* const words[] = {\"a\"};\nusing Json = nlohmann::json;\n"
          "std::vector<int> of(const std::string& text, int n = 3,\n"
          "                    double* out) {\n}\nTEST(Of, A) {\n}\n}  // namespace\n"
          "struct Named {\n};\n"),
      testing::ElementsAre("Case", "Next", "tight", "loose", "words",
                           "of(const std::string&, int, double*)"));
}

}  // namespace
}  // namespace kardan::repository
