#include "kardan/formulation/state_space.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "kardan/base/rotation.h"
#include "kardan/formulation/analysis.h"
#include "kardan/formulation/assembly.h"

namespace kardan {
namespace {

/// Positions are solved until this scaled residual; below it round-off of large models begins.
constexpr double position_tolerance = 2e-14;
constexpr int max_position_iterations = 12;
/// A residual that falls by less than this deserves new factors: they cost about as much as three
/// iterations, and 14 digits at this rate take as many again.
constexpr double slow_contraction = 0.05;
/// Rows left out as redundant must hold by themselves to this scaled residual; far above what the
/// position tolerance leaves, at what the certificate promises.
constexpr double redundant_tolerance = 1e-10;
/// Up to so many free directions the accelerations are solved on them; their mass matrix is dense.
constexpr int most_reduced = 48;
/// The partition is kept while the dependent directions grow by less than this.
constexpr double partition_growth = 1.25;

bool same_point(const State& a, const State& b) {
  return a.t == b.t && a.p == b.p && a.v == b.v && a.r == b.r && a.modes == b.modes;
}

}  // namespace

StateSpace::StateSpace(const System& system)
    : system_(system),
      ws_(system.make_workspace()),
      q_(system.sizes().v),
      dq_(system.sizes().v),
      ddq_(system.sizes().v),
      a_(system.sizes().v),
      lambda_(system.sizes().constraints()),
      step_(system.sizes().v) {
  chart_G_.resize(system.patterns().constraint->nonzeros());
}

Eval StateSpace::choose_partition() {
  const RowDependencies found = constraint_dependencies(system_, base_, *ws_);
  if (found.eval != Eval::ok) return found.eval;
  rows_ = found.independent;
  const int n = system_.sizes().v;
  // Columns in the model's units, so that the choice does not depend on them; less weight for
  // bodies with many constraints: their coordinates stay free, and the dependent ones fall apart
  // into small blocks.
  Matrix G(static_cast<int>(rows_.size()), n);
  const SparsePattern& p = *ws_->G.pattern;
  Vector weight(n, 0.0);
  for (int row : rows_)
    for (int k = p.row_start[row]; k < p.row_start[row + 1]; ++k) weight[p.column[k]] += 1;
  for (int j = 0; j < n; ++j) weight[j] = column_scale(system_, j) / std::max(weight[j], 1.0);
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    double square = 0;
    for (int k = p.row_start[rows_[i]]; k < p.row_start[rows_[i] + 1]; ++k) {
      const double v = ws_->G.values[k] * column_scale(system_, p.column[k]);
      square += v * v;
    }
    for (int k = p.row_start[rows_[i]]; k < p.row_start[rows_[i] + 1]; ++k)
      G(static_cast<int>(i), p.column[k]) =
          ws_->G.values[k] * weight[p.column[k]] / std::sqrt(square);
  }
  PivotedQr qr;
  if (Eval e = qr.factor(G); e != Eval::ok) return e;
  if (qr.rank() != static_cast<int>(rows_.size())) return Eval::recoverable;
  dependent_.assign(qr.column_permutation().begin(), qr.column_permutation().begin() + qr.rank());
  std::sort(dependent_.begin(), dependent_.end());
  independent_.clear();
  for (int j = 0; j < n; ++j)
    if (!std::binary_search(dependent_.begin(), dependent_.end(), j)) independent_.push_back(j);
  prepare_dependent_solver();
  ++partitions_;
  fresh_norm_ = 0;
  return Eval::ok;
}

void StateSpace::prepare_dependent_solver() {
  const SparsePattern& p = *system_.patterns().constraint;
  const SparsePattern& mass = *system_.patterns().mass;
  const int m = static_cast<int>(rows_.size()), n = system_.sizes().v;
  std::vector<int> place(n, -1);
  for (int k = 0; k < m; ++k) place[dependent_[k]] = k;
  SparsePattern d;
  d.rows = d.cols = m;
  dependent_slot_.clear();
  PatternBuilder builder(n + m, n + m);
  for (int i = 0; i < n; ++i)
    for (int k = mass.row_start[i]; k < mass.row_start[i + 1]; ++k) builder.add(i, mass.column[k]);
  for (int i = 0; i < m; ++i) {
    for (int k = p.row_start[rows_[i]]; k < p.row_start[rows_[i] + 1]; ++k) {
      builder.add(n + i, p.column[k]);
      builder.add(p.column[k], n + i);
      if (place[p.column[k]] < 0) continue;
      d.column.push_back(place[p.column[k]]);
      dependent_slot_.push_back(k);
    }
    builder.add(n + i, n + i);
    d.row_start.push_back(static_cast<int>(d.column.size()));
  }
  dependent_pattern_ = std::make_shared<const SparsePattern>(std::move(d));
  reduced_ = n - m <= most_reduced;
  saddle_pattern_ = builder.build();
  saddle_M_.clear();
  saddle_G_.clear();
  saddle_Gt_.clear();
  saddle_from_.clear();
  for (int i = 0; i < n; ++i)
    for (int k = mass.row_start[i]; k < mass.row_start[i + 1]; ++k)
      saddle_M_.push_back(saddle_pattern_->find(i, mass.column[k]));
  for (int i = 0; i < m; ++i)
    for (int k = p.row_start[rows_[i]]; k < p.row_start[rows_[i] + 1]; ++k) {
      saddle_from_.push_back(k);
      saddle_G_.push_back(saddle_pattern_->find(n + i, p.column[k]));
      saddle_Gt_.push_back(saddle_pattern_->find(p.column[k], n + i));
    }
  dependent_values_.resize(dependent_slot_.size());
  saddle_values_.assign(saddle_pattern_->nonzeros(), 0.0);
  at_base_ = std::make_unique<LinearSolver>(dependent_pattern_);
  at_point_ = std::make_unique<LinearSolver>(dependent_pattern_);
  near_ = std::make_unique<LinearSolver>(dependent_pattern_);
  saddle_ = std::make_unique<LinearSolver>(saddle_pattern_);
  saddle_x_.resize(n + m);
  small_.resize(m);
  g_d_.resize(m);
}

/// G_d from the chart columns at the point evaluated last.
Eval StateSpace::factor_dependent(LinearSolver& solver) {
  for (std::size_t k = 0; k < dependent_slot_.size(); ++k)
    dependent_values_[k] = chart_G_[dependent_slot_[k]];
  return solver.factor(dependent_values_);
}

/// Columns of G by chart coordinates: rotation columns times T(theta).
void StateSpace::chart_columns() {
  std::copy(ws_->G.values.begin(), ws_->G.values.end(), chart_G_.begin());
  if (system_.dimension() == 2) return;
  const SparsePattern& p = *ws_->G.pattern;
  for (int row : rows_) {
    int k = p.row_start[row];
    for (int body : system_.row_bodies()[row]) {
      const BodyLayout& b = system_.bodies()[body];
      if (b.v_count > 3) {
        const Vec3d theta{q_[b.v + 3], q_[b.v + 4], q_[b.v + 5]};
        double* g = chart_G_.data() + k + 3;
        const Vec3d turned = transposed_times(rotation_rate_map(theta), Vec3d{g[0], g[1], g[2]});
        for (int c = 0; c < 3; ++c) g[c] = turned[c];
      }
      k += b.v_count;
    }
  }
}

void StateSpace::velocity_from_chart(const Vector& q, const Vector& dq, Vector& v) const {
  std::copy(dq.begin(), dq.end(), v.begin());
  if (system_.dimension() == 2) return;
  for (std::size_t b = 1; b < system_.bodies().size(); ++b) {
    const int i = system_.bodies()[b].v + 3;
    if (system_.bodies()[b].v_count <= 3) continue;
    const Vec3d w =
        rotation_rate_map({q[i], q[i + 1], q[i + 2]}) * Vec3d{dq[i], dq[i + 1], dq[i + 2]};
    for (int c = 0; c < 3; ++c) v[i + c] = w[c];
  }
}

void StateSpace::acceleration_to_chart(const Vector& q, const Vector& dq, const Vector& a,
                                       Vector& ddq) const {
  std::copy(a.begin(), a.end(), ddq.begin());
  if (system_.dimension() == 2) return;
  for (std::size_t b = 1; b < system_.bodies().size(); ++b) {
    const int i = system_.bodies()[b].v + 3;
    if (system_.bodies()[b].v_count <= 3) continue;
    const Vec3d theta{q[i], q[i + 1], q[i + 2]}, rate{dq[i], dq[i + 1], dq[i + 2]};
    const Vec3d rest = Vec3d{a[i], a[i + 1], a[i + 2]} - rotation_rate_map_rate(theta, rate) * rate;
    const Vec3d d = rotation_rate_map_inverse(theta) * rest;
    for (int c = 0; c < 3; ++c) ddq[i + c] = d[c];
  }
}

Eval StateSpace::dependent_positions(double t, const Vector& x) {
  at_base_values_ = at_point_values_ = at_end_ = false;
  point_.t = t;
  for (std::size_t i = 0; i < independent_.size(); ++i) q_[independent_[i]] = x[i];
  // First guess: along the tangent at the base, or at the accepted point nearby.
  const int m = static_cast<int>(rows_.size());
  for (int k = 0; k < m; ++k) {
    const double* row = near_directions().row(dependent_[k]);
    double sum = near_base_ ? H_t_[k] * (t - base_.t)
                            : near_q_[dependent_[k]] + near_H_t_[k] * (t - near_t_);
    for (std::size_t i = 0; i < x.size(); ++i)
      sum += row[i] * (near_base_ ? x[i] : x[i] - near_q_[independent_[i]]);
    q_[dependent_[k]] = sum;
  }
  double last = 0;
  LinearSolver* factors = near_base_ ? at_base_.get() : near_.get();
  for (int iteration = 0; iteration < max_position_iterations; ++iteration) {
    if (!all_finite(q_)) break;
    system_.retract(base_.p, q_, point_.p);
    follow(point_);
    if (Eval e = system_.evaluate(point_, {.position = true}, *ws_); e != Eval::ok) return e;
    double size = 0;
    int worst = 0;
    for (int k = 0; k < m; ++k) {
      g_d_[k] = ws_->g[rows_[k]];
      const double s = std::abs(scaled_residual(system_, rows_[k], 0, g_d_[k]));
      if (s > size) {
        size = s;
        worst = rows_[k];
      }
    }
    if (size < position_tolerance) return Eval::ok;
    if (iteration > 2 && size > 0.9 * last) {
      if (size < 100 * position_tolerance) return Eval::ok;  // round-off of the model
      culprit_ = system_.row_name(worst);
      return Eval::recoverable;
    }
    // The factors of the base serve while they converge fast; far from it Newton's own are needed.
    if (iteration > 0 && size > slow_contraction * last) {
      if (Eval e = system_.evaluate(point_, {.velocity = true}, *ws_); e != Eval::ok) return e;
      chart_columns();
      if (Eval e = factor_dependent(*at_point_); e != Eval::ok) {
        culprit_ = system_.row_name(worst);
        return e;
      }
      factors = at_point_.get();
    }
    last = size;
    factors->solve(g_d_);
    for (int k = 0; k < m; ++k) q_[dependent_[k]] -= g_d_[k];
  }
  culprit_ = "the closing of the constraints";
  return last < 1e-12 ? Eval::ok : Eval::recoverable;
}

Eval StateSpace::dependent_velocities(const Vector& u) {
  for (std::size_t i = 0; i < independent_.size(); ++i) dq_[independent_[i]] = u[i];
  if (rows_.empty()) {
    if (reduced_) expand(*at_point_, point_B_, point_H_t_);
    velocity_from_chart(q_, dq_, point_.v);
    return Eval::ok;
  }
  if (Eval e = system_.evaluate(point_, {.velocity = true}, *ws_); e != Eval::ok) return e;
  chart_columns();
  if (Eval e = factor_dependent(*at_point_); e != Eval::ok) return e;
  if (reduced_) {
    expand(*at_point_, point_B_, point_H_t_);
    for (std::size_t k = 0; k < dependent_.size(); ++k)
      dq_[dependent_[k]] = point_H_t_[k] + dot({point_B_.row(dependent_[k]), u.size()}, u);
    velocity_from_chart(q_, dq_, point_.v);
    return Eval::ok;
  }
  const SparsePattern& p = *ws_->G.pattern;
  for (int k : dependent_) dq_[k] = 0;
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    double sum = ws_->g_t[rows_[i]];
    for (int k = p.row_start[rows_[i]]; k < p.row_start[rows_[i] + 1]; ++k)
      sum += chart_G_[k] * dq_[p.column[k]];
    g_d_[i] = -sum;
  }
  at_point_->solve(g_d_);
  for (std::size_t i = 0; i < dependent_.size(); ++i) dq_[dependent_[i]] = g_d_[i];
  velocity_from_chart(q_, dq_, point_.v);
  return Eval::ok;
}

/// Everything at `state` (its w is solved for).
Eval StateSpace::evaluate_forces(State& state) {
  Eval evaluated = auxiliaries_.solve(system_, state, *ws_);
  if (evaluated == Eval::ok) evaluated = system_.evaluate(state, Request::all(), *ws_);
  if (evaluated != Eval::ok) blame(state);
  return evaluated;
}

/// Names the force or the constraint that is not finite at `state`.
void StateSpace::blame(const State& state) {
  const auto& elements = system_.blueprint().elements;
  Vector forces(elements.size());
  system_.element_forces(state, forces, *ws_);
  for (std::size_t i = 0; i < elements.size(); ++i)
    if (!std::isfinite(forces[i])) {
      culprit_ = fmt::format("'{}': its force is not finite", elements[i].name);
      return;
    }
  for (int row : rows_)
    if (!std::isfinite(ws_->g[row]) || !std::isfinite(ws_->gamma[row])) {
      culprit_ = fmt::format("'{}', which is not finite", system_.row_name(row));
      return;
    }
  culprit_ = "a force that is not finite";
}

/// Rows left out as redundant follow from the others, unless they contradict them by now.
Eval StateSpace::check_redundant_rows() {
  if (static_cast<int>(rows_.size()) == system_.sizes().constraints()) return Eval::ok;
  for (int row = 0; row < system_.sizes().constraints(); ++row) {
    if (std::abs(scaled_residual(system_, row, 0, ws_->g[row])) < redundant_tolerance &&
        std::abs(scaled_residual(system_, row, 1, ws_->rate[row])) < redundant_tolerance)
      continue;
    culprit_ = fmt::format("'{}': it contradicts the other constraints", system_.row_name(row));
    return Eval::recoverable;
  }
  return Eval::ok;
}

Eval StateSpace::evaluate(double t, const Local& y, LocalRate& out) {
  if (Eval e = dependent_positions(t, y.x); e != Eval::ok) return e;
  if (Eval e = dependent_velocities(y.u); e != Eval::ok) return e;
  point_.r = y.z;
  if (Eval e = evaluate_forces(point_); e != Eval::ok) return e;
  if (reduced_) {
    if (Eval e = reduced_accelerations(*at_point_, point_B_); e != Eval::ok) return e;
  } else {
    if (Eval e = saddle_accelerations(); e != Eval::ok) return e;
    acceleration_to_chart(q_, dq_, a_, ddq_);
  }
  for (std::size_t i = 0; i < independent_.size(); ++i) out.a[i] = ddq_[independent_[i]];
  std::copy(ws_->b.begin(), ws_->b.end(), out.b.begin());
  last_y_ = y;
  at_point_values_ = true;
  return Eval::ok;
}

Eval StateSpace::rate(double t, const Local& y, LocalRate& out) {
  out.resize(second(), first());
  return evaluate(t, y, out);
}

Eval StateSpace::rebase(const State& state) {
  has_past_ = has_base_ && state.t > base_.t && state.modes == base_.modes;
  if (has_past_) {
    std::swap(past_, base_);
    std::swap(past_a_, base_a_);
    past_b_ = base_rate_.b;
  }
  has_base_ = false;
  near_base_ = true;
  base_ = state;
  // The end of the step before: its accelerations hold here too, and mostly the whole evaluation.
  const bool known = has_end_ && same_point(end_, state);
  const bool evaluated = known && at_end_ && at_point_values_;
  has_end_ = false;
  point_ = state;
  at_point_values_ = at_end_ = false;
  std::fill(q_.begin(), q_.end(), 0.0);
  dq_ = state.v;
  if (system_.sizes().mu > 0) {
    culprit_ = "nonholonomic constraints";
    return Eval::fatal;
  }
  const bool fresh = partitions_ == 0;
  if (fresh)
    if (Eval e = choose_partition(); e != Eval::ok) return e;
  if (!evaluated)
    if (Eval e = evaluate_forces(base_); e != Eval::ok) return e;
  if (!directions_at_base()) {
    if (Eval e = choose_partition(); e != Eval::ok) return e;
    if (Eval e = evaluate_forces(base_); e != Eval::ok) return e;
    if (!directions_at_base()) return Eval::recoverable;
  }
  if (known) {
    a_ = end_a_;
    lambda_ = end_lambda_;
  } else {
    const Eval solved = reduced_ ? reduced_accelerations(*at_base_, B_) : saddle_accelerations();
    if (solved != Eval::ok) return solved;
    if (reduced_) reduced_multipliers(*at_base_);
  }
  base_a_ = a_;
  base_lambda_ = lambda_;
  const int n = second();
  base_y_.resize(n, first());
  base_rate_.resize(n, first());
  for (int i = 0; i < n; ++i) {
    base_y_.x[i] = 0;
    base_y_.u[i] = base_.v[independent_[i]];
    base_rate_.a[i] = a_[independent_[i]];
  }
  base_y_.z = base_.r;
  base_rate_.b = ws_->b;
  at_base_values_ = has_base_ = true;
  return Eval::ok;
}

/// Free directions at the base; false when the partition does not suit it any more.
bool StateSpace::directions_at_base() {
  chart_columns();
  if (factor_dependent(*at_base_) != Eval::ok) return false;
  expand(*at_base_, B_, H_t_);
  const double size = norm_max(B_.values());
  if (fresh_norm_ == 0) fresh_norm_ = std::max(size, 1.0);
  return size <= partition_growth * fresh_norm_;
}

/// B = [H; I] and H_t from the chart columns at the point evaluated last.
void StateSpace::expand(LinearSolver& dependent, Matrix& B, Vector& H_t) {
  const int n = second(), m = static_cast<int>(rows_.size());
  B.resize(system_.sizes().v, n);
  B.set_zero();
  for (int i = 0; i < n; ++i) B(independent_[i], i) = 1;
  H_t.assign(m, 0.0);
  if (m == 0) return;
  std::vector<int>& place = saddle_place_;
  place.assign(system_.sizes().v, -1);
  for (int i = 0; i < n; ++i) place[independent_[i]] = i;
  W1_.resize(m, n + 1);
  W1_.set_zero();
  const SparsePattern& p = *ws_->G.pattern;
  for (int i = 0; i < m; ++i) {
    for (int k = p.row_start[rows_[i]]; k < p.row_start[rows_[i] + 1]; ++k)
      if (place[p.column[k]] >= 0) W1_(i, place[p.column[k]]) = -chart_G_[k];
    W1_(i, n) = -ws_->g_t[rows_[i]];
  }
  dependent.solve(W1_);
  for (int k = 0; k < m; ++k) {
    std::copy_n(W1_.row(k), n, B.row(dependent_[k]));
    H_t[k] = W1_(k, n);
  }
}

Eval StateSpace::finish(double t, const Local& y, State& state, ChartPoint& point) {
  LocalRate& rate = end_rate_;
  rate.resize(second(), first());
  if (Eval e = evaluate(t, y, rate); e != Eval::ok) return e;
  if (Eval e = check_redundant_rows(); e != Eval::ok) return e;
  if (reduced_) reduced_multipliers(*at_point_);
  state = point_;
  point.t = t;
  point.q = q_;
  point.dq = dq_;
  point.ddq = ddq_;
  point.z = y.z;
  point.dz = rate.b;
  at_end_ = has_end_ = true;
  end_ = point_;
  end_a_ = a_;
  end_lambda_ = lambda_;
  return Eval::ok;
}

void StateSpace::base_point(ChartPoint& point) const {
  point.t = base_.t;
  point.q.assign(system_.sizes().v, 0.0);
  point.dq = base_.v;
  point.ddq = base_a_;  // at the base T = I and its rate does not act on q'
  point.z = base_.r;
  point.dz = base_rate_.b;
}

Eval StateSpace::state_at(const ChartPoint& point, Consistency consistency, State& state) {
  state = base_;
  state.t = point.t;
  state.r = point.z;
  if (consistency == Consistency::as_interpolated) {
    system_.retract(base_.p, point.q, state.p);
    velocity_from_chart(point.q, point.dq, state.v);
    follow(state);
    if (!state.w.empty()) at_base_values_ = at_point_values_ = false;
    return auxiliaries_.solve(system_, state, *ws_);
  }
  Local& y = grid_y_;
  y.resize(second(), first());
  for (int i = 0; i < second(); ++i) {
    y.x[i] = point.q[independent_[i]];
    y.u[i] = point.dq[independent_[i]];
  }
  point_.modes = base_.modes;
  if (Eval e = dependent_positions(point.t, y.x); e != Eval::ok) return e;
  if (Eval e = dependent_velocities(y.u); e != Eval::ok) return e;
  state.p = point_.p;
  state.v = point_.v;
  state.turns = point_.turns;
  state.s = point_.s;
  return auxiliaries_.solve(system_, state, *ws_);
}

void StateSpace::event_functions(const State& state, std::span<double> z) {
  system_.events(state, z, *ws_);
}

void StateSpace::switch_modes(const State& after, State& state) {
  State probe = after;
  system_.choose_modes(probe, *ws_);
  state.modes = probe.modes;
}

Formulation state_space() {
  return {.name = "state_space",
          .summary = "independent coordinates by partitioning, in the chart of the step",
          .source = "Wehage, Haug 1982; Sandu, Negrut, Haug, Potra, Sandu 2001",
          .refuse =
              [](const System& system, Diagnostics& diagnostics) {
                if (system.sizes().mu > 0)
                  diagnostics.error("formulation.nonholonomic",
                                    "'state_space' cannot treat nonholonomic constraints", {},
                                    "no formulation of this version can; `kardan check` and "
                                    "`assemble` do");
                if (system.sizes().multiplier_forces)
                  diagnostics.error("formulation.multiplier_forces",
                                    "'state_space' cannot treat forces that depend on multipliers");
              },
          .make = [](const System& system, const OptionValues&) -> std::unique_ptr<ChartProblem> {
            return std::make_unique<StateSpace>(system);
          }};
}

}  // namespace kardan
