#include "kardan/linalg/sparse_row_qr.h"

#define EIGEN_MPL2_ONLY
#include <Eigen/OrderingMethods>
#include <Eigen/SparseCore>
#include <algorithm>
#include <cmath>
#include <utility>

#include "kardan/base/stop.h"

namespace kardan {

namespace {

// A pivot below this is put off: the column goes on to the next front, where others may take its
// place, and is decided by the tolerance only when it is among the last. Keeps the independent rows
// well conditioned where a redundant choice exists; costs fill where columns are put off.
constexpr double weak_pivot = 0.1;
// In front of a crowded column no more are put off than this, but the strongest of them are taken:
// they would wait together until the last of the crowd, and the work go with N^3.
constexpr int most_put_off = 16;

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

// A column of A is crowded where more rows touch it than this times the root of their number: such
// columns COLAMD leaves out of its ordering (T. A. Davis et al., ACM TOMS 30 (2004) 353, 3.3).
constexpr double crowd_share = 10.0;
// A row touches two bodies, of six columns each, which may both be crowded; twice that is too much.
constexpr std::size_t most_crowded_of_a_row = 24;

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
  gather_crowded(A);
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

/// Finds the crowded columns of A. None are where they are not few beside what they spare: a front
/// has as many rows of them as it has crowded columns.
void SparseRowQr::gather_crowded(const SparseMatrix& A) {
  const SparsePattern& pattern = *A.pattern;
  const auto crowded = [&](int j) {
    const std::size_t touching = column_start_[j + 1] - column_start_[j];
    return static_cast<double>(touching) > crowd_share * std::sqrt(size());
  };
  crowd_.assign(pattern.cols, -1);
  std::size_t entries = 0;
  for (int j = 0; j < pattern.cols; ++j)
    if (crowded(j)) entries += column_start_[j + 1] - column_start_[j];
  if (entries <= most_crowded_of_a_row * order_.size()) {
    for (int j = 0; j < pattern.cols; ++j) {
      if (!crowded(j)) continue;
      crowd_[j] = static_cast<int>(next_.size());
      next_.push_back(column_start_[j]);
      crowd_end_.push_back(column_start_[j + 1]);
    }
  }
  place_.assign(next_.size(), -1);
  for (const int i : order_) {
    for (int k = pattern.row_start[i]; k < pattern.row_start[i + 1]; ++k) {
      const int number = crowd_[pattern.column[k]];
      if (number >= 0) crowded_.entries.push_back({number, A.values[k]});
    }
    crowded_.end_list();
  }
}

/// First k and those put off before it, by their standing; then later ones.
void SparseRowQr::list_columns(int k, const std::vector<Front>& children, Front& front) {
  front.columns.push_back(k);
  local_[k] = 0;
  const auto include = [&](int position) {
    if (local_[position] >= 0) return;
    local_[position] = 0;
    front.columns.push_back(position);
  };
  for (const Front& child : children) {
    for (const int position : child.columns) include(position);
  }
  for (const int j : beginning_at_[k]) {
    if (crowd_[j] >= 0) continue;
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
  const bool root = parent(front) == size();
  front.eligible = count_up_to(static_cast<int>(root ? Standing::last : Standing::any));
  for (std::size_t c = 0; c < front.columns.size(); ++c)
    local_[front.columns[c]] = static_cast<int>(c);
}

/// The crowded columns that go on behind k.
void SparseRowQr::list_crowded(int k, const std::vector<Front>& children, Front& front) {
  const auto include = [&](int number) {
    std::size_t& next = next_[number];
    while (next < crowd_end_[number] && column_entries_[next].index <= k) ++next;
    if (next == crowd_end_[number] || place_[number] >= 0) return;
    place_[number] = 0;
    front.crowded.push_back(number);
  };
  for (const Front& child : children) {
    for (const int number : child.crowded) include(number);
  }
  for (const int j : beginning_at_[k]) {
    if (crowd_[j] >= 0) include(crowd_[j]);
  }
  std::sort(front.crowded.begin(), front.crowded.end());
  for (const int number : front.crowded) place_[number] = -1;
}

/// The column of B to which the front leaves its rows; size() where there is none.
int SparseRowQr::parent(const Front& front) const {
  int first = size();
  if (front.candidates < static_cast<int>(front.columns.size()))
    first = front.columns[front.candidates];
  for (const int number : front.crowded)
    first = std::min(first, column_entries_[next_[number]].index);
  return first;
}

/// The rows of B that begin in column k and what the children left, over the union of their
/// columns.
SparseRowQr::Front SparseRowQr::assemble(int k, std::vector<Front>& children) {
  Front front;
  front.rows = static_cast<int>(beginning_at_[k].size());
  for (const Front& child : children) {
    front.rows += child.rows;
    front.needed = std::max(front.needed, child.needed);
  }
  list_crowded(k, children, front);
  list_columns(k, children, front);
  front.values.assign(static_cast<std::size_t>(front.rows) * front.width(), 0.0);
  double* row = front.values.data();
  for (const Front& child : children) row = add_child(child, front, row);
  add_own_rows(k, front, row);
  for (const int position : front.columns) local_[position] = -1;
  return front;
}

/// Copies the rows of a child to `row`, and computes the entries of columns it had not listed.
double* SparseRowQr::add_child(const Front& child, const Front& front, double* row) {
  const std::size_t width = front.width(), own = front.columns.size();
  double* const begin = row;
  const double* from = child.values.data();
  for (std::size_t c = 0; c < front.crowded.size(); ++c)
    place_[front.crowded[c]] = static_cast<int>(own + c);
  for (int i = 0; i < child.rows; ++i, row += width) {
    for (const int position : child.columns) row[local_[position]] = *from++;
    for (const int number : child.crowded) {
      if (place_[number] >= 0) row[place_[number]] = *from;
      ++from;
    }
  }
  for (const int number : front.crowded) place_[number] = -1;
  if (child.crowded.empty()) return row;

  for (std::size_t c = 0; c < child.crowded.size(); ++c)
    place_[child.crowded[c]] = static_cast<int>(child.columns.size() + c);
  std::vector<bool> listed(own, false);
  for (const int position : child.columns) listed[local_[position]] = true;
  for (std::size_t c = 0; c < own; ++c) {
    if (listed[c]) continue;
    for (const Entry& entry : crowded_[front.columns[c]]) {
      if (place_[entry.index] < 0) continue;
      for (int i = 0; i < child.rows; ++i) {
        const double coefficient = child.values[i * child.width() + place_[entry.index]];
        begin[i * width + c] += coefficient * entry.value;
      }
    }
  }
  for (const int number : child.crowded) place_[number] = -1;
  return row;
}

double* SparseRowQr::add_own_rows(int k, const Front& front, double* row) {
  const std::size_t own = front.columns.size();
  for (const int j : beginning_at_[k]) {
    if (const int number = crowd_[j]; number >= 0) {
      for (std::size_t c = 0; c < own; ++c)
        for (const Entry& entry : crowded_[front.columns[c]])
          if (entry.index == number) row[c] = entry.value;
      const auto place = std::lower_bound(front.crowded.begin(), front.crowded.end(), number);
      if (place != front.crowded.end() && *place == number)
        row[own + static_cast<std::size_t>(place - front.crowded.begin())] = 1.0;
    } else {
      for (std::size_t e = column_start_[j]; e < column_start_[j + 1]; ++e)
        row[local_[column_entries_[e].index]] = column_entries_[e].value;
    }
    row += front.width();
  }
  return row;
}

/// Row `done` of the front, now eliminated, becomes one of R.
void SparseRowQr::keep_row(const Front& front, int done) {
  const std::size_t own = front.columns.size();
  const double* row = front.values.data() + done * front.width();
  eliminated_.push_back(front.columns[done]);
  diagonal_.push_back(row[done]);
  for (std::size_t c = 0; c < front.crowded.size(); ++c) {
    place_[front.crowded[c]] = static_cast<int>(own + c);
    if (row[own + c] != 0.0) combined_.entries.push_back({front.crowded[c], row[own + c]});
  }
  for (std::size_t c = static_cast<std::size_t>(done) + 1; c < own; ++c) {
    double value = row[c];
    if (!front.crowded.empty())  // the combination is added where R is used
      for (const Entry& entry : crowded_[front.columns[c]])
        if (place_[entry.index] >= 0) value -= row[place_[entry.index]] * entry.value;
    if (value != 0.0) rows_.entries.push_back({front.columns[c], value});
  }
  for (const int number : front.crowded) place_[number] = -1;
  rows_.end_list();
  combined_.end_list();
}

/// Eliminates eligible columns in turn, always the one with the largest remainder, while that
/// exceeds `threshold.weak`, or, where too many are left, `threshold.dependent`; each moves to the
/// front of the list, its row of R is kept. Returns how many; the squared remainders of the other
/// candidates are left in `remainder_`.
int SparseRowQr::eliminate(Front& front, Threshold threshold) {
  const int width = static_cast<int>(front.width());
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
    const bool crowd = !front.crowded.empty() && front.eligible - done > most_put_off;
    if (!(std::sqrt(*largest) > (crowd ? threshold.dependent : threshold.weak))) return done;
    const auto chosen = static_cast<int>(largest - remainder_.begin());
    if (chosen != done) {
      std::swap(front.columns[done], front.columns[chosen]);
      for (int i = done; i < front.rows; ++i) {
        double* row = front.values.data() + static_cast<std::size_t>(i) * width;
        std::swap(row[done], row[chosen]);
      }
    }
    reflect(front.values.data(), front.rows, width, done, done, touched_);
    keep_row(front, done);
    ++done;
  }
}

/// What `front` leaves after `done` columns: without the candidates that are dependent.
SparseRowQr::Front SparseRowQr::remaining(const Front& front, int done, double tolerance) {
  const int width = static_cast<int>(front.width()), own = static_cast<int>(front.columns.size());
  std::vector<int> kept;
  Front rest;
  for (int c = done; c < own; ++c) {
    const bool dependent = c < front.candidates && std::sqrt(remainder_[c]) <= tolerance;
    if (dependent) {
      dropped_at_[front.columns[c]] = static_cast<int>(eliminated_.size());
    } else {
      kept.push_back(c);
      rest.columns.push_back(front.columns[c]);
    }
  }
  for (int c = own; c < width; ++c) kept.push_back(c);
  rest.rows = front.rows - done;
  rest.crowded = front.crowded;
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

/// The candidates that are left are dependent.
void SparseRowQr::drop(const Front& front, int done) {
  for (int c = done; c < front.candidates; ++c)
    dropped_at_[front.columns[c]] = static_cast<int>(eliminated_.size());
}

void SparseRowQr::factor(double tolerance) {
  std::vector<std::vector<Front>> children(order_.size());
  dropped_at_.assign(order_.size(), 0);
  const Threshold put_off{std::max(tolerance, weak_pivot), tolerance};
  for (int k = 0; k < size(); ++k) {
    if (size() >= long_loop) stop_point();
    Front front = assemble(k, children[k]);
    std::vector<Front>().swap(children[k]);
    const int next = parent(front);
    if (next == size()) {  // nothing comes later: a root
      drop(front, eliminate(front, {tolerance, tolerance}));
      continue;
    }
    const int done = eliminate(front, put_off);
    Front rest = remaining(front, done, tolerance);
    if (rest.rows > 0) {
      children[next].push_back(std::move(rest));
    } else {
      drop(front, done);
    }
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
  std::vector<int> order(order_.size()), dropped_at(order_.size()), at(order_.size());
  for (int k = 0; k < size(); ++k) {
    at[place[k]] = k;
    order[place[k]] = order_[k];
    dropped_at[place[k]] = dropped_at_[k];
  }
  order_ = std::move(order);
  dropped_at_ = std::move(dropped_at);
  for (Entry& entry : rows_.entries) entry.index = place[entry.index];
  diagonal_.resize(order_.size(), 0.0);
  for (Lists* lists : {&rows_, &combined_})
    lists->start.resize(order_.size() + 1, lists->entries.size());
  Lists crowded;
  for (const int k : at) {
    crowded.entries.insert(crowded.entries.end(), crowded_[k].begin(), crowded_[k].end());
    crowded.end_list();
  }
  crowded_ = std::move(crowded);
}

}  // namespace kardan
