#include "kardan/base/text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>

namespace kardan {
namespace {

// No sensible name is longer; bounds the quadratic work on hostile input.
constexpr std::size_t longest_word = 80;
constexpr std::size_t letters_per_edit = 3;

char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

/// D(i, j) between the first i letters of a and j of b; three rows suffice for swaps of neighbours.
/// Both words have at most `longest_word` letters.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::array<std::array<std::size_t, longest_word + 1>, 3> rows{};
  for (std::size_t j = 0; j <= b.size(); ++j) rows[0][j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    auto& row = rows[i % 3];
    const auto& above = rows[(i - 1) % 3];
    const auto& two_above = rows[(i + 1) % 3];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const bool same = lower(a[i - 1]) == lower(b[j - 1]);
      row[j] = std::min({above[j] + 1, row[j - 1] + 1, above[j - 1] + (same ? 0 : 1)});
      if (i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) &&
          lower(a[i - 2]) == lower(b[j - 1])) {
        row[j] = std::min(row[j], two_above[j - 2] + 1);
      }
    }
  }
  return rows[a.size() % 3][b.size()];
}

}  // namespace

std::string did_you_mean(std::string_view got, const std::vector<std::string>& candidates) {
  if (got.empty() || got.size() > longest_word) return {};
  std::size_t best_distance = got.size() / letters_per_edit + 1;
  const std::string* best = nullptr;
  for (const std::string& candidate : candidates) {
    if (candidate.empty() || candidate.size() > longest_word) continue;
    const std::size_t distance = edit_distance(got, candidate);
    if (distance < best_distance) {
      best_distance = distance;
      best = &candidate;
    }
  }
  return best ? *best : std::string();
}

std::string format_number(double number) {
  std::array<char, 32> buffer;  // the longest is -2.2250738585072014e-308: 24 characters
  const auto [end, status] = std::to_chars(buffer.data(), buffer.data() + buffer.size(), number);
  return status == std::errc() ? std::string(buffer.data(), end) : std::string();
}

}  // namespace kardan
