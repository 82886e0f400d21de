#pragma once
/// How many data members the classes of the library have: one with many has several duties.

#include <string>
#include <vector>

#include "repository/source_tree.h"

namespace kardan::repository {

inline constexpr int most_members = 25;

struct ClassSize {
  std::string name;  ///< with the classes around it: Outer::Inner
  int members = 0;   ///< data members of its own, references among them, static ones not
};

/// All classes, structs and unions that a file of C++ defines, in the order in which they end.
std::vector<ClassSize> class_sizes(const std::string& text);

}  // namespace kardan::repository
