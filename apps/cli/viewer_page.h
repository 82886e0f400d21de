#pragma once
/// The page of HTML reports, built from apps/viewer into the program.

#include <string_view>

namespace kardan::cli {

/// Empty where the program was built without it.
std::string_view viewer_page();

}  // namespace kardan::cli
