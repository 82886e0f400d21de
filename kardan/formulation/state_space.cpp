#include "kardan/formulation/state_space.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "kardan/base/rotation.h"
#include "kardan/formulation/culprit.h"

namespace kardan {

StateSpace::StateSpace(const System& system, Parametrize choose, Accelerations accelerations)
    : ChartForm(system),
      partition_(system, choose),
      accelerations_(system, chart_, split_, accelerations),
      jacobian_(system, chart_, split_, *ws_) {
  for (Vector* x : {&point_.q, &point_.dq, &point_.ddq, &point_.a}) x->resize(system.sizes().v);
  point_.lambda.resize(system.sizes().constraints());
  point_.G.resize(system.patterns().constraint->nonzeros());
}

Eval StateSpace::choose_partition(std::string why) {
  if (Eval e = partition_.choose(base_.state, *ws_, std::move(why)); e != Eval::ok) return e;
  for (Tangent* tangent : {&at_base_, &point_.tangent, &near_})
    partition_.blocks().prepare(*tangent);
  scratch_.dependent.resize(split_.holonomic);
  scratch_.dependent_velocities.resize(split_.rows.size());
  accelerations_.prepare();
  jacobian_.find_columns(accelerations_.supports());
  return Eval::ok;
}

/// T(theta) of every body at the point.
void StateSpace::update_turns() {
  point_.turn.resize(system_.bodies().size());
  for (const Chart::Turn& t : chart_.turns())
    point_.turn[t.body] = rotation_rate_map(three_at(point_.q, t.v));
}

/// Columns of G by chart coordinates: rotation columns times T(theta).
void StateSpace::chart_columns() {
  std::copy(ws_->G.values.begin(), ws_->G.values.end(), point_.G.begin());
  if (chart_.turns().empty()) return;
  const SparsePattern& p = *ws_->G.pattern;
  for (int row : split_.rows) {
    int k = p.row_start[row];
    for (int body : system_.row_bodies()[row]) {
      const BodyLayout& b = system_.bodies()[body];
      if (b.v_count > 3)
        put_three(transposed_times(point_.turn[body], three_at(point_.G, k + 3)), k + 3, point_.G);
      k += b.v_count;
    }
  }
}

/// Everything at `state` (its w is solved for).
Eval StateSpace::evaluate_forces(State& state, Gradient gradient) {
  Request request = Request::all();
  request.gradient = gradient == Gradient::unknown;
  return evaluate_following(state, request);
}

/// Rows left out as redundant follow from the others, unless they contradict them by now.
Eval StateSpace::check_redundant_rows() {
  if (static_cast<int>(split_.rows.size()) == system_.sizes().constraints()) return Eval::ok;
  const int row = open_row(system_, closing_, *ws_);
  if (row < 0) return Eval::ok;
  culprit_ = contradicting_row(system_, row);
  return Eval::recoverable;
}

/// z = (zeta, r), or the rate of it from q' and b.
void StateSpace::load_first_order(const Vector& q, std::span<const double> r, Vector& z) const {
  split_.drift_of(q, z);
  std::copy(r.begin(), r.end(), z.begin() + split_.drift());
}

Eval StateSpace::evaluate(double t, const Local& y, LocalRate& out) {
  // The last stage of a method may be the end of its step.
  if (!holds_.is(t, y))
    if (Eval e = evaluate_point(t, y); e != Eval::ok) return e;
  split_.x_of.multiply(point_.ddq, out.a);
  load_first_order(point_.dq, ws_->b, out.b);
  holds_.at = Evaluated::At::point;
  holds_.t = t;
  holds_.y = y;
  return Eval::ok;
}

Eval StateSpace::evaluate_point(double t, const Local& y) {
  if (Eval e = dependent_positions(t, y); e != Eval::ok) return e;
  if (Eval e = dependent_velocities(y.u); e != Eval::ok) return e;
  point_.state.r.assign(y.z.begin() + split_.drift(), y.z.end());
  if (Eval e =
          evaluate_forces(point_.state, split_.rows.empty() ? Gradient::unknown : Gradient::known);
      e != Eval::ok)
    return e;
  return accelerate(point_.tangent);
}

/// q'' and a at the point, with the directions of a tangent; lambda too, but on free directions.
Eval StateSpace::accelerate(Tangent& tangent) {
  const bool reduced = accelerations_.on_free_directions();
  const Eval e = reduced ? accelerations_.reduced(*ws_, tangent, point_)
                         : accelerations_.by_saddle(*ws_, point_);
  if (e != Eval::ok) {
    culprit_ = singular_accelerations;
    return e;
  }
  if (!all_finite(point_.a)) return Eval::recoverable;
  if (!reduced) chart_.to_second_rates(point_.q, point_.dq, point_.a, point_.ddq);
  return Eval::ok;
}

/// lambda at the point, where accelerate() leaves it.
void StateSpace::complete_multipliers(Tangent& tangent) {
  if (accelerations_.on_free_directions()) accelerations_.multipliers(*ws_, tangent, point_);
}

Eval StateSpace::rate(double t, const Local& y, LocalRate& out) {
  out.resize(second_order(), first_order());
  return evaluate(t, y, out);
}

Eval StateSpace::jacobian(LocalJacobian& out) {
  if (holds_.at != Evaluated::At::base) {
    holds_.at = Evaluated::At::nothing;
    if (Eval e = system_.evaluate(base_.state, Request::all(), *ws_); e != Eval::ok) return e;
  }
  jacobian_.curve_base(base_.state.v, base_.a);
  return differentiate(
      {StateSpaceJacobian::Where::base, base_.state, base_.a, base_.lambda, at_base_},
      Derivatives::exact, out);
}

Eval StateSpace::jacobian_at(double t, const Local& y, Derivatives terms, LocalJacobian& out) {
  scratch_.end_rate.resize(second_order(), first_order());
  if (Eval e = evaluate(t, y, scratch_.end_rate); e != Eval::ok) return e;
  jacobian_.curve_point(point_);
  if (accelerations_.on_free_directions())
    accelerations_.multipliers(*ws_, point_.tangent, point_);
  else
    partition_.blocks().expand(point_.G, ws_->g_t, point_.tangent);
  return differentiate(
      {StateSpaceJacobian::Where::point, point_.state, point_.a, point_.lambda, point_.tangent},
      terms, out);
}

Eval StateSpace::differentiate(const StateSpaceJacobian::Place& at, Derivatives terms,
                               LocalJacobian& out) {
  const Eval e = jacobian_.reduce(at, terms, out);
  if (e != Eval::ok) culprit_ = jacobian_.culprit();
  return e;
}

Eval StateSpace::rebase(const State& state) {
  // The end of the step before: its accelerations hold here too, and mostly the whole evaluation.
  const bool known = move_base(state, base_, past_, end_),
             evaluated = known && at_end_ && holds_.at == Evaluated::At::point;
  nearest_ = &at_base_;
  closing_ = closing_at(system_, base_.state);
  const int partitions_before = partitions();
  point_.state = state;
  holds_.at = Evaluated::At::nothing;
  at_end_ = false;
  std::fill(point_.q.begin(), point_.q.end(), 0.0);
  point_.dq = state.v;
  update_turns();
  const bool fresh = partition_.history().empty();
  if (fresh)
    if (Eval e = choose_partition("start"); e != Eval::ok) return e;
  if (!evaluated)
    if (Eval e = evaluate_forces(base_.state, Gradient::unknown); e != Eval::ok) return e;
  if (!accelerations_.chosen()) accelerations_.choose(*ws_, partition_.blocks().nonzeros());
  if (const std::string why = directions_at_base(); !why.empty()) {
    if (Eval e = choose_partition(why); e != Eval::ok) return e;
    if (Eval e = evaluate_forces(base_.state, Gradient::unknown); e != Eval::ok) return e;
    accelerations_.choose(*ws_, partition_.blocks().nonzeros());
    if (!directions_at_base().empty()) return Eval::recoverable;
  }
  if (known) {
    point_.a = end_.a;
    point_.lambda = end_.lambda;
  } else {
    if (Eval e = accelerate(at_base_); e != Eval::ok) return e;
    complete_multipliers(at_base_);
  }
  base_.a = point_.a;
  base_.lambda = point_.lambda;
  at_base_.t = base_.state.t;
  bend_base();
  look_ahead(past_.known && partitions() == partitions_before ? SingularWatch::Before::comparable
                                                              : SingularWatch::Before::unrelated);
  const int drift = split_.drift();
  base_.y.resize(second_order(), first_order());
  base_.rate.resize(second_order(), first_order());
  std::fill(base_.y.x.begin(), base_.y.x.end(), 0.0);
  split_.x_of.multiply(base_.state.v, base_.y.u);
  split_.x_of.multiply(point_.a, base_.rate.a);
  std::fill_n(base_.y.z.begin(), drift, 0.0);
  std::copy(base_.state.r.begin(), base_.state.r.end(), base_.y.z.begin() + drift);
  base_.b = ws_->b;
  load_first_order(base_.state.v, base_.b, base_.rate.b);
  holds_.at = Evaluated::At::base;
  base_.known = true;
  return Eval::ok;
}

/// Free directions at the base; why the parametrization does not suit it any more, if it does not.
std::string StateSpace::directions_at_base() {
  chart_columns();
  if (partition_.blocks().factor(point_.G, at_base_) != Eval::ok)
    return "dependent coordinates were not determined";
  partition_.blocks().expand(point_.G, ws_->g_t, at_base_);
  return partition_.unsuited(at_base_);
}

Eval StateSpace::finish(double t, const Local& y, State& state, ChartPoint& point) {
  LocalRate& rate = scratch_.end_rate;
  rate.resize(second_order(), first_order());
  if (Eval e = evaluate(t, y, rate); e != Eval::ok) return e;
  if (Eval e = check_redundant_rows(); e != Eval::ok) return e;
  if (Eval e = check_branches(); e != Eval::ok) return e;
  complete_multipliers(point_.tangent);
  state = point_.state;
  point.t = t;
  point.q = point_.q;
  point.dq = point_.dq;
  point.ddq = point_.ddq;
  point.z = point_.state.r;
  point.dz = ws_->b;
  point.a = point_.a;
  at_end_ = true;
  end_.keep(point_.state, point_.a, point_.lambda, {});
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
  Vector& dependent = scratch_.place_dependent;
  dependent.resize(split_.rows.size());
  split_.dependent_of.multiply(point.q, dependent);
  std::copy(zeta.begin(), zeta.end(), dependent.begin() + split_.holonomic);
  split_.X.multiply(y.x, point.q);
  split_.add_dependent(dependent, point.q);
  split_.dependent_of.multiply(point.dq, dependent);
  split_.X.multiply(y.u, point.dq);
  split_.add_dependent(dependent, point.dq);
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
  if (consistency == Consistency::as_interpolated) {
    take(point, state);
    if (!state.w.empty()) holds_.at = Evaluated::At::nothing;
    return auxiliaries_.follow(system_, base_.state, state, *ws_);
  }
  state = base_.state;
  state.t = point.t;
  state.r = point.z;
  Local& y = scratch_.grid_y;
  y.resize(second_order(), first_order());
  split_.x_of.multiply(point.q, y.x);
  split_.x_of.multiply(point.dq, y.u);
  load_first_order(point.q, point.z, y.z);
  point_.state.modes = base_.state.modes;
  if (Eval e = dependent_positions(point.t, y); e != Eval::ok) return e;
  if (Eval e = dependent_velocities(y.u); e != Eval::ok) return e;
  state.p = point_.state.p;
  state.v = point_.state.v;
  state.turns = point_.state.turns;
  state.s = point_.state.s;
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
