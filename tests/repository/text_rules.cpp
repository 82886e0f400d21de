#include "repository/text_rules.h"

#include <regex>

namespace kardan::repository {
namespace {

std::string at(const SourceFile& file, std::size_t line) {
  return file.path + ":" + std::to_string(line) + ": ";
}

}  // namespace

std::vector<std::string> length_faults(const SourceFile& file) {
  const std::size_t lines = lines_of(file.text).size();
  if (lines <= longest_file) return {};
  return {at(file, longest_file + 1) + "has " + std::to_string(lines) + " lines, at most " +
          std::to_string(longest_file) + " are wanted; split it by ideas"};
}

std::vector<std::string> tab_faults(const SourceFile& file) {
  std::vector<std::string> faults;
  const std::vector<std::string> lines = lines_of(file.text);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (lines[i].find('\t') != std::string::npos) {
      faults.push_back(at(file, i + 1) + "has a tab; write spaces, or \\t in a string");
    }
  }
  return faults;
}

std::vector<std::string> home_path_faults(const SourceFile& file) {
  // A folder of a person on Linux, macOS or Windows. The brackets keep this line from being found.
  static const std::regex home(
      R"((^|[^\w.~-])([/]home/[\w.-]+|[/]root/[\w.-]+|[/]Users/[\w.-]+|[A-Za-z]:[\\/]+Users[\\/]+[\w.-]+))");
  std::vector<std::string> faults;
  const std::vector<std::string> lines = lines_of(file.text);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (lines[i].find('/') == std::string::npos && lines[i].find('\\') == std::string::npos)
      continue;
    // Minified data has lines too long for the recursion of std::regex; a path is short.
    constexpr std::size_t piece = 4000, overlap = 200;
    for (std::size_t start = 0; start < lines[i].size(); start += piece - overlap) {
      std::smatch match;
      const std::string text = lines[i].substr(start, piece);
      if (!std::regex_search(text, match, home)) continue;
      faults.push_back(at(file, i + 1) + "names '" + match[2].str() +
                       "' of somebody's machine; write the path from the root of the repository");
      break;
    }
  }
  return faults;
}

std::vector<std::string> name_faults(const SourceFile& file,
                                     const std::vector<std::string>& distinct,
                                     const std::vector<std::string>& common) {
  const auto any = [](const std::vector<std::string>& names) {
    std::string out;
    for (const std::string& name : names) out += (out.empty() ? "" : "|") + name;
    return "(" + out + ")";
  };
  // A quoted method, alone or with its formulation; in the rooms that own the names, where they
  // are declared, a comparison with one or a look-up; and a type beside a comparison.
  const bool own =
      file.path.starts_with("kardan/integrate/") || file.path.starts_with("kardan/formulation/");
  const bool script = file.path.ends_with(".ts");
  const std::string quote = script ? R"(["'])" : "\"";
  const std::regex quoted((own ? R"(((===?|!==?)\s*|find_\w+\(|choose_\w+\())" : "") + quote +
                          any(distinct) + R"((@\w+)?)" + quote);
  const std::regex compared(R"(\btype\w*(->name|\.name)?(\(\))?\s*(===?|!==?)\s*)" + quote +
                            any(common) + quote +
                            R"(|\btype(->name|\.name)?\.(starts|ends)\w+\(|\.test\(\w+\.type\))");
  // An option that is called like one.
  static const std::regex declared("word_option");
  std::vector<std::string> faults;
  const std::vector<std::string> lines = lines_of(file.text);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    std::smatch found;
    if (std::regex_search(lines[i], declared)) continue;
    if (std::regex_search(lines[i], found, quoted) || std::regex_search(lines[i], found, compared))
      faults.push_back(at(file, i + 1) + "decides by a name, " + found.str() +
                       "; let what is named declare what is wanted of it");
  }
  return faults;
}

}  // namespace kardan::repository
