#include "kardan/linalg/fixed_lu.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <functional>
#include <utility>

#include "kardan/base/stop.h"

namespace kardan {
namespace {

/// Right-hand sides solved for together: many where they stay in the cache.
constexpr int wide_panel = 40, narrow_panel = 4, most_rows_of_wide_panel = 1000;

/// A stop point every few rows: a row of a chain is done in less than a look at the clock takes.
void stop_point_at(int row) {
  constexpr int rows_between = 32;
  if (row % rows_between == rows_between - 1) stop_point();
}

}  // namespace

/// Lists the rows of L and U one after the other.
class FixedLu::Compiler {
 public:
  Compiler(const SparsePattern& pattern, PivotOrder order)
      : pattern_(pattern),
        place_of_column_(pattern.cols),
        upper_(pattern.rows),
        listed_(pattern.cols, false) {
    for (int k = 0; k < pattern.cols; ++k) place_of_column_[order.column[k]] = k;
    out_.order = std::move(order);
  }

  Lists run(std::span<const double> values) {
    scale_columns(values);
    out_.factors.block_start = out_.order.block_start;
    out_.factors.row_start = {0};
    out_.load_start = {0};
    for (std::size_t b = 0; b + 1 < out_.order.block_start.size(); ++b)
      for (int i = out_.order.block_start[b]; i < out_.order.block_start[b + 1]; ++i) {
        stop_point_at(i);
        list_row(i, out_.order.block_start[b]);
      }
    for (std::vector<int>* list : {&out_.place, &out_.from, &out_.factors.column})
      list->shrink_to_fit();
    return std::move(out_);
  }

 private:
  void scale_columns(std::span<const double> values) {
    out_.scale.assign(pattern_.cols, 0.0);
    for (std::size_t k = 0; k < values.size(); ++k) {
      double& largest = out_.scale[place_of_column_[pattern_.column[k]]];
      largest = std::max(largest, std::abs(values[k]));
    }
    for (double& s : out_.scale) s = s > 0.0 ? 1.0 / s : 1.0;
  }

  /// Entries of A, and those that fill in: U's row k comes in where L has an entry (i, k).
  void list_row(int i, int block_begin) {
    std::vector<int> left, lower;  // lower: a heap, its smallest first
    std::vector<int>& right = upper_[i];
    auto list = [&](int k) {
      if (listed_[k]) return;
      listed_[k] = true;
      if (k < block_begin) {
        left.push_back(k);
      } else if (k < i) {
        lower.push_back(k);
        std::ranges::push_heap(lower, std::greater{});
      } else if (k > i) {
        right.push_back(k);
      }
    };
    const int a = out_.order.row[i];
    for (int k = pattern_.row_start[a]; k < pattern_.row_start[a + 1]; ++k) {
      out_.place.push_back(place_of_column_[pattern_.column[k]]);
      out_.from.push_back(k);
      list(out_.place.back());
    }
    out_.load_start.push_back(static_cast<int>(out_.place.size()));

    std::vector<int>& column = out_.factors.column;
    std::ranges::sort(left);
    column.insert(column.end(), left.begin(), left.end());
    out_.lower_start.push_back(static_cast<int>(column.size()));
    while (!lower.empty()) {
      std::ranges::pop_heap(lower, std::greater{});
      const int k = lower.back();
      lower.pop_back();
      column.push_back(k);
      for (int j : upper_[k]) list(j);
    }
    std::ranges::sort(right);
    out_.factors.row_middle.push_back(static_cast<int>(column.size()));
    column.insert(column.end(), right.begin(), right.end());
    for (int e = out_.factors.row_start[i]; e < static_cast<int>(column.size()); ++e)
      listed_[column[e]] = false;
    listed_[i] = false;
    out_.factors.row_start.push_back(static_cast<int>(column.size()));
  }

  const SparsePattern& pattern_;
  std::vector<int> place_of_column_;
  std::vector<std::vector<int>> upper_;
  std::vector<bool> listed_;
  Lists out_;
};

void FixedLu::compile(const SparsePattern& pattern, PivotOrder order,
                      std::span<const double> values) {
  assert(pattern.rows == pattern.cols);
  lists_ = std::make_shared<const Lists>(Compiler(pattern, std::move(order)).run(values));
  make_room();
}

void FixedLu::adopt(const FixedLu& other) {
  if (lists_ == other.lists_) return;
  lists_ = other.lists_;
  make_room();
}

void FixedLu::make_room() {
  const int n = size();
  lu_.value.resize(lists_->factors.column.size());
  lu_.inverse.resize(n);
  row_.assign(n, 0.0);
  x_.resize(n);
  panel_ = n <= most_rows_of_wide_panel ? wide_panel : narrow_panel;
  X_.resize(n, panel_);
}

bool FixedLu::factor(std::span<const double> values) {
  const Lists& lists = *lists_;
  const int n = size();
  const int* column = lists.factors.column.data();
  const int* row_start = lists.factors.row_start.data();
  const int* row_middle = lists.factors.row_middle.data();
  double* value = lu_.value.data();
  double* row = row_.data();
  growth_ = 0.0;
  bool regular = true;
  for (int i = 0; i < n; ++i) {
    stop_point_at(i);
    for (int k = lists.load_start[i]; k < lists.load_start[i + 1]; ++k)
      row[lists.place[k]] = values[lists.from[k]];
    int e = row_start[i];
    for (; e < lists.lower_start[i]; ++e) value[e] = std::exchange(row[column[e]], 0.0);
    for (; e < row_middle[i]; ++e) {
      const int k = column[e];
      const double l = value[e] = std::exchange(row[k], 0.0);
      for (int u = row_middle[k]; u < row_start[k + 1]; ++u) row[column[u]] -= l * value[u];
    }
    const double inverse = 1.0 / std::exchange(row[i], 0.0);
    lu_.inverse[i] = inverse;
    double largest = 0.0;
    for (; e < row_start[i + 1]; ++e) {
      value[e] = inverse * std::exchange(row[column[e]], 0.0);
      largest = std::max(largest, std::abs(value[e]) * lists.scale[column[e]]);
    }
    growth_ = std::max(growth_, largest / lists.scale[i]);
    regular = regular && std::isfinite(inverse);
  }
  return regular;
}

double FixedLu::pivot_ratio(std::span<const double> values) const {
  const Lists& lists = *lists_;
  double most = 0.0;  // of the reciprocals
  for (int i = 0; i < size(); ++i) {
    double largest = 0.0;
    for (int k = lists.load_start[i]; k < lists.load_start[i + 1]; ++k)
      largest = std::max(largest, std::abs(values[lists.from[k]]));
    most = std::max(most, largest * std::abs(lu_.inverse[i]));
  }
  return 1.0 / most;
}

void FixedLu::solve(std::span<double> x) {
  const PivotOrder& order = lists_->order;
  const int n = size();
  for (int i = 0; i < n; ++i) x_[i] = x[order.row[i]];
  substitute(lists_->factors, lu_, x_.data());
  for (int i = 0; i < n; ++i) x[order.column[i]] = x_[i];
}

void FixedLu::solve(Matrix& X) {
  const PivotOrder& order = lists_->order;
  const int n = size();
  for (int first = 0; first < X.cols(); first += panel_) {
    if (n >= long_loop) stop_point();
    const int count = std::min(panel_, X.cols() - first);
    X_.resize(n, count);
    for (int i = 0; i < n; ++i) std::copy_n(X.row(order.row[i]) + first, count, X_.row(i));
    substitute(lists_->factors, lu_, count, X_.data());
    for (int i = 0; i < n; ++i) std::copy_n(X_.row(i), count, X.row(order.column[i]) + first);
  }
}

void FixedLu::solve_transposed(std::span<double> x) {
  const PivotOrder& order = lists_->order;
  const int n = size();
  for (int i = 0; i < n; ++i) x_[i] = x[order.column[i]];
  substitute_transposed(lists_->factors, lu_, x_.data());
  for (int i = 0; i < n; ++i) x[order.row[i]] = x_[i];
}

}  // namespace kardan
