#pragma once
/// Is this text UTF-8 (RFC 3629) without control characters that YAML forbids?

#include <cstddef>
#include <string>
#include <string_view>

namespace kardan {

/// The first byte that is not part of printable UTF-8, or npos; tab, line feed and carriage return
/// count as printable (YAML 1.2.2, production 1).
[[nodiscard]] inline std::size_t find_bad_utf8(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  for (std::size_t i = 0; i < text.size();) {
    const unsigned char first = byte(i);
    if (first < 0x80) {
      const bool control = first < 0x20 || first == 0x7f;
      if (control && first != '\t' && first != '\n' && first != '\r') return i;
      ++i;
      continue;
    }
    std::size_t length = 0;
    if (first >= 0xc2 && first <= 0xdf)
      length = 2;
    else if (first >= 0xe0 && first <= 0xef)
      length = 3;
    else if (first >= 0xf0 && first <= 0xf4)
      length = 4;
    else
      return i;
    if (i + length > text.size()) return i;
    for (std::size_t k = 1; k < length; ++k)
      if ((byte(i + k) & 0xc0) != 0x80) return i;
    const unsigned char second = byte(i + 1);
    const bool overlong = (first == 0xe0 && second < 0xa0) || (first == 0xf0 && second < 0x90);
    const bool surrogate = first == 0xed && second > 0x9f;
    const bool beyond = first == 0xf4 && second > 0x8f;
    if (overlong || surrogate || beyond) return i;
    i += length;
  }
  return std::string_view::npos;
}

}  // namespace kardan
