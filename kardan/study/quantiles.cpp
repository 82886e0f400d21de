#include <array>
#include <bit>
#include <cmath>
#include <limits>

#include "kardan/study/statistics.h"

namespace kardan {
namespace {

/// Numbers as integers in the same order.
std::uint64_t key_of(double x) {
  const auto bits = std::bit_cast<std::uint64_t>(x == 0 ? 0.0 : x);
  constexpr std::uint64_t sign = std::uint64_t{1} << 63;
  return bits & sign ? ~bits : bits | sign;
}

double number_of(std::uint64_t key) {
  constexpr std::uint64_t sign = std::uint64_t{1} << 63;
  return std::bit_cast<double>(key & sign ? key & ~sign : ~key);
}

constexpr int digit_bits = 8, digits = 64 / digit_bits;
constexpr std::size_t bins = std::size_t{1} << digit_bits;

/// The number of a place in the order of a column, known to its first digits.
struct Search {
  std::size_t column = 0;
  std::uint64_t prefix = 0, rank = 0;  // rank: among numbers with that prefix
  std::array<std::uint64_t, bins> counts{};
};

void next_digit(std::vector<Search>& all, int digit, const RowScan& scan) {
  const int below = digit_bits * (digits - 1 - digit);
  for (Search& s : all) s.counts.fill(0);
  scan([&](std::uint64_t, std::span<const double> row) {
    for (Search& s : all) {
      const double x = row[s.column];
      if (std::isnan(x)) continue;
      const std::uint64_t key = key_of(x);
      if (digit > 0 && (key >> (below + digit_bits)) != s.prefix) continue;
      ++s.counts[(key >> below) & (bins - 1)];
    }
  });
  for (Search& s : all) {
    std::size_t bin = 0;
    for (; bin + 1 < bins && s.rank >= s.counts[bin]; ++bin) s.rank -= s.counts[bin];
    s.prefix = (s.prefix << digit_bits) | bin;
  }
}

}  // namespace

std::vector<std::vector<double>> quantiles(std::size_t columns, const std::vector<Moments>& moments,
                                           const std::vector<double>& shares, const RowScan& scan) {
  std::vector<Search> all;
  const auto place = [&](std::size_t column, double share) {
    return share * static_cast<double>(moments[column].count - 1);
  };
  for (std::size_t c = 0; c < columns; ++c)
    for (const double share : shares) {
      if (moments[c].count == 0) continue;
      const auto below = static_cast<std::uint64_t>(place(c, share));
      all.push_back({c, 0, below});
      all.push_back({c, 0, std::min(below + 1, moments[c].count - 1)});
    }
  for (int digit = 0; digit < digits && !all.empty(); ++digit) next_digit(all, digit, scan);
  std::vector<std::vector<double>> out(
      columns, std::vector<double>(shares.size(), std::numeric_limits<double>::quiet_NaN()));
  std::size_t next = 0;
  for (std::size_t c = 0; c < columns; ++c)
    for (std::size_t k = 0; k < shares.size() && moments[c].count > 0; ++k) {
      const double low = number_of(all[next].prefix), high = number_of(all[next + 1].prefix);
      next += 2;
      const double at = place(c, shares[k]);
      out[c][k] = low + (at - std::floor(at)) * (high - low);
    }
  return out;
}

}  // namespace kardan
