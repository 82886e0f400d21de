#pragma once
/// Random numbers that are a function of where they are used: (seed, run, column). A run draws the
/// same whatever was drawn before it, on any thread, in any order.
///
/// Philox4x32-10: J. K. Salmon, M. A. Moraes, R. O. Dror, D. E. Shaw, Parallel random numbers: as
/// easy as 1, 2, 3, SC '11 (2011), section 3.3 and table 2.

#include <array>
#include <cstdint>

namespace kardan {

using PhiloxBlock = std::array<std::uint32_t, 4>;
using PhiloxKey = std::array<std::uint32_t, 2>;

[[nodiscard]] PhiloxBlock philox(PhiloxBlock counter, PhiloxKey key);

/// What the numbers are for, so that no two uses share any.
enum class Draw : std::uint32_t { sample, jitter, permutation, shift };

/// 64 random bits.
[[nodiscard]] std::uint64_t random_bits(std::uint64_t seed, Draw use, std::uint64_t run,
                                        std::uint32_t column);
/// In the open interval (0, 1), on a lattice of 2^-52 moved by half a step.
[[nodiscard]] double random_unit(std::uint64_t seed, Draw use, std::uint64_t run,
                                 std::uint32_t column);

/// A random order of 0 .. count - 1, given one by one without keeping it: the place of `index`.
/// A Feistel network of Philox rounds on the smallest even number of bits that holds `count`,
/// repeated until the place is below `count` (J. Black, P. Rogaway, Ciphers with arbitrary finite
/// domains, CT-RSA 2002, section 5).
[[nodiscard]] std::uint64_t random_place(std::uint64_t seed, std::uint32_t column,
                                         std::uint64_t index, std::uint64_t count);

}  // namespace kardan
