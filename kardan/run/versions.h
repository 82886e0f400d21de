#pragma once
/// What a result was computed with.

#include <string>
#include <utility>
#include <vector>

namespace kardan {

/// Kardan, the compiler and the libraries, each with its version.
std::vector<std::pair<std::string, std::string>> versions();

}  // namespace kardan
