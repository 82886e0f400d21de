#pragma once
/// Motion whose forces of constraint act at one position while accelerations are held at another,
/// as half-explicit methods ask for it:
///
///   [ M  G' ] [a     ]   [f]
///   [ H  0  ] [lambda] = [c]        G, H of one pattern
///
/// The whole matrix is factored: it is not symmetric, so that nothing can be eliminated by Cholesky
/// factors.

#include <algorithm>
#include <memory>
#include <span>
#include <vector>

#include "kardan/linalg/linear_solver.h"
#include "kardan/linalg/sparse.h"

namespace kardan {

class TwoPointSolver {
 public:
  /// Makes the patterns, once.
  void prepare(const SparseMatrix& M, const SparseMatrix& G) {
    if (solver_ && mass_ == M.pattern && rows_ == G.pattern) return;
    mass_ = M.pattern;
    rows_ = G.pattern;
    n_ = mass_->rows;
    m_ = rows_->rows;
    PatternBuilder builder(n_ + m_, n_ + m_);
    each(*mass_, [&](int i, int j) { builder.add(i, j); });
    each(*rows_, [&](int i, int j) {
      builder.add(n_ + i, j);
      builder.add(j, n_ + i);
    });
    const auto pattern = builder.build();
    M_.clear(), G_.clear(), H_.clear();
    each(*mass_, [&](int i, int j) { M_.push_back(pattern->find(i, j)); });
    each(*rows_, [&](int i, int j) {
      H_.push_back(pattern->find(n_ + i, j));
      G_.push_back(pattern->find(j, n_ + i));
    });
    values_.assign(pattern->nonzeros(), 0.0);
    solver_ = std::make_unique<LinearSolver>(pattern);
  }
  /// Takes M and G, for any number of H.
  void load(const SparseMatrix& M, const SparseMatrix& G) {
    std::fill(values_.begin(), values_.end(), 0.0);
    for (std::size_t k = 0; k < M_.size(); ++k) values_[M_[k]] += M.values[k];
    for (std::size_t k = 0; k < G_.size(); ++k) values_[G_[k]] += G.values[k];
  }
  [[nodiscard]] Eval factor(const SparseMatrix& H) {
    for (std::size_t k = 0; k < H_.size(); ++k) values_[H_[k]] = H.values[k];
    return solver_->factor(values_);
  }
  void solve(std::span<double> x) { solver_->solve(x); }

 private:
  template <class Use>
  static void each(const SparsePattern& p, Use&& use) {
    for (int i = 0; i < p.rows; ++i)
      for (int k = p.row_start[i]; k < p.row_start[i + 1]; ++k) use(i, p.column[k]);
  }
  std::shared_ptr<const SparsePattern> mass_, rows_;
  int n_ = 0, m_ = 0;
  std::unique_ptr<LinearSolver> solver_;
  std::vector<int> M_, G_, H_;
  Vector values_;
};

}  // namespace kardan
