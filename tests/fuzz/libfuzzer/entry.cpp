/// The entry of libFuzzer for the target that KARDAN_FUZZ_TARGET names.

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "fuzz/targets.h"

// NOLINTNEXTLINE: the name is libFuzzer's
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const kardan::fuzz::Target* const target = kardan::fuzz::find_target(KARDAN_FUZZ_TARGET);
  target->feed({reinterpret_cast<const char*>(data), size});
  return 0;
}
