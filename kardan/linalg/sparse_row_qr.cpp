#include "kardan/linalg/sparse_row_qr.h"

#define EIGEN_MPL2_ONLY
#include <Eigen/OrderingMethods>
#include <Eigen/SparseCore>
#include <algorithm>
#include <cmath>
#include <queue>
#include <utility>

#include "kardan/base/stop.h"

namespace kardan {

namespace {

// A pivot below this is put off: the column goes on to the next front, where others may take its
// place, and is decided by the tolerance only when it is among the last. Keeps the independent rows
// well conditioned where a redundant choice exists; costs fill where columns are put off.
constexpr double weak_pivot = 0.1;

/// One Householder reflection that collects column `c` of the rows [first, rows) in row `first`;
/// returns the size of what it collected. Columns left of `c` must be done with. Rows with a zero
/// there are not touched, so that rows already in staircase form cost nothing.
double reflect(double* values, int rows, int columns, int first, int c, std::vector<int>& touched) {
  touched.clear();
  double square = 0.0;
  for (int i = first; i < rows; ++i) {
    const double value = values[static_cast<std::size_t>(i) * columns + c];
    if (value == 0.0) continue;
    touched.push_back(i);
    square += value * value;
  }
  if (touched.empty()) return 0.0;
  const auto row = [&](int i) { return values + static_cast<std::size_t>(i) * columns; };
  if (touched.front() != first) {  // bring a nonzero up
    std::swap_ranges(row(first) + c, row(first) + columns, row(touched.front()) + c);
    touched.front() = first;
  }
  const double norm = std::sqrt(square);
  if (touched.size() == 1) return norm;
  double* top = row(first);
  const double alpha = top[c] > 0.0 ? -norm : norm;
  const double v0 = top[c] - alpha;
  const double beta = 1.0 / (norm * std::abs(v0));  // 2 / v'v
  for (int j = c + 1; j < columns; ++j) {
    double sum = v0 * top[j];
    for (std::size_t t = 1; t < touched.size(); ++t) sum += row(touched[t])[c] * row(touched[t])[j];
    if (sum == 0.0) continue;
    sum *= beta;
    top[j] -= sum * v0;
    for (std::size_t t = 1; t < touched.size(); ++t) {
      row(touched[t])[j] -= sum * row(touched[t])[c];
    }
  }
  top[c] = alpha;
  for (std::size_t t = 1; t < touched.size(); ++t) row(touched[t])[c] = 0.0;
  return norm;
}

// Rows that a front may leave before it is looked whether fewer would do. Where many parts hang on
// one body, every part leaves a row, and all of them together have no more rank than that body has
// directions: without this the work on a star of N bodies goes with N^3.
constexpr int many_rows = 24;
// Rows shorter than this have nothing left but the rounding of rows of unit length.
constexpr double rounding_length = 1e-14;

double length_of(const double* values, std::size_t count) {
  double square = 0.0;
  for (std::size_t i = 0; i < count; ++i) square += values[i] * values[i];
  return std::sqrt(square);
}

/// Staircase form with at most as many rows as columns, without rows that are rounding.
int compress(double* values, int rows, int columns, std::vector<int>& touched) {
  int kept = 0;
  for (int c = 0; c < columns && kept < rows; ++c) {
    if (reflect(values, rows, columns, kept, c, touched) > 0.0) ++kept;
    const std::size_t from = static_cast<std::size_t>(kept) * columns;
    const std::size_t all = static_cast<std::size_t>(rows) * columns;
    if (rows > many_rows && length_of(values + from, all - from) <= rounding_length) break;
  }
  return kept;
}

}  // namespace

std::vector<int> fill_reducing_row_order(const SparsePattern& pattern) {
  // The compressed rows of A are the compressed columns of A'.
  const std::vector<double> values(pattern.column.size(), 1.0);
  const Eigen::Map<const Eigen::SparseMatrix<double>> transpose(
      pattern.cols, pattern.rows, pattern.nonzeros(), pattern.row_start.data(),
      pattern.column.data(), values.data());
  Eigen::PermutationMatrix<Eigen::Dynamic, Eigen::Dynamic, int> place;
  Eigen::COLAMDOrdering<int>()(transpose, place);
  std::vector<int> order(pattern.rows);
  for (int i = 0; i < pattern.rows; ++i) order[place.indices()[i]] = i;
  return order;
}

SparseRowQr::SparseRowQr(const SparseMatrix& A, std::vector<int> order,
                         const std::vector<Standing>& standing, double tolerance)
    : order_(std::move(order)), local_(order_.size(), -1), solution_(order_.size(), 0.0) {
  for (const int i : order_) standing_.push_back(standing[i]);
  gather_columns(A);
  factor(tolerance);
  transpose();
}

void SparseRowQr::gather_columns(const SparseMatrix& A) {
  const SparsePattern& pattern = *A.pattern;
  column_start_.assign(static_cast<std::size_t>(pattern.cols) + 2, 0);
  for (const int i : order_) {
    for (int k = pattern.row_start[i]; k < pattern.row_start[i + 1]; ++k) {
      ++column_start_[pattern.column[k] + 2];
    }
  }
  for (std::size_t j = 2; j < column_start_.size(); ++j) column_start_[j] += column_start_[j - 1];
  column_entries_.resize(column_start_.back());
  beginning_at_.resize(order_.size());
  std::vector<bool> begun(pattern.cols, false);
  for (int position = 0; position < size(); ++position) {
    const int i = order_[position];
    for (int k = pattern.row_start[i]; k < pattern.row_start[i + 1]; ++k) {
      const int j = pattern.column[k];
      if (!begun[j]) beginning_at_[position].push_back(j);
      begun[j] = true;
      column_entries_[column_start_[j + 1]++] = {position, A.values[k]};
    }
  }
}

/// The rows of B that begin in column k and what the children left, over the union of their
/// columns: first k and those put off before it, by their standing; then later ones.
SparseRowQr::Front SparseRowQr::assemble(int k, std::vector<Front>& children) {
  Front front;
  front.columns.push_back(k);
  local_[k] = 0;
  const auto include = [&](int position) {
    if (local_[position] >= 0) return;
    local_[position] = 0;
    front.columns.push_back(position);
  };
  front.rows = static_cast<int>(beginning_at_[k].size());
  for (const Front& child : children) {
    front.rows += child.rows;
    front.needed = std::max(front.needed, child.needed);
    for (const int position : child.columns) include(position);
  }
  for (const int j : beginning_at_[k]) {
    for (std::size_t e = column_start_[j]; e < column_start_[j + 1]; ++e) {
      include(column_entries_[e].index);
    }
  }
  constexpr int later = static_cast<int>(Standing::never) + 1;
  const auto group = [&](int position) {
    return position > k ? later : static_cast<int>(standing_[position]);
  };
  std::sort(front.columns.begin(), front.columns.end(),
            [&](int a, int b) { return std::pair(group(a), a) < std::pair(group(b), b); });
  const auto count_up_to = [&](int limit) {
    return static_cast<int>(std::count_if(front.columns.begin(), front.columns.end(),
                                          [&](int position) { return group(position) <= limit; }));
  };
  front.candidates = count_up_to(static_cast<int>(Standing::never));
  const bool root = front.candidates == static_cast<int>(front.columns.size());
  front.eligible = count_up_to(static_cast<int>(root ? Standing::last : Standing::any));
  const std::size_t width = front.columns.size();
  for (std::size_t c = 0; c < width; ++c) local_[front.columns[c]] = static_cast<int>(c);

  front.values.assign(static_cast<std::size_t>(front.rows) * width, 0.0);
  double* row = front.values.data();
  for (const Front& child : children) {
    const double* from = child.values.data();
    for (int i = 0; i < child.rows; ++i, row += width) {
      for (const int position : child.columns) row[local_[position]] = *from++;
    }
  }
  for (const int j : beginning_at_[k]) {
    for (std::size_t e = column_start_[j]; e < column_start_[j + 1]; ++e) {
      row[local_[column_entries_[e].index]] = column_entries_[e].value;
    }
    row += width;
  }
  for (const int position : front.columns) local_[position] = -1;
  return front;
}

/// Eliminates eligible columns in turn, always the one with the largest remainder, while that
/// exceeds `threshold`; each moves to the front of the list, its row of R is kept. Returns how
/// many; the squared remainders of the other candidates are left in `remainder_`.
int SparseRowQr::eliminate(Front& front, double threshold) {
  const int width = static_cast<int>(front.columns.size());
  int done = 0;
  while (true) {
    remainder_.assign(front.candidates, 0.0);
    for (int i = done; i < front.rows; ++i) {
      for (int c = done; c < front.candidates; ++c) {
        const double value = front.values[static_cast<std::size_t>(i) * width + c];
        remainder_[c] += value * value;
      }
    }
    if (done == front.eligible) return done;
    const auto largest =
        std::max_element(remainder_.begin() + done, remainder_.begin() + front.eligible);
    if (!(std::sqrt(*largest) > threshold)) return done;
    const auto chosen = static_cast<int>(largest - remainder_.begin());
    if (chosen != done) {
      std::swap(front.columns[done], front.columns[chosen]);
      for (int i = done; i < front.rows; ++i) {
        double* row = front.values.data() + static_cast<std::size_t>(i) * width;
        std::swap(row[done], row[chosen]);
      }
    }
    reflect(front.values.data(), front.rows, width, done, done, touched_);
    const double* row = front.values.data() + static_cast<std::size_t>(done) * width;
    eliminated_.push_back(front.columns[done]);
    diagonal_.push_back(row[done]);
    for (int c = done + 1; c < width; ++c) {
      if (row[c] != 0.0) entries_.push_back({front.columns[c], row[c]});
    }
    row_start_.push_back(entries_.size());
    ++done;
  }
}

/// What `front` leaves after `done` columns: without the candidates that are dependent.
SparseRowQr::Front SparseRowQr::remaining(const Front& front, int done, double tolerance) {
  const int width = static_cast<int>(front.columns.size());
  std::vector<int> kept;
  for (int c = done; c < width; ++c) {
    const bool dependent = c < front.candidates && std::sqrt(remainder_[c]) <= tolerance;
    if (!dependent) kept.push_back(c);
  }
  Front rest;
  rest.rows = front.rows - done;
  for (const int c : kept) rest.columns.push_back(front.columns[c]);
  rest.values.reserve(static_cast<std::size_t>(rest.rows) * kept.size());
  for (int i = done; i < front.rows; ++i) {
    const double* row = front.values.data() + static_cast<std::size_t>(i) * width;
    for (const int c : kept) rest.values.push_back(row[c]);
  }
  const int columns = static_cast<int>(kept.size());
  rest.needed = front.needed;
  if (rest.rows > columns || rest.rows > std::max(many_rows, 2 * front.needed)) {
    rest.needed = rest.rows = compress(rest.values.data(), rest.rows, columns, touched_);
    rest.values.resize(static_cast<std::size_t>(rest.rows) * columns);
  }
  return rest;
}

void SparseRowQr::factor(double tolerance) {
  std::vector<std::vector<Front>> children(order_.size());
  row_start_.push_back(0);
  const double weak = std::max(tolerance, weak_pivot);
  for (int k = 0; k < size(); ++k) {
    if (size() >= long_loop) stop_point();
    Front front = assemble(k, children[k]);
    std::vector<Front>().swap(children[k]);
    if (front.candidates == static_cast<int>(front.columns.size())) {
      eliminate(front, tolerance);  // nothing comes later: a root
      continue;
    }
    const int parent = front.columns[front.candidates];
    const int done = eliminate(front, weak);
    Front rest = remaining(front, done, tolerance);
    if (rest.rows > 0) children[parent].push_back(std::move(rest));
  }
  relabel();
}

/// Renames columns by their place in the elimination, the dependent ones last.
void SparseRowQr::relabel() {
  std::vector<int> place(order_.size(), -1);
  for (std::size_t k = 0; k < eliminated_.size(); ++k) place[eliminated_[k]] = static_cast<int>(k);
  int next = static_cast<int>(eliminated_.size());
  for (int& p : place) {
    if (p < 0) p = next++;
  }
  std::vector<int> order(order_.size());
  for (int k = 0; k < size(); ++k) order[place[k]] = order_[k];
  order_ = std::move(order);
  for (Entry& entry : entries_) entry.index = place[entry.index];
  diagonal_.resize(order_.size(), 0.0);
  row_start_.resize(order_.size() + 1, entries_.size());
}

void SparseRowQr::transpose() {
  above_start_.assign(order_.size() + 2, 0);
  for (const Entry& entry : entries_) ++above_start_[entry.index + 2];
  for (std::size_t j = 2; j < above_start_.size(); ++j) above_start_[j] += above_start_[j - 1];
  above_.resize(entries_.size());
  for (int k = 0; k < size(); ++k) {
    for (const Entry& entry : row(k)) above_[above_start_[entry.index + 1]++] = {k, entry.value};
  }
}

std::vector<std::pair<int, double>> SparseRowQr::combination(int position, double drop) {
  // R11 c = R(:, position), touching only the columns that the solution reaches.
  std::vector<std::pair<int, double>> result;
  std::priority_queue<int> pending;
  std::vector<int> reached;
  const auto add = [&](int column, double factor) {
    for (std::size_t e = above_start_[column]; e < above_start_[column + 1]; ++e) {
      const int k = above_[e].index;
      if (local_[k] < 0) {
        local_[k] = 0;
        reached.push_back(k);
        pending.push(k);
      }
      solution_[k] += factor * above_[e].value;
    }
  };
  add(position, 1.0);
  while (!pending.empty()) {
    const int k = pending.top();
    pending.pop();
    const double coefficient = solution_[k] / diagonal_[k];
    add(k, -coefficient);
    if (std::abs(coefficient) > drop) result.emplace_back(k, coefficient);
  }
  for (const int k : reached) local_[k] = -1, solution_[k] = 0.0;
  return result;
}

/// y = R11 x; dependent positions of x must be zero.
void SparseRowQr::multiply(std::span<const double> x, std::span<double> y) const {
  for (int k = 0; k < size(); ++k) {
    double sum = diagonal_[k] * x[k];
    for (const Entry& entry : row(k)) sum += entry.value * x[entry.index];
    y[k] = sum;
  }
}

/// y = R11' x
void SparseRowQr::multiply_transposed(std::span<const double> x, std::span<double> y) const {
  std::fill(y.begin(), y.end(), 0.0);
  for (int k = 0; k < size(); ++k) {
    y[k] += diagonal_[k] * x[k];
    for (const Entry& entry : row(k)) y[entry.index] += entry.value * x[k];
  }
  for (int k = 0; k < size(); ++k) {
    if (!is_independent(k)) y[k] = 0.0;
  }
}

/// x := R11^-1 x
void SparseRowQr::solve(std::span<double> x) const {
  for (int k = size() - 1; k >= 0; --k) {
    if (!is_independent(k)) {
      x[k] = 0.0;
      continue;
    }
    double sum = x[k];
    for (const Entry& entry : row(k)) sum -= entry.value * x[entry.index];
    x[k] = sum / diagonal_[k];
  }
}

/// x := R11^-T x
void SparseRowQr::solve_transposed(std::span<double> x) const {
  for (int k = 0; k < size(); ++k) {
    if (!is_independent(k)) {
      x[k] = 0.0;
      continue;
    }
    x[k] /= diagonal_[k];
    for (const Entry& entry : row(k)) x[entry.index] -= entry.value * x[k];
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
