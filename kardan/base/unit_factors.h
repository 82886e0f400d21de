#pragma once
/// A unit as it is written: factor factor / factor. Everything behind the bar divides, in
/// parentheses or not.

#include <algorithm>
#include <string_view>

namespace kardan {

/// Calls visit(factor, sign) for each factor, sign -1 behind the bar; false where it says so, or
/// where the text is no unit.
template <class Visit>
bool each_unit_factor(std::string_view unit, Visit visit) {
  int sign = 1;
  bool any = false;
  for (std::size_t i = 0; i < unit.size();) {
    const char c = unit[i];
    if (c == ' ' || c == '*' || c == '(' || c == ')') {
      ++i;
      continue;
    }
    if (c == '/') {
      if (sign < 0 || !any) return false;
      sign = -1;
      ++i;
      continue;
    }
    const std::size_t end = std::min(unit.find_first_of(" */()", i), unit.size());
    if (!visit(unit.substr(i, end - i), sign)) return false;
    any = true;
    i = end;
  }
  return any;
}

}  // namespace kardan
