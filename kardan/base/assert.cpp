#include "kardan/base/assert.h"

#include <cstdio>
#include <cstdlib>

namespace kardan {

void assertion_failed(const char* file, int line, const char* condition,
                      std::string_view message) noexcept {
  std::fprintf(stderr, "%s:%d: assertion failed: %s: %.*s\n", file, line, condition,
               static_cast<int>(message.size()), message.data());
  std::abort();
}

}  // namespace kardan
