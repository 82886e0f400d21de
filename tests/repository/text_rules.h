#pragma once
/// Rules for the text of the repository: short files, no tabs, no paths of somebody's machine.

#include <cstddef>
#include <string>
#include <vector>

#include "repository/source_tree.h"

namespace kardan::repository {

inline constexpr std::size_t longest_file = 500;  // lines: one idea a file

/// Each returns one line a fault, "file:line: what, and what to do". Empty: all is well.
std::vector<std::string> length_faults(const SourceFile& file);
std::vector<std::string> tab_faults(const SourceFile& file);
std::vector<std::string> home_path_faults(const SourceFile& file);
/// Sources that decide by the name of a method, formulation or element type: what somebody needs to
/// know of it is declared by itself. `distinct` names are found wherever they are quoted, as those
/// that mean nothing else; `common` ones, which are words too, where a type is compared with them.
std::vector<std::string> name_faults(const SourceFile& file,
                                     const std::vector<std::string>& distinct,
                                     const std::vector<std::string>& common);

}  // namespace kardan::repository
