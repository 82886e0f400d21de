#pragma once
/// SHA-256 (FIPS 180-4): by it a page tells which script may run in it.

#include <array>
#include <cstdint>
#include <string_view>

namespace kardan {

[[nodiscard]] std::array<std::uint8_t, 32> sha256(std::string_view bytes);

}  // namespace kardan
