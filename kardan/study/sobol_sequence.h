#pragma once
/// Sobol's sequence: points that fill the unit cube more evenly than random ones. Of every 2^k
/// points in a row from a multiple of 2^k on, each of 2^k equal slices of a coordinate holds one.
///
/// Direction numbers: S. Joe, F. Y. Kuo, Constructing Sobol sequences with better two-dimensional
/// projections, SIAM J. Sci. Comput. 30 (2008) 2635-2654, their file new-joe-kuo-6.21201. Order of
/// the points: I. A. Antonov, V. M. Saleev, USSR Comput. Math. Math. Phys. 19 (1979) 252-256. With
/// a seed every coordinate is shifted digit by digit, which keeps the slices: A. B. Owen, Randomly
/// permuted (t,m,s)-nets and (t,s)-sequences, LNS 106 (1995) 299-317.

#include <array>
#include <cstdint>
#include <vector>

namespace kardan {

class SobolSequence {
 public:
  static constexpr int most_dimensions = 40;

  /// Seed 0: not shifted.
  SobolSequence(int dimensions, std::uint64_t seed);

  /// In the open interval (0, 1): the middle of the smallest slice.
  [[nodiscard]] double at(std::uint64_t index, int dimension) const;

 private:
  struct Column {
    std::array<std::uint64_t, 52> direction{};
    std::uint64_t shift = 0;
  };
  std::vector<Column> columns_;
};

}  // namespace kardan
