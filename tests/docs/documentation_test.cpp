/// The documentation is true: its models compile, its listings are those of the program, its codes
/// are those of the sources.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <sstream>

#include "docs/markdown.h"
#include "docs/program.h"
#include "kardan/io/load.h"
#include "support/places.h"

namespace kardan::docs {
namespace {

using ::testing::Contains;

namespace fs = std::filesystem;

std::vector<fs::path> sources(const std::vector<std::string>& folders,
                              const std::set<fs::path>& kinds = {".cpp", ".h"}) {
  std::vector<fs::path> out;
  for (const std::string& folder : folders)
    for (const auto& entry : fs::recursive_directory_iterator(fs::path(source_folder()) / folder))
      if (kinds.contains(entry.path().extension())) out.push_back(entry.path());
  return out;
}

/// What the commands tell of a model.
Diagnostics diagnose(const std::string& text, const std::string& file) {
  Diagnostics diagnostics;
  (void)load_model_text(text, file, {}, IncludeFrom::model_folder, diagnostics);
  return diagnostics;
}

TEST(Documentation, EveryModelCompiles) {
  int models = 0;
  for (const Document& page : documents())
    for (const Block& block : blocks(page, "yaml")) {
      models += is_model(block);
      // Fragments leave out the key of the version, and nothing else that is needed.
      const std::string text = (is_model(block) ? "" : "kardan: 1\n") + block.text;
      EXPECT_EQ(format(diagnose(text, block.where)), "");
    }
  EXPECT_GE(models, 5);
}

TEST(Documentation, ElementsPageIsWhatTheProgramPrints) {
  const Output printed = run_kardan("elements --markdown", fs::temp_directory_path());
  EXPECT_EQ(printed.status, 0) << printed.err;
  EXPECT_EQ(printed.out, document("docs/look-up/elements.md").text)
      << "Write it anew: build/release/kardan elements --markdown > docs/look-up/elements.md";
}

TEST(Documentation, MethodCatalogIsWhatTheProgramPrints) {
  const Output printed = run_kardan("methods --markdown", fs::temp_directory_path());
  EXPECT_EQ(printed.status, 0) << printed.err;
  EXPECT_EQ(printed.out, document("docs/look-up/methods.md").text)
      << "Write it anew: build/release/kardan methods --markdown > docs/look-up/methods.md";
}

std::set<std::string> codes_in_sources() {
  // The code is the first argument of error(), warning() and fail().
  const std::regex call(R"re(\b(?:error|warning|fail)\(\s*"([a-z_]+(?:\.[a-z_]+)+)")re");
  std::set<std::string> codes;
  for (const fs::path& path : sources({"kardan", "apps"}, {".cpp", ".h", ".py"})) {
    const std::string text = read_bytes(path);
    for (std::sregex_iterator i(text.begin(), text.end(), call), end; i != end; ++i)
      codes.insert((*i)[1]);
  }
  return codes;
}

TEST(Documentation, ErrorsPageListsExactlyTheCodesOfTheSources) {
  std::set<std::string> listed;
  for (const auto& row : code_rows(document("docs/look-up/errors.md")))
    EXPECT_TRUE(listed.insert(code(row[0])).second) << row[0] << " is listed twice";
  EXPECT_EQ(listed, codes_in_sources());
}

TEST(Documentation, EveryExampleOfTheErrorsPageGivesItsCode) {
  int examples = 0;
  for (const auto& row : code_rows(document("docs/look-up/errors.md"))) {
    ASSERT_EQ(row.size(), 4U) << row[0];
    std::string example = code(row[2]);
    if (example.empty()) continue;
    ++examples;
    if (example.starts_with("kardan ")) {
      const Output shown = run_kardan(example.substr(7), source_folder());
      EXPECT_THAT(shown.err, ::testing::HasSubstr(fmt::format("[{}]", code(row[0])))) << example;
      continue;
    }
    example = std::regex_replace(example, std::regex(R"(\\n)"), "\n");
    if (example.find("kardan:") == std::string::npos) example = "kardan: 1\n" + example;
    std::vector<std::string> codes;
    const Diagnostics found = diagnose(example, "example");
    for (const Diagnostic& d : found.all()) codes.push_back(d.code);
    EXPECT_THAT(codes, Contains(code(row[0]))) << example;
  }
  EXPECT_GE(examples, 50);
}

/// Numbers with what they count in: "10 million", "64 KiB", "200 000".
std::set<std::string> quantities(const std::string& text) {
  const std::regex quantity(R"re(\d+( \d{3})*( million| MiB| KiB)?)re");
  std::set<std::string> out;
  for (std::sregex_iterator i(text.begin(), text.end(), quantity), end; i != end; ++i)
    out.insert(i->str());
  return out;
}

TEST(Documentation, LimitsAreTheSameOnAllPages) {
  std::map<std::string, std::string> meaning;
  for (const auto& row : code_rows(document("docs/look-up/errors.md")))
    meaning[code(row[0])] = row[1];
  const std::string trust = document("docs/understand/trust.md").text;
  // | what | limit | `code` or codes |
  const std::regex row(R"re(\n\|[^|\n]+\|([^|\n]+)\| ((?:`[a-z_.]+`(?:, )?)+) \|)re");
  const std::regex single("`([a-z_.]+)`");
  int limits = 0;
  for (std::sregex_iterator i(trust.begin(), trust.end(), row), end; i != end; ++i) {
    const std::string codes = (*i)[2];
    std::string told;
    for (std::sregex_iterator c(codes.begin(), codes.end(), single); c != end; ++c)
      told += meaning[(*c)[1]] + " ";
    for (const std::string& limit : quantities((*i)[1])) {
      EXPECT_THAT(quantities(told), Contains(limit)) << codes;
      ++limits;
    }
  }
  EXPECT_GE(limits, 12);
}

TEST(Documentation, CppOfContributingStandsInTheExamples) {
  std::string examples;
  for (const fs::path& path : sources({"examples"})) examples += read_bytes(path);
  for (const Block& block : blocks(document("CONTRIBUTING.md"), "cpp"))
    EXPECT_NE(examples.find(block.text), std::string::npos) << block.where;
}

}  // namespace
}  // namespace kardan::docs
