#pragma once
/// Numbers from text, whatever the locale: also those near the smallest, which std::stod refuses.

#include <charconv>
#include <optional>
#include <string_view>

namespace kardan {

/// The number that is the whole of `text`, also inf and nan. Nothing for other text and for what no
/// double can hold.
[[nodiscard]] inline std::optional<double> parse_number(std::string_view text) {
  double number = 0;
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (status != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

}  // namespace kardan
