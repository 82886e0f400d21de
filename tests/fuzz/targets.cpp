#include "fuzz/targets.h"

#include <algorithm>
#include <array>
#include <stdexcept>

namespace kardan::fuzz {
namespace {

constexpr std::array<Target, 5> all{{
    {"checkpoint", feed_checkpoint},
    {"dataset", feed_dataset},
    {"expression", feed_expression},
    {"model", feed_model},
    {"result", feed_result},
}};

}  // namespace

std::span<const Target> targets() {
  return all;
}

const Target* find_target(std::string_view name) {
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const Target& t) { return t.name == name; });
  return found == all.end() ? nullptr : &*found;
}

void require(bool good, const char* promise) {
  if (!good) throw std::logic_error(promise);
}

}  // namespace kardan::fuzz
