#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <span>

namespace kardan::test {

/// Bit by bit: not-a-numbers are equal to themselves, and 0 differs from -0.
inline bool same_bits(std::span<const double> a, std::span<const double> b) {
  return std::ranges::equal(a, b, [](double x, double y) {
    return std::bit_cast<std::uint64_t>(x) == std::bit_cast<std::uint64_t>(y);
  });
}

}  // namespace kardan::test
