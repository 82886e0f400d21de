/// Descriptor: which constraints count at a state, and states made consistent with them.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "kardan/base/rotation.h"
#include "kardan/formulation/analysis.h"
#include "kardan/formulation/closing.h"
#include "kardan/formulation/culprit.h"
#include "kardan/formulation/descriptor.h"
#include "kardan/formulation/descriptor_matrix.h"
#include "kardan/formulation/residuals.h"

namespace kardan {
namespace {

constexpr int max_closing_iterations = 10;
/// A correction of accelerations, multipliers and w of this relative size is round-off.
constexpr double converged = 1e-13;
constexpr double round_off = 1e-16;
/// A correction of accelerations of this relative size changes no digit that counts.
constexpr double refined = 1e-15;
constexpr int max_invariant_iterations = 8;
constexpr int max_acceleration_iterations = 20;

}  // namespace

/// Whether the step was linearized at the time of the state, where all rows were far from
/// redundant.
bool Descriptor::rows_are_known(const State& state) const {
  return chosen_.partitions > 0 && last_.t == state.t && last_.remainder > singular::safe_row &&
         rank_ == layout_.m && chosen_.rows.rank() == rank_;
}

/// Which constraint rows are redundant at a state, or nearly so.
Eval Descriptor::choose_rows(const State& state, At at, Values values) {
  if (chosen_.partitions > 0 && chosen_.t == state.t && chosen_.p == state.p) return Eval::ok;
  // A closed state is known: the rows were those of the point it was closed from, next to it.
  if (chosen_.partitions > 0 && at == At::consistent && end_.is(state) &&
      chosen_.rows.rank() == rank_ && chosen_.rows.smallest_remainder() > singular::weak_row &&
      rank_ == layout_.m)
    return Eval::ok;
  const bool decide = at == At::consistent, drifts = decide && !form_.project;
  if (values == Values::wanted)
    if (Eval e = evaluate(state, {.position = drifts, .velocity = true}); e != Eval::ok) return e;
  // Redundant rows look independent by as much as positions are off.
  const double tolerance =
      drifts ? std::max(rank_tolerance, drift_share * position_drift()) : rank_tolerance;
  if (Eval e = chosen_.rows.factor(ws_->G, tolerance, decide ? layout_.m : rank_, choice_);
      e != Eval::ok)
    return e;
  if (decide) rank_ = std::max(rank_, chosen_.rows.rank());
  if (decide && chosen_.rows.rank() == rank_) chosen_.rows.keep(ws_->G, choice_);
  if (decide && layout_.m > layout_.holonomic) {
    if (Eval e = position_rows_.factor(ws_->G, tolerance, layout_.holonomic, position_choice_);
        e != Eval::ok)
      return e;
    position_rank_ = std::max(position_rank_, position_rows_.rank());
    if (position_rows_.rank() == position_rank_) position_rows_.keep(ws_->G, position_choice_);
  }
  chosen_.t = state.t;
  chosen_.p = state.p;
  chosen_.remainder = chosen_.rows.smallest_remainder();
  chosen_.old = false;
  bool changed = chosen_.partitions == 0;
  for (int i = 0; i < layout_.m; ++i) {
    const char independent = chosen_.rows.is_independent(i) ? 1 : 0;
    changed = changed || chosen_.active[i] != independent;
    chosen_.active[i] = independent;
    chosen_.strong[i] = chosen_.rows.remainder(i) > singular::weak_row ? 1 : 0;
  }
  if (changed) ++chosen_.partitions;
  return Eval::ok;
}

/// rhs_ := what is left of balance, acceleration rows and d at a_, lambda_.
void Descriptor::unbalance() {
  const DescriptorLayout& at = layout_;
  const auto n = static_cast<std::size_t>(at.n);
  const std::span<double> x = rhs_;
  ws_->M.multiply(a_, x.subspan(0, n));
  ws_->G.multiply_transposed_add(1, lambda_, x.subspan(0, n));
  add_scaled(-1, ws_->f, x.subspan(0, n));
  const std::span<double> rows = x.subspan(n, at.m);
  ws_->G.multiply(a_, rows);
  add_scaled(-1, ws_->gamma, rows);
  for (int i = 0; i < at.m; ++i)
    if (!chosen_.active[i]) rows[i] = lambda_[i];
  std::copy_n(ws_->d.begin(), at.w, rhs_.begin() + at.n + at.m);
}

/// The same at a_ = lambda_ = 0, where M and G do not count.
void Descriptor::unbalance_at_rest() {
  const DescriptorLayout& at = layout_;
  for (int j = 0; j < at.n; ++j) rhs_[j] = -ws_->f[j];
  for (int i = 0; i < at.m; ++i) rhs_[at.n + i] = chosen_.active[i] ? -ws_->gamma[i] : 0;
  std::copy_n(ws_->d.begin(), at.w, rhs_.begin() + at.n + at.m);
}

/// a_ and lambda_ by refinement with the factors of a state next to this one; false where that does
/// not reach the round-off at once.
bool Descriptor::refine_accelerations() {
  constexpr int max_refinements = 4;
  constexpr double near = 1e-4;  // contraction with factors of a neighbour
  const auto n = static_cast<std::size_t>(layout_.n), m = static_cast<std::size_t>(layout_.m);
  const std::span<double> x = rhs_;
  std::fill(a_.begin(), a_.end(), 0.0);
  std::fill(lambda_.begin(), lambda_.end(), 0.0);
  double last = 0;
  for (int i = 0; i < max_refinements; ++i) {
    i == 0 ? unbalance_at_rest() : unbalance();
    chosen_.acceleration.solve(rhs_);
    if (!all_finite(rhs_)) return false;
    add_scaled(-1, x.subspan(0, n), a_);
    add_scaled(-1, x.subspan(n, m), lambda_);
    const double size = std::max(norm_max(x.subspan(0, n)) / (1 + norm_max(a_)),
                                 norm_max(x.subspan(n, m)) / (1 + norm_max(lambda_)));
    if (size <= refined) return true;
    if (i > 0 && size > near * last) return false;
    last = size;
  }
  return false;
}

/// a_, lambda_, w (and State::lambda) at positions and velocities of `state`, starting at what they
/// are. The factors of the acceleration system belong to it afterwards.
Eval Descriptor::solve_accelerations(State& state, Values values) {
  const DescriptorLayout& at = layout_;
  const auto n = static_cast<std::size_t>(at.n);
  const bool nonlinear = at.w > 0 || system_.sizes().multiplier_forces;
  if (!nonlinear) {
    // Whatever was there before leaves no trace in the last digits.
    std::fill(a_.begin(), a_.end(), 0.0);
    std::fill(lambda_.begin(), lambda_.end(), 0.0);
  }
  for (int iteration = 0; iteration < max_acceleration_iterations; ++iteration) {
    if (system_.sizes().multiplier_forces) state.lambda = lambda_;
    if (iteration > 0 || nonlinear || values == Values::wanted)
      if (Eval e = evaluate(state, Request::all()); e != Eval::ok) return e;
    if (nonlinear)
      if (Eval e = system_.differentiate(state, a_, lambda_, *ws_); e != Eval::ok) return e;
    if (Eval e = chosen_.acceleration.factor(motion_values(*ws_), chosen_.active); e != Eval::ok)
      return fail(Diagnosis::accelerations_singular, singular_accelerations, e);
    const std::span<double> x = rhs_, rows = x.subspan(n, at.m);
    unbalance();
    chosen_.acceleration.solve(rhs_);
    if (!all_finite(rhs_)) return Eval::recoverable;
    add_scaled(-1, x.subspan(0, n), a_);
    add_scaled(-1, rows, lambda_);
    double size = 0, scale = 0;
    for (int i = 0; i < at.w; ++i) {
      const double step = rhs_[at.n + at.m + i];
      state.w[i] -= step;
      size = std::max(size, std::abs(step) / (1 + std::abs(state.w[i])));
    }
    if (!nonlinear) return Eval::ok;
    for (double l : lambda_) scale = std::max(scale, std::abs(l));
    for (double step : rows) size = std::max(size, std::abs(step) / (1 + scale));
    if (size < converged) {
      if (system_.sizes().multiplier_forces) state.lambda = lambda_;
      return Eval::ok;
    }
  }
  return fail(Diagnosis::auxiliary_not_solved,
              "the auxiliary variables, or forces that depend on multipliers");
}

/// The largest residuals of positions and velocities, in units of what closed ones may have, and
/// their row.
Descriptor::Openness Descriptor::openness(const std::vector<char>& rows, const State& state) const {
  Openness out;
  const Closing most = closing_at(system_, state);
  for (int i = 0; i < layout_.m; ++i) {
    if (!rows[i]) continue;
    double p = off(system_, *ws_, i, 0), v = off(system_, *ws_, i, 1);
    if (v >= most.velocity && v < largest_rounding &&
        v < velocity_rounding(system_, i, ws_->G, state))
      v = 0;
    p /= most.position;
    v /= most.velocity;
    if (std::max(p, v) > std::max(out.position, out.velocity)) out.worst = i;
    out.position = std::max(out.position, p);
    out.velocity = std::max(out.velocity, v);
  }
  return out;
}

/// Positions onto g = 0 and velocities onto G v + g_t = 0, H v + h = 0 by the nearest change in the
/// mass metric, on the rows given; then accelerations, multipliers and w.
Eval Descriptor::close_on(const std::vector<char>& rows, State& state, Values values) {
  const auto n = static_cast<std::size_t>(layout_.n);
  const bool all = rows == chosen_.active;
  const bool nonlinear = layout_.w > 0 || system_.sizes().multiplier_forces;
  if (nonlinear || !all) {
    if (Eval e = solve_accelerations(state, values); e != Eval::ok) return e;
  } else {
    if (values == Values::wanted)
      if (Eval e = evaluate(state, Request::all()); e != Eval::ok) return e;
    if (Eval e = chosen_.acceleration.factor(motion_values(*ws_), chosen_.active); e != Eval::ok)
      return fail(Diagnosis::accelerations_singular, singular_accelerations, e);
  }
  // Accelerations come last: with the factors that closed, which are those of a state next to it.
  const auto finish = [&] {
    if (nonlinear || !all || refine_accelerations()) return Eval::ok;
    return solve_accelerations(state, Values::present);
  };
  double last = HUGE_VAL;
  for (int iteration = 0;; ++iteration) {
    const auto [position, velocity, worst] = openness(rows, state);
    const double size = std::max(position, velocity);
    if (size < 1) return finish();
    if (iteration > 1 && size > 0.5 * last) {
      if (size < stalled) return finish();  // round-off of the model
      return fail(Diagnosis::contradiction, system_.row_name(worst));
    }
    if (iteration == max_closing_iterations) return Eval::recoverable;
    last = size;
    if (!all)
      if (Eval e = chosen_.acceleration.factor(motion_values(*ws_), rows); e != Eval::ok) return e;
    const std::span<double> x = rhs_;
    auto correct = [&](const Vector& residual) {
      std::fill(rhs_.begin(), rhs_.end(), 0.0);
      for (int i = 0; i < layout_.m; ++i)
        if (rows[i]) rhs_[n + i] = -residual[i];
      chosen_.acceleration.solve(rhs_);
      return x.subspan(0, n);
    };
    if (position >= 1) {
      const std::span<const double> change = correct(ws_->g);
      add_scaled(1, change, moved_);
      before_ = state;
      move(before_, change, state);
      if (Eval e = evaluate(state, {.position = true, .velocity = true}); e != Eval::ok) return e;
    }
    const std::span<const double> change = correct(ws_->rate);
    add_scaled(1, change, pushed_);
    add_scaled(1, change, state.v);
    if (nonlinear || !all) {
      if (Eval e = solve_accelerations(state); e != Eval::ok) return e;
    } else if (Eval e = evaluate(state, Request::all()); e != Eval::ok) {
      return e;
    }
  }
}

/// The same on all rows. Those that are nearly redundant are left alone while they hold: near a
/// singular position their round-off, divided by what is left of them, would move the state.
Eval Descriptor::close(State& state) {
  std::fill(moved_.begin(), moved_.end(), 0.0);
  std::fill(pushed_.begin(), pushed_.end(), 0.0);
  if (rows_are_known(state)) {
    std::fill(chosen_.active.begin(), chosen_.active.end(), 1);
    chosen_.strong = chosen_.active;
    chosen_.remainder = last_.remainder;
    chosen_.old = true;
    if (Eval e = evaluate(state, Request::all()); e != Eval::ok) return e;
    return close_on(chosen_.strong, state, Values::present);
  }
  if (Eval e = evaluate(state, Request::all()); e != Eval::ok) return e;
  if (Eval e = choose_rows(state, At::anywhere, Values::present); e != Eval::ok) return e;
  if (Eval e = close_on(chosen_.strong, state, Values::present); e != Eval::ok) return e;
  if (open_row(system_, closing_at(system_, state), *ws_, chosen_.strong) < 0) return Eval::ok;
  if (Eval e = close_on(chosen_.active, state, Values::wanted); e != Eval::ok) return e;
  const int row = open_row(system_, closing_at(system_, state), *ws_, chosen_.active);
  if (row < 0) return Eval::ok;
  return fail(Diagnosis::contradiction, contradicting_row(system_, row));
}

/// Largest scaled residual of positions, which are in the workspace.
double Descriptor::position_drift() const {
  WorstRow worst;
  for (int i = 0; i < layout_.holonomic; ++i) worst.see(off(system_, *ws_, i, 0), i);
  return worst.size;
}

/// Forms that do not close let constraints drift; rows left out as redundant may do so as far as
/// the others do. Farther, they are not redundant any more.
Eval Descriptor::redundant_rows_hold(const State& state) {
  const Closing allowed = closing_at(system_, state);
  const double most[2] = {allowed.redundant_position, allowed.redundant_velocity};
  for (const int level : {0, 1}) {
    WorstRow kept;
    for (int i = 0; i < layout_.m; ++i)
      if (chosen_.active[i]) kept.see(off(system_, *ws_, i, level), i);
    for (int i = 0; i < layout_.m; ++i)
      if (!chosen_.active[i] &&
          off(system_, *ws_, i, level) > most[level] + drift_share * kept.size)
        return fail(
            Diagnosis::contradiction,
            fmt::format("'{}': it was redundant, and is not any more", system_.row_name(i)));
  }
  return Eval::ok;
}

/// True when closing changed velocities by more than what Newton's method may leave: near a
/// singular position this is how a solution jumps to another branch.
bool Descriptor::jumped(const State& state) const {
  double change = 0, size = 0;
  for (int j = 0; j < layout_.n; ++j) {
    change = std::max(change, std::abs(pushed_[j]) / column_scale_[j]);
    size = std::max(size, std::abs(state.v[j]) / column_scale_[j]);
  }
  return change > singular::largest_push * size;
}

/// Onto the invariants e = 0 by the smallest change of positions and velocities along the
/// directions that the constraints leave free. Where e depends on neither, nothing is changed.
Eval Descriptor::keep_invariants(State& state) {
  const int n = layout_.n, count = system_.sizes().e;
  const double rate = system_.scales().speed / system_.scales().length;
  double last = HUGE_VAL;
  for (int iteration = 0; iteration < max_invariant_iterations; ++iteration) {
    if (Eval e = system_.invariants(state, *ws_); e != Eval::ok)
      return fail(Diagnosis::not_finite, "the invariants, which are not finite", e);
    if (iteration == 0)
      if (Eval e = invariants_are_preserved(state); e != Eval::ok) return e;
    if (system_.has_bodies()) add_scaled(-1, kept_, ws_->e);
    // Their derivatives along N: positions first, then velocities, in units of the model.
    if (chosen_.old)
      if (Eval e = choose_rows(state, At::anywhere); e != Eval::ok) return e;
    chosen_.rows.null_space(free_);
    const int width = free_.cols();
    by_free_.resize(count, 2 * width);
    by_free_.set_zero();
    auto add = [&](const SparseMatrix& by, int first, double unit) {
      const SparsePattern& p = *by.pattern;
      for (int i = 0; i < count; ++i)
        for (int k = p.row_start[i]; k < p.row_start[i + 1]; ++k)
          for (int c = 0; c < width; ++c)
            by_free_(i, first + c) +=
                by.values[k] * unit * column_scale_[p.column[k]] * free_(p.column[k], c);
    };
    add(ws_->e_p, 0, 1);
    add(ws_->e_v, width, rate);
    if (Eval e = invariants_.factor(by_free_, rank_tolerance, count); e != Eval::ok) return e;
    if (invariants_.rank() == 0) return Eval::ok;
    along_.resize(2 * width);
    invariants_.solve(ws_->e, along_);
    const double size = norm_max(along_);
    if (size < round_off || (size < converged && size > 0.5 * last)) return Eval::ok;
    last = size;
    for (int j = 0; j < n; ++j) {
      double x = 0, u = 0;
      for (int c = 0; c < width; ++c) {
        x += free_(j, c) * along_[c];
        u += free_(j, c) * along_[width + c];
      }
      tangent_[j] = -column_scale_[j] * x;
      state.v[j] -= rate * column_scale_[j] * u;
    }
    before_ = state;
    move(before_, tangent_, state);
    shifted_ = tangent_;
    if (Eval e = close(state); e != Eval::ok) return e;
    add_scaled(1, shifted_, total_shift_);
    add_scaled(1, moved_, total_shift_);
  }
  return fail(Diagnosis::invariants_not_kept, "the invariants, which could not be kept");
}

Eval Descriptor::close(double t, std::span<double> y) {
  place(t, y);
  if (!form_.position || !form_.velocity) {
    // Constraints that the form lets drift are left as they are.
    std::fill(moved_.begin(), moved_.end(), 0.0);
    if (Eval e = choose_rows(point_, At::anywhere); e != Eval::ok) return e;
    if (Eval e = solve_accelerations(point_); e != Eval::ok) return e;
  } else if (Eval e = close(point_); e != Eval::ok) {
    return e;
  }
  chart_.apply(rotation_rate_map_inverse, y, moved_, moved_);
  add_scaled(1, moved_, y.subspan(0, layout_.n));
  std::copy(point_.v.begin(), point_.v.end(), y.begin() + layout_.v());
  std::copy(a_.begin(), a_.end(), y.begin() + layout_.a());
  std::copy(lambda_.begin(), lambda_.end(), y.begin() + layout_.lambda());
  std::copy(point_.w.begin(), point_.w.end(), y.begin() + layout_.aux());
  return Eval::ok;
}

/// d = T^-1 a with M a + G' lambda = 0 and G a = G T d on the rows that count.
void Descriptor::constrained_part(Vector& d) {
  const auto n = static_cast<std::size_t>(layout_.n);
  tangent_ = d;
  chart_.apply(rotation_rate_map, end_q_, d, tangent_);
  std::fill(rhs_.begin(), rhs_.end(), 0.0);
  const std::span<double> rows = std::span(rhs_).subspan(n, layout_.m);
  ws_->G.multiply(tangent_, rows);
  for (int i = 0; i < layout_.m; ++i)
    if (!chosen_.active[i]) rows[i] = 0;
  chosen_.acceleration.solve(rhs_);
  std::copy_n(rhs_.begin(), n, d.begin());
  chart_.apply(rotation_rate_map_inverse, end_q_, rhs_, d);
}

}  // namespace kardan
