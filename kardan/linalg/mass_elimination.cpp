#include "kardan/linalg/mass_elimination.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "kardan/base/assert.h"

namespace kardan {

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

Eval MassElimination::factor_mass(std::span<const double> M) {
  KARDAN_ASSERT(static_cast<int>(M.size()) == M_->nonzeros(), "one value per entry");
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
  return Eval::ok;
}

/// x := L^-1 x
void MassElimination::lower_solve(const Block& b, double* x) const {
  const double* row = L_.data() + b.factor;
  for (int i = 0; i < b.size; row += ++i) {
    double sum = x[i];
    for (int k = 0; k < i; ++k) sum -= row[k] * x[k];
    x[i] = sum * row[i];
  }
}

/// x := L^-T x
void MassElimination::upper_solve(const Block& b, double* x) const {
  const double* L = L_.data() + b.factor;
  for (int i = b.size - 1; i >= 0; --i) {
    const double* row = L + i * (i + 1) / 2;
    x[i] *= row[i];
    for (int k = 0; k < i; ++k) x[k] -= row[k] * x[i];
  }
}

Eval MassElimination::factor(std::span<const double> G) {
  KARDAN_ASSERT(static_cast<int>(G.size()) == G_->nonzeros(), "one value per entry");
  std::fill(Y_.begin(), Y_.end(), 0.0);
  for (std::size_t k = 0; k < G.size(); ++k) Y_[Y_place_[k]] = G[k];
  std::fill(S_.begin(), S_.end(), 0.0);
  const int* place = S_place_.data();
  for (std::size_t b = 0; b < blocks_.size(); ++b) {
    const int size = blocks_[b].size;
    for (int s = segment_start_[b]; s < segment_start_[b + 1]; ++s) {
      double* y = Y_.data() + segments_[s].values;
      lower_solve(blocks_[b], y);
      for (int t = segment_start_[b]; t <= s; ++t) {
        const double* z = Y_.data() + segments_[t].values;
        double sum = 0;
        for (int k = 0; k < size; ++k) sum += y[k] * z[k];
        S_[*place++] += sum;
      }
    }
  }
  return schur_->factor(S_);
}

void MassElimination::solve(std::span<double> a, std::span<double> y) {
  for (int k = 0; k < columns(); ++k) w_[k] = a[columns_[k]];
  for (double& c : y) c = -c;
  for (std::size_t b = 0; b < blocks_.size(); ++b) {
    double* w = w_.data() + blocks_[b].first_column;
    lower_solve(blocks_[b], w);
    for (int s = segment_start_[b]; s < segment_start_[b + 1]; ++s) {
      const double* row = Y_.data() + segments_[s].values;
      double sum = 0;
      for (int k = 0; k < blocks_[b].size; ++k) sum += row[k] * w[k];
      y[segments_[s].row] += sum;
    }
  }
  if (!y.empty()) schur_->solve(y);
  for (std::size_t b = 0; b < blocks_.size(); ++b) {
    double* w = w_.data() + blocks_[b].first_column;
    for (int s = segment_start_[b]; s < segment_start_[b + 1]; ++s) {
      const double* row = Y_.data() + segments_[s].values;
      const double value = y[segments_[s].row];
      for (int k = 0; k < blocks_[b].size; ++k) w[k] -= value * row[k];
    }
    upper_solve(blocks_[b], w);
  }
  for (int k = 0; k < columns(); ++k) a[columns_[k]] = w_[k];
}

}  // namespace kardan
