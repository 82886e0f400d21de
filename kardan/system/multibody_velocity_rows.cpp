/// Rows 0 = z for an expression z of positions, velocities and time, linear in the velocities.

#include <algorithm>

#include "kardan/system/multibody.h"

namespace kardan {

template <int D>
void MultibodyEquations<D>::velocity_jet(const Quantity& q, const HeldRow& row, const State& state,
                                         VelocityJet& out, Workspace& ws) const {
  MotionScratch& scratch = static_cast<MotionScratch&>(*ws.scratch);
  const std::size_t n = row.columns.size();
  out.clear(n);
  const auto place = [&](int column) {
    return static_cast<std::size_t>(std::ranges::lower_bound(row.columns, column) -
                                    row.columns.begin());
  };
  if (q.kind == Quantity::Kind::velocity) {
    const BodyMotion<D>& m = scratch.motion[q.body];
    out.value = state.v[bodies_[q.body].v + q.index];
    if (q.index < D)
      out.rate = m.a[q.index];
    else if constexpr (D == 3)
      out.rate = m.alpha[q.index - 3];
    else
      out.rate = m.alpha;
    out.H[place(bodies_[q.body].v + q.index)] = 1;
    return;
  }
  const FollowedReading<D>* const rate_of =
      q.kind == Quantity::Kind::sensor ? program_.sensors[q.index].rate_of : nullptr;
  if (!rate_of) {  // of positions
    if (scratch.jets.empty()) scratch.jets.emplace_back();
    QuantityJet& y = scratch.jets.front();
    jet(q, row, state, 1, y, ws);
    out.value = y.value;
    out.rate = y.rate;
    out.t_value = y.t_value;
    out.t_rate = y.t_rate;
    out.by_p = y.G;
    out.rate_p = y.rate_p;
    out.rate_v = y.G;
    return;
  }
  Measure<D> y;
  rate_of->follow(context(state, scratch.motion), y);
  out.value = y.rate;
  out.rate = y.accel;
  const auto each = [&](auto&& use) {
    for (int k = 0; k < rate_of->A.count; ++k) use(k, place(rate_of->A.first + k));
    for (int k = 0; k < rate_of->B.count; ++k) use(dofs<D> + k, place(rate_of->B.first + k));
  };
  each([&](int i, std::size_t c) {
    out.H[c] += y.G[i];
    out.by_p[c] += y.rate_p[i];
    out.rate_p[c] += y.accel_p[i];
    out.rate_v[c] += y.accel_v[i];
    each([&](int j, std::size_t d) { out.turn[c * n + d] += y.curvature[i][j]; });
  });
}

template <int D>
VelocityJet& MultibodyEquations<D>::velocity_jet(const HeldRow& row, const State& state,
                                                 Workspace& ws) const {
  VelocityScratch& scratch = static_cast<MotionScratch&>(*ws.scratch).velocity_rows;
  const auto& arguments = row.value->arguments;
  while (scratch.jets.size() < arguments.size() + 1) scratch.jets.emplace_back();
  for (std::size_t i = 0; i < arguments.size(); ++i)
    velocity_jet(arguments[i], row, state, scratch.jets[1 + i], ws);
  compose(row.value->value, row.columns.size(), scratch);
  return scratch.jets[0];
}

template <int D>
void MultibodyEquations<D>::evaluate_velocity_row(const HeldRow& row, const State& state,
                                                  const ConstraintValues& out,
                                                  Workspace& ws) const {
  const VelocityJet& z = velocity_jet(row, state, ws);
  out.rate[row.row] += z.value;
  out.accel[row.row] += z.rate;
  double of_velocities = 0;
  for (std::size_t c = 0; c < row.slots.size(); ++c) {
    out.G[row.slots[c]] += z.H[c];
    of_velocities += z.H[c] * state.v[row.columns[c]];
  }
  out.g_t[row.row] += z.value - of_velocities;
}

template <int D>
void MultibodyEquations<D>::differentiate_velocity_row(const HeldRow& row, const State& state,
                                                       const ConstraintValues& out,
                                                       const ForceValues& forces,
                                                       Workspace& ws) const {
  const VelocityJet& z = velocity_jet(row, state, ws);
  out.rate_t[row.row] += z.t_value;
  out.accel_t[row.row] += z.t_rate;
  for (std::size_t c = 0; c < row.slots.size(); ++c) {
    out.rate_p[row.slots[c]] += z.by_p[c];
    out.accel_p[row.slots[c]] += z.rate_p[c];
    out.accel_v[row.slots[c]] += z.rate_v[c];
  }
  if (!forces.lambda) return;
  const double mu = forces.lambda[row.row];
  for (std::size_t c = 0; c < row.columns.size(); ++c) forces.f_t[row.columns[c]] -= mu * z.H_t[c];
  for (std::size_t c = 0; c < row.blocks.size(); ++c) forces.f_p[row.blocks[c]] -= mu * z.turn[c];
}

template class MultibodyEquations<2>;
template class MultibodyEquations<3>;

}  // namespace kardan
