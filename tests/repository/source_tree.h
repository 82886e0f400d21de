#pragma once
/// The repository as text: what the checks of this folder read.

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace kardan::repository {

struct SourceFile {
  std::string path;  ///< from the root of the repository, with '/'
  std::string text;
};

/// All files below root/folder with one of the extensions, in order of their paths; none if there
/// is no such folder. Generated trees (build, node_modules, dist, hidden folders) are left out.
std::vector<SourceFile> read_folder(const std::filesystem::path& root, const std::string& folder,
                                    const std::vector<std::string>& extensions);

/// The files that git tracks; without git, those read_folder() finds. Binary files are left out.
std::vector<SourceFile> read_tracked(const std::filesystem::path& root);

/// The text line by line, without the ends of lines.
std::vector<std::string> lines_of(const std::string& text);

struct Include {
  std::string name;
  bool quoted = false;
};

/// What the line includes: nothing, if it is no #include; an empty name, if a macro hides it.
std::optional<Include> included(const std::string& line);

/// The path from the root of the repository of what `file` includes; empty: it is not of the
/// repository (the standard library, {fmt}).
std::string path_of(const Include& include, const SourceFile& file);

}  // namespace kardan::repository
