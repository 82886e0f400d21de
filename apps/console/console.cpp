#include "apps/console/console.h"

#include <fmt/format.h>

#include <map>
#include <string>

namespace kardan::console {

bool print_faults(const Diagnostics& diagnostics) {
  // Errors, as many as are read; of warnings with the same code the first, and how many more.
  constexpr int most = 200;
  int errors = 0;
  std::map<std::string, int> more;
  for (const Diagnostic& d : diagnostics.all()) {
    const bool warning = d.severity == Severity::warning;
    if (warning ? more[d.code]++ > 0 : ++errors > most) continue;
    fmt::print(stderr, "{}\n", format(d));
  }
  if (errors > most) fmt::print(stderr, "... and {} more errors\n", errors - most);
  for (const auto& [code, count] : more)
    if (count > 1) fmt::print(stderr, "warning[{}]: {} more of this kind\n", code, count - 1);
  return diagnostics.has_errors();
}

}  // namespace kardan::console
