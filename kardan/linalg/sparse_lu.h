#pragma once
/// P A Q = L U for square sparse A (KLU: T. A. Davis, E. Palamadai, ACM TOMS 37 (2010) 36).
/// The ordering comes from the pattern, the pivots from the first values, both by KLU (pivot_search.h); later values
/// reuse the pivots (fixed_lu.h) while these are as large as fresh ones or a residual shows that
/// they still serve.

#include <memory>
#include <span>

#include "kardan/base/eval.h"
#include "kardan/linalg/matrix.h"
#include "kardan/linalg/sparse.h"

namespace kardan {

/// How the current factors were made.
enum class Pivots {
  none,    ///< there are no factors: nothing factored yet, or the last attempt failed
  fresh,   ///< pivots chosen for the current values
  reused,  ///< pivots of earlier values, found good for the current ones
};

/// refactor (while pivots are reused), solve and rcond do not allocate; choosing fresh pivots does,
/// inside KLU.
class SparseLu {
 public:
  SparseLu();
  ~SparseLu();
  SparseLu(SparseLu&&) noexcept;
  SparseLu& operator=(SparseLu&&) noexcept;

  /// Orders the unknowns. fatal when the pattern is not square, or memory or index range run out.
  [[nodiscard]] Eval analyze(std::shared_ptr<const SparsePattern> pattern);

  /// Factors with fresh pivots. recoverable when A is exactly or structurally singular or a value
  /// is not finite; then no solve may follow. ok does not mean well conditioned: see rcond.
  [[nodiscard]] Eval factor(std::span<const double> values);

  /// Factors with the pivots of the last factor; when there are none, or they have become bad
  /// (zero pivot, or a residual beyond `reuse_loss` times that of fresh pivots), the same as
  /// factor.
  [[nodiscard]] Eval refactor(std::span<const double> values);

  /// The next refactor starts from the pivots of another one, of the same pattern, whatever was
  /// factored here before.
  void adopt_pivots(const SparseLu& other);

  Pivots pivots() const;
  int size() const;
  /// Rank for generic values: below size() the pattern itself is singular.
  int structural_rank() const;
  /// Entries in L and U as the ordering foresees them, before any exchange of pivots.
  double predicted_nonzeros() const;
  /// Entries in L and U.
  long factor_nonzeros() const;
  /// Normwise backward error of a probe solve with the current factors.
  double backward_error();

  /// x := A^-1 x
  void solve(std::span<double> x);
  /// X := A^-1 X, the columns of X being the right-hand sides.
  void solve(Matrix& X);
  /// x := A^-T x
  void solve_transposed(std::span<double> x);

  /// Estimate of 1 / (||DA|| ||(DA)^-1||) in the infinity norm, D scaling the rows to a largest
  /// entry in [1, 2); the same quantity as DenseLu::rcond.
  double rcond();
  /// Smallest pivot over the largest entry of its row; 1 for none.
  double pivot_ratio() const;

  /// Pivots are kept while they lose at most two digits against fresh ones ...
  static constexpr double reuse_loss = 100.0;
  /// ... or stay at the level of rounding anyway.
  static constexpr double rounding_level = 1e-14;

 private:
  class Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace kardan
