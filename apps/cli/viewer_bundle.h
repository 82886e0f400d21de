#pragma once
/// The viewer of HTML reports (apps/viewer), part of the program. Its source is made by the build.

#include <string_view>

namespace kardan::cli {

/// One HTML file that needs nothing else, with the line `<!-- KARDAN_RESULT -->` where a result
/// belongs. Empty in a program that was built without Node.js.
std::string_view viewer_bundle();

}  // namespace kardan::cli
