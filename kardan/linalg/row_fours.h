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

/// The entries of a matrix that have been other than zero so far, row by row in segments of
/// neighbouring columns. (A few zeros between two segments are taken in: they cost less than
/// another segment.)
class RowSegments {
 public:
  struct Segment {
    int value, column, count;  // the first of them
  };
  RowSegments() = default;
  /// None yet.
  explicit RowSegments(const SparsePattern& pattern);
  /// Takes in the entries of a matrix of the pattern; false where all of them were known. Does not
  /// allocate.
  [[nodiscard]] bool learn(const SparseMatrix& A);
  std::span<const Segment> of(int row) const {
    return {segments_.data() + start_[row], segments_.data() + start_[row + 1]};
  }
  /// As many segments as there can be.
  std::size_t most() const { return segments_.capacity(); }

 private:
  std::vector<int> start_{0};
  std::vector<Segment> segments_;
  std::vector<double> unseen_;  // 1 where an entry was always zero, else 0
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

/// A sum of such terms, or of some rows of it, ready to be computed again and again while A and X
/// stay where they are.
class RowProducts {
 public:
  /// Rows rows[i] of the terms; `width` is that of a part. Allocates the first time only.
  void compile(std::span<const SparseTerm> terms, std::span<const int> rows, int width);
  int parts() const { return parts_; }

  /// Neighbouring rows of X, each times its a.
  struct Item {
    const double *a, *x;
    int count, stride;
  };
  /// What row i is made of in a part.
  std::span<const Item> of(int i, int part, Sign sign) const {
    const int k = (i * parts_ + part) * 2 + (sign == Sign::minus ? 1 : 0);
    return {items_.data() + start_[k], items_.data() + start_[k + 1]};
  }

 private:
  int parts_ = 0;
  std::vector<int> start_;
  std::vector<Item> items_;
};

/// Y(i) = row i of the sum, on the fours of row i; `width` is that of a part of Y.
void multiply_rows(const RowProducts& products, const RowFours& fours, int width, Matrix& Y);

/// Y = E X, or Y += E X, for three rows on these fours of each of `parts` parts; E by rows.
enum class Sum { begin, go_on };
void turn_rows(Sum sum, const double* E, Strip X, std::span<const int> fours, int parts, int width,
               double* Y, int stride);

/// Y(columns[i]) += sum over k of U(k, columns[i]) X(k), k < rows, on these fours of each of X's
/// parts.
void add_transposed(int rows, std::span<const int> columns, Strip U, Strip X,
                    std::span<const int> fours, int parts, int width, Matrix& Y);

}  // namespace kardan
