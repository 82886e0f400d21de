#include "kardan/elements/measure.h"

namespace kardan {
namespace {

/// d = p_WB - p_WA followed to second order.
template <int D>
struct Separation {
  FixedVector<D> sA, sB;
  VecOf<D> d0, d1, d2;
  Separation(const Pair<D>& bodies, const VecOf<D>& a, const VecOf<D>& b, bool moves)
      : sA(bodies.A, a, moves), sB(bodies.B, b, moves) {
    d0 = bodies.B.x + sB.U0 - bodies.A.x - sA.U0;
    if (!moves) return;
    d1 = bodies.B.v + sB.U1 - bodies.A.v - sA.U1;
    d2 = bodies.B.a + sB.U2 - bodies.A.a - sA.U2;
  }
};

/// d alone.
template <int D>
VecOf<D> separation(const Pair<D>& bodies, const VecOf<D>& a, const VecOf<D>& b) {
  return bodies.B.x + bodies.B.R * b - bodies.A.x - bodies.A.R * a;
}

}  // namespace

template <int D>
void Dot1<D>::evaluate(const Pair<D>& bodies, Depth depth, Measure<D>& y) const {
  using M = Measure<D>;
  if (depth == Depth::value) {
    y.value = dot(bodies.A.R * a, bodies.B.R * b);
    return;
  }
  const bool moves = depth != Depth::gradient;
  const FixedVector<D> A(bodies.A, a, moves), B(bodies.B, b, moves);
  y.value = dot(A.U0, B.U0);
  if (moves) {
    y.rate = dot(A.U1, B.U0) + dot(A.U0, B.U1);
    y.accel = dot(A.U2, B.U0) + 2 * dot(A.U1, B.U1) + dot(A.U0, B.U2);
  }
  if (depth == Depth::rates) return;
  y.clear(depth);
  const auto b0 = A.local(B.U0), a0 = B.local(A.U0);
  add(y.G, M::qA, 1, A.d0(b0));
  add(y.G, M::qB, 1, B.d0(a0));
  if (depth != Depth::second) return;

  const auto b1 = A.local(B.U1), b2 = A.local(B.U2);
  const auto a1 = B.local(A.U1), a2 = B.local(A.U2);
  add(y.rate_p, M::qA, 1, A.d1(b0) + A.d0(b1));
  add(y.rate_p, M::qB, 1, B.d1(a0) + B.d0(a1));
  add(y.accel_p, M::qA, 1, A.d2(b0) + 2.0 * A.d1(b1) + A.d0(b2));
  add(y.accel_p, M::qB, 1, B.d2(a0) + 2.0 * B.d1(a1) + B.d0(a2));
  add(y.accel_v, M::qA, 1, A.e2(b0) + 2.0 * A.d0(b1));
  add(y.accel_v, M::qB, 1, B.e2(a0) + 2.0 * B.d0(a1));
  const VectorBlock<D> PA(A), PB(B);
  add_self_curvature(y, M::qA, 1, A, B.U0);
  add_self_curvature(y, M::qB, 1, B, A.U0);
  add_cross_curvature(y, M::qA, M::qB, 1, PA, PB);
  add_cross_curvature(y, M::qB, M::qA, 1, PB, PA);
}

template <int D>
void Dot2<D>::evaluate(const Pair<D>& bodies, Depth depth, Measure<D>& y) const {
  using M = Measure<D>;
  if (depth == Depth::value) {
    y.value = dot(bodies.A.R * a, separation(bodies, sA, sB));
    return;
  }
  const bool moves = depth != Depth::gradient;
  const FixedVector<D> A(bodies.A, a, moves);
  const Separation<D> s(bodies, sA, sB, moves);
  y.value = dot(A.U0, s.d0);
  if (moves) {
    y.rate = dot(A.U1, s.d0) + dot(A.U0, s.d1);
    y.accel = dot(A.U2, s.d0) + 2 * dot(A.U1, s.d1) + dot(A.U0, s.d2);
  }
  if (depth == Depth::rates) return;
  y.clear(depth);
  const auto d0 = A.local(s.d0), A0 = A.local(A.U0), B0 = s.sB.local(A.U0);
  add(y.G, M::xA, -1, A.U0);
  add(y.G, M::xB, 1, A.U0);
  add(y.G, M::qA, 1, A.d0(d0) - s.sA.d0(A0));
  add(y.G, M::qB, 1, s.sB.d0(B0));
  if (depth != Depth::second) return;

  const auto d1 = A.local(s.d1), d2 = A.local(s.d2);
  const auto A1 = A.local(A.U1), A2 = A.local(A.U2);
  const auto B1 = s.sB.local(A.U1), B2 = s.sB.local(A.U2);
  add(y.rate_p, M::xA, -1, A.U1);
  add(y.rate_p, M::xB, 1, A.U1);
  add(y.rate_p, M::qA, 1, A.d1(d0) + A.d0(d1) - s.sA.d1(A0) - s.sA.d0(A1));
  add(y.rate_p, M::qB, 1, s.sB.d1(B0) + s.sB.d0(B1));
  add(y.accel_p, M::xA, -1, A.U2);
  add(y.accel_p, M::xB, 1, A.U2);
  add(y.accel_p, M::qA, 1,
      A.d2(d0) + 2.0 * A.d1(d1) + A.d0(d2) - s.sA.d2(A0) - 2.0 * s.sA.d1(A1) - s.sA.d0(A2));
  add(y.accel_p, M::qB, 1, s.sB.d2(B0) + 2.0 * s.sB.d1(B1) + s.sB.d0(B2));
  add(y.accel_v, M::xA, -2, A.U1);
  add(y.accel_v, M::xB, 2, A.U1);
  add(y.accel_v, M::qA, 1, A.e2(d0) + 2.0 * A.d0(d1) - s.sA.e2(A0) - 2.0 * s.sA.d0(A1));
  add(y.accel_v, M::qB, 1, s.sB.e2(B0) + 2.0 * s.sB.d0(B1));

  const VectorBlock<D> PA(A), QA(s.sA), QB(s.sB);
  add_translation_curvature(y, M::xB, M::qA, 1, PA);
  add_translation_curvature(y, M::xA, M::qA, -1, PA);
  add_self_curvature(y, M::qA, 1, A, s.d0);
  // Of a.(R_A sA), a constant, only -P_a' P_s remains: P_s' P_a cancels the bend of sA.
  add_cross_curvature(y, M::qA, M::qA, -1, PA, QA);
  add_cross_curvature(y, M::qA, M::qB, 1, PA, QB);
  add_cross_curvature(y, M::qB, M::qA, 1, QB, PA);
  add_self_curvature(y, M::qB, 1, s.sB, A.U0);
}

template <int D>
void HalfSquare<D>::evaluate(const Pair<D>& bodies, Depth depth, Measure<D>& y) const {
  using M = Measure<D>;
  if (depth == Depth::value) {
    const auto d = separation(bodies, sA, sB);
    y.value = 0.5 * dot(d, d);
    return;
  }
  const bool moves = depth != Depth::gradient;
  const Separation<D> s(bodies, sA, sB, moves);
  y.value = 0.5 * dot(s.d0, s.d0);
  if (moves) {
    y.rate = dot(s.d0, s.d1);
    y.accel = dot(s.d0, s.d2) + dot(s.d1, s.d1);
  }
  if (depth == Depth::rates) return;
  y.clear(depth);
  // The two ends enter with opposite signs and are otherwise alike.
  struct End {
    const FixedVector<D>& s;
    double sign;
    int x, q;
  };
  const End ends[2] = {{s.sA, -1, M::xA, M::qA}, {s.sB, 1, M::xB, M::qB}};
  for (const End& e : ends) {
    const auto d0 = e.s.local(s.d0);
    add(y.G, e.x, e.sign, s.d0);
    add(y.G, e.q, e.sign, e.s.d0(d0));
    if (depth != Depth::second) continue;
    const auto d1 = e.s.local(s.d1), d2 = e.s.local(s.d2);
    add(y.rate_p, e.x, e.sign, s.d1);
    add(y.rate_p, e.q, e.sign, e.s.d1(d0) + e.s.d0(d1));
    add(y.accel_p, e.x, e.sign, s.d2);
    add(y.accel_p, e.q, e.sign, e.s.d2(d0) + 2.0 * e.s.d1(d1) + e.s.d0(d2));
    add(y.accel_v, e.x, 2 * e.sign, s.d1);
    add(y.accel_v, e.q, e.sign, e.s.e2(d0) + 2.0 * e.s.d0(d1));
  }
  if (depth != Depth::second) return;
  // d(d)/dp = sum of sign [I, P]; curvature = (dd/dp)'(dd/dp) + the bend of each arm.
  const VectorBlock<D> blocks[2] = {VectorBlock<D>(s.sA), VectorBlock<D>(s.sB)};
  for (int i = 0; i < 2; ++i) {
    add_self_curvature(y, ends[i].q, ends[i].sign, ends[i].s, s.d0);
    for (int j = 0; j < 2; ++j) {
      const double sign = ends[i].sign * ends[j].sign;
      for (int k = 0; k < D; ++k) y.curvature[ends[i].x + k][ends[j].x + k] += sign;
      add_translation_curvature(y, ends[i].x, ends[j].q, sign, blocks[j]);
      add_cross_curvature(y, ends[i].q, ends[j].q, sign, blocks[i], blocks[j]);
    }
  }
}

namespace {

/// y = F(q) of one measure, given F and its first three derivatives.
template <int D>
void compose(double F, double F1, double F2, double F3, const Measure<D>& q, Depth depth,
             Measure<D>& y) {
  y.value = F;
  if (depth == Depth::value) return;
  if (depth != Depth::gradient) {
    y.rate = F1 * q.rate;
    y.accel = F1 * q.accel + F2 * q.rate * q.rate;
  }
  if (depth == Depth::rates) return;
  for (int i = 0; i < Measure<D>::n; ++i) y.G[i] = F1 * q.G[i];
  if (depth != Depth::second) return;
  for (int i = 0; i < Measure<D>::n; ++i) {
    y.rate_p[i] = F1 * q.rate_p[i] + F2 * q.rate * q.G[i];
    y.accel_p[i] = F1 * q.accel_p[i] + F2 * (q.accel * q.G[i] + 2 * q.rate * q.rate_p[i]) +
                   F3 * q.rate * q.rate * q.G[i];
    y.accel_v[i] = F1 * q.accel_v[i] + 2 * F2 * q.rate * q.G[i];
    for (int j = 0; j < Measure<D>::n; ++j)
      y.curvature[i][j] = F1 * q.curvature[i][j] + F2 * q.G[i] * q.G[j];
  }
}

}  // namespace

template <int D>
void Distance<D>::evaluate(const Pair<D>& bodies, Depth depth, Measure<D>& y) const {
  Measure<D> q;
  HalfSquare<D>{sA, sB}.evaluate(bodies, depth, q);
  compose((q.value - 0.5 * length * length) / length, 1 / length, 0, 0, q, depth, y);
}

template <int D>
void Length<D>::evaluate(const Pair<D>& bodies, Depth depth, Measure<D>& y) const {
  Measure<D> q;
  HalfSquare<D>{sA, sB}.evaluate(bodies, depth, q);
  // l = sqrt(2 q): l_q = 1/l, l_qq = -1/l^3, l_qqq = 3/l^5.
  const double l = std::sqrt(2 * q.value), i = 1 / l, i3 = i * i * i;
  compose(l, i, -i3, 3 * i3 * i * i, q, depth, y);
}

template <int D>
void compose(const FunctionOfTwo& F, const Measure<D>& y1, const Measure<D>& y2, Depth depth,
             Measure<D>& y) {
  y.value = F.F;
  if (depth == Depth::value) return;
  // Directional derivatives of F_1 and F_2 along the motion.
  const double F1_rate[2] = {F.F2[0] * y1.rate + F.F2[1] * y2.rate,
                             F.F2[1] * y1.rate + F.F2[2] * y2.rate};
  if (depth != Depth::gradient) {
    y.rate = F.F1[0] * y1.rate + F.F1[1] * y2.rate;
    y.accel = F.F1[0] * y1.accel + F.F1[1] * y2.accel + F1_rate[0] * y1.rate + F1_rate[1] * y2.rate;
  }
  if (depth == Depth::rates) return;
  for (int i = 0; i < Measure<D>::n; ++i) y.G[i] = F.F1[0] * y1.G[i] + F.F1[1] * y2.G[i];
  if (depth != Depth::second) return;
  // Second directional derivatives, and those along the acceleration.
  const double F1_accel[2] = {
      F.F2[0] * y1.accel + F.F2[1] * y2.accel + F.F3[0] * y1.rate * y1.rate +
          2 * F.F3[1] * y1.rate * y2.rate + F.F3[2] * y2.rate * y2.rate,
      F.F2[1] * y1.accel + F.F2[2] * y2.accel + F.F3[1] * y1.rate * y1.rate +
          2 * F.F3[2] * y1.rate * y2.rate + F.F3[3] * y2.rate * y2.rate};
  for (int i = 0; i < Measure<D>::n; ++i) {
    y.rate_p[i] = F.F1[0] * y1.rate_p[i] + F.F1[1] * y2.rate_p[i] + F1_rate[0] * y1.G[i] +
                  F1_rate[1] * y2.G[i];
    y.accel_p[i] = F.F1[0] * y1.accel_p[i] + F.F1[1] * y2.accel_p[i] +
                   2 * (F1_rate[0] * y1.rate_p[i] + F1_rate[1] * y2.rate_p[i]) +
                   F1_accel[0] * y1.G[i] + F1_accel[1] * y2.G[i];
    y.accel_v[i] = F.F1[0] * y1.accel_v[i] + F.F1[1] * y2.accel_v[i] +
                   2 * (F1_rate[0] * y1.G[i] + F1_rate[1] * y2.G[i]);
    for (int j = 0; j < Measure<D>::n; ++j)
      y.curvature[i][j] = F.F1[0] * y1.curvature[i][j] + F.F1[1] * y2.curvature[i][j] +
                          y1.G[i] * (F.F2[0] * y1.G[j] + F.F2[1] * y2.G[j]) +
                          y2.G[i] * (F.F2[1] * y1.G[j] + F.F2[2] * y2.G[j]);
  }
}

void Angle<3>::evaluate(const Pair<3>& bodies, Depth depth, Measure<3>& y) const {
  Measure<3> c, s;
  Dot1<3>{xA, b}.evaluate(bodies, depth, c);
  Dot1<3>{yA, b}.evaluate(bodies, depth, s);
  // F = Im log(z), z = c + i s: the k-th derivative is Im((-1)^(k-1) (k-1)! i^m / z^k), m by s.
  const double N = c.value * c.value + s.value * s.value;
  const double re1 = c.value / N, im1 = -s.value / N;
  const double re2 = re1 * re1 - im1 * im1, im2 = 2 * re1 * im1;
  const double re3 = re2 * re1 - im2 * im1, im3 = re2 * im1 + im2 * re1;
  const FunctionOfTwo F{std::atan2(s.value, c.value),
                        {im1, re1},
                        {-im2, -re2, im2},
                        {2 * im3, 2 * re3, -2 * im3, -2 * re3}};
  compose(F, c, s, depth, y);
}

void Angle<2>::evaluate(const Pair<2>& bodies, Depth depth, Measure<2>& y) const {
  y.value = bodies.B.angle - bodies.A.angle + offset;
  if (depth == Depth::value) return;
  y.clear(depth);
  y.rate = bodies.B.w - bodies.A.w;
  y.accel = bodies.B.alpha - bodies.A.alpha;
  y.G[Measure<2>::qA] = -1;
  y.G[Measure<2>::qB] = 1;
}

template struct Dot1<2>;
template struct Dot1<3>;
template struct Dot2<2>;
template struct Dot2<3>;
template struct HalfSquare<2>;
template struct HalfSquare<3>;
template struct Distance<2>;
template struct Distance<3>;
template struct Length<2>;
template struct Length<3>;
template void compose<2>(const FunctionOfTwo&, const Measure<2>&, const Measure<2>&, Depth,
                         Measure<2>&);
template void compose<3>(const FunctionOfTwo&, const Measure<3>&, const Measure<3>&, Depth,
                         Measure<3>&);

}  // namespace kardan
