#pragma once
/// Sparse matrices in compressed-row form. The pattern is made once and shared; an evaluation
/// rewrites only the values.

#include <memory>
#include <span>
#include <vector>

#include "kardan/linalg/matrix.h"

namespace kardan {

/// Row i holds the columns column[row_start[i]] ... column[row_start[i+1]-1], ascending, no
/// duplicates.
struct SparsePattern {
  int rows = 0;
  int cols = 0;
  std::vector<int> row_start = {0};  ///< rows + 1 entries
  std::vector<int> column;           ///< one per nonzero

  int nonzeros() const { return static_cast<int>(column.size()); }
  bool is_full() const { return nonzeros() == rows * cols; }

  /// Position of (i, j) in the value array, or -1 when (i, j) is not in the pattern.
  int find(int i, int j) const;

  bool operator==(const SparsePattern&) const = default;
};

/// Collects entries in any order, with repetitions, and sorts them into a pattern.
class PatternBuilder {
 public:
  PatternBuilder(int rows, int cols);

  void add(int i, int j);

  /// The dense block of `rows` x `cols` entries whose upper left corner is (i, j).
  void add_block(int i, int j, int rows, int cols);

  /// The dense block at the crossing of the listed rows and columns.
  void add_block(std::span<const int> rows, std::span<const int> cols);

  std::shared_ptr<const SparsePattern> build() const;

 private:
  struct Entry {
    int row;
    int col;
  };
  int rows_;
  int cols_;
  std::vector<Entry> entries_;
};

/// Some rows of a pattern as one of their own, with the places of its values among all.
struct PickedRows {
  std::shared_ptr<const SparsePattern> pattern;
  std::vector<int> place;
  void take(std::span<const double> all, std::span<double> picked) const {
    for (std::size_t k = 0; k < place.size(); ++k) picked[k] = all[place[k]];
  }
};
PickedRows pick_rows(const SparsePattern& all, std::span<const int> rows);

/// Values over a shared pattern; values[k] belongs to column pattern->column[k].
struct SparseMatrix {
  std::shared_ptr<const SparsePattern> pattern;
  std::vector<double> values;

  SparseMatrix();
  /// All values zero.
  explicit SparseMatrix(std::shared_ptr<const SparsePattern> shared_pattern);

  int rows() const { return pattern->rows; }
  int cols() const { return pattern->cols; }

  void set_zero();

  /// y = A x
  void multiply(std::span<const double> x, std::span<double> y) const;
  /// y += alpha A x
  void multiply_add(double alpha, std::span<const double> x, std::span<double> y) const;
  /// y += alpha A' x
  void multiply_transposed_add(double alpha, std::span<const double> x, std::span<double> y) const;

  Matrix to_dense() const;
};

/// The same without an owner for the values: y = A x, A given by its pattern and values.
void multiply(const SparsePattern& pattern, std::span<const double> values,
              std::span<const double> x, std::span<double> y);

/// Writes the matrix into a dense one (resized; no allocation within its capacity).
void copy_to_dense(const SparsePattern& pattern, std::span<const double> values, Matrix& dense);

}  // namespace kardan
