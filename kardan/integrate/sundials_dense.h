#pragma once
/// The dense linear solver of SUNDIALS, as it is, but that a factorization that takes long can be
/// ended (base/stoppable.h): the library's own has no stop points.

#include <sundials/sundials_linearsolver.h>

#include <functional>
#include <memory>

#include "kardan/base/eval.h"
#include "kardan/linalg/matrix.h"

namespace kardan {

class SundialsDense {
 public:
  /// Calls what it is given; what that throws may not pass through a library of C, but is kept to
  /// be thrown again behind it, and answered by Eval::fatal.
  using Guard = std::function<Eval(const std::function<Eval()>&)>;

  SundialsDense(N_Vector y, SUNMatrix matrix, SUNContext context, Guard guard);
  ~SundialsDense();
  SundialsDense(const SundialsDense&) = delete;
  SundialsDense& operator=(const SundialsDense&) = delete;

  SUNLinearSolver get() const { return solver_; }

 private:
  struct Content;
  static int setup(SUNLinearSolver solver, SUNMatrix A);

  SUNLinearSolver solver_ = nullptr;
  std::unique_ptr<Content> content_;
};

/// `from`, by columns; a loop with stop points.
[[nodiscard]] Eval copy_columns(const Matrix& from, SUNMatrix to);

}  // namespace kardan
