#include "docs/markdown.h"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <regex>
#include <sstream>

#include "support/places.h"

namespace kardan::docs {
namespace {

std::string trimmed(const std::string& text) {
  const auto first = text.find_first_not_of(' ');
  if (first == std::string::npos) return "";
  return text.substr(first, text.find_last_not_of(' ') - first + 1);
}

/// Cells between '|'; a written "\|" is a '|' inside a cell.
std::vector<std::string> cells(const std::string& line) {
  std::vector<std::string> out;
  std::string cell;
  for (std::size_t i = 1; i < line.size(); ++i) {
    if (line[i] == '\\' && i + 1 < line.size() && line[i + 1] == '|') {
      cell += line[++i];
    } else if (line[i] == '|') {
      out.push_back(trimmed(cell));
      cell.clear();
    } else {
      cell += line[i];
    }
  }
  return out;
}

std::string place(const Document& document, std::ptrdiff_t position) {
  const auto begin = document.text.begin();
  const auto line = std::count(begin, begin + position, '\n');
  return document.path + ":" + std::to_string(line + 1);
}

/// The first group of every match in the prose.
std::vector<Mention> mentions(const Document& document, const std::regex& pattern) {
  const std::string text = prose(document);
  std::vector<Mention> out;
  for (std::sregex_iterator i(text.begin(), text.end(), pattern), end; i != end; ++i)
    out.push_back({(*i)[1], place(document, i->position())});
  return out;
}

}  // namespace

std::string read_bytes(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

Document document(const std::string& path) {
  std::ifstream file(std::filesystem::path(source_folder()) / path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return {path, text.str()};
}

std::vector<Document> documents() {
  std::vector<std::string> paths{"README.md", "CONTRIBUTING.md", "SECURITY.md"};
  const std::filesystem::path root(source_folder());
  for (const auto& entry : std::filesystem::recursive_directory_iterator(root / "docs"))
    if (entry.path().extension() == ".md")
      paths.push_back(entry.path().lexically_relative(root).string());
  std::sort(paths.begin(), paths.end());
  std::vector<Document> out;
  for (const std::string& path : paths) out.push_back(document(path));
  return out;
}

std::vector<Block> blocks(const Document& document, const std::string& language) {
  std::vector<Block> out;
  Block block;
  bool open = false;
  int number = 0;
  for (const std::string& line : lines_of(document.text)) {
    ++number;
    if (!line.starts_with("```")) {
      if (open) block.text += line + "\n";
    } else if (open) {
      if (block.language == language) out.push_back(block);
      open = false;
    } else {
      block = {line.substr(3), "", document.path + ":" + std::to_string(number + 1)};
      open = true;
    }
  }
  return out;
}

std::string prose(const Document& document) {
  std::string out;
  bool inside = false;
  for (const std::string& line : lines_of(document.text)) {
    const bool fence = line.starts_with("```");
    out += (fence || inside ? "" : line) + "\n";
    inside ^= fence;
  }
  return out;
}

std::vector<Mention> links(const Document& document) {
  return mentions(document, std::regex(R"(\]\(([^)\s]+)\))"));
}

std::vector<Mention> codes(const Document& document) {
  std::vector<Mention> out = mentions(document, std::regex("`([^`]+)`"));
  for (Mention& m : out) m.text = std::regex_replace(m.text, std::regex("\\s+"), " ");
  return out;
}

std::vector<std::string> anchors(const Document& document) {
  std::vector<std::string> out;
  for (const std::string& line : lines_of(prose(document))) {
    if (!line.starts_with("#")) continue;
    std::string name;
    for (const char c : line.substr(line.find_first_not_of("# "))) {
      if (c == ' ' || c == '-') name += '-';
      if (std::isalnum(static_cast<unsigned char>(c)) || c == '_')
        name += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    }
    out.push_back(name);
  }
  return out;
}

std::vector<std::vector<std::string>> code_rows(const Document& document) {
  std::vector<std::vector<std::string>> rows;
  for (const std::string& line : lines_of(document.text))
    if (line.starts_with("| `")) rows.push_back(cells(line));
  return rows;
}

std::string code(const std::string& text) {
  if (text.size() < 3 || text.front() != '`' || text.back() != '`') return "";
  return text.substr(1, text.size() - 2);
}

std::string file_name(const Block& block) {
  std::smatch match;
  const std::string first = block.text.substr(0, block.text.find('\n'));
  return std::regex_match(first, match, std::regex("# ([a-z_0-9]+\\.yaml)")) ? match[1].str() : "";
}

bool is_model(const Block& block) {
  const std::string text = "\n" + block.text;
  return text.find("\nkardan: 1") != std::string::npos;
}

}  // namespace kardan::docs
