#pragma once
/// The equations of static balance of one compiled system, for Newton's method.

#include <algorithm>
#include <cmath>
#include <memory>

#include "kardan/formulation/residuals.h"
#include "kardan/linalg/linear_solver.h"
#include "kardan/system/system.h"

namespace kardan {

/// Unknowns of the balance at one iterate.
struct Iterate {
  State state;
  Vector lambda;
  Vector theta;  // parameters to be found
};

/// The balance equations of one compiled system: residuals and the Newton matrix
///   [ sigma M - K   G'   -f_aux  ]      K = f_p - (G' lambda)_p
///   [ G            -mu     0     ]
///   [ aux_p         0    aux_aux ]
class Balance {
 public:
  explicit Balance(const System& system)
      : system_(&system),
        n_(system.sizes().v),
        m_(system.sizes().constraints()),
        aux_(system.sizes().r + system.sizes().w),
        ws_(system.make_workspace()),
        pattern_(make_pattern(system)),
        solver_(pattern_),
        values_(pattern_->nonzeros()),
        residual_(size()) {}

  /// Goes on with another system of the same layout: the places of its numbers and the order of its
  /// pivots are known.
  void follow(const System& system) {
    system_ = &system;
    ws_->constants_of = nullptr;
  }

  /// The next matrix chooses the order of its pivots anew.
  void forget_pivots() { solver_.forget_pivots(); }

  int size() const { return n_ + m_ + aux_; }
  Workspace& workspace() { return *ws_; }
  const Vector& residual() const { return residual_; }

  /// (f - G' lambda; -g; -(b, d)) at an iterate. Nonholonomic rows are conditions on velocities:
  /// their multipliers are found, their equation is that of the multiplier itself (mu free).
  Eval evaluate(const Iterate& at) { return evaluate_on(*system_, at, residual_); }

  Eval evaluate_on(const System& system, const Iterate& at, Vector& out) {
    // A system may stand where another one stood.
    if (&system != system_) ws_->constants_of = nullptr;
    if (Eval e = system.evaluate(at.state, {true, true, false, true}, *ws_); e != Eval::ok)
      return e;
    out.assign(size(), 0.0);
    std::copy(ws_->f.begin(), ws_->f.end(), out.begin());
    ws_->G.multiply_transposed_add(-1, at.lambda, std::span<double>(out.data(), n_));
    for (int i = 0; i < system.sizes().lambda; ++i) out[n_ + i] = -ws_->g[i];
    for (int i = 0; i < system.sizes().r; ++i) out[n_ + m_ + i] = -ws_->b[i];
    for (int i = 0; i < system.sizes().w; ++i) out[n_ + m_ + system.sizes().r + i] = -ws_->d[i];
    return Eval::ok;
  }

  /// Factors the Newton matrix at the iterate that was evaluated last. `sigma` in units of the
  /// largest stiffness over the mean mass.
  Eval factor(const Iterate& at, double sigma) {
    const Vector rest(n_, 0.0);
    if (Eval e = system_->differentiate(at.state, rest, at.lambda, *ws_); e != Eval::ok) return e;
    stiffness_ = largest_stiffness();
    const double weight = sigma * stiffness_;
    std::fill(values_.begin(), values_.end(), 0.0);
    each(ws_->f_p, 0, 0, [&](int slot, double v) { values_[slot] -= v; });
    each(ws_->M, 0, 0,
         [&](int slot, double v) { values_[slot] += weight / system_->scales().mass * v; });
    // Rows of constraints are scaled to the size of a stiffness, so that mu is relative.
    row_scale_ = std::sqrt(stiffness_);
    const SparsePattern& p = *ws_->G.pattern;
    for (int i = 0; i < m_; ++i)
      for (int k = p.row_start[i]; k < p.row_start[i + 1]; ++k) {
        const bool holonomic = i < system_->sizes().lambda;
        const double v = row_scale_ * ws_->G.values[k];
        if (holonomic) values_[pattern_->find(n_ + i, p.column[k])] = v;
        values_[pattern_->find(p.column[k], n_ + i)] = v;
      }
    for (int i = 0; i < m_; ++i) values_[pattern_->find(n_ + i, n_ + i)] = -1e-10;
    each(ws_->aux_p, n_ + m_, 0, [&](int slot, double v) { values_[slot] += v; });
    each(ws_->aux_aux, n_ + m_, n_ + m_, [&](int slot, double v) { values_[slot] += v; });
    each(ws_->force_aux, 0, n_ + m_, [&](int slot, double v) { values_[slot] -= v; });
    return solver_.factor(values_);
  }

  /// x := A^-1 x for an unscaled right-hand side (forces; -g; -(b, d)).
  void solve(Vector& x) {
    for (int i = 0; i < m_; ++i) x[n_ + i] *= row_scale_;
    solver_.solve(x);
    for (int i = 0; i < m_; ++i) x[n_ + i] *= row_scale_;
  }

  double stiffness() const { return stiffness_; }

 private:
  static std::shared_ptr<const SparsePattern> make_pattern(const System& system) {
    const int n = system.sizes().v, m = system.sizes().constraints();
    const int total = n + m + system.sizes().r + system.sizes().w;
    PatternBuilder builder(total, total);
    auto add = [&](const SparsePattern& p, int row, int col) {
      for (int i = 0; i < p.rows; ++i)
        for (int k = p.row_start[i]; k < p.row_start[i + 1]; ++k)
          builder.add(row + i, col + p.column[k]);
    };
    const Patterns& p = system.patterns();
    add(*p.force, 0, 0);
    add(*p.mass, 0, 0);
    add(*p.constraint, n, 0);
    for (int i = 0; i < m; ++i)
      for (int k = p.constraint->row_start[i]; k < p.constraint->row_start[i + 1]; ++k)
        builder.add(p.constraint->column[k], n + i);
    add(*p.aux, n + m, 0);
    add(*p.aux_aux, n + m, n + m);
    add(*p.force_aux, 0, n + m);
    for (int i = 0; i < total; ++i) builder.add(i, i);
    return builder.build();
  }

  template <class Use>
  void each(const SparseMatrix& A, int row, int col, Use&& use) const {
    const SparsePattern& p = *A.pattern;
    for (int i = 0; i < p.rows; ++i)
      for (int k = p.row_start[i]; k < p.row_start[i + 1]; ++k)
        use(pattern_->find(row + i, col + p.column[k]), A.values[k]);
  }

  /// Largest translational stiffness, or what gravity makes of the mean mass.
  double largest_stiffness() const {
    const Scales& s = system_->scales();
    double k = s.mass * s.acceleration / s.length;
    const SparsePattern& p = *ws_->f_p.pattern;
    for (int i = 0; i < p.rows; ++i) {
      const double c = column_scale(*system_, i) / s.length;
      k = std::max(k, std::abs(ws_->f_p.values[p.find(i, i)]) * c * c);
    }
    return k;
  }

  const System* system_;
  int n_, m_, aux_;
  std::unique_ptr<Workspace> ws_;
  std::shared_ptr<const SparsePattern> pattern_;
  LinearSolver solver_;
  Vector values_, residual_;
  double stiffness_ = 1, row_scale_ = 1;
};

}  // namespace kardan
