/// Order and pivots by Eigen's LU with partial pivoting and a column ordering (COLAMD: T. A. Davis,
/// J. R. Gilbert, S. Larimore, E. Ng, ACM TOMS 30 (2004) 353), for programs without KLU.

#include "kardan/linalg/pivot_search.h"

#include <Eigen/SparseLU>
#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

namespace kardan {

namespace {

using EigenSparse = Eigen::SparseMatrix<double, Eigen::ColMajor, int>;

/// The size of a largest matching of rows and columns, by augmenting paths (without recursion:
/// these may be as long as the matrix).
int largest_matching(const SparsePattern& a) {
  std::vector<int> row_of(a.cols, -1), next(a.rows), seen(a.cols, -1);
  int size = 0;
  for (int start = 0; start < a.rows; ++start) {
    std::vector<int> path{start}, via;
    next[start] = a.row_start[start];
    while (!path.empty()) {
      const int i = path.back();
      if (next[i] == a.row_start[i + 1]) {
        path.pop_back();
        if (!via.empty()) via.pop_back();
        continue;
      }
      const int j = a.column[next[i]++];
      if (seen[j] == start) continue;
      seen[j] = start;
      via.push_back(j);
      if (row_of[j] < 0) {
        for (std::size_t k = 0; k < path.size(); ++k) row_of[via[k]] = path[k];
        ++size;
        break;
      }
      path.push_back(row_of[j]);
      next[row_of[j]] = a.row_start[row_of[j]];
    }
  }
  return size;
}

}  // namespace

/// Our compressed rows are the compressed columns of A', which is what is factored.
class PivotSearch::Implementation {
 public:
  Eval analyze(std::shared_ptr<const SparsePattern> pattern) {
    pattern_ = std::move(pattern);
    structural_rank_ = largest_matching(*pattern_);
    if (structural_rank_ < pattern_->rows) return Eval::ok;
    lu_.setPivotThreshold(diagonal_preference);
    lu_.analyzePattern(transposed(Vector(pattern_->column.size(), 1.0)));
    return Eval::ok;
  }

  Eval choose(std::span<const double> values, PivotOrder& out) {
    if (structural_rank_ < pattern_->rows) return Eval::recoverable;
    lu_.factorize(transposed(values));
    if (lu_.info() != Eigen::Success) return Eval::recoverable;
    // P A' Q' = L U: column k of the factors is column `of_column[k]` of A'.
    const int n = pattern_->rows;
    out.row.resize(n);
    out.column.resize(n);
    for (int i = 0; i < n; ++i) {
      out.row[lu_.colsPermutation().indices()[i]] = i;
      out.column[lu_.rowsPermutation().indices()[i]] = i;
    }
    out.block_start = {0, n};
    return Eval::ok;
  }

  int structural_rank() const { return structural_rank_; }
  /// The fill is found by the factorization only: at least the entries of the matrix.
  double predicted_nonzeros() const { return pattern_ ? pattern_->nonzeros() : 0.0; }

 private:
  EigenSparse transposed(std::span<const double> values) const {
    return Eigen::Map<const EigenSparse>(
        pattern_->cols, pattern_->rows, static_cast<int>(values.size()), pattern_->row_start.data(),
        pattern_->column.data(), values.data());
  }

  std::shared_ptr<const SparsePattern> pattern_;
  Eigen::SparseLU<EigenSparse> lu_;
  int structural_rank_ = 0;
};

PivotSearch::PivotSearch() : implementation_(std::make_unique<Implementation>()) {}
PivotSearch::~PivotSearch() = default;
PivotSearch::PivotSearch(PivotSearch&&) noexcept = default;
PivotSearch& PivotSearch::operator=(PivotSearch&&) noexcept = default;

Eval PivotSearch::analyze(std::shared_ptr<const SparsePattern> pattern) {
  return implementation_->analyze(std::move(pattern));
}

int PivotSearch::structural_rank() const {
  return implementation_->structural_rank();
}

double PivotSearch::predicted_nonzeros() const {
  return implementation_->predicted_nonzeros();
}

Eval PivotSearch::choose(std::span<const double> values, PivotOrder& out) {
  return implementation_->choose(values, out);
}

}  // namespace kardan
