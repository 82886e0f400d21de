#include "kardan/elements/forces/drag.h"

#include "kardan/elements/forces/planar.h"

namespace kardan {

template <int D>
void DragKernel<D>::evaluate(double, const Pair<D>& bodies, int, Depth depth, Force<D>& out) const {
  out.clear(depth);
  const FixedVector<D> arm(bodies.B, s);
  const VecOf<D> v = bodies.B.v + arm.U1 - wind;
  const double speed = norm(v);
  PointForce<D> f;
  f.F = -(linear + quadratic * speed) * v;
  // d(|v| v) = (|v| I + v v'/|v|) dv
  const double quotient = speed > 0 ? quadratic / speed : 0;
  for (int i = 0; i < D; ++i) {
    for (int j = 0; j < D; ++j) f.F_V[i][j] = -quotient * v[i] * v[j];
    f.F_V[i][i] -= linear + quadratic * speed;
  }
  add_point_force(arm, f, depth, out);
  constexpr int q = Measure<D>::qB;
  add(out.Q, q, -rotational, bodies.B.w);
  if (depth != Depth::second) return;
  for (int i = 0; i < spins<D>; ++i) out.Q_v[q + i][q + i] -= rotational;
}

template <int D>
double DragKernel<D>::magnitude(double, const Pair<D>& bodies, int) const {
  const double speed = norm(bodies.B.v + FixedVector<D>(bodies.B, s).U1 - wind);
  return (linear + quadratic * speed) * speed;
}

void Drag::build(Builder<3>& b) const {
  b.force(DragKernel<3>{b.frame(0).s, wind, linear, quadratic, rotational}, Builder<3>::ground, 0);
}

void Drag::build(Builder<2>& b) const {
  if (!in_the_plane(b, "wind", wind)) return;
  b.force(DragKernel<2>{b.frame(0).s, {wind.x, wind.y}, linear, quadratic, rotational},
          Builder<2>::ground, 0);
}

template struct DragKernel<2>;
template struct DragKernel<3>;

}  // namespace kardan
