#pragma once
/// Numbers that tools/properties sets to run more than the tests do.

#include <cstdlib>

namespace kardan::test {

inline unsigned from_environment(const char* name, unsigned fallback) {
  const char* text = std::getenv(name);
  return text ? static_cast<unsigned>(std::strtoul(text, nullptr, 10)) : fallback;
}

}  // namespace kardan::test
