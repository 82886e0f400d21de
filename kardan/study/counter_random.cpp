#include "kardan/study/counter_random.h"

#include <bit>

namespace kardan {
namespace {

// Salmon et al. 2011, table 2: multipliers and the Weyl constants of the key.
constexpr std::uint32_t multiplier_0 = 0xD2511F53, multiplier_1 = 0xCD9E8D57;
constexpr std::uint32_t weyl_0 = 0x9E3779B9, weyl_1 = 0xBB67AE85;
constexpr int rounds = 10;
/// Four rounds of a Feistel network look random to any number of questions that is small against
/// the root of its size; these are more (M. Luby, C. Rackoff, SIAM J. Comput. 17, 1988).
constexpr int feistel_rounds = 8;

std::uint32_t low(std::uint64_t x) {
  return static_cast<std::uint32_t>(x);
}
std::uint32_t high(std::uint64_t x) {
  return static_cast<std::uint32_t>(x >> 32);
}

}  // namespace

PhiloxBlock philox(PhiloxBlock c, PhiloxKey key) {
  for (int i = 0; i < rounds; ++i) {
    const std::uint64_t a = std::uint64_t{multiplier_0} * c[0];
    const std::uint64_t b = std::uint64_t{multiplier_1} * c[2];
    c = {high(b) ^ c[1] ^ key[0], low(b), high(a) ^ c[3] ^ key[1], low(a)};
    key[0] += weyl_0;
    key[1] += weyl_1;
  }
  return c;
}

std::uint64_t random_bits(std::uint64_t seed, Draw use, std::uint64_t run, std::uint32_t column) {
  const PhiloxBlock block = philox({low(run), high(run), column, static_cast<std::uint32_t>(use)},
                                   {low(seed), high(seed)});
  return (std::uint64_t{block[1]} << 32) | block[0];
}

double random_unit(std::uint64_t seed, Draw use, std::uint64_t run, std::uint32_t column) {
  constexpr int unused = 12;  // bits: the sum with a half then is exact
  return (static_cast<double>(random_bits(seed, use, run, column) >> unused) + 0.5) * 0x1p-52;
}

std::uint64_t random_place(std::uint64_t seed, std::uint32_t column, std::uint64_t index,
                           std::uint64_t count) {
  if (count < 2) return 0;
  const int half = (std::bit_width(count - 1) + 1) / 2;
  const std::uint64_t mask = (std::uint64_t{1} << half) - 1;
  do {
    std::uint64_t left = index >> half, right = index & mask;
    for (std::uint32_t round = 0; round < feistel_rounds; ++round) {
      const PhiloxBlock block =
          philox({low(right), high(right), column,
                  static_cast<std::uint32_t>(Draw::permutation) | ((round + 1) << 8)},
                 {low(seed), high(seed)});
      const std::uint64_t mixed = left ^ (((std::uint64_t{block[1]} << 32) | block[0]) & mask);
      left = right;
      right = mixed;
    }
    index = (left << half) | right;
  } while (index >= count);
  return index;
}

}  // namespace kardan
