#pragma once
/// The saddle-point system of constrained motion, solved whatever the rank of the constraints:
///
///   [ W   C' ] [x]   [a]
///   [ C   0  ] [y] = [b]        W: v x v,  C: constraint rows and extra rows
///
/// It is factored with -mu I in the lower right corner, on rows scaled so that C W^-1 C' has unit
/// diagonal, and the solution is refined against the unregularized equations, also where rows are
/// so nearly dependent that the regularization outweighs what they leave. Then x is exact where
/// W is positive definite on the null space of C; y is the multiplier vector of least norm (in
/// scaled rows) when rows are redundant, and its component along dependent rows stays zero. If b
/// contradicts dependent rows the contradiction stays in `residual`.

#include <array>
#include <span>
#include <vector>

#include "kardan/base/eval.h"
#include "kardan/linalg/linear_solver.h"
#include "kardan/linalg/sparse.h"

namespace kardan {

class Saddle {
 public:
  /// Patterns of W and of the constraint rows; `extra` lists the columns of each extra row.
  Saddle(std::shared_ptr<const SparsePattern> W, std::shared_ptr<const SparsePattern> C,
         std::vector<std::vector<int>> extra = {});

  int columns() const { return n_; }
  int rows() const { return m_ + static_cast<int>(extra_.size()); }

  /// Takes the values and factors. `extra_rows` holds full rows of `columns()` numbers.
  /// `diagonal`, where positive, stands in for a zero diagonal of W in the scaling of rows.
  Eval factor(std::span<const double> W, std::span<const double> C, const Matrix& extra_rows,
              double diagonal, double regularization = 1e-9);

  /// Solves in place: x holds a on entry, y holds b. Returns the largest scaled residual left in
  /// the constraint equations.
  double solve(std::span<double> x, std::span<double> y);
  /// The same without refinement: the regularized (damped) solution.
  void solve_damped(std::span<double> x, std::span<double> y);

  /// Scale of row i: the scaled row is scale * row.
  double row_scale(int i) const { return scale_[i]; }
  double rcond() { return solver_.rcond(); }

 private:
  static constexpr int max_directions = 6;

  void multiply(std::span<const double> xy, std::span<double> out) const;
  double residual();
  double solve_weak_directions(double best);
  double constraint_terms() const;
  std::span<const double> constraint_part(std::span<const double> xy) const {
    return xy.subspan(static_cast<std::size_t>(n_));
  }
  void load(std::span<const double> x, std::span<const double> y);
  void store(std::span<double> x, std::span<double> y) const;

  int n_, m_;
  std::shared_ptr<const SparsePattern> W_, C_;
  std::vector<std::vector<int>> extra_;
  std::shared_ptr<const SparsePattern> pattern_;
  LinearSolver solver_;
  std::vector<int> W_slot_, W_diagonal_, C_slot_, Ct_slot_, diagonal_slot_;
  std::vector<std::vector<int>> extra_slot_, extra_t_slot_;
  Vector values_, scale_, rhs_, solution_, correction_, before_;
  // Of solve_weak_directions, each from its first use on: most systems need none.
  std::array<Vector, max_directions> direction_, change_;
  double mu_ = 0;
};

}  // namespace kardan
