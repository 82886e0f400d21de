#include "kardan/linalg/mass_elimination.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <type_traits>

#include "kardan/base/assert.h"

namespace kardan {
namespace {

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

/// x := L^-1 x, L by rows with the reciprocals of its diagonal.
template <class Size>
inline void lower_solve(Size size, const double* row, double* x) {
  for (int i = 0; i < size; row += ++i) {
    double sum = x[i];
    for (int k = 0; k < i; ++k) sum -= row[k] * x[k];
    x[i] = sum * row[i];
  }
}

/// x := L^-T x
template <class Size>
inline void upper_solve(Size size, const double* L, double* x) {
  for (int i = size - 1; i >= 0; --i) {
    const double* row = L + i * (i + 1) / 2;
    x[i] *= row[i];
    for (int k = 0; k < i; ++k) x[k] -= row[k] * x[i];
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
  find_schur_pattern();
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

/// S(i, j) is not zero where rows i and j meet in a block.
void MassElimination::find_schur_pattern() {
  PatternBuilder builder(rows(), rows());
  auto each_pair = [&](auto&& use) {
    for (std::size_t b = 0; b < blocks_.size(); ++b)
      for (int s = segment_start_[b]; s < segment_start_[b + 1]; ++s)
        for (int t = segment_start_[b]; t <= s; ++t) use(segments_[s].row, segments_[t].row);
  };
  each_pair([&](int i, int j) { builder.add(i, j); });
  const auto pattern = builder.build();
  each_pair([&](int i, int j) { S_place_.push_back(pattern->find(i, j)); });
  S_.resize(pattern->nonzeros());
  schur_ = std::make_unique<SparseCholesky>(pattern);
}

/// Masses of bodies in their own frames do not change.
Eval MassElimination::factor_mass(std::span<const double> M) {
  KARDAN_ASSERT(static_cast<int>(M.size()) == M_->nonzeros(), "one value per entry");
  if (factored_ && std::ranges::equal(M, mass_)) return Eval::ok;
  mass_.assign(M.begin(), M.end());
  factored_ = false;
  failed_column_ = -1;
  for (const Block& b : blocks_) {
    double* L = L_.data() + b.factor;
    const int* from = L_from_.data() + b.factor;
    for (int i = 0; i < b.size; ++i) {
      double* row = L + i * (i + 1) / 2;
      for (int j = 0; j <= i; ++j) {
        const double* other = L + j * (j + 1) / 2;
        const int place = from[i * (i + 1) / 2 + j];
        double sum = place < 0 ? 0 : M[place];
        const double own = sum;
        for (int k = 0; k < j; ++k) sum -= row[k] * other[k];
        if (j < i) {
          row[j] = sum * other[j];
        } else if (sum > SparseCholesky::smallest_pivot * own && std::isfinite(sum)) {
          row[i] = 1 / std::sqrt(sum);
        } else {
          failed_column_ = columns_[b.first_column + i];
          return Eval::recoverable;
        }
      }
    }
  }
  factored_ = true;
  return Eval::ok;
}

Eval MassElimination::factor(std::span<const double> G) {
  KARDAN_ASSERT(static_cast<int>(G.size()) == G_->nonzeros(), "one value per entry");
  std::fill(Y_.begin(), Y_.end(), 0.0);
  for (std::size_t k = 0; k < G.size(); ++k) Y_[Y_place_[k]] = G[k];
  std::fill(S_.begin(), S_.end(), 0.0);
  const int* place = S_place_.data();
  for (std::size_t b = 0; b < blocks_.size(); ++b) {
    const Segment *first = segments_.data() + segment_start_[b],
                  *last = segments_.data() + segment_start_[b + 1];
    const double* L = L_.data() + blocks_[b].factor;
    with_size(blocks_[b].size, [&](auto size) {
      for (const Segment* s = first; s != last; ++s) {
        double* y = Y_.data() + s->values;
        lower_solve(size, L, y);
        for (const Segment* t = first; t <= s; ++t)
          S_[*place++] += product(size, y, Y_.data() + t->values);
      }
    });
  }
  return schur_->factor(S_);
}

void MassElimination::solve(std::span<double> a, std::span<double> y) {
  for (int k = 0; k < columns(); ++k) w_[k] = a[columns_[k]];
  for (double& c : y) c = -c;
  auto each_block = [this](auto&& use) {
    for (std::size_t b = 0; b < blocks_.size(); ++b)
      with_size(blocks_[b].size, [&](auto size) {
        use(size, L_.data() + blocks_[b].factor, w_.data() + blocks_[b].first_column,
            std::span(segments_).subspan(segment_start_[b],
                                         segment_start_[b + 1] - segment_start_[b]));
      });
  };
  each_block([&](auto size, const double* L, double* w, std::span<const Segment> segments) {
    lower_solve(size, L, w);
    for (const Segment& s : segments) y[s.row] += product(size, Y_.data() + s.values, w);
  });
  if (!y.empty()) schur_->solve(y);
  each_block([&](auto size, const double* L, double* w, std::span<const Segment> segments) {
    for (const Segment& s : segments) {
      const double* row = Y_.data() + s.values;
      for (int k = 0; k < size; ++k) w[k] -= y[s.row] * row[k];
    }
    upper_solve(size, L, w);
  });
  for (int k = 0; k < columns(); ++k) a[columns_[k]] = w_[k];
}

}  // namespace kardan
