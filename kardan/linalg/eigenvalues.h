#pragma once
/// A x = lambda x for a general real matrix.

#include <complex>
#include <memory>
#include <vector>

#include "kardan/base/eval.h"
#include "kardan/linalg/matrix.h"

namespace kardan {

enum class EigenOutput { values, values_and_vectors };

/// Ascending in real part, then in imaginary part; conjugate pairs are exactly conjugate.
struct EigenSystem {
  std::vector<std::complex<double>> values;
  /// vectors[k] belongs to values[k], of Euclidean norm one; empty unless asked for.
  std::vector<std::vector<std::complex<double>>> vectors;
  /// Kept from call to call: values alone, of small matrices of one size, allocate nothing.
  std::shared_ptr<void> work;
};

/// So that values of matrices of this size are found without allocating.
void make_room(int size, EigenSystem& result);
/// recoverable when a value is not finite or the QR iteration fails; then the result is empty.
[[nodiscard]] Eval find_eigenvalues(const Matrix& A, EigenOutput output, EigenSystem& result);

}  // namespace kardan
