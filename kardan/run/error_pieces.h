#pragma once
/// Estimated errors over time are kept in at most so many pieces.

#include <cstddef>

namespace kardan {

inline constexpr std::size_t most_error_pieces = 400;

}  // namespace kardan
