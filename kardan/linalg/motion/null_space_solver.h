#pragma once
/// M a + G' lambda = f, G a = c of a few dense unknowns, where G has full rank and leaves at most
/// four directions free. With G Q = [L 0], Q = [Y Z] from reflections,
///
///   P = Y L^-1:   a = P c + Z z,   (Z'M Z) z = Z'(f - M P c),   lambda = P'(f - M a)
///
/// [P Z] is made once: every solution is a few products with it, four right-hand sides at a time.
/// Much less than factors of the whole matrix where nearly all directions are constrained. M may be
/// singular along constrained directions.

#include <span>

#include "kardan/base/eval.h"
#include "kardan/linalg/dense_lu.h"
#include "kardan/linalg/matrix.h"

namespace kardan {

/// What a solution needs; rows in whole blocks of four.
struct NullSpaceFactors {
  int n, m;
  const double *M_transposed, *B, *B_transposed, *MZ_B, *inverse;
};

class NullSpaceSolver {
 public:
  static constexpr int most_columns = 16, most_free = 4;
  static bool serves(int columns, int rows) {
    return rows > 0 && rows <= columns && columns <= most_columns && columns - rows <= most_free;
  }

  /// For G of this size.
  NullSpaceSolver(int columns, int rows);

  /// M and G row by row. recoverable where the system is singular, or a row of G is left with less
  /// than a thousandth of itself by those before it: inverses would lose too many digits.
  [[nodiscard]] Eval factor(std::span<const double> M, std::span<const double> G);
  /// The smallest share of a row that was left without its part along those before, squared.
  double pivot_ratio() const { return pivot_ratio_; }
  /// x: (f, c) on entry, (a, lambda) then.
  void solve(std::span<double> x);
  /// The same in two parts.
  void solve(std::span<double> f, std::span<double> c);
  /// The same for every column of X.
  void solve(Matrix& X);
  /// X := the least solutions of G X = C, four right-hand sides side by side (lanes.h).
  void solve_least_norm(const Matrix& C, Matrix& X);

 private:
  NullSpaceFactors factors() const {
    return {n_, m_, Mt_.data(), B_.data(), Bt_.data(), MZ_B_.data(), inverse_.data()};
  }

  int n_, m_, free_, stride_;   // rows are `stride_` long, a multiple of four
  Vector Mt_, T_, V_, factor_;  // M', T = (G Q)' and the reflections
  Vector B_, Bt_;               // [P Z] and its transpose
  Vector MZ_, MZ_B_, inverse_;  // (M Z)', (M Z)' [P Z], (Z'M Z)^-1
  Vector packed_, spare_;
  Matrix reduced_;
  double pivot_ratio_ = 0;
  DenseLu lu_;
};

}  // namespace kardan
