/// What pages say about the program is so: commands, options, methods and formats exist, figures
/// are those it prints, tables add up, nothing is said on two pages, and nothing of a future.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>
#include <sstream>

#include "docs/markdown.h"
#include "docs/program.h"
#include "support/places.h"

namespace kardan::docs {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

/// What stands in the first group of every match.
std::set<std::string> found(const std::string& text, const std::string& pattern) {
  const std::regex regex(pattern);
  std::set<std::string> out;
  for (std::sregex_iterator i(text.begin(), text.end(), regex), end; i != end; ++i)
    out.insert((*i)[1]);
  return out;
}

/// The commands a page shows: in its text, and as lines of blocks for a shell.
std::vector<Mention> shown_commands(const Document& page) {
  std::vector<Mention> out;
  for (const Mention& code : codes(page))
    if (code.text.starts_with("kardan ")) out.push_back(code);
  for (const char* language : {"sh", "console"})
    for (const Block& block : blocks(page, language))
      for (std::string line : lines_of(block.text)) {
        if (line.starts_with("$ ")) line = line.substr(2);
        if (line.starts_with("kardan ")) out.push_back({line, block.where});
      }
  return out;
}

/// What `kardan VERB --help` prints; of no verb, the list of verbs.
const std::string& help(const std::string& verb) {
  static std::map<std::string, std::string> known;
  const auto [place, is_new] = known.try_emplace(verb);
  if (is_new) place->second = run_kardan(verb + " --help", source_folder()).out;
  return place->second;
}

TEST(Commands, OnPagesHaveVerbsAndOptionsThatExist) {
  const std::set<std::string> verbs = found(help(""), R"(\n  ([a-z]+) {2,}[a-z])");
  ASSERT_GE(verbs.size(), 10U);
  int count = 0;
  for (const Document& page : documents())
    for (const Mention& command : shown_commands(page)) {
      std::istringstream words(command.text.substr(7));
      std::string verb;
      words >> verb;
      // "kardan COMMAND MODEL" stands for any; an option may come without a verb.
      if (verb == "COMMAND" || verb.starts_with("-")) continue;
      ++count;
      ASSERT_TRUE(verbs.contains(verb)) << command.where << ": " << command.text;
      const std::string mine = command.text.substr(0, command.text.find_first_of("|>#"));
      for (const std::string& option : found(mine, R"((?:^|[ [])(--[a-z-]+))"))
        EXPECT_TRUE(std::regex_search(help(verb), std::regex(option + "[ ,=\n]")))
            << command.where << ": " << command.text << ": no " << option;
    }
  EXPECT_GE(count, 60);
}

/// Names that `./test -R` chooses from: folder/Suite.Claim, and folders with other kinds of tests.
std::vector<std::string> names_of_tests() {
  const std::regex test(R"(\nTEST(?:_F|_P)?\((\w+),\s*(\w+)\))");
  std::vector<std::string> out;
  for (const auto& entry : fs::directory_iterator(fs::path(source_folder()) / "tests")) {
    if (!entry.is_directory()) continue;
    const std::string folder = entry.path().filename().string() + "/";
    out.push_back(folder);
    for (const auto& file : fs::directory_iterator(entry.path())) {
      if (!file.path().string().ends_with("_test.cpp")) continue;
      const std::string text =
          document(file.path().lexically_relative(source_folder()).string()).text;
      for (std::sregex_iterator i(text.begin(), text.end(), test), end; i != end; ++i)
        out.push_back(folder + (*i)[1].str() + "." + (*i)[2].str());
    }
  }
  return out;
}

TEST(Commands, OnPagesChooseTestsThatExist) {
  const std::vector<std::string> names = names_of_tests();
  const std::regex choice(R"((?:\./test|ctest).* -R '?([^' ]+)'?.*)"), bar(R"(\\?\|)");
  int count = 0;
  for (const Document& page : documents())
    for (const Mention& code : codes(page)) {
      std::smatch m;
      if (!std::regex_match(code.text, m, choice)) continue;
      const std::string all = m[1];
      for (std::sregex_token_iterator i(all.begin(), all.end(), bar, -1), end; i != end; ++i) {
        ++count;
        const std::regex pattern(i->str());
        EXPECT_TRUE(
            std::any_of(names.begin(), names.end(),
                        [&](const std::string& name) { return std::regex_search(name, pattern); }))
            << code.where << ": no test is called " << *i;
      }
    }
  EXPECT_GE(count, 10);
}

TEST(Commands, OfARunHaveTheFormatsThatThePagesList) {
  std::set<std::string> endings;
  for (const std::string& line : lines_of(help("run")))
    if (line.find("--out ") != std::string::npos) endings = found(line, R"(\.([a-z0-9]+))");
  ASSERT_GE(endings.size(), 4U);
  std::set<std::string> listed;
  for (const auto& row : code_rows(document("docs/look-up/results.md")))
    if (code(row[0]).starts_with(".")) listed.insert(code(row[0]).substr(1));
  EXPECT_EQ(listed, endings);
  for (const auto& row : code_rows(document("docs/do/run-a-model.md")))
    if (row[0].starts_with("`--out")) {
      EXPECT_EQ(found(row[1], R"(`\.([a-z0-9]+)`)"), endings);
    }
}

/// The page of methods, which is what the program prints: names under a heading.
std::set<std::string> names_under(const std::string& heading) {
  const std::string text = document("docs/look-up/methods.md").text;
  const auto begin = text.find("\n## " + heading);
  return found(text.substr(begin, text.find("\n## ", begin + 1) - begin), "\n### ([a-z_0-9]+)");
}

TEST(Methods, OnPagesExistWithTheirFormulationsAndOptions) {
  const auto methods = names_under("Methods"), formulations = names_under("Formulations");
  std::set<std::string> options;
  for (const auto& row : code_rows(document("docs/look-up/methods.md")))
    options.insert(code(row[0]));
  ASSERT_GE(options.size(), 20U);
  const std::regex pair(R"(([a-z_0-9]+)@([a-z_0-9]+))"), option(R"(--option ([a-z_]+)=)");
  int count = 0;
  for (const Document& page : documents()) {
    if (page.path == "docs/look-up/errors.md") continue;  // its examples are wrong on purpose
    for (const Mention& code : codes(page)) {
      std::smatch m;
      if (std::regex_search(code.text, m, pair)) {
        ++count;
        EXPECT_TRUE(methods.contains(m[1])) << code.where << ": " << code.text;
        EXPECT_TRUE(formulations.contains(m[2])) << code.where << ": " << code.text;
      }
      if (std::regex_search(code.text, m, option)) {
        ++count;
        EXPECT_TRUE(m[1] == "name" || options.contains(m[1])) << code.where << ": " << code.text;
      }
    }
  }
  EXPECT_GE(count, 40);
}

TEST(Methods, StandAllInTheTableOfWhatTheySuitAndWhereTheyEnd) {
  std::set<std::string> listed;
  for (const auto& row : code_rows(document("docs/understand/trust.md")))
    if (row.size() == 5) listed.merge(found(row[0], "`([a-z_0-9]+)[`@]"));
  for (const std::string& method : names_under("Methods"))
    EXPECT_TRUE(method == "auto" || listed.contains(method)) << method;
}

TEST(Figures, OfTheReadmeAreThoseOfTheirCommands) {
  const std::string measured = document("docs/understand/measurements.md").text;
  const std::regex row(R"re(\| \*\*(.*)\*\*(.*) \| `(.+)` \|)re");
  int facts = 0, figures = 0;
  for (const std::string& line : lines_of(document("README.md").text)) {
    std::smatch m;
    if (!std::regex_match(line, m, row)) continue;
    ++facts;
    const std::string command = m[3];
    const bool ours = command.starts_with("kardan ");
    const std::string shown = ours ? run_kardan(command.substr(7), source_folder()).out : measured;
    for (const std::string& figure : found(m[2], R"((\d+\.\de-\d\d|\d+(?:\.\d+)?(?= million)))")) {
      ++figures;
      EXPECT_THAT(shown, HasSubstr(figure)) << command;
    }
  }
  EXPECT_EQ(facts, 3);
  EXPECT_GE(figures, 5);
}

TEST(Figures, OfTheMeasuredTablesAddUp) {
  for (const char* tool : {"trust_table", "auto_table"}) {
    const std::string check =
        "/usr/bin/python3 '" + source_folder() + "/tools/" + tool + ".py' check";
    EXPECT_EQ(std::system(check.c_str()), 0) << tool;
  }
}

TEST(Figures, OfTheCertificateAreListedByKey) {
  const Output printed = run_kardan(
      "run models/n_four_bar.yaml --t-end 0.3 --method auto --certify --error-estimate 1 --json",
      source_folder());
  ASSERT_EQ(printed.status, 0) << printed.err;
  std::set<std::string> keys;
  const nlohmann::json certificate = nlohmann::json::parse(printed.out);
  for (const auto& [key, value] : certificate.items()) keys.insert(key);
  const std::string text = document("docs/look-up/results.md").text;
  const auto begin = text.find("## The certificate");
  std::set<std::string> listed;
  for (const std::string& line : lines_of(text.substr(begin, text.find("\n## ", begin) - begin)))
    if (line.starts_with("| `"))
      listed.merge(found(line.substr(0, line.find(" | ")), "`([a-z_]+)`"));
  EXPECT_EQ(listed, keys);
}

TEST(Pages, SpeakOfWhatIsAndNotOfWhatWillBe) {
  const std::regex future(
      R"(\b(yet|today|coming soon|planned|TODO|work in progress|will be|is young)\b|\| next \|)",
      std::regex::icase);
  for (const Document& page : documents()) {
    if (page.path == "CONTRIBUTING.md") continue;  // it states this rule
    int number = 0;
    for (const std::string& line : lines_of(prose(page))) {
      ++number;
      EXPECT_FALSE(std::regex_search(line, future)) << page.path << ":" << number << ": " << line;
    }
  }
}

/// Sentences of a page, outside of blocks and tables, one blank between words.
std::set<std::string> sentences(const Document& page) {
  std::string text;
  for (const std::string& line : lines_of(prose(page)))
    text += line.empty() || line.starts_with("|") || line.starts_with("#") ? ".\n" : line + " ";
  std::set<std::string> out;
  const std::regex end(R"([.:](\s+|$))"), blanks(R"(\s+)");
  for (std::sregex_token_iterator i(text.begin(), text.end(), end, -1), last; i != last; ++i)
    out.insert(std::regex_replace(i->str(), blanks, " "));
  return out;
}

TEST(Pages, SayNothingThatAnotherSays) {
  // What is said twice is mended once. Short sentences may well be the same.
  constexpr std::size_t long_enough = 60;
  std::map<std::string, std::string> said;
  for (const Document& page : documents())
    for (const std::string& sentence : sentences(page)) {
      if (sentence.size() < long_enough) continue;
      const auto [place, is_new] = said.try_emplace(sentence, page.path);
      EXPECT_TRUE(is_new) << page.path << " and " << place->second << ": " << sentence;
    }
  EXPECT_GE(said.size(), 300U);
}

}  // namespace
}  // namespace kardan::docs
