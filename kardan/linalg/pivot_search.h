#pragma once
/// Order of the unknowns and choice of the pivots of sparse matrices of one pattern: by KLU, or by
/// Eigen where nothing but Eigen may be linked (lean/pivot_search.cpp, in FMUs).

#include <memory>
#include <span>

#include "kardan/base/eval.h"
#include "kardan/linalg/fixed_lu.h"
#include "kardan/linalg/sparse.h"

namespace kardan {

class PivotSearch {
 public:
  PivotSearch();
  ~PivotSearch();
  PivotSearch(PivotSearch&&) noexcept;
  PivotSearch& operator=(PivotSearch&&) noexcept;

  /// Of a square pattern that is not empty; fatal when memory or index range run out.
  [[nodiscard]] Eval analyze(std::shared_ptr<const SparsePattern> pattern);
  /// Rank for generic values.
  int structural_rank() const;
  /// Entries in L and U as far as the ordering foresees them.
  double predicted_nonzeros() const;
  /// Pivots for finite values; recoverable when the matrix is exactly singular.
  [[nodiscard]] Eval choose(std::span<const double> values, PivotOrder& out);

  /// A pivot on the diagonal is taken where it is at least this part of the largest one in its row.
  /// KLU's default of 0.001 lets the diagonal win over entries a thousand times larger; on
  /// saddle-point matrices 0.1 costs no fill and wins one to two digits.
  static constexpr double diagonal_preference = 0.1;

 private:
  class Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace kardan
