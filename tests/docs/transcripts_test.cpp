/// Commands shown in the documentation print what is shown. A block
///
///   ```console
///   $ kardan check pendulum.yaml
///   ...
///   ```
///
/// runs in a folder that holds the page's models with a first line "# NAME.yaml" (those with faults
/// in blocks "yaml fault", studies in blocks "yaml study") and the folder models/. A line "..."
/// stands for any lines. Numbers are compared to the printed digits, and what is zero up to rounding
/// as zero; counts of iterations may differ between compilers.

#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <fstream>
#include <optional>
#include <sstream>

#include "docs/markdown.h"
#include "docs/program.h"
#include "support/places.h"

namespace kardan::docs {
namespace {

namespace fs = std::filesystem;

/// Printed with 6 digits at least; residuals of solved equations lie below `zero`.
constexpr double digits = 2e-6, zero = 1e-9;

std::vector<std::string> words_of(const std::string& line) {
  std::istringstream stream(line);
  return {std::istream_iterator<std::string>(stream), {}};
}

struct Number {
  double value;
  std::string around;  // brackets and commas before and after it
};

std::optional<Number> number(const std::string& word) {
  const auto first = word.find_first_not_of("([{,;:)]}");
  const auto last = word.find_last_not_of("([{,;:)]}");
  if (first == std::string::npos) return {};
  const std::string core = word.substr(first, last - first + 1);
  char* end = nullptr;
  const double value = std::strtod(core.c_str(), &end);
  if (end != core.c_str() + core.size()) return {};
  return Number{value, word.substr(0, first) + "#" + word.substr(last + 1)};
}

bool same_word(const std::string& shown, const std::string& printed) {
  if (shown == printed) return true;
  const auto a = number(shown), b = number(printed);
  if (!a || !b || a->around != b->around) return false;
  return std::abs(a->value - b->value) <=
         zero + digits * std::max(std::abs(a->value), std::abs(b->value));
}

bool same_line(const std::string& shown, const std::string& printed) {
  const auto a = words_of(shown), b = words_of(printed);
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const bool count = i + 1 < a.size() && a[i + 1].starts_with("iteration") && number(a[i]);
    if (!count && !same_word(a[i], b[i])) return false;
  }
  return true;
}

bool matches(const std::vector<std::string>& shown, const std::vector<std::string>& printed,
             std::size_t i = 0, std::size_t j = 0) {
  for (; i < shown.size(); ++i, ++j) {
    if (shown[i] == "...") {
      for (std::size_t k = j; k <= printed.size(); ++k)
        if (matches(shown, printed, i + 1, k)) return true;
      return false;
    }
    if (j >= printed.size() || !same_line(shown[i], printed[j])) return false;
  }
  return j == printed.size();
}

struct Command {
  std::string text;
  std::vector<std::string> output;
};

std::vector<Command> commands(const Block& block) {
  std::vector<Command> out;
  for (const std::string& line : lines_of(block.text)) {
    if (line.starts_with("$ "))
      out.push_back({line.substr(2), {}});
    else if (!out.empty())
      out.back().output.push_back(line);
  }
  for (Command& c : out)
    while (!c.output.empty() && c.output.back().empty()) c.output.pop_back();
  return out;
}

void check(const Command& command, const Block& block, const fs::path& folder) {
  ASSERT_TRUE(command.text.starts_with("kardan ")) << block.where << ": " << command.text;
  const Output printed = run_kardan(command.text.substr(7), folder);
  // A terminal shows warnings before and failures after the report.
  const bool same = matches(command.output, lines_of(printed.out + printed.err)) ||
                    matches(command.output, lines_of(printed.err + printed.out));
  EXPECT_TRUE(same) << block.where << ": " << command.text << " prints\n"
                    << printed.out << printed.err;
}

TEST(Transcripts, AreWhatTheProgramPrints) {
  int count = 0;
  for (const Document& page : documents()) {
    const fs::path folder =
        fs::temp_directory_path() / ("kardan_transcripts_" + std::to_string(getpid()));
    fs::create_directory(folder);
    fs::create_directory_symlink(models_folder(), folder / "models");
    for (const char* language : {"yaml", "yaml fault", "yaml study"})
      for (const Block& block : blocks(page, language))
        if (const std::string name = file_name(block); !name.empty())
          std::ofstream(folder / name) << block.text;
    for (const Block& block : blocks(page, "console"))
      for (const Command& command : commands(block)) {
        ++count;
        check(command, block, folder);
      }
    fs::remove_all(folder);
  }
  EXPECT_GE(count, 8);
}

TEST(Transcripts, AreComparedByWordsAndDigits) {
  EXPECT_TRUE(matches({"a  1.50e-17 (2.0)", "...", "end"}, {"a 0.0e+00 (2)", "x", "y", "end"}));
  EXPECT_TRUE(matches({"found in 4 iterations"}, {"found in 5 iterations"}));
  EXPECT_FALSE(matches({"a 1.5"}, {"a 1.6"}));
  EXPECT_FALSE(matches({"a 1.5"}, {"a 1.5", "more"}));
  EXPECT_FALSE(matches({"a (1.5"}, {"a 1.5"}));
}

}  // namespace
}  // namespace kardan::docs
