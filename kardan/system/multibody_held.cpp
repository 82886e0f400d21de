/// Events of impulses that are held, and constraints that are formulas: rows z = 0 for an
/// expression z of positions and time.

#include <algorithm>

#include "kardan/system/multibody.h"

namespace kardan {
namespace {

std::size_t place_of(const std::vector<int>& columns, int column) {
  return static_cast<std::size_t>(std::lower_bound(columns.begin(), columns.end(), column) -
                                  columns.begin());
}

}  // namespace

template <int D>
void MultibodyEquations<D>::bind(const std::vector<int>& bodies, HeldRow& row) const {
  for (int b : bodies)
    for (int k = 0; k < bodies_[b].v_count; ++k) row.columns.push_back(bodies_[b].v + k);
  if (row.row >= 0)
    for (int c : row.columns) row.slots.push_back(patterns_.constraint->find(row.row, c));
  for (int c : row.columns)
    for (int d : row.columns) row.blocks.push_back(patterns_.force->find(c, d));
}

/// Those that are held, the frictions that stick, and rows of expressions.
template <int D>
void MultibodyEquations<D>::bind_held(const NameData& names, std::span<const SharedRow> rows) {
  const std::size_t events = names.blueprint.held.size(),
                    frictions = names.blueprint.frictions.size();
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (rows[i].row < 0) continue;
    HeldRow held;
    held.row = rows[i].row;
    if (i < events) {
      held.value = &expressions_.events[static_cast<std::size_t>(names.blueprint.held[i].event)];
    } else if (i < events + frictions) {
      held.positions = false;
      held.value = &expressions_.frictions[i - events];
    } else {
      const BoundRow& formula = expressions_.formulas.rows[i - events - frictions];
      held.value = &formula.value;
      held.of_velocities = formula.of_velocities;
    }
    bind(rows[i].bodies, held);
    held_.push_back(std::move(held));
  }
  bind_frictions(names, rows.subspan(events, frictions));
}

/// Positions and turns of the start are as they will be.
template <int D>
void MultibodyEquations<D>::count_from_start(NameData& names) {
  const auto ws = make_workspace();
  if (evaluate(names.start, {.position = true}, *ws) != Eval::ok) return;
  for (const FormulaRow& f : program_.formulas.rows) {
    if (!f.from_start) continue;
    offsets_[f.row] = -ws->g[f.row];
    names.rows[f.row].offset = offsets_[f.row];
  }
}

/// A component of q in q' = q w/2, q'' = q alpha/2 - |w|^2 q/4 (w as a pure quaternion), with
/// dq = q dtheta/2 for the tangent.
template <int D>
void MultibodyEquations<D>::quaternion_jet(const BodyLayout& body, int component,
                                           const HeldRow& held, const State& state,
                                           const BodyMotion<D>& motion, QuantityJet& out) const {
  if constexpr (D == 3) {
    const double* p = state.p.data() + body.p;
    const Quaternion q{p[3], p[4], p[5], p[6]};
    const std::size_t first = place_of(held.columns, body.v + 3), n = held.columns.size();
    const auto part = [&](const Quaternion& x) {
      const double parts[] = {x.w, x.x, x.y, x.z};
      return parts[component - 3];
    };
    const auto pure = [](const Vec3d& a) { return Quaternion{0, a.x, a.y, a.z}; };
    const auto unit = [&](int i) {
      Vec3d e{};
      e[i] = 1;
      return pure(e);
    };
    const Quaternion w = pure(motion.w), alpha = pure(motion.alpha);
    const double w2 = dot(motion.w, motion.w);
    out.value = part(q);
    out.rate = 0.5 * part(q * w);
    out.accel = 0.5 * part(q * alpha) - 0.25 * w2 * part(q);
    for (int i = 0; i < 3; ++i) {
      const Quaternion turned = q * unit(i);  // twice the change of q
      out.G[first + i] = 0.5 * part(turned);
      out.rate_p[first + i] = 0.25 * part(turned * w);
      out.accel_p[first + i] = 0.25 * part(turned * alpha) - 0.125 * w2 * part(turned);
      out.accel_v[first + i] = -0.5 * motion.w[i] * part(q);
      for (int j = 0; j < 3; ++j)
        out.curvature[(first + i) * n + first + j] = 0.25 * part(q * unit(j) * unit(i));
    }
  } else {
    (void)body, (void)component, (void)held, (void)state, (void)motion, (void)out;
  }
}

/// The bodies stand in the scratch where they were moved to last, with their accelerations.
template <int D>
void MultibodyEquations<D>::jet(const Quantity& q, const HeldRow& held, const State& state,
                                std::size_t depth, QuantityJet& out, Workspace& ws) const {
  const auto& motion = static_cast<MotionScratch&>(*ws.scratch).motion;
  const std::size_t n = held.columns.size();
  if (q.kind == Quantity::Kind::expression) {
    jet(expressions_.sensors[q.index], held, state, depth, out, ws);
    return;
  }
  out.clear(n);
  if (q.kind == Quantity::Kind::time) {
    out.value = state.t;
    out.rate = out.t_value = 1;
  } else if (q.kind == Quantity::Kind::position && D == 3 && q.index >= 3) {
    quaternion_jet(bodies_[q.body], q.index, held, state, motion[q.body], out);
  } else if (q.kind == Quantity::Kind::position) {
    const BodyMotion<D>& m = motion[q.body];
    const int i = q.index;
    out.value = state.p[bodies_[q.body].p + i];
    out.rate = state.v[bodies_[q.body].v + i];
    if constexpr (D == 2)
      out.accel = i < 2 ? m.a[i] : m.alpha;
    else
      out.accel = m.a[i];
    out.G[place_of(held.columns, bodies_[q.body].v + i)] = 1;
  } else {
    const FollowedReading<D>& s = *program_.sensors[q.index].followed;
    Measure<D> y;
    s.follow(context(state, motion), y);
    out.value = y.value;
    out.rate = y.rate;
    out.accel = y.accel;
    const auto each = [&](auto&& use) {
      for (int k = 0; k < s.A.count; ++k) use(k, place_of(held.columns, s.A.first + k));
      for (int k = 0; k < s.B.count; ++k) use(dofs<D> + k, place_of(held.columns, s.B.first + k));
    };
    each([&](int i, std::size_t c) {
      out.G[c] += y.G[i];
      out.rate_p[c] += y.rate_p[i];
      out.accel_p[c] += y.accel_p[i];
      out.accel_v[c] += y.accel_v[i];
      each([&](int j, std::size_t d) { out.curvature[c * n + d] += y.curvature[i][j]; });
    });
  }
}

template <int D>
void MultibodyEquations<D>::jet(const BoundExpression& bound, const HeldRow& held,
                                const State& state, std::size_t depth, QuantityJet& out,
                                Workspace& ws) const {
  MotionScratch& scratch = static_cast<MotionScratch&>(*ws.scratch);
  const std::size_t count = bound.arguments.size();
  while (scratch.jets.size() < depth + count) scratch.jets.emplace_back();
  for (std::size_t i = 0; i < count; ++i)
    jet(bound.arguments[i], held, state, depth + count, scratch.jets[depth + i], ws);
  compose(bound.value, scratch.jets, depth, held.columns.size(), scratch.jet_work, out);
}

template <int D>
void MultibodyEquations<D>::evaluate_held(const State& state, Depth depth,
                                          const ConstraintValues& out, Workspace& ws) const {
  MotionScratch& scratch = static_cast<MotionScratch&>(*ws.scratch);
  if (scratch.jets.empty()) scratch.jets.emplace_back();
  QuantityJet& z = scratch.jets.front();
  for (const HeldRow& held : held_) {
    if (held.of_velocities) {
      if (depth != Depth::value) evaluate_velocity_row(held, state, out, ws);
      continue;
    }
    jet(*held.value, held, state, 1, z, ws);
    if (held.positions) out.g[held.row] += z.value;
    if (depth == Depth::value) continue;
    out.rate[held.row] += z.rate;
    out.accel[held.row] += z.accel;
    out.g_t[held.row] += z.t_value;
    for (std::size_t c = 0; c < held.slots.size(); ++c) out.G[held.slots[c]] += z.G[c];
  }
}

template <int D>
void MultibodyEquations<D>::differentiate_held(const State& state, const ConstraintValues& out,
                                               const ForceValues& forces, Workspace& ws) const {
  MotionScratch& scratch = static_cast<MotionScratch&>(*ws.scratch);
  if (scratch.jets.empty()) scratch.jets.emplace_back();
  QuantityJet& z = scratch.jets.front();
  for (const HeldRow& held : held_) {
    if (held.of_velocities) {
      differentiate_velocity_row(held, state, out, forces, ws);
      continue;
    }
    jet(*held.value, held, state, 1, z, ws);
    out.rate_t[held.row] += z.t_rate;
    out.accel_t[held.row] += z.t_accel;
    for (std::size_t c = 0; c < held.slots.size(); ++c) {
      out.rate_p[held.slots[c]] += z.rate_p[c];
      out.accel_p[held.slots[c]] += z.accel_p[c];
      out.accel_v[held.slots[c]] += z.accel_v[c];
    }
    if (!forces.lambda) continue;
    const double lambda = forces.lambda[held.row];
    for (std::size_t c = 0; c < held.columns.size(); ++c)
      forces.f_t[held.columns[c]] -= lambda * z.G_t[c];
    for (std::size_t c = 0; c < held.blocks.size(); ++c)
      forces.f_p[held.blocks[c]] -= lambda * z.curvature[c];
  }
}

template class MultibodyEquations<2>;
template class MultibodyEquations<3>;

}  // namespace kardan
