#pragma once
/// A component is a header and the source of its name, taken together: what can be understood,
/// tested and taken out by itself, as long as none depends on itself through others.

#include <string>
#include <vector>

#include "repository/source_tree.h"

namespace kardan::repository {

/// One line a circle, "a -> b (a.cpp:3) -> a (b.h:7)" with the places that include; every component
/// on a circle stands in one of them. Empty: there is none.
std::vector<std::string> component_cycles(const std::vector<SourceFile>& files);

}  // namespace kardan::repository
