#include "kardan/study/sobol_sequence.h"

#include <bit>
#include <cassert>

#include "kardan/study/counter_random.h"

namespace kardan {
namespace {

constexpr int bits = 52;  // of a coordinate: with half a step added it still is exact

/// A primitive polynomial over GF(2), by its degree and its inner coefficients as bits, and the
/// first direction numbers.
struct Direction {
  int degree;
  unsigned inner;
  std::array<std::uint32_t, 8> first;
};

/// Dimensions 2 to 40 of Joe and Kuo's file new-joe-kuo-6.21201, in its order.
constexpr std::array<Direction, SobolSequence::most_dimensions - 1> directions{{
    {1, 0, {1}},
    {2, 1, {1, 3}},
    {3, 1, {1, 3, 1}},
    {3, 2, {1, 1, 1}},
    {4, 1, {1, 1, 3, 3}},
    {4, 4, {1, 3, 5, 13}},
    {5, 2, {1, 1, 5, 5, 17}},
    {5, 4, {1, 1, 5, 5, 5}},
    {5, 7, {1, 1, 7, 11, 19}},
    {5, 11, {1, 1, 5, 1, 1}},
    {5, 13, {1, 1, 1, 3, 11}},
    {5, 14, {1, 3, 5, 5, 31}},
    {6, 1, {1, 3, 3, 9, 7, 49}},
    {6, 13, {1, 1, 1, 15, 21, 21}},
    {6, 16, {1, 3, 1, 13, 27, 49}},
    {6, 19, {1, 1, 1, 15, 7, 5}},
    {6, 22, {1, 3, 1, 15, 13, 25}},
    {6, 25, {1, 1, 5, 5, 19, 61}},
    {7, 1, {1, 3, 7, 11, 23, 15, 103}},
    {7, 4, {1, 3, 7, 13, 13, 15, 69}},
    {7, 7, {1, 1, 3, 13, 7, 35, 63}},
    {7, 8, {1, 3, 5, 9, 1, 25, 53}},
    {7, 14, {1, 3, 1, 13, 9, 35, 107}},
    {7, 19, {1, 3, 1, 5, 27, 61, 31}},
    {7, 21, {1, 1, 5, 11, 19, 41, 61}},
    {7, 28, {1, 3, 5, 3, 3, 13, 69}},
    {7, 31, {1, 1, 7, 13, 1, 19, 1}},
    {7, 32, {1, 3, 7, 5, 13, 19, 59}},
    {7, 37, {1, 1, 3, 9, 25, 29, 41}},
    {7, 41, {1, 3, 5, 13, 23, 1, 55}},
    {7, 42, {1, 3, 7, 3, 13, 59, 17}},
    {7, 50, {1, 3, 1, 3, 5, 53, 69}},
    {7, 55, {1, 1, 5, 5, 23, 33, 13}},
    {7, 56, {1, 1, 7, 7, 1, 61, 123}},
    {7, 59, {1, 1, 7, 9, 13, 61, 49}},
    {7, 62, {1, 3, 3, 5, 3, 55, 33}},
    {8, 14, {1, 3, 1, 15, 31, 13, 49, 245}},
    {8, 21, {1, 3, 5, 15, 31, 59, 63, 97}},
    {8, 22, {1, 3, 1, 11, 11, 11, 77, 249}},
}};

}  // namespace

SobolSequence::SobolSequence(int dimensions, std::uint64_t seed) {
  assert(dimensions <= most_dimensions);
  for (int d = 0; d < dimensions; ++d) {
    Column& column = columns_.emplace_back();
    std::array<std::uint64_t, bits>& v = column.direction;
    const int degree = d == 0 ? 0 : directions[d - 1].degree;
    // Bratley and Fox 1988, equation (2): m_i = 2 a_1 m_(i-1) ^ ... ^ 2^s m_(i-s) ^ m_(i-s); here
    // all are shifted so that their first digit is the first one behind the point.
    for (int i = 0; i < bits; ++i) {
      if (d == 0) {
        v[i] = std::uint64_t{1} << (bits - 1 - i);
      } else if (i < degree) {
        v[i] = std::uint64_t{directions[d - 1].first[i]} << (bits - 1 - i);
      } else {
        v[i] = v[i - degree] ^ (v[i - degree] >> degree);
        for (int k = 1; k < degree; ++k)
          if ((directions[d - 1].inner >> (degree - 1 - k)) & 1U) v[i] ^= v[i - k];
      }
    }
    if (seed != 0)
      column.shift =
          random_bits(seed, Draw::shift, 0, static_cast<std::uint32_t>(d)) >> (64 - bits);
  }
}

double SobolSequence::at(std::uint64_t index, int dimension) const {
  const Column& column = columns_[static_cast<std::size_t>(dimension)];
  std::uint64_t gray = index ^ (index >> 1), x = column.shift;
  while (gray != 0) {
    x ^= column.direction[std::countr_zero(gray)];
    gray &= gray - 1;
  }
  return (static_cast<double>(x) + 0.5) * 0x1p-52;
}

}  // namespace kardan
