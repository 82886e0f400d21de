#pragma once
/// The row space of a sparse matrix A = G C, C a diagonal of column units: rank, least-norm
/// solutions and an orthonormal null space, as RowSpace has them, with work that grows with the
/// entries of G where that is safe.
///
/// Small matrices are factored by RowSpace. Of large ones it decides the rank, and a Choice keeps
/// what it found: independent rows, and coordinates whose projections span the null space. With a
/// choice the rest comes from a sparse LU of
///
///   [ I   B' ]      B: independent rows of A, of unit length
///   [ B   0  ]
///
/// as long as B stays far from losing rank (its smallest singular value is estimated by inverse
/// iteration and compared with that of the choice) and the rows left out stay dependent. Elsewhere
/// RowSpace decides again.

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "kardan/linalg/linear_solver.h"
#include "kardan/linalg/row_space.h"
#include "kardan/linalg/sparse.h"

namespace kardan {

/// How rank and spaces are found. `automatic`: QR of small matrices, LU of large ones. `svd`: the
/// rank is the number of singular values above the tolerance times the largest, which sees rows
/// that nearly depend on each other where what remains of every single one is not small.
enum class RowDecomposition { automatic, lu, qr, svd };

/// What was found where a rank was decided.
struct RowChoice {
  bool known = false;
  std::vector<char> independent;  ///< by row
  std::vector<int> free;          ///< as many coordinates as the null space has dimensions
  double remainder = 1;           ///< smallest of RowSpace
  double singular_value = 1;      ///< smallest of B
};

class SingularRows;

class ConstraintSpace {
 public:
  ~ConstraintSpace();
  ConstraintSpace(ConstraintSpace&&) noexcept;
  ConstraintSpace& operator=(ConstraintSpace&&) noexcept;
  /// For the first `rows` rows of matrices with this pattern.
  ConstraintSpace(std::shared_ptr<const SparsePattern> pattern, int rows, Vector column_unit,
                  RowDecomposition decomposition = RowDecomposition::automatic);

  /// As RowSpace::factor, with G of the pattern; the choice, if it is known, may save work.
  [[nodiscard]] Eval factor(const SparseMatrix& G, double tolerance, int max_rank,
                            const RowChoice& choice);
  /// What the present factors, made by QR at a point with all its rank, show.
  void keep(const SparseMatrix& G, RowChoice& choice);

  /// LU was meant to serve, and did not: rank was in doubt, and QR has decided.
  bool switched() const { return switched_; }
  /// The factors by QR; null where others serve.
  const RowSpace* dense() const { return sparse_ || svd_ ? nullptr : &dense_; }
  /// Those of a neighbour are the same.
  void copy_dense(const RowSpace& other) {
    dense_ = other;
    sparse_ = false;
  }

  int rank() const { return sparse_ ? rank_ : dense_.rank(); }
  bool is_independent(int row) const {
    return sparse_ ? independent_[row] != 0 : dense_.is_independent(row);
  }
  double remainder(int row) const {
    return sparse_ ? (independent_[row] ? smallest_ : 0.0) : dense_.remainder(row);
  }
  double smallest_remainder() const { return sparse_ ? smallest_ : dense_.smallest_remainder(); }
  /// Whether single rows are distinguished by their remainder.
  bool knows_remainders() const { return !sparse_; }

  void null_space(Matrix& N);
  void solve(std::span<const double> b, std::span<double> x);
  /// The same for four right-hand sides (lanes.h).
  void solve_lanes(const Matrix& B, Matrix& X);
  void least_norm_multipliers(std::span<const double> weight, std::span<double> y);

 private:
  bool factor_sparse(const SparseMatrix& G, double tolerance, const RowChoice& choice);
  Eval load(const SparseMatrix& G, const std::vector<char>& independent);
  double smallest_singular_value();
  bool find_null_space(const std::vector<int>& free);
  bool find_combinations(const SparseMatrix& G, double tolerance);

  std::shared_ptr<const SparsePattern> pattern_;
  int rows_, cols_;
  Vector unit_;
  RowSpace dense_;
  Matrix scaled_;
  /// Of the sparse path: the matrix, its factors, and places of its values.
  struct Augmented {
    std::shared_ptr<const SparsePattern> pattern;
    std::unique_ptr<LinearSolver> solver;
    std::vector<int> diagonal, lower, upper;
    Vector values, length, x;
  } augmented_;
  std::vector<char> independent_;
  Matrix N_, combinations_;  // one dependent row each
  std::vector<int> dependent_;
  Matrix normal_;
  DenseLu lu_;
  Vector coefficients_, lane_b_, lane_x_;
  int rank_ = 0;
  double smallest_ = 1;
  bool sparse_ = false, switched_ = false;
  RowDecomposition decomposition_;
  std::unique_ptr<SingularRows> svd_;
};

}  // namespace kardan
