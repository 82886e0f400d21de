#include <algorithm>
#include <cassert>
#include <cmath>

#include "kardan/linalg/rank.h"
#include "kardan/linalg/sparse_row_qr.h"
#include "kardan/linalg/svd.h"

namespace kardan {

namespace {

// Up to this many rows the dense path decides: it is slower (63 rows of a chain: 1.2 ms against
// 0.08 ms), but it pivots over all rows, and gives the exact condition.
constexpr int dense_row_limit = 60;
// ... unless that would store more than this (4 MB).
constexpr std::size_t dense_entry_limit = 500'000;

/// Euclidean length without overflow or underflow.
double length_of(std::span<const double> x) {
  const double largest = norm_max(x);
  if (largest == 0.0) return 0.0;
  double sum = 0.0;
  for (const double value : x) sum += (value / largest) * (value / largest);
  return largest * std::sqrt(sum);
}

void sort_by_row(RowDependencies& result) {
  std::sort(result.independent.begin(), result.independent.end());
  std::sort(result.dependent.begin(), result.dependent.end(),
            [](const Dependency& a, const Dependency& b) { return a.row < b.row; });
  for (Dependency& dependency : result.dependent) {
    std::sort(dependency.combination.begin(), dependency.combination.end());
  }
  result.rank = static_cast<int>(result.independent.size());
}

/// Ratio of the extreme singular values of the independent columns. Those of their triangle are
/// rotated: it is smaller, and its rows, ordered by pivoting, are nearly orthogonal at once (Drmac &
/// Veselic 2008).
double condition_of_columns(const PivotedQr& qr) {
  if (qr.rank() == 0) return 1.0;
  Svd svd;
  if (svd.factor(qr.triangle_transposed(), Svd::Output::values) != Eval::ok) return HUGE_VAL;
  return svd.singular_values().front() / svd.singular_values().back();
}

struct ScaledRows {
  std::vector<int> row;  // rows that are not zero
  Vector length;         // of every row
};

/// Divides every row (given by its span in `values`) by its length.
template <class RowSpan>
ScaledRows scale_to_unit_length(int rows, RowSpan row_span) {
  ScaledRows result;
  result.length.resize(rows);
  for (int i = 0; i < rows; ++i) {
    const std::span<double> values = row_span(i);
    const double length = result.length[i] = length_of(values);
    if (length == 0.0) continue;
    result.row.push_back(i);
    for (double& value : values) value /= length;
  }
  return result;
}

void add_zero_rows(const ScaledRows& scaled, RowDependencies& result) {
  for (std::size_t i = 0; i < scaled.length.size(); ++i) {
    if (scaled.length[i] == 0.0) result.dependent.push_back({static_cast<int>(i), {}});
  }
}

std::vector<int> used_columns(const SparsePattern& pattern) {
  std::vector<int> used = pattern.column;
  std::sort(used.begin(), used.end());
  used.erase(std::unique(used.begin(), used.end()), used.end());
  return used;
}

/// A dense, without its empty columns.
Matrix dense_copy(const SparseMatrix& A, const std::vector<int>& used) {
  Matrix dense(A.rows(), static_cast<int>(used.size()));
  for (int i = 0; i < A.rows(); ++i) {
    for (int k = A.pattern->row_start[i]; k < A.pattern->row_start[i + 1]; ++k) {
      const auto place = std::lower_bound(used.begin(), used.end(), A.pattern->column[k]);
      dense(i, static_cast<int>(place - used.begin())) = A.values[k];
    }
  }
  return dense;
}

/// Factors until no combination of independent rows is shorter than the tolerance; one turn is the
/// rule. Otherwise the row that takes part most in such a combination, and all rows that this turn
/// found dependent on a basis it took for larger than it is, stand back to be decided last; a row
/// that is named a second time is dependent. Every turn lowers a standing, so that it ends.
SparseRowQr factor_to_rank(const SparseMatrix& N, const std::vector<int>& order, double tolerance,
                           double& condition) {
  using Standing = SparseRowQr::Standing;
  std::vector<Standing> standing(N.rows(), Standing::any);
  while (true) {
    SparseRowQr qr(N, order, standing, tolerance);
    const SparseRowQr::Extremes extremes = qr.extremes();
    condition = extremes.largest / extremes.smallest;
    if (extremes.smallest > tolerance) return qr;
    const auto weakest =
        std::max_element(extremes.weakest.begin(), extremes.weakest.end(),
                         [](double a, double b) { return std::abs(a) < std::abs(b); });
    Standing& named = standing[qr.order()[weakest - extremes.weakest.begin()]];
    named = named == Standing::any ? Standing::last : Standing::never;
    for (int k = 0; k < static_cast<int>(order.size()); ++k) {
      Standing& current = standing[qr.order()[k]];
      if (!qr.is_independent(k) && current == Standing::any) current = Standing::last;
    }
  }
}

}  // namespace

RowDependencies find_row_dependencies(const Matrix& A, RankOptions options) {
  RowDependencies result;
  if (!all_finite(A.values())) {
    result.eval = Eval::recoverable;
    return result;
  }
  Matrix N = A;
  const auto width = static_cast<std::size_t>(A.cols());
  const ScaledRows scaled =
      scale_to_unit_length(A.rows(), [&](int i) { return std::span<double>(N.row(i), width); });
  Matrix columns(A.cols(), static_cast<int>(scaled.row.size()));
  for (int k = 0; k < columns.cols(); ++k) {
    for (int j = 0; j < A.cols(); ++j) columns(j, k) = N(scaled.row[k], j);
  }
  PivotedQr qr;
  result.eval = qr.factor(columns, options);
  if (result.eval != Eval::ok) return result;

  const int rank = qr.rank();
  const Matrix C = qr.dependent_columns();
  const auto row_at = [&](int k) { return scaled.row[qr.column_permutation()[k]]; };
  for (int k = 0; k < rank; ++k) result.independent.push_back(row_at(k));
  for (int k = rank; k < columns.cols(); ++k) {
    Dependency dependency{row_at(k), {}};
    for (int i = 0; i < rank; ++i) {
      const double coefficient = C(i, k - rank);
      if (std::abs(coefficient) <= options.coefficient_tolerance) continue;
      const double units = scaled.length[dependency.row] / scaled.length[row_at(i)];
      dependency.combination.emplace_back(row_at(i), coefficient * units);
    }
    result.dependent.push_back(std::move(dependency));
  }
  add_zero_rows(scaled, result);
  sort_by_row(result);
  if (options.condition == RankOptions::Condition::exact)
    result.condition = condition_of_columns(qr);
  return result;
}

RowDependencies find_row_dependencies(const SparseMatrix& A, RankOptions options) {
  assert(static_cast<int>(A.values.size()) == A.pattern->nonzeros());
  if (A.rows() <= dense_row_limit) {
    const std::vector<int> used = used_columns(*A.pattern);
    if (static_cast<std::size_t>(A.rows()) * used.size() <= dense_entry_limit) {
      return find_row_dependencies(dense_copy(A, used), options);
    }
  }
  RowDependencies result;
  if (!all_finite(A.values)) {
    result.eval = Eval::recoverable;
    return result;
  }
  SparseMatrix N = A;
  const std::vector<int>& start = A.pattern->row_start;
  const ScaledRows scaled = scale_to_unit_length(A.rows(), [&](int i) {
    return std::span<double>(N.values.data() + start[i], N.values.data() + start[i + 1]);
  });
  std::vector<int> order = fill_reducing_row_order(*A.pattern);
  std::erase_if(order, [&](int i) { return scaled.length[i] == 0.0; });
  SparseRowQr qr = factor_to_rank(N, order, options.tolerance, result.condition);

  for (int k = 0; k < static_cast<int>(qr.order().size()); ++k) {
    const int row = qr.order()[k];
    if (qr.is_independent(k)) {
      result.independent.push_back(row);
      continue;
    }
    Dependency dependency{row, qr.combination(k, options.coefficient_tolerance)};
    for (auto& [other, coefficient] : dependency.combination) {
      other = qr.order()[other];
      coefficient *= scaled.length[row] / scaled.length[other];
    }
    result.dependent.push_back(std::move(dependency));
  }
  add_zero_rows(scaled, result);
  sort_by_row(result);
  return result;
}

}  // namespace kardan
