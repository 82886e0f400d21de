#include "kardan/linalg/eigenvalues.h"

#define EIGEN_MPL2_ONLY
#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cassert>
#include <memory>
#include <numeric>
#include <utility>

#include "kardan/base/stop.h"
#include "kardan/base/stoppable.h"

namespace kardan {
namespace {

using Solver = Eigen::EigenSolver<Eigen::MatrixXd>;

/// Eigen has no stop points.
std::shared_ptr<const Solver> decompose(const Matrix& A, bool vectors) {
  using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  struct Work {
    Eigen::MatrixXd A;
    Solver solver;
  };
  const int n = A.rows();
  const auto work = std::make_shared<Work>();
  work->A = Eigen::Map<const RowMajor>(A.data(), n, n);
  const auto compute = [work, vectors] { work->solver.compute(work->A, vectors); };
  if (n >= long_loop)
    run_stoppably(compute);
  else
    compute();
  return {work, &work->solver};
}

}  // namespace

Eval find_eigenvalues(const Matrix& A, EigenOutput output, EigenSystem& result) {
  assert(A.rows() == A.cols());
  result.values.clear();
  result.vectors.clear();
  if (!all_finite(A.values())) return Eval::recoverable;
  const int n = A.rows();
  if (n == 0) return Eval::ok;
  const bool vectors = output == EigenOutput::values_and_vectors;
  const std::shared_ptr<const Solver> found = decompose(A, vectors);
  const Solver& solver = *found;
  if (solver.info() != Eigen::Success) return Eval::recoverable;

  const auto& values = solver.eigenvalues();
  std::vector<int> order(n);
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&values](int a, int b) {
    return std::pair(values[a].real(), values[a].imag()) <
           std::pair(values[b].real(), values[b].imag());
  });
  for (const int k : order) result.values.push_back(values[k]);
  if (vectors) {
    const Eigen::MatrixXcd columns = solver.eigenvectors();
    for (const int k : order) {
      result.vectors.emplace_back(columns.col(k).data(), columns.col(k).data() + n);
    }
  }
  return Eval::ok;
}

}  // namespace kardan
