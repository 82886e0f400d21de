#include "kardan/linalg/mass_elimination.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>
#include <type_traits>

#include "kardan/base/assert.h"
#include "kardan/linalg/kernels.h"

namespace kardan {
namespace {

/// A hub has at least so many rows,
constexpr int fewest_hub_rows = 16;
/// S costs at most this share without it,
constexpr double hub_gain = 0.6;
/// and this share of every row is left without it.
constexpr double least_share = 1e-4;

/// Calls `use` with the size of a block as a constant where it is one of those of bodies: a
/// coordinate by itself, a rotation, a body. Their loops then have no branches left.
template <class Use>
void with_size(int size, Use&& use) {
  switch (size) {
    case 1:
      return use(std::integral_constant<int, 1>());
    case 3:
      return use(std::integral_constant<int, 3>());
    case 6:
      return use(std::integral_constant<int, 6>());
    default:
      return use(size);
  }
}

/// L^-1 in place of a matrix L L', both by rows of the lower triangle. The row whose pivot failed,
/// or -1. Products with the inverse do not wait for each other, as the steps of a solution do.
int invert_factor(int size, double* L) {
  for (int i = 0; i < size; ++i) {
    double* row = L + i * (i + 1) / 2;
    const double own = row[i];
    for (int j = 0; j <= i; ++j) {
      const double* other = L + j * (j + 1) / 2;
      double sum = row[j];
      for (int k = 0; k < j; ++k) sum -= row[k] * other[k];
      if (j < i)
        row[j] = sum * other[j];
      else if (sum > SparseCholesky::smallest_pivot * own && std::isfinite(sum))
        row[i] = 1 / std::sqrt(sum);
      else
        return i;
    }
  }
  // Row i of the inverse: -(L(i, k) sums over rows k >= j) / L(i, i), from the left.
  for (int i = 1; i < size; ++i) {
    double* row = L + i * (i + 1) / 2;
    for (int j = 0; j < i; ++j) {
      double sum = 0;
      for (int k = j; k < i; ++k) sum += row[k] * L[k * (k + 1) / 2 + j];
      row[j] = -sum * row[i];
    }
  }
  return -1;
}

/// x := L^-1 x
template <class Size>
inline void lower_solve(Size size, const double* inverse, double* x) {
  for (int i = size - 1; i >= 0; --i) {
    const double* row = inverse + i * (i + 1) / 2;
    double sum = row[0] * x[0];
    for (int k = 1; k <= i; ++k) sum += row[k] * x[k];
    x[i] = sum;
  }
}

/// x := L^-T x
template <class Size>
inline void upper_solve(Size size, const double* inverse, double* x) {
  for (int i = 0; i < size; ++i) {
    double sum = 0;
    for (int k = i; k < size; ++k) sum += inverse[k * (k + 1) / 2 + i] * x[k];
    x[i] = sum;
  }
}

template <class Size>
inline double product(Size size, const double* x, const double* y) {
  double sum = 0;
  for (int k = 0; k < size; ++k) sum += x[k] * y[k];
  return sum;
}

}  // namespace

MassElimination::MassElimination(std::shared_ptr<const SparsePattern> M,
                                 std::shared_ptr<const SparsePattern> G)
    : M_(std::move(M)), G_(std::move(G)) {
  KARDAN_ASSERT(M_->rows == M_->cols && M_->cols == G_->cols, "M is square, G as wide");
  find_blocks();
  find_segments();
  find_pattern(whole_, -1);
  find_hub();
  w_.resize(columns());
}

/// Columns that M connects, directly or through others, form a block.
void MassElimination::find_blocks() {
  const int n = columns();
  std::vector<int> root(n);
  std::iota(root.begin(), root.end(), 0);
  auto find = [&](int i) {
    while (root[i] != i) i = root[i] = root[root[i]];
    return i;
  };
  for (int i = 0; i < n; ++i)
    for (int k = M_->row_start[i]; k < M_->row_start[i + 1]; ++k) {
      const int a = find(i), b = find(M_->column[k]);
      root[std::max(a, b)] = std::min(a, b);
    }
  std::vector<std::vector<int>> members(n);
  for (int i = 0; i < n; ++i) members[find(i)].push_back(i);
  place_.resize(n);
  for (const auto& columns : members) {
    if (columns.empty()) continue;
    const int size = static_cast<int>(columns.size());
    blocks_.push_back({static_cast<int>(columns_.size()), size, static_cast<int>(L_from_.size())});
    for (int i = 0; i < size; ++i) {
      place_[columns[i]] = static_cast<int>(columns_.size());
      columns_.push_back(columns[i]);
      for (int j = 0; j <= i; ++j) L_from_.push_back(M_->find(columns[i], columns[j]));
    }
  }
  L_.resize(L_from_.size());
}

void MassElimination::find_segments() {
  std::vector<int> block_of(columns());
  for (std::size_t b = 0; b < blocks_.size(); ++b)
    for (int i = 0; i < blocks_[b].size; ++i)
      block_of[blocks_[b].first_column + i] = static_cast<int>(b);
  std::vector<std::vector<int>> touching(blocks_.size());  // rows of each block
  for (int i = 0; i < rows(); ++i)
    for (int k = G_->row_start[i]; k < G_->row_start[i + 1]; ++k) {
      auto& of = touching[block_of[place_[G_->column[k]]]];
      if (of.empty() || of.back() != i) of.push_back(i);
    }
  segment_start_.assign(1, 0);
  int values = 0;
  for (std::size_t b = 0; b < blocks_.size(); ++b) {
    for (int row : touching[b]) {
      segments_.push_back({row, static_cast<int>(b), values});
      values += blocks_[b].size;
    }
    segment_start_.push_back(static_cast<int>(segments_.size()));
  }
  Y_.resize(values);
  for (int i = 0; i < rows(); ++i)
    for (int k = G_->row_start[i]; k < G_->row_start[i + 1]; ++k) {
      const int place = place_[G_->column[k]], b = block_of[place];
      const auto begin = segments_.begin() + segment_start_[b];
      const auto end = segments_.begin() + segment_start_[b + 1];
      const auto at =
          std::lower_bound(begin, end, i, [](const Segment& s, int row) { return s.row < row; });
      Y_place_.push_back(at->values + place - blocks_[b].first_column);
    }
}

template <class Use>
void MassElimination::each_block(int without, Use&& use) const {
  for (int b = 0; b < static_cast<int>(blocks_.size()); ++b)
    if (b != without)
      with_size(blocks_[b].size, [&](auto size) {
        use(size, blocks_[b],
            std::span(segments_).subspan(segment_start_[b],
                                         segment_start_[b + 1] - segment_start_[b]));
      });
}

/// S(i, j) is not zero where rows i and j meet in a block.
void MassElimination::find_pattern(Schur& schur, int without) const {
  PatternBuilder builder(rows(), rows());
  auto each_pair = [&](auto&& use) {
    each_block(without, [&](int, const Block&, std::span<const Segment> segments) {
      for (std::size_t s = 0; s < segments.size(); ++s)
        for (std::size_t t = 0; t <= s; ++t) use(segments[s].row, segments[t].row);
    });
  };
  each_pair([&](int i, int j) { builder.add(i, j); });
  const auto pattern = builder.build();
  each_pair([&](int i, int j) { schur.place.push_back(pattern->find(i, j)); });
  schur.values.resize(pattern->nonzeros());
  schur.factors = std::make_unique<SparseCholesky>(pattern);
  schur.work = schur.factors->work();
  each_block(without, [&](int size, const Block&, std::span<const Segment> segments) {
    const double count = static_cast<double>(segments.size());
    schur.work += 0.5 * size * count * (count + size + 2);
  });
}

/// The block that most rows touch, if S is much cheaper without it.
void MassElimination::find_hub() {
  int most = 0;
  for (int b = 0; b < static_cast<int>(blocks_.size()); ++b)
    if (segment_start_[b + 1] - segment_start_[b] > segment_start_[most + 1] - segment_start_[most])
      most = b;
  const int count = blocks_.empty() ? 0 : segment_start_[most + 1] - segment_start_[most];
  if (count < fewest_hub_rows) return;
  std::vector<int> touches(rows(), 0);
  each_block(most, [&](int, const Block&, std::span<const Segment> segments) {
    for (const Segment& s : segments) touches[s.row] = 1;
  });
  if (std::ranges::count(touches, 0) > 0) return;
  find_pattern(rest_, most);
  const int size = blocks_[most].size, width = (size + 3) / 4 * 4;
  rest_.work += size * (static_cast<double>(rest_.factors->factor_nonzeros()) + size * rows());
  if (rest_.work > hub_gain * whole_.work) return;
  hub_ = most;
  std::vector<int> inverse(rows());
  const std::span<const int> order = rest_.factors->order();
  for (int k = 0; k < rows(); ++k) inverse[order[k]] = k;
  for (int s = segment_start_[hub_]; s < segment_start_[hub_ + 1]; ++s)
    hub_row_.push_back(inverse[segments_[s].row]);
  Z_.resize(rows(), width);
  DZ_.resize(rows(), width);
  square_.resize(width, width);
  hub_L_.resize(static_cast<std::size_t>(size) * (size + 1) / 2);
}

/// Masses of bodies in their own frames do not change.
Eval MassElimination::factor_mass(std::span<const double> M) {
  KARDAN_ASSERT(static_cast<int>(M.size()) == M_->nonzeros(), "one value per entry");
  if (factored_ && std::memcmp(M.data(), mass_.data(), M.size_bytes()) == 0) return Eval::ok;
  mass_.assign(M.begin(), M.end());
  factored_ = false;
  failed_column_ = -1;
  for (const Block& b : blocks_) {
    double* L = L_.data() + b.factor;
    for (int k = 0; k < b.size * (b.size + 1) / 2; ++k) {
      const int place = L_from_[b.factor + k];
      L[k] = place < 0 ? 0 : M[place];
    }
    if (const int failed = invert_factor(b.size, L); failed >= 0) {
      failed_column_ = columns_[b.first_column + failed];
      return Eval::recoverable;
    }
  }
  factored_ = true;
  return Eval::ok;
}

/// The segments of a block from G to Y.
void MassElimination::turn(int block) {
  const Block& b = blocks_[block];
  with_size(b.size, [&](auto size) {
    for (int s = segment_start_[block]; s < segment_start_[block + 1]; ++s)
      lower_solve(size, L_.data() + b.factor, Y_.data() + segments_[s].values);
  });
}

Eval MassElimination::factor(std::span<const double> G) {
  KARDAN_ASSERT(static_cast<int>(G.size()) == G_->nonzeros(), "one value per entry");
  std::fill(Y_.begin(), Y_.end(), 0.0);
  for (std::size_t k = 0; k < G.size(); ++k) Y_[Y_place_[k]] = G[k];
  for (int b = 0; b < static_cast<int>(blocks_.size()); ++b)
    if (b != hub_) turn(b);
  around_hub_ = has_hub() && factor_around_hub() == Eval::ok;
  if (around_hub_) return Eval::ok;
  if (has_hub()) turn(hub_);
  return factor(whole_, -1);
}

Eval MassElimination::factor(Schur& schur, int without) {
  std::fill(schur.values.begin(), schur.values.end(), 0.0);
  const int* place = schur.place.data();
  each_block(without, [&](auto size, const Block&, std::span<const Segment> segments) {
    const Segment* first = segments.data();
    for (const Segment* s = first; s != first + segments.size(); ++s) {
      const double* y = Y_.data() + s->values;
      // Points move along one axis of the world in each of their rows.
      if (size == 1 && *y == 0) {
        place += s - first + 1;
        continue;
      }
      for (const Segment* t = first; t <= s; ++t)
        schur.values[*place++] += product(size, y, Y_.data() + t->values);
    }
  });
  return schur.factors->factor(schur.values);
}

Eval MassElimination::factor_around_hub() {
  if (Eval e = factor(rest_, hub_); e != Eval::ok) return e;
  // Rows that nearly depend on each other without the hub lose digits in the difference.
  if (rest_.factors->pivot_ratio() < least_share) return Eval::recoverable;
  const Block& hub = blocks_[hub_];
  Z_.set_zero();
  for (std::size_t k = 0; k < hub_row_.size(); ++k)
    std::copy_n(Y_.data() + segments_[segment_start_[hub_] + static_cast<int>(k)].values, hub.size,
                Z_.row(hub_row_[k]));
  rest_.factors->solve_lower(Z_);
  const std::span<const double> inverse = rest_.factors->inverse_pivots();
  for (int k = 0; k < rows(); ++k)
    for (int j = 0; j < Z_.cols(); ++j) DZ_(k, j) = inverse[k] * Z_(k, j);
  multiply_lower(rows(), Z_.cols(), Z_.data(), DZ_.data(), square_.data());
  int at = 0;
  for (int i = 0; i < hub.size; ++i)
    for (int j = 0; j <= i; ++j, ++at) {
      const int place = L_from_[hub.factor + at];
      hub_L_[at] = square_(i, j) + (place < 0 ? 0 : mass_[place]);
    }
  return invert_factor(hub.size, hub_L_.data()) < 0 ? Eval::ok : Eval::recoverable;
}

/// From t = L^-1 P (G_o M_o^-1 f_o - c): the hub's accelerations, and t with their share.
void MassElimination::move_hub(std::span<double> t) {
  const Block& hub = blocks_[hub_];
  double* a = w_.data() + hub.first_column;
  for (int k = 0; k < rows(); ++k)
    for (int j = 0; j < hub.size; ++j) a[j] -= DZ_(k, j) * t[k];
  with_size(hub.size, [&](auto size) {
    lower_solve(size, hub_L_.data(), a);
    upper_solve(size, hub_L_.data(), a);
    for (int k = 0; k < rows(); ++k) t[k] += product(size, Z_.row(k), a);
  });
}

void MassElimination::solve(std::span<double> a, std::span<double> y) {
  const int hub = used_hub() ? hub_ : -1;
  for (int k = 0; k < columns(); ++k) w_[k] = a[columns_[k]];
  for (double& c : y) c = -c;
  each_block(hub, [&](auto size, const Block& b, std::span<const Segment> segments) {
    double* w = w_.data() + b.first_column;
    lower_solve(size, L_.data() + b.factor, w);
    for (const Segment& s : segments) y[s.row] += product(size, Y_.data() + s.values, w);
  });
  if (!y.empty()) {
    SparseCholesky& schur = *used().factors;
    schur.solve_lower(y);
    if (hub >= 0) move_hub(y);
    const std::span<const double> inverse = schur.inverse_pivots();
    for (std::size_t k = 0; k < y.size(); ++k) y[k] *= inverse[k];
    schur.solve_upper(y);
  }
  each_block(hub, [&](auto size, const Block& b, std::span<const Segment> segments) {
    double* w = w_.data() + b.first_column;
    for (const Segment& s : segments) {
      const double* row = Y_.data() + s.values;
      for (int k = 0; k < size; ++k) w[k] -= y[s.row] * row[k];
    }
    upper_solve(size, L_.data() + b.factor, w);
  });
  for (int k = 0; k < columns(); ++k) a[columns_[k]] = w_[k];
}

}  // namespace kardan
