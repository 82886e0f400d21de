/// Frictions that slip: their forces, and the derivatives of these (slip.h).

#include <algorithm>
#include <cmath>

#include "kardan/system/multibody.h"

namespace kardan {
namespace {

/// out += factor x'A, a column each.
void add_transposed(const SparseMatrix& A, double factor, const Vector& x, Vector& out) {
  const SparsePattern& p = *A.pattern;
  for (int i = 0; i < p.rows; ++i)
    for (int k = p.row_start[i]; k < p.row_start[i + 1]; ++k)
      out[p.column[k]] += factor * x[i] * A.values[k];
}

/// Derivatives of -F G' by what changes G; `blocks` are those of `columns` in the forces.
void bend(const std::vector<int>& columns, const std::vector<int>& blocks, const SlipNow& now,
          const ForceValues& out) {
  const std::size_t n = columns.size();
  for (std::size_t c = 0; c < n; ++c) {
    out.f_t[columns[c]] -= now.force * now.y.G_t[c];
    for (std::size_t d = 0; d < n; ++d)
      out.f_p[blocks[c * n + d]] -= now.force * now.y.curvature[c * n + d];
  }
}

/// And by what changes F, where it depends on the speed of slip alone.
void change_with_speed(const std::vector<int>& columns, const std::vector<int>& blocks,
                       const SlipNow& now, const SlipLaw& law, const ForceValues& out) {
  const std::size_t n = columns.size();
  const double slope = now.mu.rate * law.preload + law.viscous;
  for (std::size_t c = 0; c < n; ++c) {
    out.f_t[columns[c]] -= slope * now.y.G[c] * now.y.t_rate;
    for (std::size_t d = 0; d < n; ++d) {
      out.f_p[blocks[c * n + d]] -= slope * now.y.G[c] * now.y.rate_p[d];
      out.f_v[blocks[c * n + d]] -= slope * now.y.G[c] * now.y.G[d];
    }
  }
}

}  // namespace

template <int D>
void MultibodyEquations<D>::bind_frictions(const NameData& names, std::span<const SharedRow> rows) {
  const Blueprint& b = names.blueprint;
  for (std::size_t i = 0; i < b.frictions.size(); ++i) {
    const FrictionData& data = b.frictions[i];
    Friction f;
    f.way.value = &expressions_.frictions[i];
    f.way.row = rows[i].row;
    f.way.positions = false;
    bind(data.bodies, f.way);
    f.law = {data.stick, data.slip, data.viscous, data.stribeck, data.preload, data.arm};
    f.places = names.frictions[i];
    if (data.stop >= 0) f.stop_mode = names.impulses[data.stop].mode;
    for (int row = 0, held = names.sizes.lambda - static_cast<int>(b.held.size());
         row < names.sizes.lambda; ++row) {
      const RowInfo& info = names.rows[row];
      if (row < held && info.element == data.joint && info.unit == RowUnit::length)
        f.load.joint_rows.push_back(row);
      if (row >= held && data.stop >= 0 && b.held[row - held].event == b.impulses[data.stop])
        f.load.stop_row = row;
    }
    if (f.load.depends() && f.way.row < 0)
      for (int c : f.way.columns)
        for (int d = 0; d < sizes_.v; ++d) f.dense.push_back(patterns_.force->find(c, d));
    frictions_.push_back(std::move(f));
  }
}

/// In which a friction slips; 0 where it has no force of its own.
template <int D>
int MultibodyEquations<D>::direction(const Friction& f, const State& state) const {
  if (f.way.row >= 0) return 0;
  if (f.stop_mode >= 0 && (f.load.stop_row < 0 || state.modes[f.stop_mode] == 0)) return 0;
  return state.modes[f.places.mode];
}

template <int D>
bool MultibodyEquations<D>::slips_on_load(const State& state) const {
  return std::ranges::any_of(
      frictions_, [&](const Friction& f) { return f.load.depends() && direction(f, state) != 0; });
}

/// Ways and laws of all frictions, where the bodies were moved to last.
template <int D>
void MultibodyEquations<D>::look_at_slips(const State& state, Workspace& ws) const {
  SlipScratch& scratch = static_cast<MotionScratch&>(*ws.scratch).slip;
  scratch.slips.resize(frictions_.size());
  scratch.loaded.clear();
  for (std::size_t i = 0; i < frictions_.size(); ++i) {
    const Friction& f = frictions_[i];
    SlipNow& now = scratch.slips[i];
    now.direction = direction(f, state);
    if (now.direction == 0) continue;
    jet(*f.way.value, f.way, state, 0, now.y, ws);
    now.speed = now.direction * now.y.rate;
    now.mu = f.law.coefficient(now.speed);
    now.fixed = now.direction * (now.mu.value * f.law.preload + f.law.viscous * now.speed);
    now.weight = now.direction * now.mu.value * f.law.arm;
    now.force = now.fixed;
    now.load = f.load;
    if (f.stop_mode >= 0) now.load.side = state.modes[f.stop_mode];
    if (f.load.depends()) scratch.loaded.push_back(static_cast<int>(i));
  }
}

/// To f, which has all other forces.
template <int D>
Eval MultibodyEquations<D>::add_slips(const State& state, Workspace& ws) const {
  look_at_slips(state, ws);
  SlipScratch& scratch = static_cast<MotionScratch&>(*ws.scratch).slip;
  const auto add = [&](std::size_t i) {
    const SlipNow& now = scratch.slips[i];
    for (std::size_t c = 0; c < frictions_[i].way.columns.size(); ++c)
      ws.f[frictions_[i].way.columns[c]] -= now.force * now.y.G[c];
  };
  for (std::size_t i = 0; i < frictions_.size(); ++i)
    if (scratch.slips[i].direction != 0 && !frictions_[i].load.depends()) add(i);
  if (scratch.loaded.empty()) return Eval::ok;
  for (const int i : scratch.loaded) {
    SlipNow& now = scratch.slips[i];
    now.a.assign(sizes_.v, 0.0);
    now.lambda.assign(sizes_.constraints(), 0.0);
    for (std::size_t c = 0; c < frictions_[i].way.columns.size(); ++c)
      now.a[frictions_[i].way.columns[c]] = -now.y.G[c];
  }
  if (Eval e = solve_slips(patterns_, mass_scale_, ws, scratch); e != Eval::ok) return e;
  for (const int i : scratch.loaded) add(i);
  return Eval::ok;
}

/// The gradients of forces that depend on multipliers. With a and lambda as they are with friction,
/// R = f - M a - G'lambda without these forces and S = [M G'; G 0]:
///
///   S (da; dlambda) = (R_x - sum F_k (G_k')_x; -(G a - gamma)_x) - sum (G_k'; 0) dF_k
///   dF_j = weight_j dL_j + (mu'_j (P_j + arm_j L_j) + c_j) dy_j'
template <int D>
Eval MultibodyEquations<D>::follow_loads(const State& state, Workspace& ws) const {
  if (Eval e = evaluate(state, Request::all(), ws); e != Eval::ok) return e;
  SlipScratch& scratch = static_cast<MotionScratch&>(*ws.scratch).slip;
  differentiate_at(state, scratch.a, scratch.lambda, ws);
  const ForceValues forces = force_values(ws);
  for (std::size_t i = 0; i < frictions_.size(); ++i) {
    const Friction& f = frictions_[i];
    if (scratch.slips[i].direction == 0 || f.load.depends()) continue;
    bend(f.way.columns, f.way.blocks, scratch.slips[i], forces);
    change_with_speed(f.way.columns, f.way.blocks, scratch.slips[i], f.law, forces);
  }
  const int n = sizes_.v;
  const std::size_t count = scratch.loaded.size();
  for (const int i : scratch.loaded) {
    SlipNow& now = scratch.slips[i];
    const SlipLaw& law = frictions_[i].law;
    now.by_p.assign(n, 0.0);
    now.by_v.assign(n, 0.0);
    scratch.left.assign(n, 0.0);
    scratch.right.assign(sizes_.constraints(), 0.0);
    now.load.gradient(scratch.lambda, scratch.right);
    scratch.saddle->solve(scratch.left, scratch.right);
    add_transposed(ws.f_p, now.weight, scratch.left, now.by_p);
    add_transposed(ws.f_v, now.weight, scratch.left, now.by_v);
    add_transposed(ws.accel_p, -now.weight, scratch.right, now.by_p);
    add_transposed(ws.accel_v, -now.weight, scratch.right, now.by_v);
    now.by_t = now.weight * (dot(scratch.left, ws.f_t) - dot(scratch.right, ws.accel_t));
    for (const int k : scratch.loaded) {
      const SlipNow& other = scratch.slips[k];
      const std::vector<int>& columns = frictions_[k].way.columns;
      for (std::size_t c = 0; c < columns.size(); ++c) {
        const double factor = now.weight * other.force * scratch.left[columns[c]];
        now.by_t -= factor * other.y.G_t[c];
        for (std::size_t d = 0; d < columns.size(); ++d)
          now.by_p[columns[d]] -= factor * other.y.curvature[c * columns.size() + d];
      }
    }
    const double slope =
        now.mu.rate * (law.preload + law.arm * now.load.value(scratch.lambda)) + law.viscous;
    const std::vector<int>& columns = frictions_[i].way.columns;
    now.by_t += slope * now.y.t_rate;
    for (std::size_t c = 0; c < columns.size(); ++c) {
      now.by_p[columns[c]] += slope * now.y.rate_p[c];
      now.by_v[columns[c]] += slope * now.y.G[c];
    }
  }
  // What they do to each other.
  const auto combine = [&](auto&& value) {
    scratch.left.assign(count, 0.0);
    for (std::size_t i = 0; i < count; ++i)
      for (std::size_t k = 0; k < count; ++k)
        scratch.left[i] += scratch.inverse(static_cast<int>(i), static_cast<int>(k)) *
                           value(scratch.slips[scratch.loaded[k]]);
    for (std::size_t i = 0; i < count; ++i)
      value(scratch.slips[scratch.loaded[i]]) = scratch.left[i];
  };
  for (int c = 0; c < n; ++c) {
    combine([c](SlipNow& s) -> double& { return s.by_p[c]; });
    combine([c](SlipNow& s) -> double& { return s.by_v[c]; });
  }
  combine([](SlipNow& s) -> double& { return s.by_t; });
  return Eval::ok;
}

template <int D>
void MultibodyEquations<D>::differentiate_slips(const State& state, Workspace& ws) const {
  SlipScratch& scratch = static_cast<MotionScratch&>(*ws.scratch).slip;
  if (scratch.loaded.empty() || !slips_on_load(state)) look_at_slips(state, ws);
  const ForceValues out = force_values(ws);
  for (std::size_t i = 0; i < frictions_.size(); ++i) {
    const Friction& f = frictions_[i];
    const SlipNow& now = scratch.slips[i];
    if (now.direction == 0) continue;
    const std::vector<int>& columns = f.way.columns;
    bend(columns, f.way.blocks, now, out);
    if (!f.load.depends()) {
      change_with_speed(columns, f.way.blocks, now, f.law, out);
      continue;
    }
    for (std::size_t c = 0; c < columns.size(); ++c) {
      out.f_t[columns[c]] -= now.y.G[c] * now.by_t;
      for (int d = 0; d < sizes_.v; ++d) {
        const int block = f.dense[c * static_cast<std::size_t>(sizes_.v) + d];
        out.f_p[block] -= now.y.G[c] * now.by_p[d];
        out.f_v[block] -= now.y.G[c] * now.by_v[d];
      }
    }
  }
}

template class MultibodyEquations<2>;
template class MultibodyEquations<3>;

}  // namespace kardan
