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

struct EigenWork {
  Eigen::MatrixXd A;
  Solver solver;
};

/// Eigen has no stop points.
const Solver& decompose(const Matrix& A, bool vectors, std::shared_ptr<void>& kept) {
  using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  const int n = A.rows();
  // A decomposition that was stopped may still be at work on its own.
  if (!kept || n >= long_loop) kept = std::make_shared<EigenWork>();
  const auto work = std::static_pointer_cast<EigenWork>(kept);
  work->A = Eigen::Map<const RowMajor>(A.data(), n, n);
  const auto compute = [work, vectors] { work->solver.compute(work->A, vectors); };
  if (n >= long_loop)
    run_stoppably(compute);
  else
    compute();
  return work->solver;
}

}  // namespace

void make_room(int size, EigenSystem& result) {
  const auto work = std::make_shared<EigenWork>();
  work->A.resize(size, size);
  work->solver = Solver(size);
  result.work = work;
  result.values.reserve(static_cast<std::size_t>(size));
}

Eval find_eigenvalues(const Matrix& A, EigenOutput output, EigenSystem& result) {
  assert(A.rows() == A.cols());
  result.values.clear();
  result.vectors.clear();
  if (!all_finite(A.values())) return Eval::recoverable;
  const int n = A.rows();
  if (n == 0) return Eval::ok;
  const bool vectors = output == EigenOutput::values_and_vectors;
  const Solver& solver = decompose(A, vectors, result.work);
  if (solver.info() != Eigen::Success) return Eval::recoverable;

  const auto& values = solver.eigenvalues();
  if (!vectors) {
    result.values.assign(values.begin(), values.end());
    std::ranges::sort(result.values, {}, [](const std::complex<double>& value) {
      return std::pair(value.real(), value.imag());
    });
    return Eval::ok;
  }
  std::vector<int> order(n);
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&values](int a, int b) {
    return std::pair(values[a].real(), values[a].imag()) <
           std::pair(values[b].real(), values[b].imag());
  });
  for (const int k : order) result.values.push_back(values[k]);
  const Eigen::MatrixXcd columns = solver.eigenvectors();
  for (const int k : order)
    result.vectors.emplace_back(columns.col(k).data(), columns.col(k).data() + n);
  return Eval::ok;
}

}  // namespace kardan
