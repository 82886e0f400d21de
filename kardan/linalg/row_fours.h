#pragma once
/// Products with matrices whose rows are known to vanish outside of a few columns, like the free
/// directions of a vehicle, where a wheel does not move what another one carries. Such matrices are
/// stored whole, but only those columns are read and written, four at once.
///
/// A matrix may have several parts side by side, all as wide and with the same columns.

#include <span>
#include <vector>

#include "kardan/linalg/sparse.h"

namespace kardan {

/// The next multiple of four: how wide a part is.
inline int whole_fours(int columns) {
  return (columns + 3) / 4 * 4;
}

/// Of every row the columns that may not vanish: the first ones of fours that cover them. Fours
/// do not overlap.
class RowFours {
 public:
  RowFours() = default;
  /// From the columns every row has, in any order, in a part of the given width.
  RowFours(const std::vector<std::vector<int>>& columns, int width);
  std::span<const int> of(int row) const {
    return {fours_.data() + start_[row], fours_.data() + start_[row + 1]};
  }

 private:
  std::vector<int> start_{0};
  std::vector<int> fours_;
};

/// Where a part begins, and the distance of its rows.
struct Strip {
  const double* data;
  int stride;
};

/// The entries of a pattern row by row, in segments of neighbouring columns.
class RowSegments {
 public:
  struct Segment {
    int value, column, count;  // the first of them
  };
  RowSegments() = default;
  explicit RowSegments(const SparsePattern& pattern);
  std::span<const Segment> of(int row) const {
    return {segments_.data() + start_[row], segments_.data() + start_[row + 1]};
  }

 private:
  std::vector<int> start_{0};
  std::vector<Segment> segments_;
};

/// A X or -A X, added to the first `parts` parts of a sum; X has as many.
enum class Sign { plus, minus };
struct SparseTerm {
  Sign sign;
  const RowSegments* segments;
  const SparseMatrix* A;
  Strip X;
  int parts;
};

/// Y(i) = sum of the terms' rows rows[i] (or i, where no rows are listed) on the fours of row i.
/// Terms with more parts come first; the first one has as many as Y, `width` wide each.
void multiply_rows(std::span<const SparseTerm> terms, std::span<const int> rows,
                   const RowFours& fours, int width, Matrix& Y);

/// Y = E X, or Y += E X, for three rows on these fours of each of `parts` parts; E by rows.
enum class Sum { begin, go_on };
void turn_rows(Sum sum, const double* E, Strip X, std::span<const int> fours, int parts, int width,
               double* Y, int stride);

/// Y(columns[i]) += sum over k of U(k, columns[i]) X(k), k < rows, on these fours of each of X's
/// parts.
void add_transposed(int rows, std::span<const int> columns, Strip U, Strip X,
                    std::span<const int> fours, int parts, int width, Matrix& Y);

}  // namespace kardan
