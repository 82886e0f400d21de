#pragma once
/// Words and numbers in messages.

#include <string>
#include <string_view>
#include <vector>

namespace kardan {

/// The candidate nearest to `got`, or empty when none is near. Distance: insertions, deletions,
/// substitutions and swaps of neighbours, without regard to case (restricted Damerau-Levenshtein).
/// Near: at most one edit per three letters of `got`, so that "vx" is not offered for "vy".
/// Among equally near ones the first wins.
[[nodiscard]] std::string did_you_mean(std::string_view got,
                                       const std::vector<std::string>& candidates);

/// The fewest digits that read back to the same bits: 0.1, 3, 1e-300, -0, inf, nan.
[[nodiscard]] std::string format_number(double number);

/// The text as a terminal may show it: control characters (C0, DEL, C1; Unicode's marks of
/// direction too, which reorder what is read) and bytes that are no UTF-8 are written \x1b; a new
/// line stays only where `lines` are allowed.
enum class Lines { one, several };
[[nodiscard]] std::string printable(std::string_view text, Lines lines = Lines::several);

}  // namespace kardan
