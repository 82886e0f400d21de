#include "kardan/elements/nonholonomic/knife_edge.h"

namespace kardan {

template <int D>
void KnifeEdgeResidual<D>::evaluate(const Pair<D>& bodies, Depth depth, Measure<D>& psi) const {
  constexpr int x = Measure<D>::xB, q = Measure<D>::qB;
  const BodyMotion<D>& B = bodies.B;
  const FixedVector<D> E(B, e), S(B, s);
  const VecOf<D> V = B.v + S.U1, A = B.a + S.U2;
  psi.clear(depth);
  psi.rate = dot(E.U0, V);
  psi.accel = dot(E.U1, V) + dot(E.U0, A);
  const auto E0 = E.local(E.U0);
  add(psi.G, x, 1, E.U0);
  add(psi.G, q, 1, S.d0(E0));
  if (depth != Depth::second) return;
  const auto V0 = E.local(V), A0 = E.local(A), E1 = E.local(E.U1);
  add(psi.rate_p, q, 1, E.d0(V0) + S.d1(E0));
  add(psi.accel_p, q, 1, E.d1(V0) + E.d0(A0) + S.d1(E1) + S.d2(E0));
  add(psi.accel_v, x, 1, E.U1);
  add(psi.accel_v, q, 1, E.d0(V0) + S.d0(E1) + S.e2(E0));
  // H = [(R e)', constant]: only the translation columns turn.
  const VectorBlock<D> P(E);
  for (int k = 0; k < D; ++k)
    for (int j = 0; j < spins<D>; ++j) psi.curvature[x + k][q + j] = P.m[k][j];
}

template struct KnifeEdgeResidual<2>;
template struct KnifeEdgeResidual<3>;

}  // namespace kardan
