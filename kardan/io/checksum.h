#pragma once
/// CRC-32 of our files: finds every change of a few neighbouring bits, and nearly every other one.

#include <cstdint>
#include <string_view>

namespace kardan {

/// Of `bytes`, or of what `before` is the checksum of followed by `bytes`.
std::uint32_t checksum(std::string_view bytes, std::uint32_t before = 0);

}  // namespace kardan
