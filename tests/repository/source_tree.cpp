#include "repository/source_tree.h"

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <regex>
#include <sstream>

namespace kardan::repository {
namespace {

namespace fs = std::filesystem;

std::string read(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

bool is_binary(const std::string& text) {
  return text.find('\0') != std::string::npos;
}

bool is_generated(const fs::path& folder) {
  const std::string name = folder.filename().string();
  return name == "build" || name == "node_modules" || name == "dist" ||
         (name.starts_with('.') && name != ".ci" && name != ".github");
}

/// The files below `top` that are not generated, sorted.
std::vector<fs::path> walk(const fs::path& top) {
  std::vector<fs::path> files;
  if (!fs::is_directory(top)) return files;
  for (auto entry = fs::recursive_directory_iterator(top); entry != fs::end(entry); ++entry) {
    if (entry->is_directory() && is_generated(entry->path())) entry.disable_recursion_pending();
    if (entry->is_regular_file() && !entry->is_symlink()) files.push_back(entry->path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

/// What `git ls-files -z` prints; empty if there is no git or `root` is not a repository.
std::string list_tracked(const fs::path& root) {
  const std::string command = "git -C '" + root.string() + "' ls-files -z 2>/dev/null";
  std::string output;
  FILE* pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) return output;
  char buffer[4096];
  while (const std::size_t n = std::fread(buffer, 1, sizeof buffer, pipe)) output.append(buffer, n);
  const bool succeeded = pclose(pipe) == 0;
  return succeeded ? output : std::string();
}

}  // namespace

std::vector<SourceFile> read_folder(const fs::path& root, const std::string& folder,
                                    const std::vector<std::string>& extensions) {
  std::vector<SourceFile> sources;
  for (const fs::path& file : walk(root / folder)) {
    const std::string extension = file.extension().string();
    if (std::find(extensions.begin(), extensions.end(), extension) == extensions.end()) continue;
    sources.push_back({file.lexically_relative(root).generic_string(), read(file)});
  }
  return sources;
}

std::vector<SourceFile> read_tracked(const fs::path& root) {
  std::vector<fs::path> files;
  std::istringstream tracked(list_tracked(root));
  for (std::string path; std::getline(tracked, path, '\0');) files.push_back(root / path);
  if (files.empty()) files = walk(root);

  std::vector<SourceFile> sources;
  for (const fs::path& file : files) {
    if (!fs::is_regular_file(file)) continue;  // tracked, but deleted here
    SourceFile source{file.lexically_relative(root).generic_string(), read(file)};
    if (!is_binary(source.text)) sources.push_back(std::move(source));
  }
  return sources;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) {
    if (line.ends_with('\r')) line.pop_back();
    lines.push_back(line);
  }
  return lines;
}

std::optional<Include> included(const std::string& line) {
  static const std::regex directive(R"(^\s*#\s*(include|include_next|import)\b\s*(.*)$)");
  static const std::regex operand(R"(^([<"])([^>"]+)[>"].*$)");
  std::smatch match;
  if (!std::regex_match(line, match, directive)) return std::nullopt;
  const std::string rest = match[2];
  if (!std::regex_match(rest, match, operand)) return Include{};
  return Include{match[2], match[1] == "\""};
}

std::string path_of(const Include& include, const SourceFile& file) {
  if (include.name.starts_with("kardan/") || include.name.starts_with("apps/")) return include.name;
  if (!include.quoted) return "";
  return (fs::path(file.path).parent_path() / include.name).lexically_normal().generic_string();
}

}  // namespace kardan::repository
