#pragma once
/// Singular values and vectors of dense matrices by rotations of pairs of columns until all are
/// orthogonal (Hestenes 1958; columns in order of their lengths as de Rijk 1989), which tells small
/// values as exactly as the matrix does, down to 1e-20 of the largest (Demmel & Veselic 1992).

#include "kardan/base/eval.h"
#include "kardan/linalg/matrix.h"

namespace kardan {

/// A = U diag(s) V', with as many columns in U and V as the smaller side of A. Storage is reused: no
/// call allocates once a matrix of that size has been factored.
class Svd {
 public:
  enum class Output { values, values_and_vectors };

  /// recoverable when a value is not finite or the iteration fails.
  [[nodiscard]] Eval factor(const Matrix& A, Output output = Output::values_and_vectors);

  const Vector& singular_values() const { return values_; }  ///< descending
  const Matrix& U() const { return is_wide_ ? turns_ : sides_; }
  const Matrix& V() const { return is_wide_ ? sides_ : turns_; }

 private:
  bool sweep(bool vectors);
  void swap_lines(int p, int q, bool vectors);
  void complete(int k);

  bool is_wide_ = false;
  Matrix work_, rotation_;  // lines are the columns of A or A', and of the rotations so far
  Matrix sides_, turns_;
  Vector values_, square_;
};

}  // namespace kardan
