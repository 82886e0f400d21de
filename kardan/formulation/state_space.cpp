#include "kardan/formulation/state_space.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "kardan/base/rotation.h"
#include "kardan/formulation/not_finite.h"
#include "kardan/formulation/residuals.h"

namespace kardan {
namespace {

/// The partition is kept while the dependent directions grow by less than this.
constexpr double partition_growth = 1.25;

}  // namespace

StateSpace::StateSpace(const System& system, Parametrize choose, Accelerations accelerations)
    : system_(system),
      accelerations_(accelerations),
      ws_(system.make_workspace()),
      events_(system, *ws_),
      chart_(system),
      choose_(choose),
      q_(system.sizes().v),
      dq_(system.sizes().v),
      ddq_(system.sizes().v),
      a_(system.sizes().v),
      lambda_(system.sizes().constraints()),
      error_units_(system) {
  chart_G_.resize(system.patterns().constraint->nonzeros());
  for (RowSegments* s : {&segments_.G, &segments_.rate_p, &segments_.accel_p, &segments_.accel_v})
    *s = RowSegments(*system.patterns().constraint);
  for (RowSegments* s : {&segments_.f_p, &segments_.f_v})
    *s = RowSegments(*system.patterns().force);
  segments_.M = RowSegments(*system.patterns().mass);
}

Eval StateSpace::choose_partition(std::string why) {
  if (Eval e = choose_(system_, base_.state, *ws_, split_); e != Eval::ok) return e;
  prepare_dependent_solver();
  history_.push_back({base_.state.t, static_cast<int>(rows_.size()), std::move(why)});
  fresh_norm_ = 0;
  return Eval::ok;
}

void StateSpace::prepare_dependent_solver() {
  const SparsePattern& p = *system_.patterns().constraint;
  const int m = static_cast<int>(rows_.size());
  velocity_block_ = HeldBlock(split_, p, m);
  velocity_values_.resize(velocity_block_.pattern()->nonzeros());
  if (split_.drift() > 0) {
    position_block_ = HeldBlock(split_, p, split_.holonomic);
    position_values_.resize(position_block_.pattern()->nonzeros());
    free_velocity_block_ = FreeBlock(split_, p, m, split_.free_velocities());
  }
  free_block_ = FreeBlock(split_, p, split_.holonomic, split_.free_positions());
  supports_ = free_supports(system_, split_);
  position_weight_.resize(split_.holonomic);
  for (int k = 0; k < split_.holonomic; ++k)
    position_weight_[k] = scaled_residual(system_, rows_[k], 0, 1.0);
  for (Tangent* tangent : {&at_base_, &at_point_, &near_}) {
    tangent->B.resize(0, 0);  // other coordinates are free now
    tangent->velocity = std::make_unique<LinearSolver>(velocity_block_.pattern());
    tangent->position.reset();
    if (split_.drift() > 0)
      tangent->position = std::make_unique<LinearSolver>(position_block_.pattern());
  }
  held_.resize(split_.holonomic);
  held_velocities_.resize(m);
  share_bodies();
  find_columns();
  chosen_ = false;
}

/// The dependent blocks from the chart columns at the point evaluated last. Away from the base they
/// start from its pivots, so that rejected attempts leave no trace.
Eval StateSpace::factor_dependent(Tangent& tangent) {
  if (&tangent != &at_base_) {
    tangent.velocity->adopt_pivots(*at_base_.velocity);
    if (tangent.position) tangent.position->adopt_pivots(*at_base_.position);
  }
  velocity_block_.gather(chart_G_, velocity_values_);
  if (Eval e = tangent.velocity->factor(velocity_values_); e != Eval::ok) return e;
  if (!tangent.position) return Eval::ok;
  position_block_.gather(chart_G_, position_values_);
  return tangent.position->factor(position_values_);
}

/// T(theta) of every body at q_.
void StateSpace::update_turns() {
  turn_.resize(system_.bodies().size());
  for (const Chart::Turn& t : chart_.turns()) turn_[t.body] = rotation_rate_map(three_at(q_, t.v));
}

/// Columns of G by chart coordinates: rotation columns times T(theta).
void StateSpace::chart_columns() {
  std::copy(ws_->G.values.begin(), ws_->G.values.end(), chart_G_.begin());
  if (chart_.turns().empty()) return;
  const SparsePattern& p = *ws_->G.pattern;
  for (int row : rows_) {
    int k = p.row_start[row];
    for (int body : system_.row_bodies()[row]) {
      const BodyLayout& b = system_.bodies()[body];
      if (b.v_count > 3)
        put_three(transposed_times(turn_[body], three_at(chart_G_, k + 3)), k + 3, chart_G_);
      k += b.v_count;
    }
  }
}

/// Everything at `state` (its w is solved for).
Eval StateSpace::evaluate_forces(State& state, Gradient gradient) {
  Eval evaluated = auxiliaries_.follow(system_, base_.state, state, *ws_);
  Request request = Request::all();
  request.gradient = gradient == Gradient::unknown;
  if (evaluated == Eval::ok) evaluated = system_.evaluate(state, request, *ws_);
  if (evaluated != Eval::ok) culprit_ = not_finite_culprit(system_, state, *ws_);
  return evaluated;
}

/// Rows left out as redundant follow from the others, unless they contradict them by now.
Eval StateSpace::check_redundant_rows() {
  if (static_cast<int>(rows_.size()) == system_.sizes().constraints()) return Eval::ok;
  for (int row = 0; row < system_.sizes().constraints(); ++row) {
    if (std::abs(scaled_residual(system_, row, 0, ws_->g[row])) < closing_.redundant_position &&
        std::abs(scaled_residual(system_, row, 1, ws_->rate[row])) < closing_.redundant_velocity)
      continue;
    culprit_ = fmt::format("'{}': it contradicts the other constraints", system_.row_name(row));
    return Eval::recoverable;
  }
  return Eval::ok;
}

/// z = (zeta, r), or the rate of it from q' and b.
void StateSpace::load_first_order(const Vector& q, std::span<const double> r, Vector& z) const {
  split_.drift_of(q, z);
  std::copy(r.begin(), r.end(), z.begin() + split_.drift());
}

Eval StateSpace::evaluate(double t, const Local& y, LocalRate& out) {
  // The last stage of a method may be the end of its step.
  const bool there =
      at_point_values_ && t == point_.t && y.x == last_y_.x && y.u == last_y_.u && y.z == last_y_.z;
  if (!there)
    if (Eval e = evaluate_point(t, y); e != Eval::ok) return e;
  split_.x_of.multiply(ddq_, out.a);
  load_first_order(dq_, ws_->b, out.b);
  last_y_ = y;
  at_point_values_ = true;
  return Eval::ok;
}

Eval StateSpace::evaluate_point(double t, const Local& y) {
  if (Eval e = dependent_positions(t, y); e != Eval::ok) return e;
  if (Eval e = dependent_velocities(y.u); e != Eval::ok) return e;
  point_.r.assign(y.z.begin() + split_.drift(), y.z.end());
  if (Eval e = evaluate_forces(point_, rows_.empty() ? Gradient::unknown : Gradient::known);
      e != Eval::ok)
    return e;
  if (reduced_) return reduced_accelerations(at_point_);
  if (Eval e = saddle_accelerations(); e != Eval::ok) return e;
  chart_.to_second_rates(q_, dq_, a_, ddq_);
  return Eval::ok;
}

Eval StateSpace::rate(double t, const Local& y, LocalRate& out) {
  out.resize(second(), first());
  return evaluate(t, y, out);
}

Eval StateSpace::rebase(const State& state) {
  // The end of the step before: its accelerations hold here too, and mostly the whole evaluation.
  const bool known = move_base(state, base_, past_, end_),
             evaluated = known && at_end_ && at_point_values_;
  near_base_ = true;
  closing_ = closing_at(system_, base_.state);
  const int partitions_before = partitions();
  point_ = state;
  at_point_values_ = at_end_ = false;
  std::fill(q_.begin(), q_.end(), 0.0);
  dq_ = state.v;
  update_turns();
  const bool fresh = history_.empty();
  if (fresh)
    if (Eval e = choose_partition("start"); e != Eval::ok) return e;
  if (!evaluated)
    if (Eval e = evaluate_forces(base_.state, Gradient::unknown); e != Eval::ok) return e;
  if (!chosen_) choose_accelerations();
  if (const std::string why = directions_at_base(); !why.empty()) {
    if (Eval e = choose_partition(why); e != Eval::ok) return e;
    if (Eval e = evaluate_forces(base_.state, Gradient::unknown); e != Eval::ok) return e;
    choose_accelerations();
    if (!directions_at_base().empty()) return Eval::recoverable;
  }
  if (known) {
    a_ = end_.a;
    lambda_ = end_.lambda;
  } else {
    const Eval solved = reduced_ ? reduced_accelerations(at_base_) : saddle_accelerations();
    if (solved != Eval::ok) return solved;
    if (reduced_) reduced_multipliers(at_base_);
  }
  base_.a = a_;
  base_.lambda = lambda_;
  at_base_.t = base_.state.t;
  bend_base();
  look_ahead(past_.known && partitions() == partitions_before ? SingularWatch::Before::comparable
                                                              : SingularWatch::Before::unrelated);
  const int drift = split_.drift();
  base_.y.resize(second(), first());
  base_.rate.resize(second(), first());
  std::fill(base_.y.x.begin(), base_.y.x.end(), 0.0);
  split_.x_of.multiply(base_.state.v, base_.y.u);
  split_.x_of.multiply(a_, base_.rate.a);
  std::fill_n(base_.y.z.begin(), drift, 0.0);
  std::copy(base_.state.r.begin(), base_.state.r.end(), base_.y.z.begin() + drift);
  base_.b = ws_->b;
  load_first_order(base_.state.v, base_.b, base_.rate.b);
  at_base_values_ = base_.known = true;
  return Eval::ok;
}

/// Free directions at the base; why the parametrization does not suit it any more, if it does not.
std::string StateSpace::directions_at_base() {
  chart_columns();
  if (factor_dependent(at_base_) != Eval::ok) return "dependent coordinates were not determined";
  expand(at_base_);
  const double size = length(at_base_);
  if (fresh_norm_ == 0) fresh_norm_ = size;
  if (size <= partition_growth * fresh_norm_) return {};
  return fmt::format("dependent directions grew by {:.3g}", size / fresh_norm_);
}

/// The free directions from the chart columns at the point evaluated last.
void StateSpace::expand(Tangent& tangent) {
  const int n = split_.free_positions(), m = split_.holonomic, nv = system_.sizes().v;
  free_block_.gather(chart_G_, tangent.H);
  tangent.H_t.resize(m);
  for (int i = 0; i < m; ++i) tangent.H_t[i] = -ws_->g_t[rows_[i]];
  if (m > 0) {
    tangent.positions().solve(tangent.H);
    if (norm_max(tangent.H_t) > 0) tangent.positions().solve(tangent.H_t);
  }
  const bool picked = !split_.held_coordinates.empty();
  if (!picked || tangent.B.rows() == 0) {
    tangent.B.resize(nv, n);
    split_.free_columns(tangent.B);
  }
  if (picked)
    for (int k = 0; k < m; ++k)
      std::copy_n(tangent.H.row(k), n, tangent.B.row(split_.held_coordinates[k]));
  else
    split_.add_held(tangent.H, tangent.B);
  if (split_.drift() == 0) return;
  free_velocity_block_.gather(chart_G_, tangent.H_u);
  tangent.velocity->solve(tangent.H_u);
  tangent.U.resize(nv, second());
  split_.free_columns(tangent.U);
  split_.add_held(tangent.H_u, tangent.U);
}

double StateSpace::length(const Tangent& tangent) const {
  const double positions = split_.length(tangent.H);
  return split_.drift() == 0 ? positions : std::max(positions, split_.length(tangent.H_u));
}

Eval StateSpace::finish(double t, const Local& y, State& state, ChartPoint& point) {
  LocalRate& rate = end_rate_;
  rate.resize(second(), first());
  if (Eval e = evaluate(t, y, rate); e != Eval::ok) return e;
  if (Eval e = check_redundant_rows(); e != Eval::ok) return e;
  if (Eval e = check_branches(); e != Eval::ok) return e;
  if (reduced_) reduced_multipliers(at_point_);
  state = point_;
  point.t = t;
  point.q = q_;
  point.dq = dq_;
  point.ddq = ddq_;
  point.z = point_.r;
  point.dz = ws_->b;
  point.a = a_;
  at_end_ = true;
  end_.keep(point_, a_, lambda_, {});
  return Eval::ok;
}

void StateSpace::base_point(ChartPoint& point) const {
  base_.put(point);
  point.a = base_.a;
}

/// q = X x + Z zeta + D y with the y of the point.
void StateSpace::place(const Local& y, ChartPoint& point) {
  const int drift = split_.drift();
  const std::span<const double> zeta(y.z.data(), static_cast<std::size_t>(drift));
  Vector& held = place_held_;
  held.resize(split_.rows.size());
  split_.held_of.multiply(point.q, held);
  std::copy(zeta.begin(), zeta.end(), held.begin() + split_.holonomic);
  split_.X.multiply(y.x, point.q);
  split_.add_held(held, point.q);
  split_.held_of.multiply(point.dq, held);
  split_.X.multiply(y.u, point.dq);
  split_.add_held(held, point.dq);
  point.z.assign(y.z.begin() + drift, y.z.end());
}

void StateSpace::spread_speed(const Vector& u, Vector& speed) const {
  if (!split_.rows.empty()) return;
  const SparsePattern& p = *split_.X.pattern;
  for (int i = 0; i < p.rows; ++i) {
    speed[i] = 0;
    for (int k = p.row_start[i]; k < p.row_start[i + 1]; ++k)
      speed[i] += std::abs(split_.X.values[k]) * u[p.column[k]];
  }
}

Eval StateSpace::state_at(const ChartPoint& point, Consistency consistency, State& state) {
  state = base_.state;
  state.t = point.t;
  state.r = point.z;
  if (consistency == Consistency::as_interpolated) {
    system_.retract(base_.state.p, point.q, state.p);
    chart_.to_velocities(point.q, point.dq, state.v);
    follow(point.q, state);
    if (!state.w.empty()) at_base_values_ = at_point_values_ = false;
    return auxiliaries_.follow(system_, base_.state, state, *ws_);
  }
  Local& y = grid_y_;
  y.resize(second(), first());
  split_.x_of.multiply(point.q, y.x);
  split_.x_of.multiply(point.dq, y.u);
  load_first_order(point.q, point.z, y.z);
  point_.modes = base_.state.modes;
  if (Eval e = dependent_positions(point.t, y); e != Eval::ok) return e;
  if (Eval e = dependent_velocities(y.u); e != Eval::ok) return e;
  state.p = point_.p;
  state.v = point_.v;
  state.turns = point_.turns;
  state.s = point_.s;
  return auxiliaries_.follow(system_, base_.state, state, *ws_);
}

Accelerations accelerations_option(const OptionValues& values) {
  const std::string& word = word_option(values, "accelerations");
  return word == "reduced"  ? Accelerations::reduced
         : word == "saddle" ? Accelerations::saddle
                            : Accelerations::automatic;
}

/// What it cannot treat, or not in reasonable memory.
static void refuse_state_space(const System& system, Diagnostics& diagnostics) {
  // About twenty dense matrices, coordinates times free directions.
  constexpr double matrices = 20, most_bytes = 8e9;
  const double coordinates = system.sizes().v,
               free = std::max(coordinates - system.sizes().constraints(), 0.0),
               bytes = matrices * sizeof(double) * coordinates * free;
  if (system.sizes().multiplier_forces)
    diagnostics.error("formulation.multiplier_forces",
                      "the state-space form cannot treat forces that depend on multipliers");
  if (bytes > most_bytes)
    diagnostics.error(
        "formulation.memory",
        fmt::format(
            "the state-space form would need {:.0f} GB: its matrices are dense, with {:.0f} "
            "coordinates and {:.0f} free directions",
            bytes / 1e9, coordinates, free),
        {}, "take '--method auto' or 'dop853@projected_ode', which grow with the model");
}

Formulation state_space() {
  return {.name = "state_space",
          .summary = "independent coordinates by partitioning, in the chart of the step",
          .source = "Wehage, Haug 1982; Sandu, Negrut, Haug, Potra, Sandu 2001",
          .jacobian_anywhere = true,
          .free_form = true,
          // An evaluation also solves for the dependent coordinates, at three levels.
          .work = {.evaluation = 2.5, .jacobian = 5},
          .options = {{.name = "accelerations",
                       .fallback = "automatic",
                       .doc = "solved on the free directions or by the saddle-point matrix",
                       .choices = {"automatic", "reduced", "saddle"}}},
          .refuse = refuse_state_space,
          .make = [](const System& system,
                     const OptionValues& values) -> std::unique_ptr<ChartProblem> {
            return std::make_unique<StateSpace>(system, partition_coordinates,
                                                accelerations_option(values));
          }};
}

}  // namespace kardan
