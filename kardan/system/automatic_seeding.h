#pragma once
/// Which variables the functions of a user depend on, row by row, and so how many seeds their
/// derivatives need: variables that no row has in common share one. Time that appears nowhere, or a
/// constant mass matrix, cost nothing.
///
/// What a function depends on is found at a point near the start. A branch may change it later, so
/// every use is compared with the derivative along one direction in which all variables move; where
/// the two differ, the derivatives are taken one variable after the other from then on.

#include <cmath>
#include <span>
#include <vector>

#include "kardan/linalg/matrix.h"

namespace kardan {

class Seeding {
 public:
  Seeding() = default;
  /// `depends` has `columns` entries for every row.
  Seeding(int rows, int columns, const std::vector<char>& depends);

  int rows() const { return rows_; }
  int columns() const { return static_cast<int>(color_.size()); }
  /// Seeds needed; fewer than columns() where seeds are shared.
  int colors() const { return colors_; }
  bool saves() const { return colors_ < columns(); }
  /// The seed of a variable; -1 where nothing depends on it.
  int color(int column) const { return color_[column]; }
  /// The variables on which a row depends.
  std::span<const int> of_row(int row) const {
    return {column_.data() + start_[row], static_cast<std::size_t>(start_[row + 1] - start_[row])};
  }
  /// The direction in which all variables move.
  double direction(int column) const { return direction_[column]; }

 private:
  int rows_ = 0, colors_ = 0;
  std::vector<int> color_, start_, column_;
  Vector direction_;
};

/// Whether a derivative along the direction is the sum of its parts: size is the sum of their
/// magnitudes. Round-off of long formulas stays below; a variable that was overlooked does not.
inline bool agrees(double sum, double size, double along) {
  constexpr double round_off = 1e-12;
  return std::abs(sum - along) <= round_off * size;
}

}  // namespace kardan
