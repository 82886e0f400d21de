#pragma once
/// What switches.h tells of the places of kinks and jumps, shared by numbers and enclosures.

#include <algorithm>
#include <cmath>

#include "kardan/base/table.h"

namespace kardan::detail {

/// sign(x) is 0 only where x is: this far around it.
inline constexpr double at_zero = 1e-14;

/// The pieces of a table, numbered through all periods where it repeats: piece k lies right of
/// point k, point 0 is the first.
struct Piece {
  const Table& table;

  int points() const { return static_cast<int>(table.x().size()); }
  bool repeats() const { return table.outside() == Outside::repeat; }
  double period() const { return table.x().back() - table.x().front(); }
  double point(int k) const {
    if (!repeats()) return table.x()[static_cast<std::size_t>(k)];
    const int n = points() - 1;
    const int turn = k >= 0 ? k / n : -((n - 1 - k) / n);
    return table.x()[static_cast<std::size_t>(k - turn * n)] + turn * period();
  }
  /// -1 before the first point.
  int at(double x) const {
    double turns = 0;
    if (repeats()) turns = std::floor((x - table.x().front()) / period());
    const double inside = x - turns * period();
    const auto next = std::ranges::lower_bound(table.x(), inside);
    return static_cast<int>(next - table.x().begin()) - 1 +
           static_cast<int>(turns) * (points() - 1);
  }
  template <class T>
  T function(int k, const T& x) const {
    if (!repeats() && k < 0) return x + -point(0);
    if (!repeats() && k >= points() - 1) return x + -point(points() - 1);
    return (x + -point(k)) * (-x + point(k + 1));
  }
};

}  // namespace kardan::detail
