/// What a motion of bodies preserves, with derivatives by displacements and body-frame rotations:
///
///   energy            T + V:  by v M v, by p minus the forces at rest
///   momentum          sum m v
///   angular_momentum  sum R J w + m x v:  by a rotation -R (J w)~
///   expressions       of quantities
///
/// Whoever keeps them compares with their values at the start.

#include <algorithm>

#include "kardan/system/multibody.h"

namespace kardan {

template <int D>
void MultibodyEquations<D>::energy_gradient(const State& state, std::span<double> by_p,
                                            std::span<double> by_v, Workspace& ws) const {
  ws.M.multiply(state.v, by_v);
  // Forces of a potential do not depend on velocities; gyroscopic ones vanish at rest.
  auto& motion = move(state, {}, ws);
  for (BodyMotion<D>& m : motion) {
    m.v = {};
    m.w = {};
  }
  Vector& f = ws.f;
  std::fill(f.begin(), f.end(), 0.0);
  std::fill(ws.b.begin(), ws.b.end(), 0.0);
  std::fill(ws.d.begin(), ws.d.end(), 0.0);
  body_forces(motion, f);
  const Context<D> at = context(state, motion);
  const ForceValues out = force_values(ws);
  for (const auto& bank : program_.forces) bank->evaluate(at, pairs_, out);
  for (int j = 0; j < sizes_.v; ++j) by_p[j] = -f[j];
}

template <int D>
void MultibodyEquations<D>::momentum_gradient(const State& state, int row, Workspace& ws) const {
  const auto columns = static_cast<std::size_t>(sizes_.v);
  for (std::size_t b = 1; b < bodies_.size(); ++b)
    for (int k = 0; k < D; ++k) {
      ws.e[row + k] += masses_[b].mass * state.v[bodies_[b].v + k];
      ws.e_v.values[(row + k) * columns + bodies_[b].v + k] = masses_[b].mass;
    }
}

template <int D>
void MultibodyEquations<D>::angular_momentum_gradient(const State& state, int row,
                                                      Workspace& ws) const {
  const auto columns = static_cast<std::size_t>(sizes_.v);
  const auto& motion = move(state, {}, ws);
  const auto by = [&](SparseMatrix& A, int i, int column) -> double& {
    return A.values[static_cast<std::size_t>(row + i) * columns + column];
  };
  for (std::size_t b = 1; b < bodies_.size(); ++b) {
    const BodyMotion<D>& m = motion[b];
    const double mass = masses_[b].mass;
    const int c = bodies_[b].v;
    const bool turns = bodies_[b].v_count > D;
    if constexpr (D == 2) {
      ws.e[row] += mass * (m.x[0] * m.v[1] - m.x[1] * m.v[0]);
      by(ws.e_p, 0, c) = mass * m.v[1];
      by(ws.e_p, 0, c + 1) = -mass * m.v[0];
      by(ws.e_v, 0, c) = -mass * m.x[1];
      by(ws.e_v, 0, c + 1) = mass * m.x[0];
      if (turns) {
        ws.e[row] += masses_[b].inertia[2][2] * m.w;
        by(ws.e_v, 0, c + 2) = masses_[b].inertia[2][2];
      }
    } else {
      const Vec3d orbit = mass * cross(m.x, m.v);
      for (int i = 0; i < 3; ++i) ws.e[row + i] += orbit[i];
      for (int k = 0; k < 3; ++k) {
        Vec3d unit;
        unit[k] = mass;
        const Vec3d moved = cross(unit, m.v), faster = cross(m.x, unit);
        for (int i = 0; i < 3; ++i) {
          by(ws.e_p, i, c + k) = moved[i];
          by(ws.e_v, i, c + k) = faster[i];
        }
      }
      if (!turns) continue;
      const Vec3d spin = masses_[b].inertia * m.w, world = m.R * spin;
      for (int i = 0; i < 3; ++i) ws.e[row + i] += world[i];
      for (int k = 0; k < 3; ++k) {
        Vec3d unit;
        unit[k] = 1;
        const Vec3d turned = m.R * cross(unit, spin), faster = m.R * (masses_[b].inertia * unit);
        for (int i = 0; i < 3; ++i) {
          by(ws.e_p, i, c + 3 + k) = turned[i];
          by(ws.e_v, i, c + 3 + k) = faster[i];
        }
      }
    }
  }
}

template <int D>
Eval MultibodyEquations<D>::invariants(const State& state, Workspace& ws) const {
  if (sizes_.e == 0) return Eval::ok;
  const auto columns = static_cast<std::size_t>(sizes_.v);
  std::fill(ws.e.begin(), ws.e.end(), 0.0);
  for (SparseMatrix* A : {&ws.e_p, &ws.e_v}) std::fill(A->values.begin(), A->values.end(), 0.0);
  int row = 0;
  std::size_t expression_index = 0;
  for (const InvariantData::Kind kind : invariants_) {
    const std::span<double> by_p = std::span(ws.e_p.values).subspan(row * columns, columns);
    const std::span<double> by_v = std::span(ws.e_v.values).subspan(row * columns, columns);
    switch (kind) {
      case InvariantData::Kind::energy: {
        energy_gradient(state, by_p, by_v, ws);
        const Energy e = energy(state, ws);  // last: forces in the workspace are those of the state
        ws.e[row] = e.kinetic + e.potential;
        row += 1;
        break;
      }
      case InvariantData::Kind::momentum:
        momentum_gradient(state, row, ws);
        row += D;
        break;
      case InvariantData::Kind::angular_momentum:
        angular_momentum_gradient(state, row, ws);
        row += spins<D>;
        break;
      case InvariantData::Kind::expression:
        ws.e[row] =
            expression(expressions_.invariants[expression_index++], state, 1, by_p, by_v, ws);
        row += 1;
        break;
    }
  }
  const bool finite = all_finite(ws.e) && all_finite(ws.e_p.values) && all_finite(ws.e_v.values);
  return finite ? Eval::ok : Eval::recoverable;
}

template class MultibodyEquations<2>;
template class MultibodyEquations<3>;

}  // namespace kardan
