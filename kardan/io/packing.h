#pragma once
/// Bytes for a page: gzip and base64.

#include <cstddef>
#include <span>
#include <string>

namespace kardan {

/// A gzip stream without a time in it: the same bytes for the same input.
[[nodiscard]] std::string gzip(std::span<const std::byte> data);
[[nodiscard]] std::string base64(std::string_view data);

}  // namespace kardan
