#include "docs/markdown.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <regex>
#include <sstream>

#include "support/places.h"

namespace kardan::docs {
namespace {

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

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

}  // namespace

Document document(const std::string& path) {
  std::ifstream file(std::filesystem::path(source_folder()) / path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return {path, text.str()};
}

std::vector<Document> documents() {
  std::vector<std::string> paths{"README.md", "CONTRIBUTING.md"};
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
