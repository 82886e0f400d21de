#include <algorithm>
#include <cmath>
#include <limits>
#include <queue>
#include <utility>

#include "kardan/linalg/sparse_row_qr.h"

namespace kardan {

void SparseRowQr::transpose() {
  std::vector<std::size_t>& start = above_.start;
  start.assign(order_.size() + 2, 0);
  for (const Entry& entry : rows_.entries) ++start[entry.index + 2];
  for (std::size_t j = 2; j < start.size(); ++j) start[j] += start[j - 1];
  above_.entries.resize(rows_.entries.size());
  for (int k = 0; k < size(); ++k) {
    for (const Entry& entry : rows_[k]) above_.entries[start[entry.index + 1]++] = {k, entry.value};
  }
}

/// What is left of the crowded rows of B where the columns at some places are taken off.
class SparseRowQr::Remainder {
 public:
  explicit Remainder(std::size_t crowded) : left_(crowded, 0.0), size_(crowded, 0.0) {}

  void add(std::span<const Entry> column, double factor) {
    for (const Entry& entry : column) {
      if (size_[entry.index] == 0.0) met_.push_back(entry.index);
      left_[entry.index] += factor * entry.value;
      size_[entry.index] += std::abs(factor * entry.value);
    }
  }
  double combine(std::span<const Entry> coefficients) const {
    double sum = 0.0;
    for (const Entry& entry : coefficients) sum += entry.value * left_[entry.index];
    return sum;
  }
  /// Nothing is but the rounding of what was added.
  bool vanished() const {
    constexpr double rounding = 64 * std::numeric_limits<double>::epsilon();
    return std::ranges::all_of(met_,
                               [this](int j) { return std::abs(left_[j]) <= rounding * size_[j]; });
  }

 private:
  Vector left_, size_;
  std::vector<int> met_;
};

std::vector<std::pair<int, double>> SparseRowQr::combination(int position, double drop) {
  // R11 c = R(:, position), touching only the columns that the solution reaches. The rows of R that
  // were kept after the column was dropped do not have it.
  std::vector<std::pair<int, double>> result;
  std::priority_queue<int> pending;
  std::vector<int> reached;
  Remainder crowded(next_.size());
  const auto add = [&](int column, double factor) {
    for (const Entry& entry : above_[column]) {
      const int k = entry.index;
      if (local_[k] < 0) {
        local_[k] = 0;
        reached.push_back(k);
        pending.push(k);
      }
      solution_[k] += factor * entry.value;
    }
    crowded.add(crowded_[column], factor);
  };
  add(position, 1.0);
  int next = dropped_at_[position];  // rows from here on are done with
  while (true) {
    if (!crowded.vanished()) {
      if (--next < 0) break;
      if (!pending.empty() && pending.top() == next) pending.pop();
    } else {
      if (pending.empty()) break;
      next = pending.top();
      pending.pop();
    }
    const double coefficient =
        (solution_[next] + crowded.combine(combined_[next])) / diagonal_[next];
    if (coefficient == 0.0) continue;
    add(next, -coefficient);
    if (std::abs(coefficient) > drop) result.emplace_back(next, coefficient);
  }
  for (const int k : reached) local_[k] = -1, solution_[k] = 0.0;
  return result;
}

/// y = R11 x; dependent positions of x must be zero.
void SparseRowQr::multiply(std::span<const double> x, std::span<double> y) const {
  Remainder crowded(next_.size());
  for (int k = size() - 1; k >= 0; --k) {
    double sum = diagonal_[k] * x[k];
    for (const Entry& entry : rows_[k]) sum += entry.value * x[entry.index];
    y[k] = sum + crowded.combine(combined_[k]);
    crowded.add(crowded_[k], x[k]);
  }
}

/// y = R11' x
void SparseRowQr::multiply_transposed(std::span<const double> x, std::span<double> y) const {
  std::fill(y.begin(), y.end(), 0.0);
  Remainder crowded(next_.size());
  for (int k = 0; k < size(); ++k) {
    y[k] += diagonal_[k] * x[k] + crowded.combine(crowded_[k]);
    for (const Entry& entry : rows_[k]) y[entry.index] += entry.value * x[k];
    crowded.add(combined_[k], x[k]);
  }
  for (int k = 0; k < size(); ++k) {
    if (!is_independent(k)) y[k] = 0.0;
  }
}

/// x := R11^-1 x
void SparseRowQr::solve(std::span<double> x) const {
  Remainder crowded(next_.size());
  for (int k = size() - 1; k >= 0; --k) {
    if (!is_independent(k)) {
      x[k] = 0.0;
      continue;
    }
    double sum = x[k];
    for (const Entry& entry : rows_[k]) sum -= entry.value * x[entry.index];
    x[k] = (sum - crowded.combine(combined_[k])) / diagonal_[k];
    crowded.add(crowded_[k], x[k]);
  }
}

/// x := R11^-T x
void SparseRowQr::solve_transposed(std::span<double> x) const {
  Remainder crowded(next_.size());
  for (int k = 0; k < size(); ++k) {
    if (!is_independent(k)) {
      x[k] = 0.0;
      continue;
    }
    x[k] = (x[k] - crowded.combine(crowded_[k])) / diagonal_[k];
    for (const Entry& entry : rows_[k]) x[entry.index] -= entry.value * x[k];
    crowded.add(combined_[k], x[k]);
  }
}

SparseRowQr::Extremes SparseRowQr::extremes() const {
  // Power iteration on R'R and its inverse. Both quotients approach the singular value from
  // inside, so that the condition is never overestimated.
  constexpr int max_sweeps = 40;
  constexpr double settled = 1e-3;
  const auto start = [this] {
    Vector x(order_.size());
    for (int k = 0; k < size(); ++k) {
      // Signs and sizes without a pattern, so that no singular vector is missed by symmetry.
      constexpr double golden_ratio = 0.6180339887498949;
      x[k] = is_independent(k) ? std::fmod(golden_ratio * (k + 1), 1.0) - 0.45 : 0.0;
    }
    return x;
  };
  const auto normalise = [](Vector& x) {
    const double norm = norm_two(x);
    for (double& value : x) value /= norm;
    return norm;
  };
  Extremes result;
  if (std::none_of(diagonal_.begin(), diagonal_.end(), [](double d) { return d != 0.0; })) {
    return result;
  }
  Vector x = start(), y(x.size());
  normalise(x);
  double last = 0.0;
  for (int sweep = 0; sweep < max_sweeps; ++sweep) {
    multiply(x, y);
    result.largest = norm_two(y);
    multiply_transposed(y, x);
    normalise(x);
    if (std::abs(result.largest - last) <= settled * result.largest) break;
    last = result.largest;
  }
  x = start();
  normalise(x);
  last = 0.0;
  for (int sweep = 0; sweep < max_sweeps; ++sweep) {
    solve_transposed(x);
    result.smallest = 1.0 / normalise(x);  // |R^-T x| for |x| = 1
    solve(x);
    normalise(x);
    if (std::abs(result.smallest - last) <= settled * result.smallest) break;
    last = result.smallest;
  }
  if (!all_finite(x)) {
    // The inverse overflowed: hardly any combination is left of some row; take the smallest pivot.
    const auto is_smaller = [](double a, double b) {
      return a != 0.0 && (b == 0.0 || std::abs(a) < std::abs(b));
    };
    const auto place = std::min_element(diagonal_.begin(), diagonal_.end(), is_smaller);
    std::fill(x.begin(), x.end(), 0.0);
    x[place - diagonal_.begin()] = 1.0;
    result.smallest = 0.0;
  }
  result.weakest = std::move(x);
  return result;
}

}  // namespace kardan
