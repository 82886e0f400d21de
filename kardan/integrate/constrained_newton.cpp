#include "kardan/integrate/constrained_newton.h"

#include <algorithm>
#include <cmath>

namespace kardan {
namespace {

void add_pattern(const SparsePattern& p, int row, int column, PatternBuilder& builder) {
  for (int i = 0; i < p.rows; ++i)
    for (int k = p.row_start[i]; k < p.row_start[i + 1]; ++k)
      builder.add(row + i, column + p.column[k]);
}

std::vector<int> places(const SparsePattern& p, int row, int column, const SparsePattern& all) {
  std::vector<int> out;
  for (int i = 0; i < p.rows; ++i)
    for (int k = p.row_start[i]; k < p.row_start[i + 1]; ++k)
      out.push_back(all.find(row + i, column + p.column[k]));
  return out;
}

}  // namespace

void ConstrainedNewton::begin(ConstrainedProblem& problem) {
  const auto& rows = problem.base_motion().G.pattern;
  if (rows_ == rows) return;
  rows_ = rows;
  solver_.reset();
}

void ConstrainedNewton::make_pattern(const ConstrainedProblem& problem) {
  const Motion& m = problem.motion();
  n_ = problem.second_order();
  m_ = problem.rows();
  first_ = problem.first_order();
  auxiliary_ = problem.auxiliary();
  const int aux = n_ + m_, total = aux + first_ + auxiliary_;
  PatternBuilder builder(total, total);
  add_pattern(*m.M.pattern, 0, 0, builder);
  add_pattern(*m.f_p.pattern, 0, 0, builder);
  add_pattern(*m.G.pattern, n_, 0, builder);
  const SparsePattern& G = *m.G.pattern;
  for (int i = 0; i < m_; ++i)
    for (int k = G.row_start[i]; k < G.row_start[i + 1]; ++k) builder.add(G.column[k], n_ + i);
  add_pattern(*m.aux_p.pattern, aux, 0, builder);
  add_pattern(*m.force_aux.pattern, 0, aux, builder);
  add_pattern(*m.aux_aux.pattern, aux, aux, builder);
  for (int i = 0; i < total; ++i) builder.add(i, i);
  pattern_ = builder.build();
  mass_ = places(*m.M.pattern, 0, 0, *pattern_);
  force_ = places(*m.f_p.pattern, 0, 0, *pattern_);
  G_ = places(G, n_, 0, *pattern_);
  Gt_.clear();
  for (int i = 0; i < m_; ++i)
    for (int k = G.row_start[i]; k < G.row_start[i + 1]; ++k)
      Gt_.push_back(pattern_->find(G.column[k], n_ + i));
  aux_ = places(*m.aux_p.pattern, aux, 0, *pattern_);
  force_aux_ = places(*m.force_aux.pattern, 0, aux, *pattern_);
  aux_aux_ = places(*m.aux_aux.pattern, aux, aux, *pattern_);
  z_diagonal_.clear();
  for (int i = 0; i < first_; ++i) z_diagonal_.push_back(pattern_->find(aux + i, aux + i));
  values_.resize(pattern_->nonzeros());
  step_.resize(total);
  solver_ = std::make_unique<LinearSolver>(pattern_);
}

Eval ConstrainedNewton::factor(ConstrainedProblem& problem, const Vector& x, const Vector& rate,
                               const Vector& lambda, const StepWeights& weights,
                               ConstraintLevel level) {
  if (Eval e = problem.differentiate(rate, lambda); e != Eval::ok) return e;
  if (!solver_) make_pattern(problem);
  const Motion& m = problem.motion();
  chart_G_ = m.G;
  chart_f_p_ = m.f_p;
  chart_aux_p_ = m.aux_p;
  problem.chart_columns(x, chart_f_p_);
  problem.chart_columns(x, chart_aux_p_);
  if (level == ConstraintLevel::positions) {
    problem.chart_columns(x, chart_G_);
    const SparsePattern& p = *m.G.pattern;
    std::copy(m.G.values.begin() + p.row_start[problem.holonomic()], m.G.values.end(),
              chart_G_.values.begin() + p.row_start[problem.holonomic()]);
  }
  assemble(m, weights);
  return solver_->factor(values_);
}

void ConstrainedNewton::assemble(const Motion& m, const StepWeights& weights) {
  const auto& [b, c, h] = weights;
  std::fill(values_.begin(), values_.end(), 0.0);
  for (std::size_t k = 0; k < mass_.size(); ++k) values_[mass_[k]] += m.M.values[k];
  for (std::size_t k = 0; k < force_.size(); ++k)
    values_[force_[k]] -= b * chart_f_p_.values[k] + c * m.f_v.values[k];
  for (std::size_t k = 0; k < G_.size(); ++k) {
    values_[G_[k]] = chart_G_.values[k];
    values_[Gt_[k]] = m.G.values[k];
  }
  for (std::size_t k = 0; k < force_aux_.size(); ++k)
    values_[force_aux_[k]] -= m.force_aux.values[k];
  // Rows of z: z - h/2 b; rows of w: d.
  auto factor = [&, half = h / 2](int row) { return row < first_ ? -half : 1.0; };
  const SparsePattern &p = *m.aux_p.pattern, &q = *m.aux_aux.pattern;
  for (int i = 0; i < p.rows; ++i)
    for (int k = p.row_start[i]; k < p.row_start[i + 1]; ++k)
      values_[aux_[k]] += factor(i) * (b * chart_aux_p_.values[k] + c * m.aux_v.values[k]);
  for (int i = 0; i < q.rows; ++i)
    for (int k = q.row_start[i]; k < q.row_start[i + 1]; ++k)
      values_[aux_aux_[k]] += factor(i) * m.aux_aux.values[k];
  for (int place : z_diagonal_) values_[place] += 1;
}

Eval ConstrainedNewton::improve(ConstrainedProblem& problem, const StepWeights& weights,
                                ConstraintLevel level, const Vector& residual_z, Vector& rate,
                                Vector& lambda, Vector& z, Vector& shift) {
  const Motion& m = problem.motion();
  const auto force = std::span<double>(step_).first(n_);
  std::copy(m.f.begin(), m.f.end(), force.begin());
  m.M.multiply_add(-1, rate, force);
  m.G.multiply_transposed_add(-1, lambda, force);
  const bool both = level == ConstraintLevel::positions_and_velocities;
  for (int i = 0; i < m_; ++i) {
    const bool position = i < problem.holonomic() && !both;
    step_[n_ + i] = position ? -m.g[i] / weights.position : -m.rate[i] / weights.velocity;
  }
  for (int i = 0; i < first_; ++i) step_[n_ + m_ + i] = -residual_z[i];
  std::fill(step_.end() - auxiliary_, step_.end(), 0.0);
  solver_->solve(step_);
  for (int i = 0; i < n_; ++i) rate[i] += step_[i];
  for (int i = 0; i < m_; ++i) lambda[i] += step_[n_ + i];
  for (int i = 0; i < first_; ++i) z[i] += step_[n_ + m_ + i];
  shift_step_.assign(n_, 0.0);
  if (!both) return Eval::ok;
  // What is left of g moves the positions, nearest in the mass metric: M s + G' eta = 0, G s = -g.
  if (Eval e = problem.factor(); e != Eval::ok) return e;
  row_.assign(m_, 0.0);
  m.G.multiply(std::span<const double>(step_).first(n_), row_);
  for (int i = 0; i < m_; ++i)
    row_[i] = i < problem.holonomic() ? -m.g[i] - weights.position * row_[i] : 0.0;
  problem.solve(ConstrainedProblem::Place::stage, shift_step_, row_);
  add_scaled(1, shift_step_, shift);
  return Eval::ok;
}

void ConstrainedNewton::filter(const ConstrainedProblem& problem, Vector& change) {
  const Motion& motion = problem.motion();
  std::fill(step_.begin(), step_.end(), 0.0);
  motion.M.multiply(change, std::span<double>(step_).first(n_));
  if (problem.holonomic() < m_) {
    motion.G.multiply(change, std::span<double>(step_).subspan(n_, m_));
    std::fill_n(step_.begin() + n_, problem.holonomic(), 0.0);
  }
  solver_->solve(step_);
  std::copy_n(step_.begin(), n_, change.begin());
}

double ConstrainedNewton::step_size(const StepWeights& weights, const Local& scale) const {
  double largest = 0;
  for (int i = 0; i < n_; ++i) {
    const double x = weights.position * step_[i] + shift_step_[i], v = weights.velocity * step_[i];
    largest = std::max({largest, std::abs(x) * scale.x[i], std::abs(v) * scale.u[i]});
  }
  for (int i = 0; i < first_; ++i)
    largest = std::max(largest, std::abs(step_[n_ + m_ + i]) * scale.z[i]);
  return all_finite(step_) && all_finite(shift_step_) ? largest : std::nan("");
}

}  // namespace kardan
