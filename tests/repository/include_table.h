#pragma once
/// The only allowed dependencies: which folder may include which, and who may see which library.

#include <string>
#include <vector>

#include "repository/source_tree.h"

namespace kardan::repository {

/// One line a fault, "file:line: what is included; what this folder may include". Empty: all is
/// well.
std::vector<std::string> include_faults(const SourceFile& file);

}  // namespace kardan::repository
