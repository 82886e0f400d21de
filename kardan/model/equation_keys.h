#pragma once
/// The keys of the `equations:` section (equation_data.h).

#include <string>
#include <vector>

namespace kardan {

const std::vector<std::string>& equation_keys();

}  // namespace kardan
