#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "fuzz/targets.h"
#include "support/places.h"

namespace kardan::fuzz {
namespace {

namespace fs = std::filesystem;

std::string contents(const fs::path& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

void add_files(const fs::path& folder, std::string_view ending, std::vector<std::string>& out) {
  if (!fs::is_directory(folder)) return;
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(folder))
    if (entry.is_regular_file() && entry.path().string().ends_with(ending))
      files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  for (const fs::path& file : files) out.push_back(contents(file));
}

fs::path source(const std::string& path) {
  return fs::path(source_folder()) / path;
}

/// Valid inputs, from which mutations start: as tools/fuzz collects them.
std::vector<std::string> corpus(const std::string& target) {
  std::vector<std::string> out;
  add_files(source("tests/fuzz/corpus/" + target), "", out);
  std::ifstream lines(source("tests/fuzz/corpus/" + target + ".txt"));
  for (std::string line; std::getline(lines, line);) out.push_back(line);
  if (target == "model") {
    add_files(source("models"), ".yaml", out);
    add_files(source("tests/data"), ".yaml", out);
  }
  return out;
}

unsigned number_from(const char* variable, unsigned fallback) {
  const char* text = std::getenv(variable);
  return text ? static_cast<unsigned>(std::strtoul(text, nullptr, 10)) : fallback;
}

class Mutator {
 public:
  std::string operator()(std::string text) {
    for (unsigned changes = 1 + random_() % 6; changes > 0; --changes) change(text);
    return text;
  }

 private:
  std::size_t below(std::size_t n) { return n == 0 ? 0 : random_() % n; }

  void change(std::string& text) {
    static const std::string special = "{}[]():,'\"&*!|>-?%@`#~$\n\t \\0129.eE+^</ij\xc3\xff";
    static const std::vector<std::string> hostile{
        "1e999", "-0",  "1e-320", "nan",    ".inf", "1e9",       "*a",     "&a ",
        "${i}",  "1/0", "null",   "ground", "t",    "\n\n---\n", "<<: *a", "2147483648"};
    const std::size_t at = below(text.size());
    switch (random_() % 6) {
      case 0:
        if (!text.empty()) text[at] = special[below(special.size())];
        break;
      case 1:
        text.insert(at, 1, special[below(special.size())]);
        break;
      case 2:
        if (!text.empty()) text.erase(at, 1 + below(20));
        break;
      case 3:
        text.insert(at, text.substr(below(text.size()), below(60)));
        break;
      case 4:
        replace_word(text, at, hostile[below(hostile.size())]);
        break;
      default:
        if (!text.empty()) text[at] = static_cast<char>(text[at] ^ (1 << below(8)));
    }
  }

  /// The number or word at or behind `at` becomes another.
  static void replace_word(std::string& text, std::size_t at, const std::string& word) {
    const auto is_part = [](char c) {
      return std::isalnum(static_cast<unsigned char>(c)) || c == '.';
    };
    while (at < text.size() && !is_part(text[at])) ++at;
    std::size_t end = at;
    while (end < text.size() && is_part(text[end])) ++end;
    text.replace(at, end - at, word);
  }

  std::mt19937 random_{number_from("KARDAN_FUZZ_SEED", 20260101)};
};

struct Effort {
  const char* target;
  int mutations;  ///< of each input of the corpus
};

class Fuzz : public testing::TestWithParam<Effort> {};

/// KARDAN_FUZZ_TIMES and KARDAN_FUZZ_SEED ask for more mutations, and for others.
TEST_P(Fuzz, TheCorpusAndItsMutationsGetAnAnswer) {
  const Target& target = *find_target(GetParam().target);
  const std::vector<std::string> seeds = corpus(GetParam().target);
  ASSERT_FALSE(seeds.empty());
  Mutator mutate;
  for (const std::string& seed : seeds) {
    EXPECT_NO_THROW(target.feed(seed)) << seed;
    const int count = GetParam().mutations * static_cast<int>(number_from("KARDAN_FUZZ_TIMES", 1));
    for (int i = 0; i < count; ++i) {
      const std::string text = mutate(seed);
      ASSERT_NO_THROW(target.feed(text)) << text;
    }
  }
}

TEST_P(Fuzz, WhatFuzzersFoundStaysFixed) {
  const Target& target = *find_target(GetParam().target);
  std::vector<std::string> findings;
  add_files(source("tests/fuzz/findings/" + std::string(GetParam().target)), "", findings);
  for (const std::string& text : findings) EXPECT_NO_THROW(target.feed(text)) << text;
}

INSTANTIATE_TEST_SUITE_P(Targets, Fuzz,
                         testing::Values(Effort{"checkpoint", 3000}, Effort{"dataset", 3000},
                                         Effort{"expression", 3000}, Effort{"model", 100},
                                         Effort{"result", 300}),
                         [](const auto& test) { return std::string(test.param.target); });

TEST(FuzzTargets, AreAllReplayed) {
  EXPECT_EQ(targets().size(), 5u) << "add the new target to the list above";
}

}  // namespace
}  // namespace kardan::fuzz
