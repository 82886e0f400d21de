#pragma once
/// How the chart coordinates q of a step are made of free and dependent ones:
///
///   q = X x + Z zeta + D y,     q' = X u + Z zeta' + D y'
///
/// y follows from the holonomic rows for given (x, zeta): their G D is square and well conditioned
/// where the choice was made. zeta' and y' follow from all rows for given u: [G; H] [D Z] is square
/// as well. There are as many zeta as independent nonholonomic rows; without such rows every
/// free position has a free velocity. Redundant rows are left out.

#include <span>
#include <vector>

#include "kardan/linalg/sparse.h"
#include "kardan/system/system.h"

namespace kardan {

struct Parametrization {
  std::vector<int> rows;   ///< independent constraint rows, holonomic ones first
  int holonomic = 0;       ///< how many of them are
  SparseMatrix X;          ///< nv x n
  SparseMatrix dependent;  ///< nv x m: [D Z]
  /// [X D Z]^-1: the rows that give x, and those that give (y, zeta).
  SparseMatrix x_of, dependent_of;
  /// Coordinates that are x and zeta, where single ones are; empty for other bases.
  std::vector<int> free_coordinates;
  /// Coordinates that are (y, zeta), where single ones are.
  std::vector<int> dependent_coordinates;

  int free_velocities() const { return X.cols(); }
  int drift() const { return static_cast<int>(rows.size()) - holonomic; }  ///< length of zeta
  int free_positions() const { return free_velocities() + drift(); }

  /// q = X x + Z zeta; `zeta` may be left out.
  void compose(std::span<const double> x, std::span<const double> zeta, std::span<double> q) const;
  /// q += D y, or q += D y + Z zeta for (y, zeta).
  void add_dependent(std::span<const double> y, std::span<double> q) const;
  /// y = [D Z]' q
  void dependent_part(std::span<const double> q, std::span<double> y) const;
  /// Q += D Y or Q += [D Z] Y, depending on the rows of Y.
  void add_dependent(const Matrix& Y, Matrix& Q) const;
  /// B = X, or [X Z] where B has a column for every free position.
  void free_columns(Matrix& B) const;
  /// The part of q that is zeta, and the same of every column.
  void drift_of(std::span<const double> q, std::span<double> zeta) const;
  void drift_of(const Matrix& Q, Matrix& zeta) const;
  /// Length of the free directions for y = H x: 1 where they are those of the choice, or what
  /// a coordinate partition leaves.
  double length(const Matrix& H) const;
};

/// The square matrix A [D Z], or A D over the first rows, from the values of A.
class DependentBlock {
 public:
  DependentBlock() = default;
  DependentBlock(const Parametrization& split, const SparsePattern& constraint, int size);
  const std::shared_ptr<const SparsePattern>& pattern() const { return pattern_; }
  void gather(std::span<const double> A, std::span<double> values) const;

 private:
  struct Term {
    int to, from;
    double factor;
  };
  std::shared_ptr<const SparsePattern> pattern_;
  std::vector<Term> terms_;
};

/// -A X, or -A [X Z] over the holonomic rows, from the values of A.
class FreeBlock {
 public:
  FreeBlock() = default;
  FreeBlock(const Parametrization& split, const SparsePattern& constraint, int rows, int columns);
  void gather(std::span<const double> A, Matrix& W) const;

 private:
  struct Term {
    int to, from;
    double factor;
  };
  int rows_ = 0, columns_ = 0;
  std::vector<Term> terms_;
};

/// The velocities that may change along every free one, in body tangents: where the columns of
/// T (X + D H) may be other than zero.
std::vector<std::vector<int>> free_supports(const System& system, const Parametrization& split);

/// Chooses at a state; the workspace holds the constraint matrix there afterwards.
using Parametrize = Eval (*)(const System&, const State&, Workspace&, Parametrization&);

/// Single coordinates are free, the others dependent, by pivoting.
[[nodiscard]] Eval partition_coordinates(const System&, const State&, Workspace&, Parametrization&);
/// X and Z span the null space of G at the state, X that of [G; H], D the rest; all orthonormal
/// with displacements in the model's length scale.
[[nodiscard]] Eval span_tangent_space(const System&, const State&, Workspace&, Parametrization&);

}  // namespace kardan
