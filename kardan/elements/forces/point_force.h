#pragma once
/// A force on one body (B of the pair; A is the ground and receives nothing) at a point s fixed to
/// it, given in the world as a function of the point's position P and velocity V and of time.

#include "kardan/elements/force_bank.h"

namespace kardan {

template <int D>
struct PointForce {
  VecOf<D> F{};
  double F_P[D][D] = {}, F_V[D][D] = {};
  VecOf<D> F_t{};
};

/// Adds Q = (F, s x R'F) and, in Depth::second, its derivatives:
///   P_p = [I, S0],  V_p = [0, S1],  V_v = [I, S0],  S_k = dU_k/dtheta of the arm.
template <int D>
void add_point_force(const FixedVector<D>& arm, const PointForce<D>& f, Depth depth, Force<D>& out);

}  // namespace kardan
