#include "apps/cli/viewer_page.h"

// With KARDAN_HAS_VIEWER the build makes this function from the viewer's bundle.
#ifndef KARDAN_HAS_VIEWER
namespace kardan::cli {

std::string_view viewer_page() {
  return {};
}

}  // namespace kardan::cli
#endif
