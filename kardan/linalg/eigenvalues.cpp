#include "kardan/linalg/eigenvalues.h"

#define EIGEN_MPL2_ONLY
#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cassert>
#include <numeric>
#include <utility>

namespace kardan {

Eval find_eigenvalues(const Matrix& A, EigenOutput output, EigenSystem& result) {
  assert(A.rows() == A.cols());
  using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  result.values.clear();
  result.vectors.clear();
  if (!all_finite(A.values())) return Eval::recoverable;
  const int n = A.rows();
  if (n == 0) return Eval::ok;
  const bool vectors = output == EigenOutput::values_and_vectors;
  const Eigen::EigenSolver<Eigen::MatrixXd> solver(Eigen::Map<const RowMajor>(A.data(), n, n),
                                                   vectors);
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
