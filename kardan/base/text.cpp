#include "kardan/base/text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>

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

namespace {

/// The length of the letter of UTF-8 that begins here and can be shown; 0: none.
std::size_t shown_letter(std::string_view text, std::uint32_t& code) {
  const auto first = static_cast<unsigned char>(text[0]);
  const std::size_t length = first < 0x80                    ? 1
                             : first >= 0xc2 && first < 0xe0 ? 2
                             : first >= 0xe0 && first < 0xf0 ? 3
                             : first >= 0xf0 && first < 0xf5 ? 4
                                                             : 0;
  if (length == 0 || length > text.size()) return 0;
  code = length == 1 ? first : first & (0xffu >> (length + 1));
  for (std::size_t k = 1; k < length; ++k) {
    const auto next = static_cast<unsigned char>(text[k]);
    if ((next & 0xc0) != 0x80) return 0;
    code = code << 6 | (next & 0x3fu);
  }
  return length;
}

/// Unicode 15: C0, DEL, C1, separators of lines, and UAX #9's marks of direction.
bool is_control(std::uint32_t c) {
  return c < 0x20 || (c >= 0x7f && c < 0xa0) || c == 0x61c || c == 0x200e || c == 0x200f ||
         (c >= 0x2028 && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069);
}

}  // namespace

std::string printable(std::string_view text, Lines lines) {
  constexpr char digits[] = "0123456789abcdef";
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size();) {
    std::uint32_t code = 0;
    const std::size_t length = shown_letter(text.substr(i), code);
    const bool breaks = lines == Lines::several && code == '\n';
    if (length > 0 && (!is_control(code) || breaks || code == '\t')) {
      out += text.substr(i, length);
      i += length;
      continue;
    }
    for (const std::size_t end = i + std::max<std::size_t>(length, 1); i < end; ++i) {
      const auto byte = static_cast<unsigned char>(text[i]);
      out += {'\\', 'x', digits[byte >> 4], digits[byte & 15]};
    }
  }
  return out;
}

std::string format_number(double number) {
  std::array<char, 32> buffer;  // the longest is -2.2250738585072014e-308: 24 characters
  const auto [end, status] = std::to_chars(buffer.data(), buffer.data() + buffer.size(), number);
  return status == std::errc() ? std::string(buffer.data(), end) : std::string();
}

}  // namespace kardan
